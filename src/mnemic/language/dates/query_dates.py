"""The date that a query names, and how well a moment fits it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta

from mnemic.language.dates.english import month_number
from mnemic.language.dates.reader import first_date
from mnemic.language.dates.spans import THIRDS_OF_MONTH, Date
from mnemic.language.word_file import WordFile
from mnemic.late import dataclass

pattern = WordFile("mnemic.language.dates", "reader.toml").pattern

_DAYS_AFTER = 7  # people tell of a day in the week that follows it
_NEARLY = 0.3
_NEAR_DAYS = 30
_MONTHS_A_YEAR = 12


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A month, perhaps of a known year, perhaps a day in it.

    ``length`` counts days where there is a day, else months. ``other`` is the other reading of a
    date such as 03/04/2025, which is day first for most and month first for some.
    """

    month: int
    year: int | None = None
    day: int | None = None
    length: int = 1
    other: PartialDate | None = None


def find_date(text: str, now: datetime | None = None) -> PartialDate | None:
    """The first date with a month, seen from ``now``; without it, what is not relative to it."""
    if not pattern("maybe").search(text):
        return None
    match = first_date(text, now)
    if match is None or match.date is None:
        name = pattern("bare_month").search(text)
        return PartialDate(month_number(name[1])) if name else None
    other = _partial(match.other) if match.other else None
    return _partial(match.date, other)


def date_fit(target: PartialDate, moment: datetime) -> float:
    """How well a moment fits a date, from 0 to 1."""
    fit = _month_fit(target, moment) if target.day is None else _day_fit(target, moment.date())
    return max(fit, date_fit(target.other, moment)) if target.other else fit


def _partial(of: Date, other: PartialDate | None = None) -> PartialDate:
    """Thirds of a month as days; the last of them in a month of 30 days, which is near enough."""
    day, length = of.day, of.length
    if of.third and of.month and not day:
        day, end = THIRDS_OF_MONTH[of.third]
        length = (end or 31) - day
    return PartialDate(of.month or 1, of.year, day, length, other)


def _month_fit(target: PartialDate, moment: datetime) -> float:
    """Within the months, or nearly, in the one that follows."""
    gap = moment.month - target.month
    if target.year:
        gap += (moment.year - target.year) * _MONTHS_A_YEAR
    else:
        gap %= _MONTHS_A_YEAR
    return 1.0 if 0 <= gap < target.length else _NEARLY * (gap == target.length)


def _day_fit(target: PartialDate, day: date) -> float:
    fits = [0.0]
    for first in _first_days(target, day.year):
        last = first + timedelta(days=target.length - 1)
        gap = (day - last).days if day > last else min(0, (day - first).days)
        fits.append(1.0 if -1 <= gap <= _DAYS_AFTER else _NEARLY * (abs(gap) <= _NEAR_DAYS))
    return max(fits)


def _first_days(target: PartialDate, year: int) -> Iterator[date]:
    """The day, or in an open year those that can be near a day of that year."""
    for candidate in (target.year,) if target.year else (year - 1, year, year + 1):
        try:
            yield date(candidate, target.month, target.day or 1)
        except ValueError:  # no such day, in that year or at all
            continue
