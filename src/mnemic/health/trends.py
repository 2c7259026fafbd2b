"""Curves for people: how a memory grew day by day, and how one statement fades."""

from __future__ import annotations

from datetime import datetime, timedelta

from mnemic.days import day_of
from mnemic.rules import checks
from mnemic.rules.decay import class_of, faded
from mnemic.settings.upkeep import DecaySettings
from mnemic.space import Space
from mnemic.types import DayGrowth, DecayCurve, DecayPoint, Memory

_MOST_DAYS = 3_660
_POINTS = 60


def growth(space: Space, days: int) -> list[DayGrowth]:
    """Each of the last days, oldest first, also those on which nothing happened."""
    checks.check_count(days, "days", _MOST_DAYS)
    with space.read() as unit:
        home = space.zone(unit)
        today = day_of(space.now(), home)
        listed = [today - timedelta(days=back) for back in reversed(range(days))]
        turns = unit.counters.per_day("turns", listed[0], home)
        memories = unit.counters.per_day("memories", listed[0], home)
    return [DayGrowth(day, turns.get(day, 0), memories.get(day, 0)) for day in listed]


def decay_curve(memory: Memory, decay: DecaySettings, now: datetime, days: int) -> DecayCurve:
    """From when it was last used to so many days from now."""
    checks.check_count(days, "days", _MOST_DAYS)
    law = class_of(memory.kind, decay)
    start = memory.last_accessed_at
    span = max(now - start, timedelta(0)) + timedelta(days=days)
    points = tuple(
        DecayPoint(start + idle, faded(memory.importance, idle, law))
        for idle in (span * step / _POINTS for step in range(_POINTS + 1))
    )
    return DecayCurve(
        memory.id, law.half_life, law.floor, law.archive_below, law.delete_below, points
    )
