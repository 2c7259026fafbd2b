"""Stretches of the calendar around a moment, on the clock of the wall.

Everything here is without a zone: a day lasts from midnight to midnight wherever one is. Weeks
begin on Monday. Spans are half-open.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal, get_args

from mnemic.late import dataclass

Span = tuple[datetime, datetime]
Unit = Literal["second", "minute", "hour", "day", "week", "month", "quarter", "year"]
UNITS: tuple[Unit, ...] = get_args(Unit)
Third = Literal["early", "mid", "late"]

DAY = timedelta(days=1)
_SHORT: dict[Unit, timedelta] = {
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
}
_FINER: dict[Unit, tuple[Unit, int]] = {
    "year": ("month", 12),
    "quarter": ("month", 3),
    "month": ("day", 30),
    "week": ("day", 7),
    "day": ("hour", 24),
    "hour": ("minute", 60),
    "minute": ("second", 60),
}
_MONTHS: dict[Unit, int] = {"month": 1, "quarter": 3, "year": 12}
THIRDS_OF_MONTH: dict[Third, tuple[int, int]] = {"early": (1, 11), "mid": (11, 21), "late": (21, 0)}
_YEAR_THIRDS = {"early": (1, 3), "mid": (5, 4), "late": (10, 3)}  # month, and how many of them


@dataclass(frozen=True, slots=True)
class Date:
    """A date with some of its parts; what is missing is filled in by the calendar."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    length: int = 1  # of days, if there is a day, else of months
    third: Third | None = None
    hours: tuple[int, ...] | None = None


class Calendar:
    """The calendar as seen from ``now``.

    A date with parts left open is the latest that is not in the future, or with ``ahead`` the first
    that is not over.
    """

    def __init__(self, now: datetime, *, ahead: bool = False) -> None:
        self.ahead = ahead
        self.now = now.replace(tzinfo=None, fold=0)
        self.today = self.now.replace(hour=0, minute=0, second=0, microsecond=0)

    def day(self, offset: int, hours: tuple[int, ...] | None = None) -> Span:
        return at_hours((self.today + offset * DAY, self.today + (offset + 1) * DAY), hours)

    def week(self, offset: int) -> Span:
        monday = self.today - self.today.weekday() * DAY + offset * 7 * DAY
        return monday, monday + 7 * DAY

    def weekday(self, week: int, weekday: int, hours: tuple[int, ...] | None = None) -> Span:
        """The day of a week, 0 for Monday; 7 stands for the weekend."""
        monday, end = self.week(week)
        if weekday == 7:
            return monday + 5 * DAY, end
        return at_hours((monday + weekday * DAY, monday + (weekday + 1) * DAY), hours)

    def month(self, offset: int, length: int = 1) -> Span:
        start = shift(self.today.replace(day=1), offset)
        return start, shift(start, length)

    def quarter(self, offset: int) -> Span:
        return self.month(3 * offset - (self.today.month - 1) % 3, 3)

    def year(self, offset: int) -> Span:
        return self.month(12 * offset - (self.today.month - 1), 12)

    def unit(self, unit: Unit, offset: int) -> Span:
        """The day, week, month, quarter or year ``offset`` away from this one."""
        ways = {"day": self.day, "week": self.week, "month": self.month}
        ways |= {"quarter": self.quarter, "year": self.year}
        return ways[unit](offset)

    def away(self, amount: float, unit: Unit, direction: int) -> Span:
        """Around the moment so many units ago (-1) or ahead (1), as vaguely as it is said."""
        rough = amount % 1 != 0 and unit == "month"
        count, unit = _whole(amount, unit)
        if unit in _SHORT:
            distance = count * _SHORT[unit]
            middle = self.now + direction * distance
            return middle - distance / 2, middle + distance / 2
        if rough:  # one and a half months is not said of a day
            day = self.today + direction * count * DAY
            monday = day - day.weekday() * DAY
            return monday, monday + 7 * DAY
        return self.unit(unit, direction * count)

    def day_in(self, amount: float, unit: Unit) -> Span:
        """The day so many units ahead, as people count when they make a date."""
        day = self._move(amount, unit).replace(hour=0, minute=0, second=0, microsecond=0)
        return day, day + DAY

    def latest(self, amount: float, unit: Unit) -> Span:
        """The last so many units up to and with today; of hours and less, up to now."""
        short = _whole(amount, unit)[1] in _SHORT
        return self._move(-amount, unit), self.now if short else self.today + DAY

    def _move(self, amount: float, unit: Unit) -> datetime:
        count, unit = _whole(amount, unit)
        if unit in _SHORT:
            return self.now + count * _SHORT[unit]
        if unit in _MONTHS:
            return shift(self.today, count * _MONTHS[unit])
        return self.today + count * (7 if unit == "week" else 1) * DAY

    def resolve(self, date: Date, year: int | None = None, month: int | None = None) -> Span:
        """The span of a date; ``year`` and ``month`` fill what it leaves open."""
        month = date.month or (month if date.day else None)
        date = replace(date, year=date.year or year, month=month)
        if date.year is not None or (date.month is None and date.day is None):
            return _span(replace(date, year=date.year or self.today.year))
        step = 1 if self.ahead else -1
        if date.month is None:  # a month without a 31st is passed over
            months = (self.month(step * offset)[0] for offset in range(3))
            dates = [replace(date, year=first.year, month=first.month) for first in months]
        else:  # leap years are at most eight years apart
            years = range(self.today.year, self.today.year + step * 10, step)
            dates = [replace(date, year=year) for year in years]
        for span in map(_leap, dates):
            if span and self.is_meant(span):
                return span
        raise ValueError(f"no such date: {date}")

    def is_meant(self, span: Span) -> bool:
        """Whether a span lies on the side of now that open dates are taken from."""
        return span[1] > self.today if self.ahead else span[0] <= self.now


def shift(moment: datetime, months: int) -> datetime:
    """The same day so many months on, or the last of a month that is shorter."""
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    last = monthrange(year, month + 1)[1]
    return moment.replace(year=year, month=month + 1, day=min(moment.day, last))


def at_hours(day: Span, hours: tuple[int, ...] | None) -> Span:
    """A part of a day; hour 30 is six in the morning of the next."""
    if hours is None:
        return day
    return day[0] + timedelta(hours=hours[0]), day[0] + timedelta(hours=hours[1])


def _whole(amount: float, unit: Unit) -> tuple[int, Unit]:
    """One and a half years as eighteen months."""
    while amount % 1 and unit in _FINER:
        unit, factor = _FINER[unit]
        amount = round(amount * factor, 6)
    return round(amount), unit


def _span(date: Date) -> Span:
    year = date.year or 1
    if date.day is not None:
        start = datetime(year, date.month or 1, date.day)  # noqa: DTZ001
        return at_hours((start, start + date.length * DAY), date.hours)
    if date.month is None:
        first, length = _YEAR_THIRDS[date.third] if date.third else (1, 12)
        start = datetime(year, first, 1)  # noqa: DTZ001
        return start, shift(start, length)
    start = datetime(year, date.month, 1)  # noqa: DTZ001
    end = shift(start, date.length)
    if date.third:
        low, high = THIRDS_OF_MONTH[date.third]
        return start.replace(day=low), start.replace(day=high) if high else end
    return start, end


def _leap(date: Date) -> Span | None:
    """None for the 29th of February in most years."""
    try:
        return _span(date)
    except ValueError:
        return None
