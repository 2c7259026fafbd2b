"""What is always known is read anew for every message, and only as much as could be shown."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import mnemic
from mnemic.clock import ManualClock
from mnemic.context.parts import OUTDATED, most_core_lines
from mnemic.store.target import open_store
from tests.conftest import NOON, OpenMind, usual_target


def test_the_most_important_first_and_among_equals_the_chosen(
    mind: mnemic.Mind, tmp_path: Path
) -> None:
    facts = [
        mind.remember(f"Fact {n}", kind="fact", importance=0.9 if n % 2 else 0.8) for n in range(20)
    ]
    turn = mind.record(session="s", role="user", text="Never on Fridays")
    rule = mind.remember("Never on Fridays", kind="rule", importance=1.0, sources=[turn.id])
    mind.remember("Said by a page", kind="fact", importance=1.0, trust="external")
    mind.remember("Unimportant", kind="fact", importance=0.1)
    store = open_store(str(usual_target(tmp_path)), busy_timeout=5, now=lambda: datetime.now(UTC))
    with store.write(mind.space) as unit:
        unit.tiers.mark_core([facts[1].id, facts[0].id], core=True)
    with store.read(mind.space) as unit:
        lines = unit.tiers.core_lines(least=0.7, now=NOON, limit=5)
        assert lines == unit.tiers.core_lines(least=0.7, now=NOON, limit=50)[:5]
        whole = unit.tiers.core(least=0.7, now=NOON, limit=50)
        every = unit.tiers.core_lines(least=0.7, now=NOON, limit=50)
    store.close()
    assert [line.id for line in lines[:2]] == [rule.id, facts[1].id]
    assert lines[0].sources[0].turn_id == turn.id
    assert [line.id for line in every] == [memory.id for memory in whole]
    assert [line.sources for line in every] == [memory.sources for memory in whole]


@pytest.mark.parametrize(
    ("tokens", "capacity", "lines"), [(500, 100, 33), (500, 20, 20), (5, 100, 1), (2_000, 100, 100)]
)
def test_no_more_lines_than_could_stand_there(tokens: int, capacity: int, lines: int) -> None:
    assert most_core_lines(tokens, capacity) == lines


def test_what_is_over_is_not_put_before_the_agent(mind: mnemic.Mind, clock: ManualClock) -> None:
    old = mind.record(session="then", role="user", text="I live in Brelm")
    clock.advance(hours=1)
    mind.drain()
    mind.record(session="now", role="user", text="I moved to Tavora")
    clock.advance(hours=1)
    mind.drain()
    assert [m.text for m in mind.memories() if "Tavora" in m.text]
    shown = mind.context("Where do I live?")
    assert "Tavora" in shown.text
    assert "Brelm" not in shown.text
    assert (OUTDATED, old.id) in {(left.reason, left.id) for left in shown.dropped}
    for asked in (
        "Where did I live before?",
        "我以前住在 Brelm 吗？",
        "Did I live in Brelm in 2020?",
    ):
        assert "Brelm" in mind.context(asked).text, "the past, when that is what was asked for"


def test_what_says_nothing_is_not_over(mind: mnemic.Mind) -> None:
    mind.record(session="s", role="user", text="The falcon release is on Tuesday")
    silent = mind.record(session="s", role="assistant", text="")
    shown = mind.context("When is the falcon release?")
    assert silent.id not in {left.id for left in shown.dropped if left.reason == OUTDATED}


@pytest.mark.setting("upkeep.core_choice")
@pytest.mark.parametrize(
    ("choice", "core"),
    [
        ("important", {"a decision"}),
        ("profile", {"a name"}),
        ("document", {"a name", "a decision"}),
        ("rules", set()),
    ],
)
def test_the_core_is_the_presets_choice(open_mind: OpenMind, choice: str, core: set[str]) -> None:
    mind = open_mind(upkeep={"core_choice": choice})
    mind.remember("a name", kind="identity", importance=0.3)
    mind.remember("a decision", kind="decision", importance=0.9)
    mind.sync()
    mind.remember("Never rebase", kind="rule", importance=0.4)  # newer than the document
    Path(str(mind.documents_folder), "USER.md").unlink()  # its card would say some of it
    built = mind.context("ok", session="s")
    ids = {id_ for use in built.sections if use.name == "core" for id_ in use.ids}
    assert {mind.get(id_).text for id_ in ids} == {*core, "Never rebase"}, "rules are always there"
