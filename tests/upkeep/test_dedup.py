"""Duplicates: found without comparing all with all, merged without losing a source."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from math import log
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.dedup import labeled, measure
from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.language.extract import extract
from mnemic.rules.clusters import Pair, absorb, components, portions, same_statement
from mnemic.settings import load
from mnemic.types import Kind, Memory, constant
from mnemic.upkeep.clusters import near_pairs
from tests.conftest import OpenMind
from tests.learning import pairs as labeled_pairs
from tests.planting import plant

SETTINGS = load("default", env={})
WORDS = load("default", env={}, overrides={"embedding": {"provider": "none"}})
NOON = datetime(2026, 2, 12, 12, tzinfo=UTC)


def contents(mind: Mind) -> set[str]:
    return {memory.text for memory in mind.memories()}


@pytest.mark.feature("U4")
@pytest.mark.feature("U4", preset="openakita")
@pytest.mark.parametrize("preset", ["default", "openakita"])
def test_one_stands_for_all_and_keeps_their_sources(
    open_mind: OpenMind, clock: ManualClock, preset: str
) -> None:
    mind = open_mind(preset=preset)
    turns = [mind.record(session="s", role="user", text=f"turn {n}") for n in range(2)]
    first = plant(mind, "The cat is grey.", importance=0.6, sources=[turns[0].id], confidence=0.9)
    clock.advance(hours=1)
    again = plant(mind, "the cat is grey", importance=0.5, sources=[turns[1].id])
    mind.remember("the cat is not grey", kind="fact")
    mind.remember("the cat is 9 years old", kind="fact")
    mind.remember("the cat is 10 years old", kind="fact")
    mind.upkeep("daily")
    assert len(mind.memories()) == 4
    assert "the cat is grey" not in contents(mind)
    (kept,) = [memory for memory in mind.memories() if memory.id == first.id]
    assert {source.turn_id for source in kept.sources} == {turn.id for turn in turns}
    assert kept.confirmations == 1
    assert kept.confidence > 0.9
    versions = {version.id for version in mind.history(first.id).versions}
    assert versions == {first.id, again.id}


@pytest.mark.feature("U4")
def test_a_tool_adds_nothing_to_what_the_owner_said(mind: Mind) -> None:
    plant(mind, "the cat is grey", importance=0.4, trust="owner")
    plant(mind, "The cat is grey.", importance=1.0, trust="tool")
    mind.upkeep("daily")
    (kept,) = mind.memories()
    assert (kept.trust, kept.importance) == ("owner", 0.4)


@pytest.mark.feature("U4")
def test_a_rollback_reaches_what_was_merged(mind: Mind) -> None:
    said = mind.record(session="a", role="user", text="The cat is grey.")
    other = mind.record(session="b", role="user", text="the cat is grey")
    plant(mind, "The cat is grey.", sources=[said.id])
    plant(mind, "the cat is grey", sources=[other.id])
    mind.upkeep("daily")
    mind.rollback("session:b")
    (left,) = mind.memories()
    assert [source.session for source in left.sources] == ["a"]


@pytest.mark.feature("U2")
@pytest.mark.feature("U2", preset="myclaw")
@pytest.mark.parametrize("preset", ["default", "myclaw"])
def test_small_partitions_are_not_merged(open_mind: OpenMind, preset: str) -> None:
    mind = open_mind(preset=preset)
    for project, count in (("small", 9), ("large", 10)):
        for n in range(count - 2):
            plant(mind, f"wall {n} is painted", project=project)
        plant(mind, "The cat is grey", project=project)
        plant(mind, "grey is the cat", project=project)
    mind.upkeep("weekly")
    assert len(mind.memories(project="small")) == 9
    assert len(mind.memories(project="large")) == 9


def test_projects_stay_apart(mind: Mind) -> None:
    for project in ("one", "two"):
        mind.remember("the cat is grey", kind="fact", project=project)
    mind.remember("the cat is grey", kind="event")
    mind.upkeep("daily")
    assert len(mind.memories()) == 3


# --- how well, and how fast -----------------------------------------------------------------------


@pytest.mark.feature("U4")
def test_the_rule_never_merges_what_people_keep_apart() -> None:
    """On pairs made to be confused: by rule, rather too little than too much."""
    found = [_decided(pair.a, pair.b) for pair in labeled_pairs()]
    wrong = [p for p, same in zip(labeled_pairs(), found, strict=True) if same and not p.same]
    assert wrong == []
    right = sum(same and p.same for p, same in zip(labeled_pairs(), found, strict=True))
    assert right >= 12


def _decided(one: str, other: str) -> bool:
    memories = [memory for n, text in enumerate((one, other)) if (memory := _learned(n, text))]
    if len(memories) < 2:
        return False
    near = near_pairs(memories, None, SETTINGS.upkeep.cluster_distance)
    pairs = {(pair.one, pair.other): pair for pair in near}
    return any(absorb(memories, group, pairs, SETTINGS.reconcile) for group in components(near))


def _learned(number: int, text: str) -> Memory | None:
    """What the rules would make of a statement; nothing where that is not one memory."""
    blank = labeled(1)[0][0]
    told = extract(text, said_at=NOON, role="user", trust="owner", earlier=(), source="t")
    if not told:
        return replace(blank, id=constant(str(number)), text=constant(text))
    if len(told) > 1 or told[0].withdraws:
        return None
    first = told[0]
    return replace(
        blank, id=constant(str(number)), text=constant(text), kind=cast("Kind", first.kind),
        subject=constant(first.subject),
        predicate=constant(first.predicate), value=constant(first.value),
    )  # fmt: skip


@pytest.mark.feature("U4")
@pytest.mark.parametrize("settings", [SETTINGS, WORDS], ids=["vectors", "words"])
def test_near_misses_are_told_from_duplicates(settings: object) -> None:
    assert isinstance(settings, type(SETTINGS))
    found = measure(1_000, settings)
    assert found.f1 > 0.98, found


@pytest.mark.feature("U4")
def test_time_grows_by_little_more_than_the_number() -> None:
    """n log n with room for noise; comparing all with all would be a hundredfold."""
    measure(100, WORDS)
    sizes = [(size, measure(size, WORDS).seconds) for size in (500, 5_000)]
    for (small, before), (large, after) in pairwise(sizes):
        allowed = (large * log(large)) / (small * log(small))
        assert after / before < 3 * allowed, sizes


near = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.floats(0.85, 1)).filter(
        lambda p: p[0] < p[1]
    ),
    max_size=20,
    unique_by=lambda p: p[:2],
)


@given(near, st.integers(2, 5))
def test_parts_of_a_cluster_are_small_and_share_nobody(
    told: list[tuple[int, int, float]], most: int
) -> None:
    memories, _ = labeled(10)
    pairs = {(a, b): Pair(a, b, likeness, True) for a, b, likeness in told}
    for group in components(pairs.values()):
        parts = portions(memories, group, pairs, most)
        places = [place for part in parts for place in part]
        assert len(places) == len(set(places))
        assert all(2 <= len(part) <= most for part in parts)
        assert set(places) <= set(group)


@given(near)
def test_nobody_is_both_kept_and_taken_in(told: list[tuple[int, int, float]]) -> None:
    blank = labeled(1)[0][0]
    memories = [replace(blank, id=constant(str(n))) for n in range(10)]
    pairs = {(a, b): Pair(a, b, likeness, True) for a, b, likeness in told}
    for group in components(pairs.values()):
        found = absorb(memories, group, pairs, SETTINGS.reconcile)
        gone, kept = [other for other, _ in found], [place for _, place in found]
        assert set(kept).isdisjoint(gone)
        assert len(gone) == len(set(gone))


def test_opposites_and_other_values_are_not_the_same() -> None:
    blank = labeled(1)[0][0]
    likes = replace(
        blank,
        subject=constant("user"),
        predicate=constant("likes"),
        value=constant("tea"),
        text=constant("likes tea"),
    )
    pair = Pair(0, 1, 1.0, True)
    for other in (
        replace(likes, predicate=constant("dislikes"), text=constant("dislikes tea")),
        replace(likes, value=constant("coffee"), text=constant("likes coffee")),
        replace(likes, project=constant("other")),
        replace(likes, kind="event"),
        replace(likes, session=constant("s")),
    ):
        assert not same_statement(likes, other, pair, SETTINGS.reconcile)
    assert same_statement(likes, replace(likes, id=constant("2")), pair, SETTINGS.reconcile)


@pytest.mark.feature("U4")
@pytest.mark.parametrize(
    ("text", "again"), [("User likes tea", "user likes tea."), ("用户喜欢茶", "用户喜欢茶。")]
)
def test_identical_texts_are_one_whatever_they_were_taken_for(
    mind: Mind, text: str, again: str
) -> None:
    kept = plant(mind, text, kind="preference", subject="user", predicate="likes", value="tea")
    plant(mind, again, kind="preference", subject="用户", predicate="prefers", value="Tea")
    plant(mind, text, kind="fact", trust="tool")
    for who in ("Ann", "Bob"):
        plant(mind, "has a birthday in May", subject=who)
    found = next(check for check in mind.audit().checks if check.name == "duplicate")
    assert (found.found, found.remedy) == (2, "mnemic upkeep daily")
    mind.upkeep("daily")
    assert [memory.id for memory in mind.memories(text=text)] == [kept.id]
    assert len(mind.memories()) == 3, "two people are two statements"
    assert not next(check for check in mind.audit().checks if check.name == "duplicate").found
