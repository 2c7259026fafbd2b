"""How long a memory lives: by the word its extractor used, else by its kind."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.rules.slots import fold
from recollect.settings.keeping import Lifetimes
from recollect.types import Kind

_PRIORITIES = {
    "transient": "transient",
    "short": "short_term",
    "short term": "short_term",
    "long": "long_term",
    "long term": "long_term",
    "permanent": "permanent",
}
_SESSION = "session"
_TASK = "task"


@dataclass(frozen=True, slots=True)
class Lifetime:
    """When a memory expires, and whether the end of its session ends it before that."""

    expires_at: datetime | None
    ends_with_session: bool = False


def life_of(kind: Kind, duration: str, lifetimes: Lifetimes, now: datetime) -> Lifetime:
    """A word of `lifetimes.durations`, a priority or "task" wins over what the kind has."""
    span = _span(kind, duration, lifetimes)
    if span == _SESSION:
        # A session that nobody ends must not keep it for ever.
        return Lifetime(_later(now, lifetimes.transient), ends_with_session=True)
    return Lifetime(_later(now, span) if isinstance(span, timedelta) else None)


def longer(one: datetime | None, other: datetime | None) -> datetime | None:
    """The later of two expiries; None is never."""
    return None if one is None or other is None else max(one, other)


def _span(kind: Kind, duration: str, lifetimes: Lifetimes) -> timedelta | str | None:
    if duration in lifetimes.durations:
        return lifetimes.durations[duration]
    word = fold(duration)
    if word in _PRIORITIES:
        span: timedelta | None = getattr(lifetimes, _PRIORITIES[word])
        return span
    if word == _TASK and kind == "rule":
        return lifetimes.kinds.task_rule
    own: timedelta | str | None = getattr(lifetimes.kinds, kind)
    return own


def _later(now: datetime, span: timedelta | None) -> datetime | None:
    return None if span is None else now + span
