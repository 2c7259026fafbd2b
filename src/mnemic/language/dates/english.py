"""Time expressions in English."""

from __future__ import annotations

import re
from collections.abc import Mapping
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
    UNITS,
    Calendar,
    Date,
    Third,
    Unit,
)
from mnemic.language.numerals import number
from mnemic.language.word_file import WordFile

_FILE = WordFile("mnemic.language.dates", "english.toml")

_LETTER = re.compile("[A-Za-z]")

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_WEEKDAYS = "mon tue wed thu fri sat sun".split()
_SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
_HOURS = {"morning": (5, 12), "noon": (11, 14), "afternoon": (12, 18)}
_HOURS |= {"evening": (17, 24), "night": (18, 30)}
_NO_APOSTROPHE = str.maketrans("", "", "'’")
_FEAST_WORD = re.compile("[a-z]+")
_DAYS = {
    "day before yesterday": -2,
    "yesterday": -1,
    "today": 0,
    "tomorrow": 1,
    "day after tomorrow": 2,
}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}
_THIRDS: dict[str, Third] = {
    "early": "early",
    "beginning": "early",
    "start": "early",
    "mid": "mid",
    "middle": "mid",
}


def patterns(text: str) -> tuple[Pattern, ...]:
    """The patterns that can be of use for this text."""
    return _read_patterns() if _LETTER.search(text) else ()


