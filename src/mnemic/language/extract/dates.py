"""Statements with their dates: "Friday" and "last month" mean nothing a year later.

What lies ahead gets the day it means and ends with it; what has happened gets the day it began. The
words stay as they were said, the date stands behind them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from mnemic.language.dates.reader import TimeSpan, find_times
from mnemic.types import Candidate

_AHEAD = frozenset({"deadline", "schedule", "appointment", "trip", "plan"})
_TIMELESS = frozenset(
    "likes dislikes rule habit birthday age name nickname port path decision email phone".split()
)
_WEEKDAY = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|星期|礼拜)[一二三四五六日天末]", re.I
)
_WRITTEN = re.compile(r"\d{4}")
_CALENDAR = re.compile(
    r"\d{1,2}\s?月|\d{1,2}/\d{1,2}|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov"
    r"|dec)",
    re.I,
)
_OF_THE_MONTH = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\b|\d{1,2}\s?[号日]|[一二三十]{1,3}号", re.I)
_AGAIN = re.compile(r"\b(?:every|each|daily|weekly|monthly)\b|days\b|每|隔", re.I)
_IN_SPAN = re.compile(
    r"\bin (?P<count>an?|one|two|three|four|five|six|\d{1,2}) (?P<unit>day|week|month)s?\b"
    r"|(?P<number>[一两二三四五六]|\d{1,2})个?(?P<measure>天|周|星期|礼拜|月)(?:之|以)?后",
    re.I,
)
_COUNTS = {
    **dict(zip("a an one two three four five six".split(), (1, 1, 1, 2, 3, 4, 5, 6), strict=True)),
    **dict(zip("一两二三四五六", (1, 2, 2, 3, 4, 5, 6), strict=True)),
}
_TIME_ONLY = re.compile(r"\s*(?:back\s*)?(?:in|on|at)?\s*", re.I)
_LONGEST_TIME = 32  # characters
_SOME_DAY = datetime(2001, 1, 1, tzinfo=UTC)  # a Monday: "this week" and "this year" begin on it
_DAYS = {"day": 1, "week": 7, "month": 30, "天": 1, "周": 7, "星期": 7, "礼拜": 7, "月": 30}


def dated(candidate: Candidate, said_at: datetime) -> Candidate:
    """A statement with the time it speaks of."""
    if candidate.predicate in _AHEAD:
        return candidate if candidate.withdraws else _ahead(candidate, said_at)
    if candidate.predicate in _TIMELESS or candidate.kind == "rule":
        return candidate
    return _past(candidate, said_at)


def names_a_time(words: str) -> bool:
    """Whether words that lead up to a statement say when: "in March", "去年"; "now" does not."""
    return bool(words) and any(span.start != _SOME_DAY for span in find_times(words, _SOME_DAY))


def only_a_time(clause: str) -> bool:
    """Whether a clause is nothing but a time, which belongs to what follows it."""
    if len(clause) > _LONGEST_TIME:
        return False
    rest = clause
    for span in find_times(clause, _SOME_DAY):
        rest = rest.replace(span.text, "", 1)
    return rest != clause and _TIME_ONLY.fullmatch(rest) is not None


def _ahead(candidate: Candidate, said_at: datetime) -> Candidate:
    words = candidate.value if candidate.predicate in ("deadline", "schedule") else ""
    words = words or candidate.content
    if _AGAIN.search(words):
        return candidate
    span = due(words, said_at)
    if span is None:
        return candidate
    first, last = span
    content = candidate.content
    if not _WRITTEN.search(words):
        content += f" ({first})" if first == last else f" ({first} – {last})"
    ends = datetime(last.year, last.month, last.day, tzinfo=said_at.tzinfo) + timedelta(days=1)
    return replace(candidate, content=content, valid_to=ends)


def due(words: str, said_at: datetime) -> tuple[date, date] | None:
    """The first and the last day that words about the future name, not before they were said."""
    if match := _IN_SPAN.search(words):
        count = match["count"] or match["number"]
        number = _COUNTS.get(count.lower()) or int(count)
        unit = (match["unit"] or match["measure"]).lower()
        day = said_at.date() + timedelta(days=number * _DAYS[unit])
        return day, day
    spans = find_times(words, said_at)
    if not spans:
        return None
    return _not_before(spans[-1], words, said_at.date())


def _not_before(span: TimeSpan, words: str, today: date) -> tuple[date, date] | None:
    first, last = span.start.date(), (span.end - timedelta(microseconds=1)).date()
    if last - first > timedelta(days=31):
        first = last
    if last >= today:
        return first, last
    if _CALENDAR.search(words):
        years = today.year - last.year
        while _in_year(last, last.year + years) < today:
            years += 1
        return _in_year(first, first.year + years), _in_year(last, last.year + years)
    if _WEEKDAY.search(words):
        weeks = timedelta(days=-(-(today - last).days // 7) * 7)
        return first + weeks, last + weeks
    if _OF_THE_MONTH.search(words) and last.day <= 28:
        month = (last.replace(day=1) + timedelta(days=32)).replace(day=1)
        later = month.replace(day=last.day)
        return (later, later) if later >= today else None
    return None


def _in_year(day: date, year: int) -> date:
    leap = (day.month, day.day) == (2, 29)
    return day.replace(year=year, day=28 if leap else day.day)


def _past(candidate: Candidate, said_at: datetime) -> Candidate:
    """Since when it holds, or when it happened, as far as it says so."""
    today = said_at.date()
    for span in find_times(candidate.content, said_at):
        began = span.start.date()
        if began >= today or began.year < 1900:
            continue
        length = span.end - span.start
        text = f"{began:%Y-%m-%d}" if length <= timedelta(days=8) else f"{began:%Y-%m}"
        if length > timedelta(days=31) or _WRITTEN.search(span.text):
            return replace(candidate, valid_from=span.start)
        return replace(candidate, content=f"{candidate.content} ({text})", valid_from=span.start)
    return candidate
