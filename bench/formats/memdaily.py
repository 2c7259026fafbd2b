"""MemDaily (``memdaily.json``, nuster1128/MemSim): daily messages of one person in Chinese.

``{type: {scenario: [{"tid", "message_list": [{"mid", "message", "time", "place"}], "QA":
{"question", "answer", "target_step_id", "choices", "ground_truth", "time"}}]}}``; with noise a
message is a text, "… (消息地点 …, 消息时间 …)" where it is none of the noise. The files before the
merge are lists with a ``question_list`` in place of ``QA``.
"""

from __future__ import annotations

import re
from typing import Any

from bench.formats.base import Bank, Item, Question, Record, each, moment, text_of

_DATE = "%Y年%m月%d日 %H:%M"
_WEEKDAY = re.compile(r"\s*周[一二三四五六日]\s*")
_SPEAKER = "用户"
_STAMPED = re.compile(r"(?P<text>.*) \(消息地点 .*?, 消息时间 (?P<time>[^)]*)\)", re.DOTALL)
_FAILED = ("[ERRORQ]", "[ERRORA]")  # what the publisher's merge leaves out


class MemDaily:
    name = "memdaily"
    record = "an object with message_list and QA"

    def fits(self, record: Record) -> bool:
        return "message_list" in record and ("QA" in record or "question_list" in record)

    def bank(self, record: Record, path: tuple[str, ...]) -> Bank | None:
        items = each("message", record["message_list"], _message)
        asked = record["QA"] if "QA" in record else record["question_list"][0]
        if asked["question"] in _FAILED or asked["answer"] in _FAILED:
            return None
        name = "-".join((*path, str(record["tid"])))
        category = path[0] if path else ""
        (question,) = each("QA", [asked], lambda _, qa: _question(qa, category, len(items)))
        return Bank(name, items, (question,), self.name)


def _message(place: int, message: Any) -> Item:
    if isinstance(message, str):
        stamped = _STAMPED.fullmatch(message)
        text, time = (stamped["text"], _moment(stamped["time"])) if stamped else (message, "")
    else:
        text, time = text_of(message["message"]), _moment(message["time"])
    return Item(f"m{place}", text, time, _SPEAKER)


def _question(qa: Record, category: str, messages: int) -> Question:
    steps = [int(step) for step in qa["target_step_id"]]
    if not all(0 <= step < messages for step in steps):
        raise ValueError(f"target_step_id {steps} is not of {messages} messages")
    choices = {str(label): str(text) for label, text in qa["choices"].items()}
    right = text_of(qa["ground_truth"])
    if right not in choices:
        raise ValueError(f"ground_truth {right!r} is none of the choices")
    return Question(
        id="q0",
        query=text_of(qa["question"]),
        gold=tuple(f"m{step}" for step in dict.fromkeys(steps)),
        category=category,
        answer=str(qa["answer"]),
        choices=choices,
        right=right,
        at=_moment(qa["time"]),
    )


def _moment(text: object) -> str:
    return moment(_WEEKDAY.sub(" ", text_of(text)), _DATE)
