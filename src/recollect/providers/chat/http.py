"""A chat model behind an HTTP address."""

from __future__ import annotations

import json

from recollect.errors import BadAnswer, ModelRefused
from recollect.language.tokens import estimate_tokens
from recollect.providers.chat.base import Spent
from recollect.providers.chat.protocols import Reply, WireProtocol
from recollect.providers.chat.transport import (
    ModelPrompt,
    ModelReply,
    RequestOptions,
    without_refused,
)
from recollect.providers.wire import Wire
from recollect.settings.environment import ModelPrice

_MILLION = 1_000_000


class HttpTransport:
    """Sends prompts over a wire in its protocol. Nothing is sent before the first prompt."""

    def __init__(
        self,
        wire: Wire,
        protocol: WireProtocol,
        options: RequestOptions,
        *,
        price: ModelPrice | None = None,
    ) -> None:
        self._wire, self._protocol, self._options = wire, protocol, options
        self._price = price

    @property
    def name(self) -> str:
        return self._options.model

    def send(self, prompt: ModelPrompt) -> ModelReply:
        reply = self._post(prompt)
        # A server may send half a character, which no database takes. Its words are its own: the
        # key is masked in errors, and what looks like a secret where it is written.
        text = reply.text.encode("utf-8", "replace").decode()
        return ModelReply(text, reply.ending, self._spent(prompt, reply))

    def masked(self, text: str) -> str:
        return self._wire.masked(text)

    def close(self) -> None:
        self._wire.close()

    def _post(self, prompt: ModelPrompt) -> Reply:
        options = self._options
        while True:
            try:
                answer = self._wire.post(
                    self._protocol.path, self._protocol.payload(prompt, options)
                )
            except ModelRefused as error:
                simpler = without_refused(options, error, for_json=prompt.schema is not None)
                if simpler is None:
                    raise
                options = simpler
            else:
                self._options = options
                return self._read(answer)

    def _read(self, answer: object) -> Reply:
        try:
            return self._protocol.reply(answer)
        except BadAnswer as error:
            message = self._wire.masked(f"{self._wire.service}: {error.message}")
            raise BadAnswer(message, remedy=error.remedy) from None

    def _spent(self, prompt: ModelPrompt, reply: Reply) -> Spent:
        """The tokens as the server counted them, else estimated."""
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
