"""One time expression in a text, before it is joined with its neighbours."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from mnemic.language.dates.feasts import Feast
from mnemic.language.dates.spans import DAY, Calendar, Date, Span


@dataclass(frozen=True, slots=True)
class DateMatch:
    """Where it stands, what it can mean, and its date if parts of that were left open.

    ``other`` is the date where one can be read in two ways; ``relative`` says that its year was
    counted from now.
    """

    start: int
    end: int
    spans: list[Span]
    date: Date | None = None
    joined: bool = False
    rolling: bool = False  # already reaches up to now
    other: Date | None = None
    relative: bool = False


Read = Callable[[re.Match[str], Calendar], DateMatch | None]
Pattern = tuple[re.Pattern[str], Read]


def dated(
    match: re.Match[str], calendar: Calendar, date: Date, start: int | None = None
) -> DateMatch:
    """A calendar date; ``start`` leaves out a word before it."""
    place = match.start() if start is None else start
    groups = match.groupdict()
    relative = any(groups.get(name) for name in ("ry", "ry2", "turn"))
    return DateMatch(place, match.end(), [calendar.resolve(date)], date, relative=relative)


def on_feast(
    match: re.Match[str], calendar: Calendar, feast: Feast, year: int | None, length: int = 1
) -> DateMatch:
    """A feast of a year; of an open one the nearest on the calendar's side of now."""
    if isinstance(feast, tuple):
        return dated(match, calendar, Date(year, *feast, length))
    day, today = feast(year or calendar.today.year), calendar.today.date()
    if year is None and (day < today if calendar.ahead else day > today):
        day = feast(today.year + (1 if calendar.ahead else -1))
    found = dated(match, calendar, Date(day.year, day.month, day.day, length))
    return replace(found, relative=found.relative or year is None)


def weekend(day: DateMatch) -> DateMatch:
    """The weekend that is nearest to a day."""
    start, _ = day.spans[0]
    saturday = start + ((8 - start.weekday()) % 7 - 3) * DAY
    date = Date(saturday.year, saturday.month, saturday.day, length=2)
    open_year = day.date is None or day.date.year is None
    return replace(
        day, spans=[(saturday, saturday + 2 * DAY)], date=date, relative=day.relative or open_year
    )


def date_match(match: re.Match[str], *spans: Span, rolling: bool = False) -> DateMatch:
    return DateMatch(match.start(), match.end(), list(spans), rolling=rolling)
