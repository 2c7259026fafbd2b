"""The date that a query names, and how well a moment fits it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_NAMES = "|".join(_MONTHS)
_ORDINAL = r"(\d{1,2})(?:st|nd|rd|th)?"
_DAY_MONTH = re.compile(rf"\b{_ORDINAL}\s+(?:of\s+)?({_NAMES})\b,?\s*(\d{{4}})?", re.I)
_MONTH_DAY = re.compile(rf"\b({_NAMES})\b(?:\s+{_ORDINAL}(?!\d))?,?\s*(\d{{4}})?", re.I)
_CHINESE_DATE = re.compile(r"(?:(\d{4})年)?(\d{1,2})月(?:(\d{1,2})[日号])?")
_ISO_DATE = re.compile(r"\b(\d{4})-(\d{1,2})(?:-(\d{1,2}))?\b")
_DAYS_AFTER = 7  # people tell of a day in the week that follows it
_NEARLY = 0.3
_MONTHS_A_YEAR = 12


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A month, perhaps of a known year, perhaps a day in it."""

    month: int
    year: int | None = None
    day: int | None = None


def find_date(text: str) -> PartialDate | None:
    """The first date with a month; a bare "may" is the verb, unless "in May"."""
    if match := _ISO_DATE.search(text):
        return _date(match[2], match[1], match[3])
    if match := _DAY_MONTH.search(text):
        return _date(_month(match[2]), match[3], match[1])
    match = _MONTH_DAY.search(text)
    if match and (match[1].lower() != "may" or match[2] or match[3] or " in May" in text):
        return _date(_month(match[1]), match[3], match[2])
    if match := _CHINESE_DATE.search(text):
        return _date(match[2], match[1], match[3])
    return None


def date_fit(target: PartialDate, moment: datetime) -> float:
    """How well a moment fits a date, from 0 to 1."""
    if target.year and moment.year != target.year:
        return 0.0
    if target.day is None:
        following = target.month % _MONTHS_A_YEAR + 1
        return 1.0 if moment.month == target.month else _NEARLY * (moment.month == following)
    try:
        named = date(target.year or moment.year, target.month, target.day)
    except ValueError:
        return 0.0
    gap = (moment.date() - named).days
    return 1.0 if -1 <= gap <= _DAYS_AFTER else _NEARLY * (abs(gap) <= 30)


def _month(name: str) -> str:
    return str(_MONTHS.index(name.lower()) + 1)


def _date(month: str, year: str | None, day: str | None) -> PartialDate | None:
    number = int(month)
    if not 1 <= number <= _MONTHS_A_YEAR:
        return None
    return PartialDate(number, int(year) if year else None, int(day) if day else None)
