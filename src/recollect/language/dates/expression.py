"""One time expression in a text, before it is joined with its neighbours."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from recollect.language.dates.spans import Calendar, Date, Span


@dataclass(frozen=True, slots=True)
class DateMatch:
    """Where it stands, what it can mean, and its date if parts of that were left open."""

    start: int
    end: int
    spans: list[Span]
    date: Date | None = None
    joined: bool = False
    rolling: bool = False  # already reaches up to now


Read = Callable[[re.Match[str], Calendar], DateMatch | None]
Pattern = tuple[re.Pattern[str], Read]


def dated(
    match: re.Match[str], calendar: Calendar, date: Date, start: int | None = None
) -> DateMatch:
    """A calendar date; ``start`` leaves out a word before it."""
    place = match.start() if start is None else start
    return DateMatch(place, match.end(), [calendar.resolve(date)], date)


def date_match(match: re.Match[str], *spans: Span, rolling: bool = False) -> DateMatch:
    return DateMatch(match.start(), match.end(), list(spans), rolling=rolling)
