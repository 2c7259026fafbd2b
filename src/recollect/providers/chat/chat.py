"""A model that answers with checked values: what it says is judged, and given back for repair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from recollect.errors import BadAnswer, ModelRefused
from recollect.providers.chat import answer_format
from recollect.providers.chat.base import Answer, ChatMessage, Meter, Object, Schema, T, WrongShape
from recollect.providers.chat.json_answer import object_in
from recollect.providers.chat.speaker import Metered, ModelPrompt, ModelReply, Speaker

_SHOWN = 20_000  # characters of a bad answer that the model sees again
_QUOTED = 200
_CUT_OFF = "it was cut off before its end"


class Chat:
    """Asks a speaker until the answer is right, or until it has been asked often enough."""

    def __init__(self, speaker: Speaker, *, repairs: int) -> None:
        self._speaker, self._repairs = speaker, repairs

    @property
    def name(self) -> str:
        return self._speaker.name

    def ask(
        self,
        messages: str | Sequence[ChatMessage],
        *,
        purpose: str,
        schema: Schema,
        parse: Callable[[Object], T],
        system: str = "",
    ) -> Answer[T]:
        told = answer_format.with_form(system, schema)
        first = prompt = ModelPrompt(told, _listed(messages), purpose, schema)
        spent, left = None, self._repairs
        while True:
            said = self._heard(prompt)
            spent = said.spent if spent is None else spent + said.spent
            try:
                return Answer(_judged(said, parse), spent)
            except WrongShape as wrong:
                if not left:
                    raise self._unusable(said, wrong, purpose) from None
                left -= 1
                prompt = _repairing(first, said, wrong, system)

    def write(
        self, messages: str | Sequence[ChatMessage], *, purpose: str, system: str = ""
    ) -> Answer[str]:
        said = self._heard(ModelPrompt(system, _listed(messages), purpose))
        text = said.text.strip()
        if not text or said.ending == "cut":
            wrong = WrongShape(_CUT_OFF if said.ending == "cut" else "it is empty")
            raise self._unusable(said, wrong, purpose)
        return Answer(text, said.spent)

    def metered(self, meter: Meter) -> Chat:
        return Chat(Metered(self._speaker, meter), repairs=self._repairs)

    def close(self) -> None:
        self._speaker.close()

    def _heard(self, prompt: ModelPrompt) -> ModelReply:
        said = self._speaker.say(prompt)
        if said.ending == "declined":
            raise ModelRefused(
                f"{self.name} declined to answer for {prompt.purpose}"
                + _quoted(self._speaker.masked(said.text)),
                remedy="Leave out what it objects to, or use another model",
            )
        return said

    def _unusable(self, said: ModelReply, wrong: WrongShape, purpose: str) -> BadAnswer:
        remedy = "Try again, or use a stronger model"
        if said.ending == "cut":
            remedy = "Raise model.max_tokens, or give it less at once"
        return BadAnswer(
            f"What {self.name} answered for {purpose} cannot be used"
            + _quoted(self._speaker.masked(str(wrong))),
            remedy=remedy,
        )


def _judged(said: ModelReply, parse: Callable[[Object], T]) -> T:
    if said.ending == "cut":
        raise WrongShape(_CUT_OFF)
    return parse(object_in(said.text))


def _repairing(first: ModelPrompt, said: ModelReply, wrong: WrongShape, system: str) -> ModelPrompt:
    """The first question, the answer it got, and what was wrong with that."""
    if said.ending == "cut":
        request = answer_format.shorter(system)
    else:
        request = answer_format.again(system, _line(str(wrong)))
    answered = said.text[:_SHOWN]
    heard = (ChatMessage("assistant", answered),) if answered.strip() else ()
    return replace(first, messages=(*first.messages, *heard, ChatMessage("user", request)))


def _listed(messages: str | Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    return (ChatMessage("user", messages),) if isinstance(messages, str) else tuple(messages)


def _quoted(text: str) -> str:
    line = _line(text)
    return f": {line}" if line else ""


def _line(text: str) -> str:
    return " ".join(text[: _QUOTED * 2].split())[:_QUOTED]
