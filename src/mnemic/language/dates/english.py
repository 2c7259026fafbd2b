"""Time expressions in English."""

from __future__ import annotations

import re
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
    UNITS,
    Calendar,
    Date,
    Third,
    Unit,
)
from mnemic.language.numerals import ENGLISH, number
from mnemic.patterns import defer

_LETTER = defer("[A-Za-z]")

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_WEEKDAYS = "mon tue wed thu fri sat sun".split()
_SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
_HOURS = {"morning": (5, 12), "noon": (11, 14), "afternoon": (12, 18)}
_HOURS |= {"evening": (17, 24), "night": (18, 30)}
_FEASTS: dict[str, Feast] = {
    "new years day": (1, 1),
    "valentines day": (2, 14),
    "st patricks day": (3, 17),
    "april fools day": (4, 1),
    "fourth of july": (7, 4),
    "independence day": (7, 4),
    "halloween": (10, 31),
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "boxing day": (12, 26),
    "new years eve": (12, 31),
    "good friday": easter(-2),
    "easter monday": easter(1),
    "easter": easter(),
    "mothers day": weekday(5, 2, 6),
    "memorial day": weekday(5, -1, 0),
    "fathers day": weekday(6, 3, 6),
    "labor day": weekday(9, 1, 0),
    "thanksgiving": weekday(11, 4, 3),
    "black friday": weekday(11, 4, 3, 1),
    "chinese new year": lunar(1, 1),
    "lunar new year": lunar(1, 1),
    "spring festival": lunar(1, 1),
    "lantern festival": lunar(1, 15),
    "qingming": qingming,
    "dragon boat festival": lunar(5, 5),
    "mid autumn festival": lunar(8, 15),
}
_NO_APOSTROPHE = str.maketrans("", "", "'’")
_FEAST_WORD = defer("[a-z]+")
_FEAST = "|".join(name.replace("s ", "['’]?s ").replace(" ", "[ -]") for name in _FEASTS)
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
_NAMES_OF_MONTHS = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?"
)
_M = rf"(?P<m>{_NAMES_OF_MONTHS})\b\.?"
_Y = r"(?P<y>(?:19|20)\d\d)(?![\d-])"
_D = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?(?![\d:])"
_D2 = r"(?:\s?(?:-|–|to|through|and)\s?(?P<d2>\d{1,2})(?:st|nd|rd|th)?(?![\d:]))?"
_PART = r"(?:\s{1,2}(?P<part>morning|noon|afternoon|evening|night)\b)?"
_THIRD = r"(?:(?P<third>early|mid|late|(?:the )?(?:beginning|start|middle|end) of)[\s-]{1,2})?"
_WD = r"(?P<wd>(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
_WD_SHORT = r"(?P<wd>mon|tues?|wed|thur?s?|fri|sat|sun)\b\.?"
_PREPOSITIONS = "in|on|since|during|until|till|before|after|by|from|between|and|to|of|through"
_BEFORE = rf"(?P<word>{_PREPOSITIONS})\s{{1,2}}"
_TURN = r"(?P<turn>this past|last|past|previous|this|next|coming)\s{1,2}"
_UNIT = r"(?P<unit>second|minute|hour|day|night|week|fortnight|month|quarter|year)"


