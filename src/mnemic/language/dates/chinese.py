"""Time expressions in Chinese, and dates in digits, which every language writes."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from mnemic.language.dates.expression import (
    DateMatch,
    Pattern,
    date_match,
    dated,
    on_feast,
    weekend,
)
from mnemic.language.dates.feasts import Feast, easter, lunar, qingming, weekday
from mnemic.language.dates.spans import (
    Calendar,
    Date,
    Span,
    Third,
    Unit,
)
from mnemic.language.numerals import CHINESE, number

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
_PART = r"(?P<part>凌晨|清晨|早晨|早上|上午|中午|下午|傍晚|晚上|夜里|半夜|深夜)?"
_DAYS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
_YEARS = {"大前": -3, "前": -2, "去": -1, "上一": -1, "今": 0, "本": 0, "明": 1, "后": 2}
_TURNS = {"上上": -2, "上": -1, "本": 0, "这": 0, "当": 0, "下": 1, "下下": 2}
_WEEKDAYS = {name: day for day, name in enumerate("一二三四五六日")} | {"天": 6, "末": 7}
_SEASONS = {"春": 3, "夏": 6, "秋": 9, "冬": 12}
_FEASTS: dict[str, tuple[Feast, int]] = {  # the day, and how many
    "元旦": ((1, 1), 1),
    "情人节": ((2, 14), 1),
    "妇女节": ((3, 8), 1),
    "愚人节": ((4, 1), 1),
    "五一": ((5, 1), 5),
    "劳动节": ((5, 1), 5),
    "儿童节": ((6, 1), 1),
    "六一": ((6, 1), 1),
    "教师节": ((9, 10), 1),
    "国庆": ((10, 1), 7),
    "万圣节": ((10, 31), 1),
    "双十一": ((11, 11), 1),
    "双十二": ((12, 12), 1),
    "平安夜": ((12, 24), 1),
    "圣诞": ((12, 25), 1),
    "跨年夜": ((12, 31), 1),
    "除夕": (lunar(1, 1, -1), 1),
    "大年三十": (lunar(1, 1, -1), 1),
    "年三十": (lunar(1, 1, -1), 1),
    "春节": (lunar(1, 1), 7),
    "大年初一": (lunar(1, 1), 1),
    "元宵": (lunar(1, 15), 1),
    "清明": (qingming, 1),
    "端午": (lunar(5, 5), 1),
    "七夕": (lunar(7, 7), 1),
    "中秋": (lunar(8, 15), 1),
    "重阳": (lunar(9, 9), 1),
    "腊八": (lunar(12, 8), 1),
    "复活节": (easter(), 1),
    "母亲节": (weekday(5, 2, 6), 1),
    "父亲节": (weekday(6, 3, 6), 1),
    "感恩节": (weekday(11, 4, 3), 1),
}
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
_UNIT = (
    r"(?P<unit>秒钟?|分钟|个?半?小时|个?半?钟头|天|日|周|个?半?星期|个?半?礼拜"
    r"|个半?月|个季度|年)(?P<half>半)?"
)
_YEAR = (
    r"(?:(?P<y>(?:19|20)\d\d|[一二][零〇一二三四五六七八九]{3}|(?<!\d)\d\d)\s?年(?![级代])"
    r"|(?P<ry>大前|前|去|今|本|明|后)年|(?P<ry2>上一)年)"
)
_MONTH = (
    r"(?<![\d一二三四五六七八九十个几.])(?P<m>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s?月"
    r"(?![亮饼球薪嫂天])份?"
)
_NUMBER = r"\d{1,2}|[一二三四五六七八九十]{1,3}"
_DAY = r"(?P<d>3[01]|[12]\d|0?[1-9]|[一二三四五六七八九十]{1,3})\s?[日号](?![码楼线店机房门院])"
_THIRD = r"(?P<third>上旬|中旬|下旬|初|底|末)"
_THIRDS: dict[str, Third] = {"初": "early", "上": "early", "中": "mid"}


@cache
def _patterns() -> tuple[Pattern, ...]:
    return tuple(
        (re.compile(pattern), read)
        for pattern, read in (
            (r"(?<![以之])(?P<day>大前|前|昨|今|明|大后|后)[天日儿]" + _PART, _relative_day),
            (r"(?P<day>前|昨|今|明)(?P<part>早上?|晚上?|夜里?)", _relative_day),
            (
                r"(?P<turn>上上|上|下下|下|本|这)一?个?(?:周|星期|礼拜)"
                r"(?:(?P<wd>[一二三四五六日天末])(?![次个遍天]))?" + _PART,
                _week,
            ),
            (
                r"(?<![一二两三四五六七八九十几半每数个\d])(?:周|星期|礼拜)(?P<wd>[一二三四五六日天末])"
                r"(?![次遍个岁])" + _PART,
                _weekday,
            ),
            (
                rf"(?P<turn>上上|上|下下|下|本|这|当)一?个?月(?:{_THIRD}|的?\s?{_DAY})?" + _PART,
                _month,
            ),
            (r"(?P<turn>上上|上|下下|下|本|这)一?个?季度?", _quarter),
            (
                _YEAR + r"的?(?:(?P<half>[上下])半年|年?(?P<third>初|中(?![国文午秋心])|底|末)"
                r"|(?P<season>[春夏秋冬])(?!节)[天季]?|第?(?P<q>[一二三四1-4])季度)?",
                _year,
            ),
            (r"(?<![年\d一二两三四五六七八九十])(?P<half>[上下])半年", _half_year),
            (r"(?<![年月\d])(?P<unit>[年月])(?P<third>初|底|末)", _bare_third),
            (rf"(?:{_YEAR}\s?的?\s?)?{_MONTH}(?:{_THIRD}|\s?{_DAY})?" + _PART, _date),
            (
                rf"(?:{_YEAR}\s?)?{_MONTH}\s?(?P<d>{_NUMBER})[日号]?\s?[-~–—～至到]\s?(?P<d2>{_NUMBER})[日号]",
                _date,
            ),
            (
                rf"(?:{_YEAR}的?)?(?<![一二三四五六七八九十])(?P<feast>{'|'.join(_FEASTS)})节?(?![个十上])",
                _feast,
            ),
            (
                rf"(?:{_YEAR}\s?的?\s?)?{_MONTH}\s?{_DAY}的?(?:那个?|这个?)?周末",
                _weekend,
            ),
            (
                r"(?<![\d一二三四五六七八九十月第.])(?P<d>3[01]|[12]\d|[1-9]|二?十[一二三四五六七八九]?)号(?![码楼线店机房门院])"
                + _PART,
                _day,
            ),
            (
                rf"(?<![\d一二两三四五六七八九十百第.])(?P<n>{CHINESE})\s?多?{_UNIT}多?(?P<way>之前|以前|前(?!后)|之后|以后|后)",
                _away,
            ),
            (
                rf"(?P<lead>最近|过去|(?<![附最])近|(?<![以之目])前|这|上)的?这?\s?(?P<n>{CHINESE})\s?{_UNIT}",
                _latest,
            ),
        )
    )


@cache
def _figures() -> tuple[Pattern, ...]:
    return (
        (
            re.compile(
                r"(?<![\d.])(?P<y>\d{4})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?![\d.]\d|\d)"
                + _PART
            ),
            _date,
        ),
        (
            re.compile(r"(?<![\d.\-/])(?P<y>(?:19|20)\d\d)[-/](?P<m>0[1-9]|1[0-2])(?![\d\-/])"),
            _date,
        ),
        (re.compile(r"(?<![\d./-])(\d{1,2})([-/.])(\d{1,2})\2((?:19|20)\d\d)(?!\d)"), _either_way),
    )


def patterns(text: str) -> tuple[Pattern, ...]:
    """The patterns that can be of use for this text."""
    figures = _figures() if _FIGURES.search(text) else ()
    return figures + (_patterns() if _HAN.search(text) else ())


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
    feast, length = _FEASTS[match["feast"]]
    return on_feast(match, calendar, feast, _year_of(match, calendar), length)


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
