"""Time expressions in Chinese, and dates in digits, which every language writes."""

from __future__ import annotations

import re
from dataclasses import replace

from mnemic.language.dates.expression import (
    DateMatch,
    Grammar,
    Pattern,
    date_match,
    on_feast,
    to_match,
)
from mnemic.language.dates.feasts import read_feast
from mnemic.language.dates.spans import UNITS, Calendar, Date, Span, Unit
from mnemic.language.numerals import number
from mnemic.patterns import defer

_WORDS, _FIGURES = Grammar("chinese.toml"), Grammar("chinese.toml")
_hours, _third = _WORDS.hours, _WORDS.third

_HAN = defer("[\u4e00-\u9fff]")
_IN_FIGURES = re.compile(r"\d[-/.]\d")
_HOLIDAYS = {"五一": 5, "劳动节": 5, "国庆": 7, "春节": 7}  # of several days


def patterns(text: str) -> list[Pattern]:
    """The patterns that can be of use for this text."""
    figures = _FIGURES.patterns(text) if _IN_FIGURES.search(text) else []
    return figures + ([] if text.isascii() or not _HAN.search(text) else _WORDS.patterns(text))


def _place(table: str, word: str) -> int:
    return (_WORDS.figures(table, word) or (0,))[0]


def _year_of(match: re.Match[str], calendar: Calendar) -> int | None:
    groups = match.groupdict()
    word = groups.get("ry") or groups.get("ry2")
    if word:
        return calendar.today.year + _place("years", word)
    year = number(groups.get("y") or "")
    if year is None:
        return None
    return int(year) + (0 if year > 99 else 2000 if year < 70 else 1900)


@_WORDS.reads("relative_day", "relative_part")
def _relative_day(match: re.Match[str], calendar: Calendar) -> DateMatch:
    return date_match(match, calendar.day(_place("days", match["day"]), _hours(match)))


@_WORDS.reads("week")
def _week(match: re.Match[str], calendar: Calendar) -> DateMatch:
    turn, weekday = _place("turns", match["turn"]), match["wd"]
    if weekday:
        return date_match(match, calendar.weekday(turn, _place("weekdays", weekday), _hours(match)))
    return date_match(match, calendar.week(turn))


@_WORDS.reads("weekday")
def _weekday(match: re.Match[str], calendar: Calendar) -> DateMatch:
    weekday = _place("weekdays", match["wd"])
    span = calendar.weekday(0, weekday, _hours(match))
    if not calendar.is_meant(span):
        span = calendar.weekday(1 if calendar.ahead else -1, weekday, _hours(match))
    return replace(date_match(match, span), weekday=True)


@_WORDS.reads("month")
def _month(match: re.Match[str], calendar: Calendar) -> DateMatch:
    first, _ = calendar.month(_place("turns", match["turn"]))
    day = int(number(match["d"] or "") or 0) or None
    date = Date(first.year, first.month, day, 1, _third(match), _hours(match))
    return to_match(match, calendar, date)


@_WORDS.reads("quarter")
def _quarter(match: re.Match[str], calendar: Calendar) -> DateMatch:
    return date_match(match, calendar.quarter(_place("turns", match["turn"])))


@_WORDS.reads("year", "half_year")
def _year(match: re.Match[str], calendar: Calendar) -> DateMatch:
    """A year, or a season, a quarter or a half of one."""
    groups = match.groupdict()
    month, length = _WORDS.figures("months", groups.get("months")) or (None, 1)
    date = Date(_year_of(match, calendar), month, None, length, _third(match))
    return to_match(match, calendar, date)


@_WORDS.reads("bare_third")
def _bare_third(match: re.Match[str], calendar: Calendar) -> DateMatch:
    early = match["third"] == "初"
    if match["unit"] == "年":
        return to_match(match, calendar, Date(month=1 if early else 10, length=3))
    first, _ = calendar.month(0)
    return date_match(match, calendar.resolve(Date(first.year, first.month, third=_third(match))))


@_WORDS.reads("date", "date_to")
@_FIGURES.reads("figures", "figures_month")
def _date(match: re.Match[str], calendar: Calendar) -> DateMatch:
    month, day = number(match["m"]), number(match.groupdict().get("d") or "")
    last = number(match.groupdict().get("d2") or "")
    length = int(last - day) + 1 if last and day else 1
    if length < 1:
        raise ValueError(match.group())
    parts = int(month or 0) or None, int(day or 0) or None, length, _third(match)
    hours = _hours(match) if day else None
    return to_match(match, calendar, Date(_year_of(match, calendar), *parts, hours))


@_WORDS.reads("feast")
def _feast(match: re.Match[str], calendar: Calendar) -> DateMatch:
    name = match["feast"]
    feast = read_feast(_WORDS.tree()["feasts"][name])
    return on_feast(match, calendar, feast, _year_of(match, calendar), _HOLIDAYS.get(name, 1))


@_WORDS.reads("day")
def _day(match: re.Match[str], calendar: Calendar) -> DateMatch:
    return to_match(match, calendar, Date(day=int(number(match["d"]) or 0), hours=_hours(match)))


def _amounts(match: re.Match[str]) -> tuple[list[float], Unit]:
    """How many of what; 两三天 are two or three."""
    numeral, unit = match["n"], match["unit"]
    count = number(numeral)
    counts = [count] if count is not None else [number(digit) or 0 for digit in numeral]
    more = 0.5 if "半" in unit or match["half"] else 0
    name = _WORDS.tree()["units"][unit.lstrip("个半")[0]]
    return [amount + more for amount in counts if amount], next(u for u in UNITS if u == name)


@_WORDS.reads("away")
def _away(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    amounts, unit = _amounts(match)
    if not amounts or (unit == "year" and max(amounts) >= 1000):  # 2023年前 is before that year
        return None
    direction = -1 if "前" in (match["way"] or "") else 1
    if direction > 0 and calendar.ahead:
        return date_match(match, *(calendar.day_in(amount, unit) for amount in amounts))
    spans = [calendar.away(amount, unit, direction) for amount in amounts]
    return date_match(match, *spans, rolling=True)


@_WORDS.reads("latest")
def _latest(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    amounts, unit = _amounts(match)
    if not amounts or (max(amounts) <= 1 and match["lead"] in "前这上"):
        return None  # the day before something else
    return date_match(match, calendar.latest(max(amounts), unit), rolling=True)


@_WORDS.reads("lunar")
def _lunar(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    """A day of the lunar calendar, or one that may be: it has no day that is sure."""
    return date_match(match) if calendar.ahead or match["sure"] else None


@_FIGURES.reads("figures_either")
def _either_way(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    """12/02/2026 is in February for most, in December for some."""
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    read: dict[Date, Span] = {}
    for day, month in ((first, second), (second, first)):
        if month <= 12:
            try:
                read[Date(year, month, day)] = calendar.resolve(Date(year, month, day))
            except ValueError:
                continue
    if not read:
        return None
    date, other, *_ = [*read, None]
    return replace(date_match(match, *read.values()), date=date, other=other)
