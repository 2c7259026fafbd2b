"""Tiers: a core of at most 100 that is always in the prompt, knowledge, and room for both."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.rules.tiers import choose_core, fit_for_core, least_valuable, priority_of, worth
from mnemic.settings import load
from mnemic.types import EMPTY, KINDS, TRUSTS, Memory, constant
from tests.conftest import NOON, OpenMind

SETTINGS = load("default", env={})
SMALL = {"core": 3, "knowledge": 4, "knowledge_max": 6}


def core_of(mind: Mind) -> list[str]:
    section = next(
        s for s in mind.context("hello there, how are you?").sections if s.name == "core"
    )
    with mind._store.read(mind.space) as unit:
        found = {memory.id: memory.text for memory in unit.memories.by_id(section.ids)}
    return [found[constant(id_)] for id_ in section.ids]


def marked(mind: Mind) -> set[str]:
    with mind._store.read(mind.space) as unit:
        return {memory.text for memory in unit.memories.by_id(sorted(unit.tiers.core_ids()))}


@pytest.mark.feature("M9", "U2")
@pytest.mark.feature("M9", "U2", preset="myclaw")
@pytest.mark.parametrize("preset", ["default", "myclaw"])
def test_the_core_is_the_best_of_the_important(open_mind: OpenMind, preset: str) -> None:
    mind = open_mind(preset=preset)
    for n in range(120):
        mind.remember(f"rule number {n} of the house", kind="rule", importance=0.7 + n / 1000)
    mind.remember("a detail", kind="fact", importance=0.69)
    mind.remember("a page said so", kind="fact", importance=1.0, trust="external")
    mind.remember("the key", kind="credential", subject="door", importance=1.0)
    mind.upkeep("weekly")
    chosen = marked(mind)
    assert len(chosen) == 100
    assert chosen == {f"rule number {n} of the house" for n in range(20, 120)}
    with mind._store.read(mind.space) as unit:
        assert unit.tiers.counts(NOON).core == 100


@pytest.mark.feature("M9")
def test_what_takes_the_place_of_a_core_memory_is_core_at_once(mind: Mind) -> None:
    old = mind.remember("lives in Porto", kind="identity", importance=1.0)
    mind.upkeep("weekly")
    assert core_of(mind) == ["lives in Porto"]
    mind.remember("lives in Lyon", kind="identity", importance=1.0, supersedes=old.id)
    assert marked(mind) == {"lives in Lyon"}
    assert core_of(mind) == ["lives in Lyon"]


@pytest.mark.feature("M9")
def test_a_weightier_memory_need_not_wait_for_the_week(open_mind: OpenMind) -> None:
    mind = open_mind(capacity=SMALL)
    for n in range(3):
        mind.remember(f"old liking {n}", kind="preference", importance=0.8)
    mind.upkeep("weekly")
    mind.remember("I am Lin", kind="identity", importance=1.0)
    assert core_of(mind)[0] == "I am Lin"
    assert len(core_of(mind)) == 3


@pytest.mark.feature("U2")
def test_what_is_used_enters_and_what_is_not_leaves(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    mind = open_mind(capacity=SMALL)
    first = {mind.remember(f"old skill {n}", kind="skill", importance=0.9).id for n in range(3)}
    mind.upkeep("weekly")
    assert marked(mind) == {mind.get(id_).text for id_ in first}
    clock.advance(days=180)
    later = {mind.remember(f"new skill {n}", kind="skill", importance=0.8).id for n in range(3)}
    report = mind.upkeep("weekly")
    assert marked(mind) == {mind.get(id_).text for id_ in later}
    changes = [c.action for step in report.steps for c in step.changes if step.name == "core"]
    assert sorted(changes) == ["core"] * 3 + ["leave_core"] * 3


@pytest.mark.feature("M9", "U6")
@pytest.mark.feature("M9", preset="myclaw")
@pytest.mark.parametrize("preset", ["default", "myclaw"])
def test_above_the_limit_the_least_valuable_go(
    open_mind: OpenMind, clock: ManualClock, preset: str
) -> None:
    daily = ("capacity",)
    mind = open_mind(preset=preset, capacity=SMALL, upkeep={"daily": daily})
    for n in range(10):
        mind.remember(f"fact {n} about the garden", kind="fact", importance=n / 10)
        clock.advance(minutes=1)
    mind.upkeep("daily")
    left = {memory.importance for memory in mind.memories()}
    assert left == {0.4, 0.5, 0.6, 0.7, 0.8, 0.9}


@pytest.mark.feature("U6", preset="semibot")
def test_semibot_keeps_so_many_and_the_untouched_go_first(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    mind = open_mind(preset="semibot", capacity={"total": 5})
    assert load("semibot", env={}).capacity.total == 10_000
    kept = []
    for n in range(8):
        kept.append(mind.remember(f"note {n} of the trip", kind="fact", importance=0.5))
        clock.advance(hours=1)
    with mind._store.write(mind.space) as unit:
        unit.memories.touch(kept[0].id, 1, clock.now())
    mind.upkeep("daily")
    assert {m.text for m in mind.memories()} == {f"note {n} of the trip" for n in (0, 4, 5, 6, 7)}
    gone = mind.history(kept[1].id)
    assert gone.events[-1].type == "archive"


@pytest.mark.feature("U6")
def test_events_go_before_knowledge(open_mind: OpenMind) -> None:
    mind = open_mind(capacity=SMALL, upkeep={"daily": ("capacity",)})
    for n in range(3):
        mind.remember(f"day {n} was rainy", kind="event", importance=0.9)
        mind.remember(f"fact {n} about the garden", kind="fact", importance=0.1)
    mind.upkeep("daily")
    assert sorted(memory.kind for memory in mind.memories()) == ["event", "fact", "fact", "fact"]


# --- rules ----------------------------------------------------------------------------------------

memories = st.builds(
    Memory,
    id=st.uuids().map(str),
    kind=st.sampled_from(KINDS),
    text=st.sampled_from(["a", "b", "c"]),
    subject=st.sampled_from(["", "user", "Python"]),
    predicate=st.sampled_from(["", "likes", "version"]),
    project=st.just("_global"),
    topic=st.just("_general"),
    tags=st.just(()),
    importance=st.floats(0, 1),
    confidence=st.just(1.0),
    trust=st.sampled_from(TRUSTS),
    status=st.just("active"),
    access_count=st.integers(0, 20),
    created_at=st.just(NOON),
    updated_at=st.just(NOON),
    last_accessed_at=st.timedeltas(timedelta(0), timedelta(days=400)).map(lambda t: NOON - t),
    valid_from=st.just(NOON),
    valid_to=st.none(),
    superseded_at=st.none(),
    superseded_by=st.just(""),
    expires_at=st.none() | st.timedeltas(timedelta(0), timedelta(days=400)).map(lambda t: NOON + t),
    value=st.sampled_from(["", "3.12", "tea"]),
)


@given(st.lists(memories, max_size=30), st.integers(0, 10))
def test_the_core_holds_nothing_unfit_and_nothing_twice(found: list[Memory], most: int) -> None:
    chosen = choose_core(found, SETTINGS.decay, NOON, most)
    assert len(chosen) <= max(most, 1)
    assert all(fit_for_core(memory) for memory in chosen)
    slots = [(m.subject, m.predicate, m.value) for m in chosen if m.subject and m.predicate]
    said = [slot for slot in slots if slot[2]]
    assert len(said) == len(set(said))


@given(st.lists(memories, max_size=30), st.integers(-3, 40))
def test_nobody_worth_less_stays_while_another_goes(found: list[Memory], count: int) -> None:
    gone = least_valuable(found, count, SETTINGS.decay, NOON)
    assert len(gone) == max(0, min(count, len(found)))
    ids = {memory.id for memory in gone}
    left = [memory for memory in found if memory.id not in ids]
    if gone and left:
        assert max(worth(m, SETTINGS.decay, NOON) for m in gone) <= min(
            worth(m, SETTINGS.decay, NOON) for m in left
        )


@pytest.mark.feature("M3")
@pytest.mark.parametrize(
    ("days", "priority"),
    [(None, "permanent"), (1, "transient"), (3, "short_term"), (7, "short_term"),
     (30, "long_term"), (365, "long_term")],
)  # fmt: skip
def test_a_life_amounts_to_a_priority(days: int | None, priority: str) -> None:
    memory = _memory(days)
    assert priority_of(memory, SETTINGS.lifetimes) == priority


def _memory(days: int | None) -> Memory:
    return Memory(
        id=constant("1"), kind="fact", text=constant("x"), subject=EMPTY, predicate=EMPTY,
        project=constant("_global"),
        topic=constant("_general"), tags=(), importance=0.5, confidence=1,
        trust="owner", status="active",
        access_count=0, created_at=NOON, updated_at=NOON, last_accessed_at=NOON, valid_from=NOON,
        valid_to=None, superseded_at=None, superseded_by=constant(""),
        expires_at=None if days is None else NOON + timedelta(days=days),
    )  # fmt: skip
