"""A clock that jumps, ahead or back, does no lasting harm."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mnemic import Mind, ids
from mnemic.clock import ManualClock
from tests.conftest import OpenMind

QUIET: dict[str, Any] = {"embedding__provider": "none", "triggers__quiet_gap": "never"}
FACTS = ("The user keeps bees", "用户养蜜蜂")


def filled(mind: Mind, clock: ManualClock) -> Mind:
    for text in FACTS:
        mind.remember(text, kind="fact", importance=0.4)
        mind.remember(f"{text}, for a while", kind="temp", expires_at=clock.now() + timedelta(40))
    return mind


def known(mind: Mind) -> set[str]:
    return {memory.text for memory in mind.memories()}


@pytest.mark.parametrize("years", [10, 2])
def test_a_clock_far_ahead_puts_nothing_away(
    open_mind: OpenMind, clock: ManualClock, years: int
) -> None:
    mind = filled(open_mind(**QUIET), clock)
    before = known(mind)
    clock.advance(days=365 * years)
    for work in ("daily", "weekly"):
        report = mind.upkeep(work)
        waiting = {step.name for step in report.steps if step.state == "waiting"}
        assert "decay" in waiting
        assert all("longest_gap" in step.error for step in report.steps if step.state == "waiting")
    clock.advance(days=-365 * years)
    mind.upkeep()
    assert known(mind) == before
    assert mind.recall("bees")[0].text.startswith(FACTS[0])


def test_a_time_that_holds_for_a_day_is_believed(open_mind: OpenMind, clock: ManualClock) -> None:
    """A computer that was off for two years is no clock that jumped."""
    mind = filled(open_mind(**QUIET), clock)
    clock.advance(days=800)
    assert "waiting" in {step.state for step in mind.upkeep().steps}
    clock.advance(hours=2)
    assert "waiting" in {step.state for step in mind.upkeep().steps}, "not yet"
    clock.advance(days=1)
    report = mind.upkeep()
    assert {step.state for step in report.steps} == {"done"}
    assert "用户养蜜蜂, for a while" not in known(mind)
    for step in report.steps:
        if step.name in ("decay", "expiry") and step.counts:
            mind.undo_upkeep(step.operation)
    assert "用户养蜜蜂" in known(mind)


def test_what_a_smaller_jump_put_away_comes_back(open_mind: OpenMind, clock: ManualClock) -> None:
    mind = filled(open_mind(**QUIET), clock)
    before = known(mind)
    clock.advance(days=300)
    mind.upkeep()
    assert len(known(mind)) < len(before)
    clock.advance(days=-300)
    report = mind.upkeep()
    assert report.steps[0].name == "clock"
    assert report.steps[0].counts["restored"] >= 2
    assert known(mind) == before
    assert "clock" not in {step.name for step in mind.upkeep().steps}, "once"


def test_work_goes_on_after_the_clock_came_back(open_mind: OpenMind, clock: ManualClock) -> None:
    """Schedules that were first placed by a wrong clock would wait for years."""
    clock.advance(days=3650)
    mind = open_mind(**QUIET)
    mind.record(session="s", role="user", text="I keep bees")
    mind.drain()
    mind.close()
    clock.advance(days=-3650)
    mind = open_mind(**QUIET)
    mind.record(session="s", role="user", text="我养蜜蜂")
    mind.drain()
    clock.advance(days=1)
    assert mind.drain().done >= 1
    assert mind.events(type="upkeep_fail") == []
    assert [turn.index for turn in mind.turns(session="s")] == [0, 1]
    assert [turn.text for turn in mind.turns(session="s")] == ["I keep bees", "我养蜜蜂"]


class MachineClock:
    """The clock of the machine, which the test sets."""

    def now(self) -> datetime:
        return datetime.fromtimestamp(time.time(), UTC)


def test_ids_never_go_back(open_mind: OpenMind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ids, "_last_present", [0])  # other tests have no clock that jumped
    mind = open_mind(clock=MachineClock(), **QUIET)
    made = [mind.record(session="s", role="user", text="one").id]
    for days in (3650, -3650, 1, -400):
        moment = time.time() + days * 86_400
        monkeypatch.setattr(time, "time", lambda moment=moment: moment)
        made.append(mind.record(session="s", role="user", text=f"after {days}").id)
        made.append(mind.remember(f"{days} days", kind="fact").id)
    assert made == sorted(made)
