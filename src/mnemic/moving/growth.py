"""How a memory grew: turns and known statements by day, week or month."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from mnemic.moving.contents import MemoryContents
from mnemic.types import Memory

Step = Literal["day", "week", "month", "year"]
_STEPS: dict[Step, int] = {"day": 1, "week": 7, "month": 28, "year": 365}  # days at least
_HELD = ("active", "superseded", "archived")


@dataclass(frozen=True, slots=True)
class Growth:
    """For each stretch, by its first day: its turns, and how many statements held at its end."""

    step: Step
    days: tuple[date, ...]
    turns: tuple[int, ...]
    known: tuple[int, ...]


def growth(contents: MemoryContents, most: int) -> Growth | None:
    """In at most so many stretches; None where there is nothing to show, or centuries of it."""
    said = sorted(contents.local(turn.at).date() for turn in contents.turns)
    held = [memory for memory in contents.versions if memory.status in _HELD]
    learnt = sorted(contents.local(memory.created_at).date() for memory in held)
    ends = filter(None, (_end(memory, contents.at) for memory in held))
    ended = sorted(contents.local(end).date() for end in ends)
    if not said and not learnt:
        return None
    first, last = min((said or learnt)[0], (learnt or said)[0]), max((*said[-1:], *learnt[-1:]))
    span = (last - first).days
    step = next((step for step, days in _STEPS.items() if span // days < most), None)
    if step is None:
        return None
    days = _stretches(first, last, step)
    after = [*days[1:], date.max]
    turns = [bisect_right(said, one - _DAY) for one in after]
    known = [bisect_right(learnt, one - _DAY) - bisect_right(ended, one - _DAY) for one in after]
    each = (now - before for before, now in zip((0, *turns), turns, strict=False))
    return Growth(step, tuple(days), tuple(each), tuple(known))


_DAY = timedelta(days=1)


def _end(memory: Memory, now: datetime) -> datetime | None:
    """When a statement stopped to hold; None where it holds."""
    if memory.status != "active":
        return memory.superseded_at or memory.updated_at
    over = [at for at in (memory.expires_at, memory.valid_to) if at is not None and at <= now]
    return min(over, default=None)


def _stretches(first: date, last: date, step: Step) -> list[date]:
    if step == "week" and first.toordinal() > 7:
        first -= timedelta(days=first.weekday())
    elif step == "month":
        first = first.replace(day=1)
    elif step == "year":
        first = first.replace(month=1, day=1)
    days = [first]
    while (following := _next(days[-1], step)) <= last:
        days.append(following)
    return days


def _next(day: date, step: Step) -> date:
    if step == "month":
        return (day + timedelta(days=31)).replace(day=1)
    if step == "year":
        return day.replace(year=day.year + 1)
    return day + timedelta(days=_STEPS[step])
