"""Many people in one process: what they share, and what none sees of another."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import Engine, Quota
from mnemic.clock import ManualClock
from mnemic.types import Job, constant
from tests.waiting import wait_for


@pytest.fixture
def connect(tmp_path: Path, clock: ManualClock) -> Iterator[Any]:
    opened: list[Engine] = []

    def connect_(**options: Any) -> Engine:
        given: dict[str, Any] = {"clock": clock, "worker": "none"} | options
        engine = mnemic.connect(tmp_path / "many.db", **given)
        opened.append(engine)
        return engine

    yield connect_
    for engine in opened:
        engine.close()


def test_each_has_a_memory_of_their_own(connect: Any) -> None:
    engine = connect()
    people = {name: engine.mind(name) for name in ("alice", "bob", "小明")}
    for name, mind in people.items():
        mind.record(session="s", role="user", text=f"my name is {name} and I keep bees")
        mind.drain()
    for name, mind in people.items():
        assert mind.stats().turns == 1
        assert {hit.text for hit in mind.recall("who keeps bees?", of="turn")} == {
            f"my name is {name} and I keep bees"
        }
        assert all(name in memory.text or "bees" in memory.text for memory in mind.memories())
    assert sorted(engine.spaces()) == sorted(people)


def test_what_one_forgets_the_others_keep(connect: Any) -> None:
    engine = connect()
    for name in ("alice", "bob"):
        engine.mind(name).record(session="s", role="user", text="the color is heliotrope")
    engine.mind("alice").forget(query="heliotrope")
    assert engine.mind("alice").turns() == []
    assert [turn.text for turn in engine.mind("bob").turns()] == ["the color is heliotrope"]
    assert engine.mind("bob").recall("color")


def test_many_spaces_have_few_threads(tmp_path: Path) -> None:
    before = threading.active_count()
    with mnemic.connect(tmp_path / "many.db", threads=3) as engine:
        minds = [engine.mind(f"person {n}") for n in range(300)]
        for mind in minds[::10]:
            mind.record(session="s", role="user", text="I live in Porto")
            mind.end_session("s")
        assert threading.active_count() - before <= 3
        wait_for(lambda: all(mind.memories() for mind in minds[::10]))
        assert engine.stats().threads == 3
    assert threading.active_count() == before


def test_closing_a_mind_leaves_the_database_open(connect: Any) -> None:
    engine = connect()
    with engine.mind("alice") as alice:
        alice.record(session="s", role="user", text="I live in Porto")
    assert engine.mind("alice").recall("Porto")
    engine.close()
    engine.close()
    with pytest.raises(mnemic.Closed) as refused:
        engine.mind("bob")
    assert refused.value.remedy


def test_what_was_gathered_is_written_when_the_engine_closes(connect: Any) -> None:
    """Also by minds that nobody held any more."""
    engine = connect()
    memory = engine.mind("alice").remember("plays the oboe", kind="fact").memory
    assert memory is not None
    engine.mind("alice").recall("oboe")
    engine.close()
    assert connect().mind("alice").get(memory.id).access_count == 1


def test_one_that_was_not_used_for_long_leaves_nothing_unwritten(
    connect: Any,
) -> None:
    engine = connect()
    memory = engine.mind("alice").remember("plays the oboe", kind="fact").memory
    assert memory is not None
    engine.mind("alice").recall("oboe")
    for n in range(1_100):
        engine.mind(f"person {n}")
    assert engine.stats().open <= 1_001
    assert engine.mind("alice").get(memory.id).access_count == 1


def test_one_with_very_many_jobs_keeps_nobody_waiting(connect: Any, clock: ManualClock) -> None:
    """The other's work is done after a few jobs of the noisy one, not after all of them."""
    engine = connect()
    noisy, quiet = engine.mind("noisy"), engine.mind("quiet")
    for mind in (noisy, quiet):
        mind.record(session="s", role="user", text="I live in Porto")
    engine.drain()
    clock.advance(days=1)
    engine.drain()
    now = clock.now()
    with engine._store.write("noisy") as unit:
        unit.tasks.enqueue(
            "documents", {constant(f"job {n}"): {} for n in range(100)},
            run_at=now, now=now, max_attempts=3,
        )  # fmt: skip
    clock.advance(seconds=1)
    quiet.record(session="t", role="user", text="I moved to Lisbon")
    quiet.end_session("t")
    clock.advance(seconds=1)
    ran: list[str] = []
    worker = engine._background.worker

    def noted(run: Callable[[Job], None]) -> Callable[[Job], None]:
        def noting(job: Job) -> None:
            ran.append(job.space)
            run(job)

        return noting

    handlers, listeners = worker._handlers()
    counted = {kind: noted(run) for kind, run in handlers.items()}
    worker._handlers = lambda: (counted, listeners)
    engine.drain()
    last = max(n for n, space in enumerate(ran) if space == "quiet")
    assert ran.count("noisy") == 100
    assert last < 30, ran[:40]


