"""Time expressions in Chinese, and dates in digits, which every language writes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from mnemic.language.dates.expression import (
    DateMatch,
    Pattern,
    Read,
    date_match,
    dated,
    on_feast,
    weekend,
)
from mnemic.language.dates.feasts import read_feast
from mnemic.language.dates.spans import (
    Calendar,
    Date,
    Span,
    Third,
    Unit,
)
from mnemic.language.numerals import number
from mnemic.language.word_file import WordFile

_FILE = WordFile("mnemic.language.dates", "chinese.toml")

_HAN = re.compile("[\u4e00-\u9fff]")
_FIGURES = re.compile(r"\d[-/.]\d")

_HOURS = {
    **dict.fromkeys(("凌晨",), (0, 6)),
    **dict.fromkeys(("清晨", "早晨", "早上", "上午", "早"), (5, 12)),
    **dict.fromkeys(("中午",), (11, 14)),
    **dict.fromkeys(("下午",), (12, 18)),
    **dict.fromkeys(("傍晚",), (17, 20)),
    **dict.fromkeys(("晚上", "夜里", "半夜", "深夜", "晚", "夜"), (18, 30)),
}
_DAYS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
_YEARS = {"大前": -3, "前": -2, "去": -1, "上一": -1, "今": 0, "本": 0, "明": 1, "后": 2}
_TURNS = {"上上": -2, "上": -1, "本": 0, "这": 0, "当": 0, "下": 1, "下下": 2}
_WEEKDAYS = {name: day for day, name in enumerate("一二三四五六日")} | {"天": 6, "末": 7}
_SEASONS = {"春": 3, "夏": 6, "秋": 9, "冬": 12}
_HOLIDAYS = {"五一": 5, "劳动节": 5, "国庆": 7, "春节": 7}  # of several days
_UNITS: dict[str, Unit] = {
    "秒": "second",
    "分": "minute",
    "小": "hour",
    "钟": "hour",
    "天": "day",
    "日": "day",
    "周": "week",
    "星": "week",
    "礼": "week",
    "月": "month",
    "季": "quarter",
    "年": "year",
}
_THIRDS: dict[str, Third] = {"初": "early", "上": "early", "中": "mid"}


def patterns(text: str) -> tuple[Pattern, ...]:
    """The patterns that can be of use for this text."""
    figures = _read_patterns("figures") if _FIGURES.search(text) else ()
    return figures + (_read_patterns("words") if _HAN.search(text) else ())


def _hours(match: re.Match[str]) -> tuple[int, int] | None:
    return _HOURS.get(match.groupdict().get("part") or "")


def _year_of(match: re.Match[str], calendar: Calendar) -> int | None:
    groups = match.groupdict()
    word = groups.get("ry") or groups.get("ry2")
    if word:
        return calendar.today.year + _YEARS[word]
    year = number(groups.get("y") or "")
    if year is None:
        return None
    return int(year) + (0 if year > 99 else 2000 if year < 70 else 1900)


def _third(match: re.Match[str]) -> Third | None:
    word = match.groupdict().get("third")
    return _THIRDS.get(word[0], "late") if word else None


def _relative_day(match: re.Match[str], calendar: Calendar) -> DateMatch:
    return date_match(match, calendar.day(_DAYS[match["day"]], _hours(match)))


def _week(match: re.Match[str], calendar: Calendar) -> DateMatch:
    turn, weekday = _TURNS[match["turn"]], match["wd"]
    if weekday:
        return date_match(match, calendar.weekday(turn, _WEEKDAYS[weekday], _hours(match)))
    return date_match(match, calendar.week(turn))


def _weekday(match: re.Match[str], calendar: Calendar) -> DateMatch:
    weekday = _WEEKDAYS[match["wd"]]
    span = calendar.weekday(0, weekday, _hours(match))
    other = 1 if calendar.ahead else -1
    return date_match(
        match,
        span if calendar.is_meant(span) else calendar.weekday(other, weekday, _hours(match)),
    )


def _month(match: re.Match[str], calendar: Calendar) -> DateMatch:
    first, _ = calendar.month(_TURNS[match["turn"]])
    day = number(match["d"] or "")
    date = Date(
        first.year, first.month, int(day) if day else None, third=_third(match), hours=_hours(match)
    )
    return date_match(match, calendar.resolve(date))


def _quarter(match: re.Match[str], calendar: Calendar) -> DateMatch:
    return date_match(match, calendar.quarter(_TURNS[match["turn"]]))


def _year(match: re.Match[str], calendar: Calendar) -> DateMatch:
    year = _year_of(match, calendar)
    if match["half"]:
        return dated(match, calendar, Date(year, 1 if match["half"] == "上" else 7, length=6))
    if match["season"]:
        return dated(match, calendar, Date(year, _SEASONS[match["season"]], length=3))
    if match["q"]:
        quarter = number(match["q"]) or 1
        return dated(match, calendar, Date(year, 3 * int(quarter) - 2, length=3))
    return dated(match, calendar, Date(year, third=_third(match)))


def _half_year(match: re.Match[str], calendar: Calendar) -> DateMatch:
    return dated(match, calendar, Date(month=1 if match["half"] == "上" else 7, length=6))


def _bare_third(match: re.Match[str], calendar: Calendar) -> DateMatch:
    early = match["third"] == "初"
    if match["unit"] == "年":
        return dated(match, calendar, Date(month=1 if early else 10, length=3))
    first, _ = calendar.month(0)
    return date_match(match, calendar.resolve(Date(first.year, first.month, third=_third(match))))


def _date(match: re.Match[str], calendar: Calendar) -> DateMatch:
    month, day = number(match["m"]), number(match.groupdict().get("d") or "")
    last = number(match.groupdict().get("d2") or "")
    length = int(last - day) + 1 if last and day else 1
    if length < 1:
        raise ValueError(match.group())
    date = Date(
        _year_of(match, calendar),
        int(month) if month else None,
        int(day) if day else None,
        length,
        _third(match),
        _hours(match) if day else None,
    )
    return dated(match, calendar, date)


def _feast(match: re.Match[str], calendar: Calendar) -> DateMatch:
    name = match["feast"]
    feast = read_feast(_FILE.tree()["feasts"][name])
    return on_feast(match, calendar, feast, _year_of(match, calendar), _HOLIDAYS.get(name, 1))


def _weekend(match: re.Match[str], calendar: Calendar) -> DateMatch:
    return weekend(_date(match, calendar))


def _day(match: re.Match[str], calendar: Calendar) -> DateMatch:
    return dated(match, calendar, Date(day=int(number(match["d"]) or 0), hours=_hours(match)))


def _amounts(match: re.Match[str]) -> tuple[list[float], Unit]:
    """How many of what; 两三天 are two or three."""
    numeral, unit = match["n"], match["unit"]
    whole = number(numeral)
    each = [whole] if whole is not None else [number(digit) or 0 for digit in numeral]
    more = 0.5 if "半" in unit or match["half"] else 0
    return [amount + more for amount in each if amount], _UNITS[unit.lstrip("个半")[0]]


def _away(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    amounts, unit = _amounts(match)
    if not amounts or (unit == "year" and max(amounts) >= 1000):  # 2023年前 is before that year
        return None
    direction = -1 if "前" in match["way"] else 1
    if direction > 0 and calendar.ahead:
        return date_match(match, *(calendar.day_in(amount, unit) for amount in amounts))
    spans = [calendar.away(amount, unit, direction) for amount in amounts]
    return date_match(match, *spans, rolling=True)


def _latest(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    amounts, unit = _amounts(match)
    if not amounts or (max(amounts) <= 1 and match["lead"] in "前这上"):
        return None  # the day before something else
    return date_match(match, calendar.latest(max(amounts), unit), rolling=True)


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


_READERS: Mapping[str, Mapping[str, Read]] = {
    "figures": {"figures": _date, "figures_month": _date, "figures_either": _either_way},
    "words": {
        "relative_day": _relative_day,
        "relative_part": _relative_day,
        "week": _week,
        "weekday": _weekday,
        "month": _month,
        "quarter": _quarter,
        "year": _year,
        "half_year": _half_year,
        "bare_third": _bare_third,
        "date": _date,
        "date_to": _date,
        "feast": _feast,
        "weekend": _weekend,
        "day": _day,
        "away": _away,
        "latest": _latest,
    },
}


@cache
def _read_patterns(kind: str) -> tuple[Pattern, ...]:
    return tuple((_FILE.pattern(name), read) for name, read in _READERS[kind].items())
