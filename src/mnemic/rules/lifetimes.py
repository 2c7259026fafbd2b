"""How long a memory lives: by the word its extractor used, else by its kind."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from mnemic.late import dataclass
from mnemic.patterns import defer
from mnemic.rules.slots import fold
from mnemic.settings.upkeep import LifetimeSettings
from mnemic.types import Kind

_SESSION = "session"
# The words an extractor may use for a life, and what they mean (document B §4).
DURATIONS: Mapping[str, timedelta | str | None] = {
    "permanent": None,
    "7d": timedelta(days=7),
    "24h": timedelta(hours=24),
    "session": _SESSION,
}
_TASK = "task"
_SPAN = defer(r"(\d{1,6})([dh])")  # any other span of days or hours
_UNITS = {"d": "days", "h": "hours"}
_PRIORITIES = ("transient", "short", "short term", "long", "long term", "permanent")


@dataclass(frozen=True, slots=True)
class Lifetime:
    """When a memory expires, and whether the end of its session ends it before that."""

    expires_at: datetime | None
    ends_with_session: bool = False


def life_of(kind: Kind, duration: str, lifetimes: LifetimeSettings, said_at: datetime) -> Lifetime:
    """A word of ``DURATIONS``, a priority or "task" wins over what the kind has."""
    span = _span(kind, duration, lifetimes)
    if span == _SESSION:
        # A session that nobody ends must not keep it for ever.
        return Lifetime(_later(said_at, lifetimes.transient), ends_with_session=True)
    if not isinstance(span, timedelta):
        return Lifetime(None)
    # What is as short-lived as a temporary memory ends as one.
    transient = lifetimes.transient is not None and span <= lifetimes.transient
    with_session = transient and lifetimes.kinds["temp"] == _SESSION
    return Lifetime(_later(said_at, span), ends_with_session=with_session)


def is_duration(word: str) -> bool:
    """Whether a word says how long a memory lives."""
    return word in DURATIONS or bool(_SPAN.fullmatch(word)) or fold(word) in (*_PRIORITIES, _TASK)


def counts_from(said_at: datetime, *days: datetime | None) -> datetime:
    """Since when a life counts: the day of the thing where that lies ahead, not of the talk."""
    return max([said_at, *filter(None, days)])


def longer(left: datetime | None, right: datetime | None) -> datetime | None:
    """The later of two expiries; None is never."""
    return None if left is None or right is None else max(left, right)


def sooner(left: datetime | None, right: datetime | None) -> datetime | None:
    """The earlier of two expiries; None is never."""
    return min(filter(None, (left, right)), default=None)


def _span(kind: Kind, duration: str, lifetimes: LifetimeSettings) -> timedelta | str | None:
    if duration in DURATIONS:
        return DURATIONS[duration]
    other = _SPAN.fullmatch(duration)
    if other is not None:
        return timedelta(**{_UNITS[other[2]]: int(other[1])})
    word = fold(duration)
    if word in _PRIORITIES:
        brief, long = lifetimes.short_term, lifetimes.long_term
        return (lifetimes.transient, brief, brief, long, long, None)[_PRIORITIES.index(word)]
    if word == _TASK and kind == "rule":
        return lifetimes.kinds["task_rule"]
    return lifetimes.kinds.get(kind)  # one of the host's own has its life in memory.kinds


def _later(said_at: datetime, span: timedelta | None) -> datetime | None:
    return None if span is None else said_at + span
