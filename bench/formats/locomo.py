"""LoCoMo (``locomo10.json``, snap-research/locomo): dialogues of two people over months.

A list of ``{"sample_id", "conversation": {"session_1_date_time", "session_1": [{"speaker",
"dia_id", "text", "blip_caption"}], …}, "qa": [{"question", "answer", "evidence": [dia_id],
"category": 1 to 5, "adversarial_answer"}]}``.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from functools import partial
from zlib import crc32

from bench.formats.base import Bank, Item, Question, Record, each, moment, text_of

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
NOT_MENTIONED = "Not mentioned in the conversation"
_SESSION = re.compile(r"session_(\d+)")
# Some labels hold several ids, a zero before the number or a colon too many.
_LABEL = re.compile(r"D:?(\d+):0*(\d+)")


class Locomo:
    name = "locomo"
    record = "an object with sample_id, conversation and qa"

    def fits(self, record: Record) -> bool:
        return isinstance(record.get("conversation"), dict) and "qa" in record

    def bank(self, record: Record, path: tuple[str, ...]) -> Bank:
        talk = record["conversation"]
        numbers = sorted(int(m[1]) for m in map(_SESSION.fullmatch, talk) if m)
        items: list[Item] = []
        for number in numbers:
            name = f"session_{number}"
            at = moment(talk[f"{name}_date_time"], "%I:%M %p on %d %B, %Y")
            items += each(f"{name}, turn", talk[name], partial(_turn, session=name, at=at))
        ids = {item.id for item in items}
        questions = each("qa", record["qa"], partial(_question, ids=ids))
        return Bank(str(record["sample_id"]), tuple(items), questions, self.name)


def _turn(_: int, turn: Record, session: str, at: str) -> Item:
    caption = turn.get("blip_caption")
    shown = f" [image: {caption}]" if caption else ""
    return Item(
        text_of(turn["dia_id"]),
        text_of(turn["text"]) + shown,
        at,
        text_of(turn["speaker"]),
        session,
    )


def _question(place: int, qa: Record, ids: Container[str]) -> Question:
    category = CATEGORIES[qa["category"]]
    query = text_of(qa["question"])
    choices, right = None, ""
    if category == "adversarial":
        choices, right = _options(query, str(qa.get("adversarial_answer", qa.get("answer"))))
    return Question(
        id=f"q{place}",
        query=query,
        gold=_gold(qa["evidence"], ids),
        category=category,
        answer=NOT_MENTIONED if choices else str(qa["answer"]),
        choices=choices,
        right=right,
    )


def _gold(labels: Iterable[str], ids: Container[str]) -> tuple[str, ...]:
    """The turns that the labels name; the published file has labels of turns that are not there."""
    named = [f"D{m[1]}:{m[2]}" for label in labels for m in _LABEL.finditer(text_of(label))]
    return tuple(dict.fromkeys(id_ for id_ in named if id_ in ids))


def _options(query: str, wrong: str) -> tuple[dict[str, str], str]:
    """Two options in an order that is drawn for the question, the same at every reading."""
    first = crc32(query.encode()) % 2 == 0
    right, other = ("a", "b") if first else ("b", "a")
    return dict(sorted({right: NOT_MENTIONED, other: wrong}.items())), right