def test_a_quota_refuses_what_goes_beyond_it_and_nothing_else(connect: Any) -> None:
    engine = connect(quota=Quota(turns=3, memories=2))
    alice, bob = engine.mind("alice"), engine.mind("bob")
    for n in range(3):
        alice.record(session="s", role="user", text=f"number {n}")
    with pytest.raises(mnemic.QuotaExceeded, match="3 turns") as refused:
        alice.record(session="s", role="user", text="one too many")
    assert refused.value.remedy
    assert len(alice.turns()) == 3
    bob.record(session="s", role="user", text="mine are not hers")
    alice.forget(query="number 0")
    alice.record(session="s", role="user", text="there is room again")
    for text in ("plays the oboe", "lives in Porto"):
        alice.remember(text, kind="fact")
    with pytest.raises(mnemic.QuotaExceeded, match="2 memories"):
        alice.remember("has two cats", kind="fact")


class Rooms:
    """As many numbers as the reader has for a text, in no time; an instrument is near a piano."""

    name = "rooms"
    dimensions = 128

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [
            [float("piano" in text or "instrument" in text), 0.1, *[len(text) / 1e4] * 126]
            for text in texts
        ]


def test_vectors_of_all_spaces_have_one_bound(connect: Any) -> None:
    """What was not used for longest is dropped, and comes back when it is asked for."""
    engine = connect(vector_memory=200_000, embedder=Rooms())
    minds = [engine.mind(f"person {n}") for n in range(3)]
    for mind in minds:
        mind.record_many(  # just enough to be held in memory, and nothing to be learned
            mnemic.NewTurn("s", "assistant", f"the {word} stands in room {n} of the old house")
            for n in range(72)
            for word in ("piano", "mirror", "clock", "lamp")
        )
        mind.drain()
    for _ in range(2):
        for mind in minds:
            found = mind.recall("musical instrument", of="turn", min_score=0.0)
            assert "piano" in found[0].text
            assert 0 < engine.stats().vector_bytes <= 350_000


def test_the_same_for_asyncio(tmp_path: Path) -> None:
    async def talk() -> list[str]:
        async with await mnemic.connect_async(tmp_path / "many.db", worker="none") as engine:
            for name in ("alice", "bob"):
                mind = await engine.mind(name)
                await mind.record(session="s", role="user", text=f"I am {name}")
            return await engine.spaces()

    assert asyncio.run(talk()) == ["alice", "bob"]


@pytest.mark.parametrize(
    "wrong", [{"threads": 0}, {"vector_memory": 0}, {"worker": "fork"}, {"space": "a"}]
)
def test_a_wrong_option_is_a_typed_error(connect: Any, wrong: dict[str, object]) -> None:
    with pytest.raises((mnemic.InvalidInput, mnemic.ConfigError)):
        connect(**wrong)
