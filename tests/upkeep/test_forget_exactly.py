"""A thousand random records: exactly what was named goes, and the rest stays byte for byte."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from typing import Any, NamedTuple

import pytest

import mnemic
from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.types import NewTurn
from tests.conftest import NOON

pytestmark = pytest.mark.feature("N7")
ENGLISH = "tea milk rain snow garden Lisbon tall quick lamp river stone paper".split()
CHINESE = "茶 牛奶 下雨 下雪 花园 里斯本 高 快 灯 河 石头 纸".split()
SENDERS = ("", "ann", "bob", "rain", "陈")
SESSIONS = ("s0", "s1", "garden", "茶会")
PROJECTS = ("", "lamp", "河")


class Said(NamedTuple):
    """What was recorded: all that the oracle knows."""

    id: str
    text: str
    session: str
    sender: str
    minute: int


def random_text(rng: random.Random) -> str:
    if rng.random() < 0.5:
        return " ".join(rng.choices(ENGLISH, k=rng.randint(1, 6)))
    return "".join(rng.choices(CHINESE, k=rng.randint(1, 6)))


def has(text: str, query: str) -> bool:
    """Whole words in a row; a Chinese character is a word. Written apart from the engine."""
    if query.isascii():
        return bool(re.search(rf"(?<![a-z]){query}(?![a-z])", text, re.IGNORECASE))
    return query in text


def fill(mind: Mind, clock: ManualClock, rng: random.Random, turns: int, memories: int) -> Any:
    for session in SESSIONS:
        mind.session(session, project=rng.choice(PROJECTS))
    news = [
        NewTurn(rng.choice(SESSIONS), "user", random_text(rng), rng.choice(SENDERS),
                at=NOON + timedelta(minutes=minute))
        for minute in range(turns)
    ]  # fmt: skip
    mind.record_many(news)
    said = [
        Said(t.id, t.text, t.session, t.sender, round((t.at - NOON) / timedelta(minutes=1)))
        for t in mind.turns(limit=10_000)
    ]
    known = []
    for minute in range(memories):
        clock.set(NOON + timedelta(minutes=minute))
        text = random_text(rng)
        kept = mind.remember(text, kind="fact")
        if kept.outcome == "new":
            known.append(Said(kept.id, text, "", "", minute))
    return said, known


Goes = Callable[[Said], bool]


def requests(rng: random.Random, said: list[Said], known: list[Said]) -> dict[str, Any]:
    """One of each kind: what is asked for, which turns go by it, and which memories."""
    words = rng.sample([*ENGLISH, *CHINESE], 2)
    pair = " ".join(rng.sample(ENGLISH, 2))
    turn, memory = rng.choice(said), rng.choice(known)
    session, sender = rng.choice(SESSIONS), rng.choice(SENDERS[1:])
    start = rng.randrange(len(said))
    end = start + rng.randint(1, 15)
    since, until = (NOON + timedelta(minutes=minute) for minute in (start, end))
    nothing: Goes = lambda one: False  # noqa: E731

    def by(query: str) -> tuple[dict[str, Any], Goes, Goes]:
        return {"query": query}, lambda o: has(o.text, query), lambda o: has(o.text, query)

    def in_time(one: Said) -> bool:
        return start <= one.minute < end

    return {
        "word that is a name too": by(rng.choice(["rain", "garden", "茶"])),
        "word": by(words[0]),
        "pair": by(pair),
        "turn": ({"id": turn.id}, lambda o: o.id == turn.id, nothing),
        "memory": ({"id": memory.id}, nothing, lambda o: o.id == memory.id),
        "sender": ({"source": f"sender:{sender}"}, lambda o: o.sender == sender, nothing),
        "time": ({"since": since, "until": until}, in_time, in_time),
        "session in time": (
            {"session": session, "since": since, "until": until},
            lambda o: o.session == session and in_time(o),
            nothing,
        ),
        "word in time": (
            {"query": words[1], "since": since, "until": until},
            lambda o: in_time(o) and has(o.text, words[1]),
            lambda o: in_time(o) and has(o.text, words[1]),
        ),
        "session": ({"session": session}, lambda o: o.session == session, nothing),
    }


def as_is(mind: Mind) -> tuple[dict[str, Any], dict[str, Any]]:
    turns: dict[str, Any] = {turn.id: asdict(turn) for turn in mind.turns(limit=10_000)}
    return turns, {memory.id: asdict(memory) for memory in mind.memories(limit=10_000)}


NAMES = ("session", "sender", "channel")


def unnamed(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what a word may rename."""
    return {field: value for field, value in record.items() if field not in NAMES}


@pytest.mark.parametrize("seed", range(3))
def test_exactly_what_was_named_goes(seed: int) -> None:
    rng, clock = random.Random(seed), ManualClock(NOON)
    with mnemic.open(":memory:", worker="none", clock=clock, index={"vectors": "none"}) as mind:
        said, known = fill(mind, clock, rng, turns=240, memories=100)
        clock.advance(hours=4)
        asked = requests(rng, said, known)
        for what, (request, goes, forgets) in asked.items():
            turns, memories = as_is(mind)
            preview = mind.forget(**request, dry_run=True)
            mind.forget(**request)
            left, kept = as_is(mind)
            wanted = [one.id for one in said if one.id in turns and not goes(one)]
            assert list(left) == wanted, (what, request)
            expected = {one.id for one in known if one.id in memories and not forgets(one)}
            assert set(kept) == expected, (what, request)
            gone = {i.id for i in preview.items if i.change == "removed"}
            assert gone == (turns.keys() - left.keys()) | (memories.keys() - kept.keys())
            named = "query" in request  # then a name with the word has another
            for id_, turn in left.items():
                before = turns[id_]
                assert unnamed(turn) == unnamed(before)
                for name in NAMES if named else ():
                    same = turn[name] == before[name]
                    assert same != has(before[name], request["query"]) or "since" in request
                assert named or turn == before
            assert all(memories[id_] == memory for id_, memory in kept.items())
            said = [one._replace(session=left[one.id]["session"], sender=left[one.id]["sender"])
                    for one in said if one.id in left]  # fmt: skip
            known = [one for one in known if one.id in kept]
        assert [f for f in mind.doctor() if not f.ok] == []
