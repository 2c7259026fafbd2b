"""What upkeep asks of a store: tiers, putting away, runs with leases, cards, onboarding."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mnemic.store.contract import Store
from mnemic.store.rows import CardRow, MemoryFilter, OnboardingRow
from mnemic.types import DailyEvent, constant
from tests.conftest import NOON
from tests.contract.rows import SPACE, after, attach, attachment, keep, memory

DAY = date(2026, 2, 12)


def test_walking_gives_every_active_memory_once(store: Store) -> None:
    rows = [memory(f"m{n}", kind="temp" if n % 2 else "fact") for n in range(7)]
    with store.write(SPACE) as unit:
        for row in rows:
            keep(unit, row)
        unit.tiers.put_away(rows[3].id, NOON)
    found: list[str] = []
    last = -1
    with store.read(SPACE) as unit:
        while some := unit.tiers.walk(last, 2):
            found += [one.memory.text for one in some]
            last = some[-1].doc
        kinds = unit.tiers.walk(-1, 100, ("temp",))
    assert found == ["m0", "m1", "m2", "m4", "m5", "m6"]
    assert [one.memory.text for one in kinds] == ["m1", "m5"]


def test_put_away_and_brought_back(store: Store) -> None:
    row, other = memory("a tea"), memory("b tea")
    with store.write(SPACE) as unit:
        for one in (row, other):
            keep(unit, one)
        unit.tiers.mark_core([row.id], core=True)
        unit.tiers.put_away(row.id, after(hours=1), other.id)
    with store.read(SPACE) as unit:
        assert unit.tiers.core_ids() == set()
        assert [m.id for m in unit.memories.find(MemoryFilter(status="archived"))] == [row.id]
        chain = {m.id for m in unit.memories.chain(other.id)}
        assert chain == {row.id, other.id}
        then = unit.memories.find(MemoryFilter(as_of=after(minutes=1)))
        assert {m.id for m in then} == {row.id, other.id}
    with store.write(SPACE) as unit:
        unit.tiers.bring_back(row.id, "active", after(hours=3))
        (found,) = unit.memories.by_id([row.id])
    assert (found.status, found.superseded_by) == ("active", "")


@pytest.mark.feature("M9")
def test_the_core_prefers_weight_then_choice_and_takes_no_strangers(store: Store) -> None:
    rows = [
        replace(memory("heavy"), importance=0.9),
        replace(memory("light"), importance=0.8),
        replace(memory("chosen"), importance=0.8),
        replace(memory("below"), importance=0.5),
        replace(memory("foreign"), importance=1.0, trust="tool"),
        replace(memory("secret", kind="credential"), importance=1.0),
    ]
    with store.write(SPACE) as unit:
        for row in rows:
            keep(unit, row)
        unit.tiers.mark_core([rows[2].id], core=True)
    with store.read(SPACE) as unit:
        found = unit.tiers.core(least=0.7, now=NOON, limit=9)
        assert unit.tiers.counts(NOON) == (1, 5)
    assert [m.text for m in found] == ["heavy", "chosen", "light"]


def test_partitions_of_a_size(store: Store) -> None:
    with store.write(SPACE) as unit:
        for n in range(5):
            keep(unit, memory(f"m{n}", project="large" if n < 3 else "small"))
    with store.read(SPACE) as unit:
        assert [project for project, _ in unit.tiers.partitions(3)] == ["large"]


def test_files_are_put_away_and_back(store: Store) -> None:
    old, linked = attachment("a.png"), attachment("b.png", memories=("m",))
    described = attachment("c.png", description="一只猫")
    with store.write(SPACE) as unit:
        for file in (old, linked, described):
            attach(unit, file)
        soon = after(days=1)
        found = unit.attachments.unknown(soon, 9)
        assert [file.id for file in found] == [old.id]
        unit.attachments.put_away(old.id, soon)
        left = unit.attachments.latest(session=None, direction=None, limit=9)
        assert [file.id for file in left] == [described.id, linked.id]
        unit.attachments.put_away(old.id, None)
        assert len(unit.attachments.latest(session=None, direction=None, limit=9)) == 3


@pytest.mark.feature("L7")
def test_daily_events_wait_until_their_day_is_over(store: Store) -> None:
    event = DailyEvent(
        constant("e"), DAY, constant(""), constant(""), constant("tea"), 3, False, NOON
    )
    with store.write(SPACE) as unit:
        unit.journal.add_daily_event(event)
        assert unit.journal.list_uncompressed(DAY, 9) == []
        assert unit.journal.list_uncompressed(date(2026, 2, 13), 9) == [event]
        unit.journal.mark_compressed(["e"], compressed=True)
        assert unit.journal.list_uncompressed(date(2026, 2, 13), 9) == []


@pytest.mark.feature("U1")
def test_a_step_is_taken_by_one_and_done_once(store: Store) -> None:
    with store.write(SPACE) as unit:
        runs = unit.runs
        run = runs.begin("daily", DAY, NOON)
        assert runs.begin("daily", DAY, NOON) == run, "it is not finished"
        place = ("daily", run, "decay")
        until = after(minutes=5)
        assert runs.take(*place, owner="a", now=NOON, until=until) == "taken"
        assert runs.take(*place, owner="b", now=NOON, until=until) == "busy"
        assert not runs.progress(*place, owner="b", counts={"x": 1}, until=until)
        assert runs.progress(*place, owner="a", counts={"x": 1}, until=until)
        late = after(minutes=6)
        assert runs.take(*place, owner="b", now=late, until=after(minutes=11)) == "taken"
        assert not runs.progress(*place, owner="a", counts={"x": 9}, until=until)
        assert runs.progress(*place, owner="b", counts={"x": 2, "y": 1}, until=after(minutes=11))
        runs.finish(*place, owner="a", now=late)
        assert runs.steps("daily", run)["decay"].finished_at is None
        runs.finish(*place, owner="b", now=late, error=constant("no"))
        assert runs.steps("daily", run)["decay"].error == "no"
        assert runs.take(*place, owner="c", now=late, until=after(minutes=11)) == "taken"
        runs.finish(*place, owner="c", now=late)
        done = runs.steps("daily", run)["decay"]
        assert (dict(done.counts), done.finished_at, done.error) == ({"x": 3, "y": 1}, late, "")
        assert runs.take(*place, owner="d", now=late, until=until) == "done"
        assert runs.last_done("decay") == NOON
        assert runs.last_done("merge") is None
        runs.close("daily", run, late)
        assert runs.begin("daily", DAY, late) == f"{run}#2"
        latest = runs.latest("daily")
        assert latest is not None
        assert latest.run == f"{run}#2"


@given(st.lists(st.dictionaries(st.sampled_from("ab"), st.integers(0, 9)), max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_counts_add_up(store: Store, told: list[dict[str, int]]) -> None:
    with store.write(SPACE) as unit:
        run = unit.runs.begin("weekly", DAY, NOON)
        unit.runs.take("weekly", run, "core", owner="a", now=NOON, until=NOON)
        for counts in told:
            assert unit.runs.progress("weekly", run, "core", owner="a", counts=counts, until=NOON)
        found = unit.runs.steps("weekly", run)["core"].counts
        unit.runs.close("weekly", run, NOON)
    assert dict(found) == {
        name: sum(counts.get(name, 0) for counts in told)
        for name in {name for counts in told for name in counts}
    }


def test_cards_and_onboarding_are_replaced_whole(store: Store) -> None:
    with store.write(SPACE) as unit:
        assert unit.onboarding.get() is None
        for text in ("one", "two"):
            unit.cards.put(CardRow("soul", text, "rules", constant(text)), NOON)
            unit.onboarding.put(OnboardingRow("agent", {"role": constant(text)}), NOON)
        assert unit.cards.all() == {"soul": CardRow("soul", "two", "rules", constant("two"))}
        assert unit.onboarding.get() == OnboardingRow("agent", {"role": constant("two")})
        unit.cards.drop("soul")
        assert unit.cards.all() == {}
    with store.read("another") as unit:
        assert unit.onboarding.get() is None
