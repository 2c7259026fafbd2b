"""Talk and memories told to a file and to a server, and read on each: the same ten with the same
scores.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic.clock import ManualClock
from mnemic.moving.copy import copy_space
from mnemic.types import Hit, NewTurn

pytestmark = pytest.mark.feature("O5")
TALKS = Path(__file__).parents[2] / "bench" / "reader" / "conversations"
SESSIONS = 4  # of each conversation
QUESTIONS = 5
LATER = datetime(2026, 12, 1, 12, tzinfo=UTC)
REMEMBERED = {"My sister lives in Lisbon": "fact", "我喜欢在花园里喝茶": "preference"}
# Of a memory, of one word, of words that say little, and of nothing that was ever said.
BESIDE = ("Where does my sister live?", "我喜欢什么？", "garden", "the a to of 我 的", "zzyzx")


def read(name: str) -> dict[str, Any]:
    talk: dict[str, Any] = json.loads((TALKS / name).read_text(encoding="utf-8"))
    return talk


def turns_of(talk: dict[str, Any]) -> list[NewTurn]:
    return [
        NewTurn(
            f"{talk['id']}-{session['id']}", turn["role"], turn["text"], at=session["at"], index=n
        )
        for session in talk["sessions"][:SESSIONS]
        for n, turn in enumerate(session["turns"])
    ]


def questions_of(talk: dict[str, Any]) -> list[str]:
    told = {session["id"] for session in talk["sessions"][:SESSIONS]}
    answered = [
        question["query"]
        for question in talk["questions"]
        if question["evidence"] and {turn.split("#")[0] for turn in question["evidence"]} <= told
    ]
    return answered[:QUESTIONS]


def place(hit: Hit) -> tuple[str, str, int | None, str]:
    """What stays the same of a record that was made twice: all but its id."""
    return (hit.type, hit.session, hit.index, hit.text)


def test_file_and_server_find_the_same_ten_with_the_same_scores(tmp_path: Path, url: str) -> None:
    talks = [read("en-a/en-a-01-heating.json"), read("zh-a/zh-a-01-nurse.json")]
    turns = [turn for talk in talks for turn in turns_of(talk)]
    questions = [query for talk in talks for query in questions_of(talk)]
    assert len(turns) >= 60
    assert len(questions) == 2 * QUESTIONS
    questions += BESIDE
    clock = ManualClock(LATER)
    file = tmp_path / "one.db"
    for target in (str(file), url):
        # Learned from before it is read: a statement learned in between would join another batch
        # on a busy machine, and what 8-bit numbers are rounded to depends on the batch.
        words: dict[str, Any] = {"embedding": {"provider": "none"}}
        with mnemic.open(target, worker="none", clock=clock, **words) as mind:
            mind.record_many(turns)
            for text, kind in REMEMBERED.items():
                mind.remember(text, kind=kind)
            mind.drain()
        with mnemic.open(target, worker="none", clock=clock) as mind:
            mind.drain()
            assert mind.stats().unembedded == 0
    assert copy_space(file, url, to_space="copy").verified
    with (
        mnemic.open(file, worker="none", clock=clock) as one,
        mnemic.open(url, worker="none", clock=clock) as other,
        mnemic.open(url, space="copy", worker="none", clock=clock) as copy,
    ):
        by_reading = 0
        for query in questions:
            mine, theirs, copied = (
                mind.recall(query, limit=10, min_score=0.0) for mind in (one, other, copy)
            )
            assert len(mine) == 10
            by_reading += any(hit.why.parts.get("reading") for hit in mine)
            scores = pytest.approx([hit.score for hit in mine], abs=1e-6, rel=0)
            assert [hit.id for hit in copied] == [hit.id for hit in mine], query
            assert [hit.score for hit in copied] == scores, query
            assert [place(hit) for hit in theirs] == [place(hit) for hit in mine], query
            assert [hit.score for hit in theirs] == scores, query
        assert by_reading == len(questions), "the reader takes part"
