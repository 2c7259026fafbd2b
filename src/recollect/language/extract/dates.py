"""Deadlines with their date: "Friday" means nothing a month later."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from recollect.language.dates.reader import find_times
from recollect.types import Candidate

_WEEKDAY = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|星期|礼拜)[一二三四五六日天末]", re.I
)
_WRITTEN = re.compile(r"\d{4}")
_CALENDAR = re.compile(
    r"\d{1,2}\s?月|\d{1,2}/\d{1,2}|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov"
    r"|dec)",
    re.I,
)


def dated(candidate: Candidate, said_at: datetime) -> str:
    """The content of a statement, a deadline with the day that it means."""
    if candidate.predicate != "deadline" or candidate.withdraws or _WRITTEN.search(candidate.value):
        return candidate.content
    due = due_day(candidate.value, said_at)
    return f"{candidate.content} ({due.isoformat()})" if due else candidate.content


def due_day(words: str, said_at: datetime) -> date | None:
    """The last day a deadline names, never before the day it was said on."""
    spans = find_times(words, said_at)
    if not spans:
        return None
    day = (spans[-1].end - timedelta(microseconds=1)).date()
    today = said_at.date()
    if day >= today:
        return day
    if _WEEKDAY.search(words):
        while day < today:
            day += timedelta(days=7)
        return day
    if _CALENDAR.search(words) and (day.month, day.day) != (2, 29):
        later = day.replace(year=today.year)
        return later if later >= today else later.replace(year=today.year + 1)
    return None