def _month_number(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _hours(match: re.Match[str]) -> tuple[int, int] | None:
    return _HOURS.get((match.groupdict().get("part") or "").lower())


def _third(match: re.Match[str]) -> Third | None:
    word = (match.groupdict().get("third") or "").lower().removeprefix("the ")
    return _THIRDS.get(word.split()[0], "late") if word else None


def _year_of(match: re.Match[str]) -> int | None:
    digits = match.groupdict().get("y")
    return int(digits) if digits else None


def _date(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    groups = match.groupdict()
    day = int(groups["d"]) if groups.get("d") else None
    if (
        match["m"] in ("may", "mar", "sat", "sun")
        and not groups.get("y")
        and match.start("m") == match.start()
    ):
        return None  # "may 3 people come"
    last = int(groups["d2"]) if groups.get("d2") else day
    length = last - day + 1 if last and day else 1
    if length < 1:
        raise ValueError(match.group())
    return dated(
        match,
        calendar,
        Date(_year_of(match), _month_number(match["m"]), day, length, _third(match)),
    )


def _bare_month(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    name, word = match["m"], (match["word"] or "").lower()
    sure = name[0].isupper() and len(name) > 3 and name.lower() != "march"
    led = word and (word not in ("to", "and", "by", "on") or name[0].isupper())
    if not (sure or led or match["third"]):
        return None
    start = match.start("third") if match["third"] else match.start("m")
    return dated(match, calendar, Date(month=_month_number(name), third=_third(match)), start)


def _last_months(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    """Last March is the latest that is over, this March that of the year, next March is to come."""
    name, turn = match["name"].lower(), match["turn"].lower()
    if len(name) == 3 and name != "may":
        return None
    season = name in _SEASONS
    month, length = (_SEASONS[name], 3) if season else (_month_number(name), 1)
    years = range(calendar.today.year - 2, calendar.today.year + 3)
    dates = [Date(year, month, length=length) for year in years]
    spans = [calendar.resolve(date) for date in dates]
    if turn == "this":
        current = [n for n, span in enumerate(spans) if span[0] <= calendar.now < span[1]]
        which = current[0] if current else 2
    elif turn in ("next", "coming"):
        which = next(n for n, span in enumerate(spans) if span[0] > calendar.now)
    else:
        which = sum(span[1] <= calendar.now for span in spans) - 1
    return dated(match, calendar, dates[which])


def _year(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    if not match["word"] and not match["third"]:
        return None
    start = match.start("third") if match["third"] else match.start("y")
    return dated(match, calendar, Date(int(match["y"]), third=_third(match)), start)


def _season(match: re.Match[str], calendar: Calendar) -> DateMatch:
    return dated(
        match, calendar, Date(int(match["y"]), _SEASONS[match["season"].lower()], length=3)
    )


def _quarter(match: re.Match[str], calendar: Calendar) -> DateMatch:
    word = match["q"].lower()
    quarter = int(word) if word.isdigit() else _ORDINALS[word]
    return dated(match, calendar, Date(int(match["y"]), 3 * quarter - 2, length=3))


def _half(match: re.Match[str], calendar: Calendar) -> DateMatch:
    month = 1 if match["half"].lower() == "first" else 7
    return dated(match, calendar, Date(int(match["y"]), month, length=6))


def _relative_day(match: re.Match[str], calendar: Calendar) -> DateMatch:
    return date_match(match, calendar.day(_DAYS[match["day"].lower()], _hours(match)))


def _part_of_day(match: re.Match[str], calendar: Calendar) -> DateMatch:
    first, *rest = match["day"].lower().split()
    part = rest[0] if rest else "night"
    return date_match(match, calendar.day(-1 if first == "last" else 0, _HOURS[part]))


def _unit(match: re.Match[str]) -> Unit:
    word = match["unit"].lower()
    plain = {"night": "day", "fortnight": "week"}.get(word, word)
    return next(unit for unit in UNITS if unit == plain)


def _offset(turn: str) -> int:
    return {"this": 0, "next": 1, "coming": 1}.get(turn.lower(), -1)


def _last_unit(match: re.Match[str], calendar: Calendar) -> DateMatch:
    turn = match["turn"].lower()
    if match["unit"].lower() == "weekend":
        this = calendar.weekday(0, 7)
        over = this[1] <= calendar.now or turn not in ("past", "this past")
        return date_match(
            match, this if turn == "this" or not over else calendar.weekday(_offset(turn), 7)
        )
    if turn in ("past", "this past"):
        return date_match(match, calendar.latest(1, _unit(match)), rolling=True)
    return date_match(match, calendar.unit(_unit(match), _offset(turn)))


def _before_last(match: re.Match[str], calendar: Calendar) -> DateMatch:
    return date_match(match, calendar.unit(_unit(match), -2))


def _last_weekday(match: re.Match[str], calendar: Calendar) -> DateMatch:
    """The nearest one, and if that is in this week, the one of the other week too."""
    weekday = _WEEKDAYS.index((match["wd"] or match["short"])[:3].lower())
    hours, turn = _hours(match), match["turn"].lower()
    this = calendar.weekday(0, weekday, hours)
    if turn == "this":
        return date_match(match, this)
    offset = -1 if turn == "this past" else _offset(turn)
    other = calendar.weekday(offset, weekday, hours)
    gap = weekday - calendar.today.weekday()
    return date_match(match, *([this, other] if gap * offset > 0 else [other]))


def _weekday(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    word = (match["word"] or "").lower()
    if word in ("every", "each"):
        return None
    weekday = _WEEKDAYS.index(match["wd"][:3].lower())
    weeks = (0, 1 if calendar.ahead else -1)
    spans = [calendar.weekday(week, weekday, _hours(match)) for week in weeks]
    spans = [span for span in spans if calendar.is_meant(span)][:1]
    return DateMatch(match.start("wd"), match.end(), spans)


def _amount(match: re.Match[str]) -> tuple[float, Unit]:
    amount = number(match["n"]) or 0
    if match.groupdict().get("more") or match.groupdict().get("half"):
        amount += 0.5
    return (amount * 2 if match["unit"].lower() == "fortnight" else amount), _unit(match)


def _away(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    amount, unit = _amount(match)
    if not amount:
        return None
    direction = 1 if match["way"].lower().startswith("from") else -1
    return date_match(match, calendar.away(amount, unit, direction), rolling=True)


def _in(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    """In three weeks is a day of the plan; asked of the past it is how long something took."""
    amount, unit = _amount(match)
    return date_match(match, calendar.day_in(amount, unit)) if calendar.ahead and amount else None


def _latest(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    amount, unit = _amount(match)
    return date_match(match, calendar.latest(amount, unit), rolling=True) if amount else None


def _bare_day(match: re.Match[str], calendar: Calendar) -> DateMatch:
    return dated(match, calendar, Date(day=int(match["d"])), match.start("d"))


def _feast(match: re.Match[str], calendar: Calendar) -> DateMatch:
    words = _FEAST_WORD.findall(match["feast"].lower().translate(_NO_APOSTROPHE))
    feast = read_feast(_FILE.tree()["feasts"][" ".join(words)])
    year = _year_of(match)
    if match["turn"] and not year:
        nearest = on_feast(match, calendar, feast, None).spans[0][0].year
        now = calendar.today.year
        year = {"last": nearest, "this": now}.get(match["turn"].lower(), nearest + 1)
    return on_feast(match, calendar, feast, year)


def _weekend(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    day = _date(match, calendar)
    return weekend(day) if day else None


_READERS: Mapping[str, Read] = {
    "date": _date,
    "date_day_first": _date,
    "month_of_year": _date,
    "bare_month": _bare_month,
    "last_months": _last_months,
    "year": _year,
    "season": _season,
    "quarter_by_number": _quarter,
    "quarter": _quarter,
    "half": _half,
    "relative_day": _relative_day,
    "part_of_day": _part_of_day,
    "last_unit": _last_unit,
    "before_last": _before_last,
    "last_weekday": _last_weekday,
    "weekday": _weekday,
    "weekday_short": _weekday,
    "away": _away,
    "in": _in,
    "latest": _latest,
    "bare_day": _bare_day,
    "feast": _feast,
    "weekend": _weekend,
    "weekend_day_first": _weekend,
}


@cache
def _read_patterns() -> tuple[Pattern, ...]:
    return tuple((_FILE.pattern(name), read) for name, read in _READERS.items())
