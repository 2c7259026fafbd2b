"""A model behind an address."""

from __future__ import annotations

import json

from recollect.errors import BadAnswer, ModelRefused
from recollect.language.tokens import estimate_tokens
from recollect.providers.chat.base import Spent
from recollect.providers.chat.dialects import Reply, WireProtocol
from recollect.providers.chat.manners import Manners, humbler
from recollect.providers.chat.speaker import ModelPrompt, ModelReply
from recollect.providers.wire import Wire
from recollect.settings.environment import ModelPrice

_MILLION = 1_000_000


class HttpSpeaker:
    """Takes prompts over a wire in a dialect. Nothing is sent before the first prompt."""

    def __init__(
        self,
        wire: Wire,
        dialect: WireProtocol,
        manners: Manners,
        *,
        price: ModelPrice | None = None,
    ) -> None:
        self._wire, self._dialect, self._manners = wire, dialect, manners
        self._price = price

    @property
    def name(self) -> str:
        return self._manners.model

    def say(self, prompt: ModelPrompt) -> ModelReply:
        reply = self._asked(prompt)
        # A server may send half a character, which no database takes. Its words are its own: the
        # key is masked in errors, and what looks like a secret where it is written.
        text = reply.text.encode("utf-8", "replace").decode()
        return ModelReply(text, reply.ending, self._spent(prompt, reply))

    def masked(self, text: str) -> str:
        return self._wire.masked(text)

    def close(self) -> None:
        self._wire.close()

    def _asked(self, prompt: ModelPrompt) -> Reply:
        manners = self._manners
        while True:
            try:
                answer = self._wire.post(self._dialect.path, self._dialect.payload(prompt, manners))
            except ModelRefused as error:
                humble = humbler(manners, error, for_json=prompt.schema is not None)
                if humble is None:
                    raise
                manners = humble
            else:
                self._manners = manners
                return self._read(answer)

    def _read(self, answer: object) -> Reply:
        try:
            return self._dialect.reply(answer)
        except BadAnswer as error:
            said = self._wire.masked(f"{self._wire.service}: {error.message}")
            raise BadAnswer(said, remedy=error.remedy) from None

    def _spent(self, prompt: ModelPrompt, reply: Reply) -> Spent:
        """As the server counted, else as we estimate."""
        read, written = reply.input_tokens, reply.output_tokens
        if read is None:
            texts = [prompt.system, *(message.text for message in prompt.messages)]
            if prompt.schema is not None:
                texts.append(json.dumps(prompt.schema, ensure_ascii=False))
            read = sum(map(estimate_tokens, texts))
        if written is None:
            written = estimate_tokens(reply.text)
        return Spent(self.name, read, written, _cost(self._price, read, written))


def _cost(price: ModelPrice | None, read: int, written: int) -> float | None:
    if price is None:
        return None
    return (read * price.input + written * price.output) / _MILLION
