"""What the wording of a query says about the evidence it wants."""

from __future__ import annotations

import re
from collections.abc import Iterable
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
_TO_ASSISTANT = re.compile(
    r"\b(did|have|had|do) you\b"
    r"|\byou('ve| have|'d)? (recommend|suggest|advise|sa(y|id)|mention|t(ell|old)|explain|g[ai]ve"
    r"|provide)"
    r"|\byour (advice|suggestion|recommendation|answer|explanation)"
    r"|你(曾|之前|刚才|当时)?(说|推荐|建议|提到|告诉|解释)",
    re.I,
)
_OF_PAST = re.compile(
    r"\b(?:before|previous(?:ly)?|used to|former(?:ly)?|earlier|original(?:ly)?|initial(?:ly)?|past"
    r"|history|first|old|back then|at the time|chang(?:e[ds]?|ing)|switch(?:ed)?|no longer|anymore"
    r"|ever|once)\b"
    r"|以前|之前|原来|原先|曾|过去|当初|当时|那时|最初|最早|起初|早先|历史|旧|换过|改过|变过|变化|变更"
    r"|上一个|上个|前一个|前任|不再",
    re.I,
)
_DAYS_AFTER = 7  # people tell of a day in the week that follows it
_NEARLY = 0.3
_MONTHS_A_YEAR = 12


@dataclass(frozen=True, slots=True)
class PartialDate:
    """A month, perhaps of a known year, perhaps a day in it."""

    month: int
    year: int | None = None
    day: int | None = None


@dataclass(frozen=True, slots=True)
class Asking:
    """What kind of evidence a query is after."""

    of_assistant: bool
    date: PartialDate | None


def asks_of_past(query: str) -> bool:
    """Whether a query is after what was, rather than what is."""
    return _OF_PAST.search(query) is not None


def read_asking(query: str) -> Asking:
    """Read the wording of a query."""
    return Asking(
        of_assistant=bool(_TO_ASSISTANT.search(query)),
        date=find_date(query),
    )


def named_speaker(query: str, speakers: Iterable[str]) -> str:
    """The one speaker whom a query names; empty when it names none or several."""
    folded = query.lower()
    named = {
        name
        for name in {speaker.lower() for speaker in speakers}
        if name and re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", folded)
    }
    return named.pop() if len(named) == 1 else ""


def find_date(text: str) -> PartialDate | None:
    """The first date with a month; a bare "may" is the verb, unless "in May"."""
    if found := _ISO_DATE.search(text):
        return _date(found[2], found[1], found[3])
    if found := _DAY_MONTH.search(text):
        return _date(_month(found[2]), found[3], found[1])
    found = _MONTH_DAY.search(text)
    if found and (found[1].lower() != "may" or found[2] or found[3] or " in May" in text):
        return _date(_month(found[1]), found[3], found[2])
    if found := _CHINESE_DATE.search(text):
        return _date(found[2], found[1], found[3])
    return None


def date_fit(wanted: PartialDate, moment: datetime) -> float:
    """How well a moment fits a date, from 0 to 1."""
    if wanted.year and moment.year != wanted.year:
        return 0.0
    if wanted.day is None:
        following = wanted.month % _MONTHS_A_YEAR + 1
        return 1.0 if moment.month == wanted.month else _NEARLY * (moment.month == following)
    try:
        named = date(wanted.year or moment.year, wanted.month, wanted.day)
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
