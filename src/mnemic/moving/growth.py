"""How a memory grew: turns and known statements by day, week, month or year."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from mnemic.moving.contents import MemoryContents

_STEPS = {"day": (1, 1), "week": (7, 7), "month": (28, 31), "year": (365, 366)}  # shortest, longest
_HELD = ("active", "superseded", "archived")


@dataclass(frozen=True, slots=True)
class Growth:
    """For each stretch, by its first day: its turns, and how many statements held at its end."""

    step: str
    days: list[date]
    turns: list[int]
    known: list[int]


def measure_growth(contents: MemoryContents, most: int) -> Growth | None:
    """In at most ``most`` stretches; None where there is nothing to show, or centuries of it."""
    learnt, ended = list[int](), list[int]()
    for memory in contents.versions:
        if memory.status in _HELD:
            learnt.append(contents.local(memory.created_at).toordinal())
            over = (end for end in (memory.expires_at, memory.valid_to) if end is not None)
            ends = [end for end in over if end <= contents.at]
            if memory.status != "active":
                ends = [memory.superseded_at or memory.updated_at]
            ended += [contents.local(end).toordinal() for end in sorted(ends)[:1]]
    learnt.sort()
    ended.sort()
    said = sorted(contents.local(turn.at).toordinal() for turn in contents.turns)
    ends_of_time = (*said[:1], *said[-1:], *learnt[:1], *learnt[-1:])
    if not ends_of_time:
        return None
    first, last = min(ends_of_time), max(ends_of_time)
    steps = (step for step, (shortest, _) in _STEPS.items() if (last - first) // shortest < most)
    step = next(steps, None)
    if step is None:
        return None
    starts = [_first_day(first, step)]
    while (following := starts[-1] + _STEPS[step][1]) <= last or (
        following <= date.max.toordinal() and _first_day(following, step) <= last
    ):
        starts.append(_first_day(following, step))
    bounds = [*starts, last + 1]
    counts = [bisect_left(said, bound) for bound in bounds]
    return Growth(
        step,
        [date.fromordinal(start) for start in starts],
        [later - before for before, later in pairwise(counts)],
        [bisect_left(learnt, bound) - bisect_left(ended, bound) for bound in bounds[1:]],
    )


def _first_day(ordinal: int, step: str) -> int:
    """The first day of the stretch that a day is in."""
    day = date.fromordinal(ordinal)
    if step == "week":
        return max(ordinal - day.weekday(), 1)
    if step == "month":
        return day.replace(day=1).toordinal()
    return day.replace(month=1, day=1).toordinal() if step == "year" else ordinal
