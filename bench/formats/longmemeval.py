"""LongMemEval (``longmemeval_s``, ``_m`` and ``_oracle``, xiaowu0162/LongMemEval): one question on
a haystack of chats with an assistant.

A list of ``{"question_id", "question_type", "question", "answer", "question_date",
"haystack_session_ids", "haystack_dates", "haystack_sessions": [[{"role", "content",
"has_answer"}]], "answer_session_ids"}``; an id that ends in ``_abs`` is of a question that the
haystack does not answer.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from bench.formats.base import Bank, Item, Question, Record, each, moment, text_of

_DATE = "%Y/%m/%d (%a) %H:%M"


class LongMemEval:
    name = "longmemeval"
    record = "an object with question_id, question, answer and haystack_sessions"

    def fits(self, record: Record) -> bool:
        return "haystack_sessions" in record

    def bank(self, record: Record, path: tuple[str, ...]) -> Bank:
        sessions = list(
            zip(
                record["haystack_session_ids"],
                record["haystack_dates"],
                record["haystack_sessions"],
                strict=True,
            )
        )
        used: Counter[str] = Counter()
        items: list[Item] = []
        gold: list[str] = []
        for name, date, turns in sessions:
            used[name] += 1  # the same filler may stand in a haystack twice
            session = name if used[name] == 1 else f"{name}#{used[name]}"
            at = moment(date, _DATE, "%Y/%m/%d")
            made = each(f"session {name}, turn", turns, partial(_turn, session=session, at=at))
            items += made
            gold += [item.id for item, turn in zip(made, turns, strict=True)
                     if turn.get("has_answer")]  # fmt: skip
        question = _question(record, tuple(gold))
        return Bank(question.id, tuple(items), (question,), self.name)


def _turn(place: int, turn: Record, session: str, at: str) -> Item:
    text, role = text_of(turn["content"]), text_of(turn["role"])
    return Item(f"{session}_{place + 1}", text, at, role, session)


def _question(record: Record, gold: tuple[str, ...]) -> Question:
    name = text_of(record["question_id"])
    answerable = not name.endswith("_abs")
    return Question(
        id=name,
        query=text_of(record["question"]),
        gold=gold if answerable else (),
        category=text_of(record["question_type"]),
        answer=str(record["answer"]),
        at=moment(record["question_date"], _DATE, "%Y/%m/%d"),
        answerable=answerable,
    )
