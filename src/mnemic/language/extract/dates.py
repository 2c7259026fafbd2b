"""Statements with their dates: "Friday" and "last month" mean nothing a year later.

What lies ahead gets the day it means and ends with it; what has happened gets the day it began. The
words stay as they were said, the date stands behind them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from mnemic.language.dates.reader import TimeSpan, find_times
from mnemic.language.extract.sentences import is_brief
from mnemic.language.word_file import WordFile
from mnemic.types import Candidate

_FILE = WordFile("mnemic.language.extract", "dates.toml")
pattern, words = _FILE.pattern, _FILE.words

NO_SLOT = "other"  # the predicate of a statement that replaces nothing
_AHEAD = frozenset({"deadline", "schedule", "appointment", "trip", "plan"})
_LONGEST_TIME = 32  # characters
_SOME_DAY = datetime(2001, 1, 1, tzinfo=UTC)  # a Monday: "this week" and "this year" begin on it
# What nothing tells of is rather ahead than past: the past has forms of its own.
_LONGEST_PLAN, _SOON = timedelta(days=31), timedelta(days=245)


def add_dates(candidate: Candidate, said_at: datetime, message: str = "") -> Candidate:
    """A statement with the time it speaks of; the message may tell when it is over."""
    back = pattern("comes_back").match(message.partition(candidate.text)[2])
    text = candidate.text + (back.group() if back else "")
    if candidate.predicate in _AHEAD:
        return candidate if candidate.withdraws else _ahead(candidate, said_at, text)
    if candidate.kind == "rule":
        return _until(candidate, said_at)
    if candidate.predicate in words("timeless"):
        return candidate
    plan = _ahead(candidate, said_at, text) if candidate.predicate == NO_SLOT else candidate
    return plan if plan is not candidate else _since(candidate, said_at)


def is_plan(text: str, said_at: datetime) -> bool:
    """Whether a sentence tells what will be on a day, and nothing that lasts."""
    plan = Candidate("fact", text, predicate=NO_SLOT)
    return _ahead(plan, said_at, text).valid_to is not None


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
    return rest != clause and pattern("time_only").fullmatch(rest) is not None


def _ahead(candidate: Candidate, said_at: datetime, text: str) -> Candidate:
    """A plan with its days, after the last of which it is over."""
    if pattern("again").search(candidate.value or candidate.text):
        return candidate
    times = _times_ahead(text, said_at)
    if candidate.predicate == NO_SLOT:
        read = _times_read(text, said_at)
        times = [time for time in times if _is_plan(time, text, said_at, read)]
    # The words of the value may be the end of a longer time: "the day after tomorrow".
    named = next((n for n, time in enumerate(times) if _overlap(time.text, candidate.value)), 0)
    time = _together(times[named:], text, said_at)
    if time is None:
        return candidate
    first, last = _days(time)
    content = candidate.text
    if not pattern("written").search(time.text):
        content += f" ({first})" if first == last else f" ({first} – {last})"
    if candidate.predicate == NO_SLOT and _outlives(text, time):
        return replace(candidate, text=content)
    ends = datetime(last.year, last.month, last.day, tzinfo=said_at.tzinfo) + timedelta(days=1)
    subject = candidate.subject
    for cut in range(len(time.text), 0, -1):
        if subject.lower().endswith(" " + time.text[:cut].lower().strip()):
            subject = subject[: -len(time.text[:cut].strip())].rstrip()
            break
    return replace(candidate, text=content, subject=subject, valid_to=ends)


def _outlives(text: str, time: TimeSpan) -> bool:
    """Whether a text says what goes on after a time: what begins then, or something besides."""
    before, behind = text[: time.place], text[time.place + len(time.text) :]
    if time.end - time.start <= timedelta(days=1) and (
        pattern("begins").search(before) or pattern("begun").match(behind)
    ):
        return True
    besides = [clause for clause in pattern("clause").findall(text) if time.text not in clause]
    return any(not is_brief(clause) and not find_times(clause, _SOME_DAY) for clause in besides)


def _is_plan(time: TimeSpan, text: str, said_at: datetime, read: Sequence[TimeSpan]) -> bool:
    """Whether a time to come is meant, and not the same day of a year or week that is over."""
    if time.end - time.start > _LONGEST_PLAN or (
        time.start.date() == said_at.date() and time.start < said_at
    ):
        return False
    if time in read:  # "tomorrow" has no other reading
        return time.start > said_at
    clauses = pattern("clause").finditer(text)
    clause = next(match.group() for match in clauses if time.place < match.end())
    clause = clause.replace(time.text, "")
    arranged = _is_moved_to(time, text) or pattern("arranged").search(clause)
    if arranged or pattern("to_come").search(clause):
        return True
    return not pattern("done").search(clause) and time.start - said_at < _SOON


def _times_read(text: str, said_at: datetime, *, ahead: bool = False) -> list[TimeSpan]:
    """The times of a text, without the one that something was moved from."""
    for words in pattern("moved_from").finditer(text):
        text = text[: words.start(1)] + " " * len(words[1]) + text[words.end(1) :]
    return find_times(text, said_at, ahead=ahead)


def _is_moved_to(time: TimeSpan, text: str) -> bool:
    """Whether a time is the one that something was moved to: "pushed back to March 21"."""
    return pattern("moved_to").search(text[: time.place]) is not None


def _together(times: Sequence[TimeSpan], text: str, said_at: datetime) -> TimeSpan | None:
    """One time of several: the first, as exactly as it is said and up to the day somebody is back.
    A feast may only be a name, and what can be read in two ways says no day.
    """
    places = [time.place for time in times]
    sure = [time for time in times if places.count(time.place) == 1]
    later = [time for time in sure if time.start.date() > said_at.date()] or sure
    later = [time for time in later if not time.feast] or later
    widest = later[0] if later else None
    for time in later:
        if widest and (time.start >= widest.start and time.end <= widest.end):
            widest = time
        before, behind = text[: time.place], text[time.place + len(time.text) :]
        if widest and (pattern("back").search(before) or pattern("back_then").match(behind)):
            widest = replace(widest, end=max(widest.end, time.end))
        if widest is time and pattern("limit").search(before):
            widest = replace(time, start=min(time.start, said_at))
    return widest


def due(words: str, said_at: datetime) -> tuple[date, date] | None:
    """The first and the last day that words about the future name, not before they were said."""
    times = _times_ahead(words, said_at)
    return _days(times[-1]) if times else None


def _days(time: TimeSpan) -> tuple[date, date]:
    """Its first and last day; of a long stretch only the last, by which it is due, and of a night
    the one it begins on.
    """
    night = time.end - time.start < timedelta(days=1)
    first, last = time.start.date(), (time.end - timedelta(microseconds=1)).date()
    return (last if last - first > _LONGEST_PLAN else first), first if night else last


def _times_ahead(text: str, said_at: datetime) -> list[TimeSpan]:
    """The times to come that a text names, without those that it says it is not."""
    today = said_at.replace(hour=0, minute=0, second=0, microsecond=0)
    return [
        time
        for time in _times_read(text, said_at, ahead=True)
        if time.end > today and not pattern("not_then").search(text[: time.place])
    ]


def _until(rule: Candidate, said_at: datetime) -> Candidate:
    """A rule that was given for a time ends with it: "until Friday", 这周."""
    for time in () if pattern("again").search(rule.text) else _times_ahead(rule.text, said_at):
        before, behind = rule.text[: time.place], rule.text[time.place + len(time.text) :]
        opens = pattern("begins").search(before) or pattern("begun").match(behind)
        if pattern("limit").search(before) or (pattern("limited").match(time.text) and not opens):
            return replace(rule, valid_to=time.end)
    return rule


def _overlap(time: str, value: str) -> bool:
    """Whether a time is part of a value, or the value begins in the time."""
    time, value = time.lower(), value.lower()
    return bool(value) and (time in value or value in time or value.split()[0] in time.split())


def _since(candidate: Candidate, said_at: datetime) -> Candidate:
    """Since when it holds, from when it will, or when it happened, as far as it says so."""
    today = said_at.date()
    for time in _times_meant(candidate.text, said_at):
        began = time.start.date()
        if began == today or began.year < 1900:
            continue
        length = time.end - time.start
        text = f"{began:%Y-%m-%d}" if length <= timedelta(days=8) else f"{began:%Y-%m}"
        if length <= _LONGEST_PLAN and not pattern("written").search(time.text):
            candidate = replace(candidate, text=f"{candidate.text} ({text})")
        # What has no slot replaces nothing on that day: it is known from now on.
        waits = began > today and candidate.predicate == NO_SLOT
        return candidate if waits else replace(candidate, valid_from=time.start)
    return candidate


def _times_meant(text: str, said_at: datetime) -> Sequence[TimeSpan]:
    """The times of a text: of what is done those before it was said, of what is to come those
    after, and where nothing tells those that come soon.
    """
    before, ahead = _times_read(text, said_at), _times_ahead(text, said_at)
    moved = [time for time in ahead if _is_moved_to(time, text)]
    if moved or pattern("done").search(text):
        return moved or before
    if pattern("to_come").search(text):
        return ahead or before
    soon = {time.place: time for time in ahead if time.start - said_at < _SOON}
    return [soon.get(time.place, time) for time in before]
