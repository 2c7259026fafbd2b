"""A chat model that answers with checked values: a wrong answer is sent back for repair."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from recollect.errors import BadAnswer, ModelRefused
from recollect.providers.chat.base import Answer, ChatMessage, Meter, Object, Schema, T, WrongShape
from recollect.providers.chat.json_answer import object_in
from recollect.providers.chat.transport import (
    MeteredTransport,
    ModelPrompt,
    ModelReply,
    Transport,
)

_EXCERPT = 20_000  # characters of a bad answer that the model sees again
_QUOTED = 200
_CUT_OFF = "it was cut off before its end"


class Chat:
    """Asks a model until its answer is right, or the repairs are used up."""

    def __init__(self, transport: Transport, *, repairs: int) -> None:
        self._transport, self._repairs = transport, repairs

    @property
    def name(self) -> str:
        return self._transport.name

    def ask(
        self,
        messages: str | Sequence[ChatMessage],
        *,
        purpose: str,
        schema: Schema,
        parse: Callable[[Object], T],
        system: str = "",
    ) -> Answer[T]:
        instructions = with_form(system, schema)
        first = prompt = ModelPrompt(instructions, _listed(messages), purpose, schema)
        spent, repairs = None, self._repairs
        while True:
            reply = self._reply(prompt)
            spent = reply.spent if spent is None else spent + reply.spent
            try:
                return Answer(_parsed(reply, parse), spent)
            except WrongShape as wrong:
                if not repairs:
                    raise self._unusable(reply, wrong, purpose) from None
                repairs -= 1
                prompt = _repair_prompt(first, reply, wrong, system)

    def write(
        self, messages: str | Sequence[ChatMessage], *, purpose: str, system: str = ""
    ) -> Answer[str]:
        reply = self._reply(ModelPrompt(system, _listed(messages), purpose))
        text = reply.text.strip()
        if not text or reply.ending == "cut":
            wrong = WrongShape(_CUT_OFF if reply.ending == "cut" else "it is empty")
            raise self._unusable(reply, wrong, purpose)
        return Answer(text, reply.spent)

    def metered(self, meter: Meter) -> Chat:
        return Chat(MeteredTransport(self._transport, meter), repairs=self._repairs)

    def close(self) -> None:
        self._transport.close()

    def _reply(self, prompt: ModelPrompt) -> ModelReply:
        reply = self._transport.send(prompt)
        if reply.ending == "declined":
            raise ModelRefused(
                f"{self.name} declined to answer for {prompt.purpose}"
                + _quoted(self._transport.masked(reply.text)),
                remedy="Leave out what it objects to, or use another model",
            )
        return reply

    def _unusable(self, reply: ModelReply, wrong: WrongShape, purpose: str) -> BadAnswer:
        remedy = "Try again, or use a stronger model"
        if reply.ending == "cut":
            remedy = "Raise model.max_tokens, or give it less at once"
        return BadAnswer(
            f"What {self.name} answered for {purpose} cannot be used"
            + _quoted(self._transport.masked(str(wrong))),
            remedy=remedy,
        )


def _parsed(reply: ModelReply, parse: Callable[[Object], T]) -> T:
    if reply.ending == "cut":
        raise WrongShape(_CUT_OFF)
    return parse(object_in(reply.text))


def _repair_prompt(
    first: ModelPrompt, reply: ModelReply, wrong: WrongShape, system: str
) -> ModelPrompt:
    """The first prompt, its answer, and what was wrong with that."""
    request = shorter(system) if reply.ending == "cut" else again(system, _line(str(wrong)))
    answered = reply.text[:_EXCERPT]
    previous = (ChatMessage("assistant", answered),) if answered.strip() else ()
    return replace(first, messages=(*first.messages, *previous, ChatMessage("user", request)))


def _listed(messages: str | Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    return (ChatMessage("user", messages),) if isinstance(messages, str) else tuple(messages)


def _quoted(text: str) -> str:
    line = _line(text)
    return f": {line}" if line else ""


def _line(text: str) -> str:
    return " ".join(text[: _QUOTED * 2].split())[:_QUOTED]


_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_FORM = (
    "Answer with one JSON object and nothing else. It fits this JSON Schema:\n{schema}",
    "只回答一个 JSON 对象，不要写别的内容。它必须符合这个 JSON Schema：\n{schema}",
)
_AGAIN = (
    "That answer cannot be used: {wrong}. Answer again, with the whole JSON object only.",
    "这个回答无法使用：{wrong}。请重新回答，只写完整的 JSON 对象。",
)
_SHORTER = (
    "That answer was cut off because it was too long. Answer again, shorter, with the whole JSON"
    " object only.",
    "这个回答太长，被截断了。请更简短地重新回答，只写完整的 JSON 对象。",
)


def with_form(system: str, schema: Schema) -> str:
    """The system text, and after it the form of the answer."""
    form = _in_language(_FORM, system).format(schema=json.dumps(schema, ensure_ascii=False))
    return f"{system}\n\n{form}" if system else form


def again(system: str, wrong: str) -> str:
    """The request to repair an answer."""
    return _in_language(_AGAIN, system).format(wrong=wrong)


def shorter(system: str) -> str:
    """The request for a shorter answer."""
    return _in_language(_SHORTER, system)


def _in_language(texts: tuple[str, str], like: str) -> str:
    english, chinese = texts
    return chinese if _CHINESE.search(like) else english
