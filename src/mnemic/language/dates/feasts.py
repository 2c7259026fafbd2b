"""On which day a feast falls: every year on the same, by weekday, Easter, or the lunar calendar."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from functools import cache

from mnemic.language.word_file import WordFile

_FILE = WordFile("mnemic.language.dates", "reader.toml")
_FIRST_LUNAR = date(1990, 1, 27)

MovingFeast = Callable[[int], date]
Feast = tuple[int, int] | MovingFeast  # month and day, or the day of each year


def weekday(month: int, which: int, day: int, after: int = 0) -> MovingFeast:
    """The first (1), second … or last (-1) of a weekday (0 for Monday) in a month, or days after
    it.
    """

    def of_year(year: int) -> date:
        first = date(year, month, 1)
        if which < 0:
            first = date(year + month // 12, month % 12 + 1, 1)
        days = (day - first.weekday()) % 7 + 7 * (which - (which > 0))
        return first + timedelta(days=days + after)

    return of_year


def easter(after: int = 0) -> MovingFeast:
    """Easter Sunday of the western churches, or days after it."""

    def of_year(year: int) -> date:
        century, place = divmod(year, 100)
        moon = (19 * (year % 19) + century - century // 4 - (8 * century + 13) // 25 + 15) % 30
        moon -= (moon + year % 19 // 11) // 29
        day = (2 * (century % 4) + 2 * (place // 4) - moon - place % 4 + 32) % 7
        return date(year, 3, 22) + timedelta(days=moon + day + after)

    return of_year


def lunar(month: int, day: int, after: int = 0) -> MovingFeast:
    """A day of the Chinese calendar, or days after it; ValueError outside 1990 to 2060."""
    return lambda year: (
        _lunar_new_year(year) + timedelta(days=sum(_month_lengths(year, month)) + day - 1 + after)
    )


def qingming(year: int) -> date:
    """The 4th or 5th of April, by the sun; ValueError outside 1990 to 2060."""
    _entry(year)
    since = year % 100
    start = 4.81 if year >= 2000 else 5.59
    return date(year, 4, int(since * 0.2422 + start) - since // 4)


@cache
def _entry(year: int) -> int:
    place, entries = year - _FIRST_LUNAR.year, _FILE.tree()["lunar"]["years"].split()
    if not 0 <= place < len(entries):
        raise ValueError(f"no lunar calendar for {year}")
    return int(entries[place], 16)


@cache
def _lunar_new_year(year: int) -> date:
    _entry(year)
    days = sum(sum(_month_lengths(y, 13)) for y in range(_FIRST_LUNAR.year, year))
    return _FIRST_LUNAR + timedelta(days=days)


def _month_lengths(year: int, before: int) -> list[int]:
    """The days of each month of a lunar year before one, leap months among them."""
    entry = _entry(year)
    leap = entry & 0xF
    lengths: list[int] = []
    for month in range(1, before):
        lengths.append(30 if entry & (0x10000 >> month) else 29)
        if month == leap:
            lengths.append(30 if entry & 0x10000 else 29)
    return lengths


_WAYS: Mapping[str, Callable[..., MovingFeast]] = {
    "easter": easter,
    "lunar": lunar,
    "weekday": weekday,
    "qingming": lambda: qingming,
}


def read_feast(text: str) -> Feast:
    """A feast as the word files write it: ``12 25``, ``easter 1``, ``weekday 11 4 3``."""
    first, *rest = text.split()
    return (int(first), int(rest[0])) if first.isdigit() else _WAYS[first](*map(int, rest))