@cache
def _patterns() -> tuple[Pattern, ...]:
    return tuple(
        (re.compile(rf"(?<![\w'])(?:{pattern})", re.I | re.A), read)
        for pattern, read in (
            (rf"{_M}\s{{1,2}}{_D}{_D2}(?:,?\s{{1,2}}(?:of\s)?{_Y})?", _date),
            (
                rf"(?:the\s)?{_D}{_D2}\s{{0,2}}(?:of\s{{1,2}})?{_M}(?:,?\s{{1,2}}(?:of\s)?{_Y})?",
                _date,
            ),
            (rf"{_THIRD}{_M},?\s{{1,2}}(?:of\s{{1,2}})?{_Y}", _date),
            (rf"(?:{_BEFORE})?{_THIRD}{_M}", _bare_month),
            (
                rf"{_TURN}(?P<name>{_NAMES_OF_MONTHS}|{'|'.join(_SEASONS)})\b",
                _last_months,
            ),
            (rf"(?:(?P<word>{_PREPOSITIONS}|year)\s{{1,2}}(?:the year\s)?|{_THIRD}){_Y}", _year),
            (
                rf"(?:the\s)?(?P<season>{'|'.join(_SEASONS)})\s{{1,2}}(?:(?:of|in)\s{{1,2}})?{_Y}",
                _season,
            ),
            (rf"q(?P<q>[1-4])\s{{1,2}}(?:of\s{{1,2}})?{_Y}", _quarter),
            (rf"(?:the\s)?(?P<q>first|second|third|fourth|last)\squarter\sof\s{_Y}", _quarter),
            (rf"(?:the\s)?(?P<half>first|second)\shalf\sof\s{_Y}", _half),
            (rf"(?:the\s)?(?P<day>{'|'.join(_DAYS)}){_PART}\b", _relative_day),
            (r"(?P<day>tonight|last\snight|this\s(?:morning|afternoon|evening))\b", _part_of_day),
            (rf"{_TURN}(?P<unit>week|weekend|month|quarter|year)\b", _last_unit),
            (r"(?:the\s)?(?P<unit>week|month|year)\sbefore\slast\b", _before_last),
            (rf"{_TURN}(?:{_WD}|{_WD_SHORT.replace('<wd>', '<short>')}){_PART}", _last_weekday),
            (rf"(?:(?P<word>every|each)\s)?{_WD}{_PART}", _weekday),
            (rf"(?P<word>on|since|until|till|before|after|from)\s{_WD_SHORT}{_PART}", _weekday),
            (
                rf"(?P<n>{ENGLISH})\s{{0,2}}(?P<more>and\sa\shalf\s)?{_UNIT}s?\s(?P<half>and\sa\shalf\s)?"
                r"(?P<way>ago|back|from\snow)\b",
                _away,
            ),
            (rf"in\s(?P<n>{ENGLISH})\s{{0,2}}{_UNIT}s?(?:['’]\stime)?\b", _in),
            (rf"(?:the\s)?(?:last|past|previous)\s(?P<n>{ENGLISH})\s{{0,2}}{_UNIT}s?\b", _latest),
            (
                r"(?:on|to|until|till|through|since|before|after)\sthe\s(?P<d>\d{1,2})(?:st|nd|rd|th)\b"
                rf"(?!\s(?:of\s)?(?:{_NAMES_OF_MONTHS}))",
                _bare_day,
            ),
            (
                rf"(?:the\s|(?P<turn>last|this|next)\s)?(?P<feast>{_FEAST})(?:\sday)?\b"
                rf"(?:,?\s(?:of\s|in\s)?{_Y})?",
                _feast,
            ),
            (rf"(?:the\s)?weekend\sof\s{_M}\s{{1,2}}{_D}(?:,?\s{{1,2}}{_Y})?", _weekend),
            (
                rf"(?:the\s)?weekend\sof\s(?:the\s)?{_D}\s{{0,2}}(?:of\s{{1,2}})?{_M}"
                rf"(?:,?\s{{1,2}}{_Y})?",
                _weekend,
            ),
        )
    )


def patterns(text: str) -> tuple[Pattern, ...]:
    """The patterns that can be of use for this text."""
    return _patterns() if _LETTER.search(text) else ()


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
    feast = _FEASTS[" ".join(_FEAST_WORD.findall(match["feast"].lower().translate(_NO_APOSTROPHE)))]
    year = _year_of(match)
    if match["turn"] and not year:
        nearest = on_feast(match, calendar, feast, None).spans[0][0].year
        now = calendar.today.year
        year = {"last": nearest, "this": now}.get(match["turn"].lower(), nearest + 1)
    return on_feast(match, calendar, feast, year)


def _weekend(match: re.Match[str], calendar: Calendar) -> DateMatch | None:
    day = _date(match, calendar)
    return weekend(day) if day else None
