"""A chat model that answers with checked values: a wrong answer is sent back for repair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from mnemic.errors import BadAnswer, ModelRefused
from mnemic.providers.chat.base import (
    Answer,
    ChatMessage,
    Meter,
    Object,
    OnText,
    Schema,
    T,
    WrongShape,
)
from mnemic.providers.chat.json_answer import object_in
from mnemic.providers.chat.transport import (
    ModelPrompt,
    ModelReply,
    Transport,
    answer_words,
    spent_on,
)

_EXCERPT = 20_000  # characters of a bad answer that the model sees again
_QUOTED = 200
_DETAILS = 1_000  # characters of what is wrong with the parts of an answer
_CUT_OFF = "it was cut off before its end"


class ChatModel:
    """Asks a model until its answer is right, or the repairs are used up. All failures are
    ModelErrors; safe from several threads.
    """

    def __init__(self, transport: Transport, *, repairs: int, meter: Meter | None = None) -> None:
        self._transport, self._repairs, self._meter = transport, repairs, meter

    @property
    def name(self) -> str:
        """The model, as usage and prices know it."""
        return self._transport.name

    def ask(
        self,
        messages: str | Sequence[ChatMessage],
        *,
        purpose: str,
        schema: Schema,
        parse: Callable[[Object], T],
        parse_partial: Callable[[str], T] | None = None,
        system: str = "",
    ) -> Answer[T]:
        """An object that ``parse`` has accepted, never half of one.

        ``schema`` tells the model what to answer; ``parse`` judges it, and raises WrongShape.
        ``parse_partial`` takes what can be used of an answer that is no whole object.
        """
        first = prompt = ModelPrompt(system, _to_messages(messages), purpose, schema)
        spent, repairs = None, self._repairs
        while True:
            reply = self._reply(prompt)
            spent = reply.spent if spent is None else spent + reply.spent
            try:
                return Answer(_parse(reply, parse, parse_partial), spent)
            except WrongShape as wrong:
                if not repairs:
                    raise self._unusable(reply, wrong, purpose) from None
                repairs -= 1
                prompt = _repair_prompt(first, reply, wrong, system)

    def write(
        self,
        messages: str | Sequence[ChatMessage],
        *,
        purpose: str,
        system: str = "",
        on_text: OnText | None = None,
    ) -> Answer[str]:
        """A whole text, not empty. ``on_text`` gets its pieces as they come, where they do."""
        reply = self._reply(ModelPrompt(system, _to_messages(messages), purpose), on_text)
        text = reply.text.strip()
        if not text or reply.ending == "cut":
            wrong = WrongShape(_CUT_OFF if reply.ending == "cut" else "it is empty")
            raise self._unusable(reply, wrong, purpose)
        return Answer(text, reply.spent)

    def add_meter(self, meter: Meter) -> ChatModel:
        """The same model over the same connections, with every call counted."""
        return ChatModel(self._transport, repairs=self._repairs, meter=meter)

    def close(self) -> None:
        """Drop the connections; the next call makes new ones."""
        self._transport.close()

    def _reply(self, prompt: ModelPrompt, on_text: OnText | None = None) -> ModelReply:
        reply = self._send(prompt, on_text)
        if reply.ending == "declined":
            raise ModelRefused(
                f"{self.name} declined to answer for {prompt.purpose}"
                + _quote(self._transport.mask(reply.text)),
                remedy="Leave out what it objects to, or use another model",
            )
        return reply

    def _send(self, prompt: ModelPrompt, on_text: OnText | None) -> ModelReply:
        """Every exchange is metered: what was written before one broke off is paid for, too."""
        meter, pieces = self._meter, list[str]()
        if meter is None:
            return self._transport.send(prompt, on_text)
        meter.allow()

        def listen(text: str) -> None:
            pieces.append(text)
            if on_text is not None:
                on_text(text)

        try:
            reply = self._transport.send(prompt, None if on_text is None else listen)
        except BaseException:
            if pieces:
                texts = [prompt.system, *(message.text for message in prompt.messages)]
                meter.record(prompt.purpose, spent_on(self.name, None, texts, "".join(pieces)))
            raise
        meter.record(prompt.purpose, reply.spent)
        return reply

    def _unusable(self, reply: ModelReply, wrong: WrongShape, purpose: str) -> BadAnswer:
        cut = reply.ending == "cut"
        return BadAnswer(
            f"What {self.name} answered for {purpose} cannot be used"
            + _quote(self._transport.mask(str(wrong))),
            remedy="Raise model.max_tokens, or give it less at once"
            if cut
            else "Try again, or use a stronger model",
        )


def _parse(
    reply: ModelReply, parse: Callable[[Object], T], parse_partial: Callable[[str], T] | None
) -> T:
    try:
        if reply.ending == "cut":
            raise WrongShape(_CUT_OFF)
        answer = object_in(reply.text)
    except WrongShape:
        if parse_partial is None:
            raise
        return parse_partial(reply.text)
    return parse(answer)


def _repair_prompt(
    first: ModelPrompt, reply: ModelReply, wrong: WrongShape, system: str
) -> ModelPrompt:
    key = "rest" if wrong.partial else "shorter" if reply.ending == "cut" else "again"
    mistake = _line(str(wrong), _DETAILS if wrong.partial else _QUOTED)
    request = answer_words(system)[key].format(wrong=mistake)
    answered = reply.text[:_EXCERPT]
    previous = (ChatMessage("assistant", answered),) if answered.strip() else ()
    return replace(first, messages=(*first.messages, *previous, ChatMessage("user", request)))


def _to_messages(messages: str | Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    return (ChatMessage("user", messages),) if isinstance(messages, str) else tuple(messages)


def _quote(text: str) -> str:
    line = _line(text)
    return f": {line}" if line else ""


def _line(text: str, most: int = _QUOTED) -> str:
    return " ".join(text[: most * 2].split())[:most]
