"""Time expressions in English."""

from __future__ import annotations

import re

from mnemic.language.dates.expression import (
    DateMatch,
    Grammar,
    Pattern,
    date_match,
    on_feast,
    to_match,
)
from mnemic.language.dates.feasts import read_feast
from mnemic.language.dates.spans import UNITS, Calendar, Date, Unit
from mnemic.language.numerals import number

GRAMMAR = Grammar("english.toml")
_hours, _third = GRAMMAR.hours, GRAMMAR.third

_LETTER = re.compile("[A-Za-z]")

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_WEEKDAYS = "mon tue wed thu fri sat sun".split()
_NO_APOSTROPHE = str.maketrans("", "", "'’")
_FEAST_WORD = re.compile("[a-z]+")
_OFFSETS = {"this": 0, "next": 1, "coming": 1, "after next": 2, "before last": -2}


def patterns(text: str) -> list[Pattern]:
    """The patterns that can be of use for this text."""
    return GRAMMAR.patterns(text) if _LETTER.search(text) else []


def month_number(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _year_of(match: re.Match[str]) -> int | None:
    digits = match.groupdict().get("y")
    return int(digits) if digits else None


@GRAMMAR.reads("date", "date_day_first", "month_of_year")
def _date(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    groups = match.groupdict()
    day = int(groups["d"]) if groups.get("d") else None
    if match["m"] in ("may", "mar") and not groups.get("y") and match.start("m") == match.start():
        return None  # "may 3 people come"
    last = int(groups["d2"]) if groups.get("d2") else day
    length = last - day + 1 if last and day else 1
    if length < 1:
        raise ValueError(match.group())
    date = Date(_year_of(match), month_number(match["m"]), day, length, _third(match))
    return to_match(match, calendar, date)


@GRAMMAR.reads("bare_month")
def _bare_month(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    name, word = match["m"], (match["word"] or "").lower()
    sure = name[0].isupper() and len(name) > 3 and name.lower() != "march"
    led = word and (word not in ("to", "and", "by", "on") or name[0].isupper())
    if not (sure or led or match["third"]):
        return None
    start = match.start("third") if match["third"] else match.start("m")
    return to_match(match, calendar, Date(month=month_number(name), third=_third(match)), start)


@GRAMMAR.reads("last_months")
def _last_months(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    """Last March is the latest that is over, this March that of the year, next March is to come."""
    name, turn = match["name"].lower(), match["turn"].lower()
    if len(name) == 3 and name != "may":
        return None
    month, length = GRAMMAR.figures("months", name) or (month_number(name), 1)
    years = range(calendar.today.year - 2, calendar.today.year + 3)
    dates = [Date(year, month, length=length) for year in years]
    spans = [calendar.resolve(date) for date in dates]
    over = sum(span[1] <= calendar.now for span in spans)
    now = spans[over][0] <= calendar.now
    which = {"this": over if now else 2, "next": over + now, "coming": over + now}
    return to_match(match, calendar, dates[which.get(turn, over - 1)])


@GRAMMAR.reads("year")
def _year(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    if not match["word"] and not match["third"]:
        return None
    start = match.start("third") if match["third"] else match.start("y")
    return to_match(match, calendar, Date(int(match["y"]), third=_third(match)), start)


@GRAMMAR.reads("months_of_year")
def _months(match: re.Match[str], calendar: Calendar) -> DateMatch:
    """A season, a quarter or a half of a year."""
    month, length = GRAMMAR.figures("months", match["months"]) or (1, 12)
    return to_match(match, calendar, Date(int(match["y"]), month, length=length))


@GRAMMAR.reads("relative_day")
def _relative_day(match: re.Match[str], calendar: Calendar) -> DateMatch:
    day, *hours = GRAMMAR.figures("days", match["day"]) or (0,)
    return date_match(match, calendar.day(day, tuple(hours) or _hours(match)))


def _unit(match: re.Match[str]) -> Unit:
    word = match["unit"].lower()
    plain = {"night": "day", "fortnight": "week"}.get(word, word)
    return next(unit for unit in UNITS if unit == plain)


@GRAMMAR.reads("last_unit", "before_last")
def _last_unit(match: re.Match[str], calendar: Calendar) -> DateMatch:
    turn = match["turn"].lower()
    if match["unit"].lower() == "weekend":
        past = turn in ("past", "this past") and calendar.week(0)[1] <= calendar.now
        offset = 0 if past or (turn == "coming" and calendar.ahead) else _OFFSETS.get(turn, -1)
        return date_match(match, calendar.weekday(offset, 7))
    if turn in ("past", "this past"):
        return date_match(match, calendar.latest(1, _unit(match)), rolling=True)
    return date_match(match, calendar.unit(_unit(match), _OFFSETS.get(turn, -1)))


@GRAMMAR.reads("last_weekday")
def _last_weekday(match: re.Match[str], calendar: Calendar) -> DateMatch:
    """The nearest one, and if that is in this week, the one of the other week too."""
    weekday = _WEEKDAYS.index((match["wd"] or match["short"])[:3].lower())
    hours, turn = _hours(match), match["turn"].lower()
    this = calendar.weekday(0, weekday, hours)
    if calendar.ahead and turn in ("this", "coming"):
        days = (calendar.day(n, hours) for n in range(turn == "coming", 8))
        return date_match(match, next(day for day in days if day[0].weekday() == weekday))
    if turn == "this":
        return date_match(match, this)
    offset = _OFFSETS.get(turn, -1)
    other = calendar.weekday(offset, weekday, hours)
    gap = weekday - calendar.today.weekday()
    either = gap * offset > 0 and not calendar.ahead
    return date_match(match, *([this, other] if either else [other]))


@GRAMMAR.reads("weekday", "weekday_short")
def _weekday(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    word = (match["word"] or "").lower()
    if word in ("every", "each"):
        return None
    weekday = _WEEKDAYS.index(match["wd"][:3].lower())
    weeks = (0, 1 if calendar.ahead else -1)
    spans = [calendar.weekday(week, weekday, _hours(match)) for week in weeks]
    spans = [span for span in spans if calendar.is_meant(span)][:1]
    return DateMatch(match.start("wd"), match.end(), spans, weekday=True)


def _amount(match: re.Match[str]) -> tuple[float, Unit]:
    amount = number(match["n"]) or 0
    if match.groupdict().get("more") or match.groupdict().get("half"):
        amount += 0.5
    return (amount * 2 if match["unit"].lower() == "fortnight" else amount), _unit(match)


@GRAMMAR.reads("away", "in", "latest")
def _away(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    """In three weeks is a day of a plan; asked of the past it is how long something took."""
    amount, unit = _amount(match)
    way = match["way"].lower()
    ahead = way == "in" or way.startswith("from")
    if not amount or (way == "in" and not calendar.ahead):
        return None
    if ahead and calendar.ahead:
        return date_match(match, calendar.day_in(amount, unit))
    if way in ("ago", "back") or ahead:
        return date_match(match, calendar.away(amount, unit, 1 if ahead else -1), rolling=True)
    return date_match(match, calendar.latest(amount, unit), rolling=True)


@GRAMMAR.reads("bare_day")
def _bare_day(match: re.Match[str], calendar: Calendar) -> DateMatch:
    return to_match(match, calendar, Date(day=int(match["d"])), match.start("d"))


@GRAMMAR.reads("feast")
def _feast(match: re.Match[str], calendar: Calendar) -> DateMatch:
    words = _FEAST_WORD.findall(match["feast"].lower().translate(_NO_APOSTROPHE))
    feast = read_feast(GRAMMAR.tree()["feasts"][" ".join(words)])
    year = _year_of(match)
    if match["turn"] and not year:
        nearest = on_feast(match, calendar, feast, None).spans[0][0].year
        now = calendar.today.year
        years = {"last": nearest, "this": now}
        year = years.get(match["turn"].lower(), nearest + (not calendar.ahead))
    return on_feast(match, calendar, feast, year)
