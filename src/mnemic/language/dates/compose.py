"""Times built on other times: the last Friday of May, a week from Thursday, 国庆前一天.

An operator is a pattern that stands right before or right behind a time and says which day of it is
meant, or how far from it. What it makes is a time like any other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from mnemic.language.dates.english import GRAMMAR
from mnemic.language.dates.expression import DateMatch
from mnemic.language.dates.spans import DAY, UNITS, Calendar, Date, Span
from mnemic.language.numerals import number
from mnemic.language.word_file import WordFile

_FILE = WordFile("mnemic.language.dates", "compose.toml")
_DEPTH = 2  # a week from the last Friday of May
_WEEK, _MONTH, _YEAR = 7 * DAY, 31 * DAY, 366 * DAY

Build = Callable[[re.Match[str], Span, Calendar], Span | None]


def compose(matches: Iterable[DateMatch], text: str, calendar: Calendar) -> list[DateMatch]:
    """The times of a text, and those that are built on them."""
    times = new = list(matches)
    for _ in range(_DEPTH if times else 0):
        places: dict[tuple[str, int], list[DateMatch]] = defaultdict(list)
        for time in new:
            places["before", time.start].append(time)
            places["behind", time.end].append(time)
        new = [
            built
            for name, (side, build) in _OPERATORS.items()
            for match in _FILE.pattern(name).finditer(text)
            for time in places.get((side, match.end() if side == "before" else match.start()), ())
            if (built := _apply(build, match, time, calendar))
        ]
        times = [*times, *new]
    return times


def _apply(
    build: Build, match: re.Match[str], time: DateMatch, calendar: Calendar
) -> DateMatch | None:
    try:
        spans = [span for base in time.spans if (span := build(match, base, calendar))]
    except (ValueError, OverflowError):
        return None
    if not spans:
        return None
    first, days = spans[0][0], (spans[0][1] - spans[0][0]).days
    date = Date(first.year, first.month, first.day, max(days, 1))
    start, end = min(match.start(), time.start), max(match.end(), time.end)
    open_year = time.date is None or time.date.year is None
    return DateMatch(start, end, spans, date, relative=time.relative or open_year)


def _code(table: str, word: str) -> str:
    """What a word of a table stands for; a line of it has several words for one thing."""
    lines = _FILE.tree()[table].items()
    return next((code for code, words in lines if word.lower() in words.split("|")), "")


def _pick(match: re.Match[str], span: Span, _: Calendar) -> Span | None:
    """The first, second or last day, weekday, week or weekend of a stretch."""
    figure = match["which"].rstrip("sthndr")
    place = int(figure) if figure.isdecimal() else int(_code("which", match["which"]))
    what, length = _code("what", match["what"] or "day"), span[1] - span[0]
    if not _WEEK <= length <= _YEAR:
        return None
    if what == "week":  # where the second one begins, people do not agree
        return {1: (span[0], span[0] + _WEEK), -1: (span[1] - _WEEK, span[1])}.get(place)
    days = [day for n in range(length.days) if _is(what, day := span[0] + n * DAY)]
    if not 0 < abs(place) <= len(days):
        return None
    first = days[place - (place > 0)]
    return first, first + len(what) * DAY


def _beside(match: re.Match[str], span: Span, _: Calendar) -> Span | None:
    """The Sunday before it, the day after it."""
    what, before = _code("what", match["what"]), match["way"].lower() == "before"
    near = [span[0] - n * DAY if before else span[1] + (n - 1) * DAY for n in range(1, 8)]
    day = next(day for day in near if _is(what, day))
    return (day, day + len(what) * DAY) if span[1] - span[0] <= _WEEK else None


def _is(what: str, day: datetime) -> bool:
    return what == "d" or what.startswith(str(day.weekday()))


def _shift(match: re.Match[str], span: Span, calendar: Calendar) -> Span | None:
    """So many days, weeks or months from a day; a week on Friday is said of what lies ahead."""
    way, unit = (match.groupdict().get("way") or "").lower(), _code("unit", match["unit"])
    amount = (number(match.groupdict().get("n") or "a") or 0) * (2 if unit == "fortnight" else 1)
    unit = "week" if unit == "fortnight" else unit
    loose = way in ("on", "") and (unit != "week" or not calendar.ahead)
    if span[1] - span[0] > DAY or not amount or loose:
        return None
    if way in ("before", "前"):
        amount = -amount
    return Calendar(span[0]).day_in(amount, next(name for name in UNITS if name == unit))


def _third(match: re.Match[str], span: Span, calendar: Calendar) -> Span | None:
    """The end of next month."""
    if not 27 * DAY < span[1] - span[0] <= _MONTH:
        return None
    return calendar.resolve(Date(span[0].year, span[0].month, third=GRAMMAR.third(match)))


def _weekend(_: re.Match[str], span: Span, __: Calendar) -> Span | None:
    """The weekend that is nearest to a day."""
    saturday = span[0] + ((8 - span[0].weekday()) % 7 - 3) * DAY
    return (saturday, saturday + 2 * DAY) if span[1] - span[0] <= DAY else None


def _that_day(_: re.Match[str], span: Span, __: Calendar) -> Span:
    """国庆那天, of a holiday that lasts a week."""
    return span[0], min(span[1], span[0] + DAY)


_OPERATORS: Mapping[str, tuple[str, Build]] = {
    "pick": ("before", _pick),
    "pick_behind": ("behind", _pick),
    "beside": ("before", _beside),
    "shift": ("before", _shift),
    "shift_behind": ("behind", _shift),
    "week_behind": ("behind", _shift),
    "third": ("before", _third),
    "weekend": ("before", _weekend),
    "weekend_behind": ("behind", _weekend),
    "that_day": ("behind", _that_day),
}
