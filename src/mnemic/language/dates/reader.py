"""Time expressions in a query, as spans of the calendar.

The patterns are our own: the libraries there are read single dates well, but not Chinese ranges,
and weigh more than this whole package. What is said of a date without its year means the latest one
that is not in the future, or in talk of what lies ahead the next one. An expression that can be
read in two ways gives both spans.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from datetime import UTC, datetime, tzinfo
from functools import cache

from mnemic.language.dates import chinese, english
from mnemic.language.dates.compose import compose
from mnemic.language.dates.expression import DateMatch
from mnemic.language.dates.spans import DAY, Calendar, Span
from mnemic.language.truncation import two_ends
from mnemic.language.word_file import WordFile
from mnemic.late import dataclass

_FILE = WordFile("mnemic.language.dates", "reader.toml")
pattern = _FILE.pattern

LONGEST = 2_000  # characters read at each end of a long text
_GAP = 12

_ANY_DAY = datetime(2025, 1, 1)  # noqa: DTZ001
_BEGINNING, _END = datetime(1, 1, 3), datetime(9999, 12, 29)  # noqa: DTZ001


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """From ``start`` up to but without ``end``, and the words that said so, with their place."""

    start: datetime
    end: datetime
    text: str
    place: int = field(default=0, compare=False)
    feast: bool = field(default=False, compare=False)


def find_times(text: str, now: datetime, *, ahead: bool = False) -> list[TimeSpan]:
    """The times a text speaks of, seen from ``now`` and in its zone, in the order of the text.

    ``ahead``: it speaks of what is to come, so "on Friday" is the next one.
    """
    now = now if now.utcoffset() is not None else now.replace(tzinfo=UTC)
    calendar = Calendar(now, ahead=ahead)
    return [span for end in two_ends(text, LONGEST) for span in _spans(end, calendar, now.tzinfo)]


def first_date(text: str, now: datetime | None) -> DateMatch | None:
    """The first date with a month; without ``now`` only one that does not depend on it."""
    calendar = Calendar(now or _ANY_DAY)
    for time in _disjoint("\n".join(two_ends(text, LONGEST)), calendar):
        if time.date and time.date.month and not (now is None and time.relative):
            return time
    return None


def _spans(text: str, calendar: Calendar, zone: tzinfo | None) -> Iterator[TimeSpan]:
    plain = text.translate(_load_characters())
    for match in _join_times(_disjoint(plain, calendar), plain, calendar):
        time = _extend(match, plain, calendar)
        words = text[time.start : time.end].strip()
        for span in sorted(set(time.spans)):
            start, end = (moment.replace(tzinfo=zone) for moment in span)
            if start < end:
                yield TimeSpan(start, end, words, time.start, time.feast)


@cache
def _load_characters() -> dict[int, int]:
    """Characters of time words as they are written in Taiwan and Hong Kong."""
    return str.maketrans(*_FILE.tree()["characters"].values())


def _search(text: str, calendar: Calendar) -> Iterator[DateMatch]:
    for language in (chinese, english):
        for pattern, read in language.patterns(text):
            for match in pattern.finditer(text):
                try:
                    time = read(match, calendar)
                except (ValueError, OverflowError):  # the 31st of June, a million years ago
                    continue
                if time:
                    yield time


def _disjoint(text: str, calendar: Calendar) -> list[DateMatch]:
    """Of the times that overlap the one that begins first, and of those the longest."""
    matches = compose(_search(text, calendar), text, calendar)
    times: list[DateMatch] = []
    for time in sorted(matches, key=lambda time: (time.start, -time.end)):
        if not times or time.start >= times[-1].end:
            times.append(time)
    return times


def _join_times(matches: list[DateMatch], text: str, calendar: Calendar) -> list[DateMatch]:
    """Two times with "to" between them as one span, and those that say the same as one."""
    times: list[DateMatch] = []
    for match in matches:
        last = times[-1] if times else None
        time = _following(last, match) if last and calendar.ahead else match
        joined = last and (_join(last, time, text, calendar) or _unite(last, time, text, calendar))
        if joined:
            times[-1] = joined
        else:
            times.append(time)
    return times


def _following(last: DateMatch, time: DateMatch) -> DateMatch:
    """A day without its month is of the one named before it: "July 18, back on the 22nd"."""
    if not last.spans or not time.spans or not time.date or time.date.month or not time.date.day:
        return time
    return replace(time, spans=[Calendar(last.spans[0][0], ahead=True).resolve(time.date)])


def _unite(first: DateMatch, second: DateMatch, text: str, calendar: Calendar) -> DateMatch | None:
    """A weekday with its week or its date: "Tuesday next week", "Friday the 13th", 两周后的周五."""
    gap = pattern("united").fullmatch(text, first.end, second.start)
    if not gap or not first.spans or not second.spans:
        return None
    united, of = replace(first, end=second.end, weekday=False), "的" in gap.group()
    if of and second.spans[0] == calendar.day(0):
        return united  # 三周后的今天
    named, other = (first, second) if first.weekday else (second, first)
    (start, end), (low, high) = named.spans[0], other.spans[-1]
    if named.weekday and (high - low == 7 * DAY or (of and named is second)):
        moved = Calendar(low).week(0)[0] - Calendar(start).week(0)[0]
        return replace(united, spans=[(start + moved, end + moved)])
    if not named.weekday or not other.date or not other.date.day:
        return None
    if low.weekday() == max(start, end - DAY).weekday():
        return replace(united, spans=(first if first.joined else other).spans, date=other.date)
    return replace(united, spans=[]) if calendar.ahead or not other.date.month else None


def _join(first: DateMatch, second: DateMatch, text: str, calendar: Calendar) -> DateMatch | None:
    gap = text[first.end : second.start]
    before = text[max(0, first.start - _GAP) : first.start]
    if first.joined or not first.spans or not second.spans or not pattern("join").fullmatch(gap):
        return None
    between = pattern("between").search(before)
    try:
        start, end = _align(first, second, calendar)
    except (ValueError, OverflowError):
        return None
    row = calendar.ahead and second.spans[0][0] == first.spans[0][1]  # "Friday and Saturday"
    if pattern("lists").fullmatch(gap) and not between and not row:
        return None  # "May and July" are two times
    if start >= end:
        return None
    opening = between or pattern("from").search(before)
    place = first.start - (len(opening.group()) if opening else 0)
    weekday = first.weekday and second.weekday
    return DateMatch(place, second.end, [(start, end)], joined=True, weekday=weekday)


def _align(first: DateMatch, second: DateMatch, calendar: Calendar) -> Span:
    """The span from one to the other, each lending the other the year or month it lacks."""
    a, b = first.date, second.date
    start, end = first.spans[0][0], second.spans[0][1]
    if second.weekday and calendar.ahead:
        days = (start.replace(hour=0) + n * DAY for n in range(1, 8))
        day = next(day for day in days if day.weekday() == second.spans[0][0].weekday())
        return start, day + DAY
    if a and b and not a.month and not b.month:
        return start, end
    if b and not b.month and b.day and a and a.month:  # May 3 to the 7th
        start = calendar.resolve(a, b.year)[0]
        return start, calendar.resolve(b, start.year, a.month)[1]
    if a and not a.month and a.day and b and b.month:  # the 3rd to the 7th of May
        return calendar.resolve(a, second.spans[0][0].year, b.month)[0], end
    if b and not b.year and (a is None or a.year):
        end = calendar.resolve(b, start.year)[1]
        return start, end if end > start else calendar.resolve(b, start.year + 1)[1]
    if a and not a.year:
        year = second.spans[0][0].year
        start = calendar.resolve(a, year)[0]
        return (start if start < end else calendar.resolve(a, year - 1)[0]), end
    return start, end


def _extend(time: DateMatch, text: str, calendar: Calendar) -> DateMatch:
    """With "since" or "before" the span reaches to today, or back to the beginning; what lies ahead
    is due on the day itself.
    """
    if time.joined or time.rolling or calendar.ahead:
        return time
    before = text[max(0, time.start - _GAP) : time.start]
    tomorrow = calendar.today + DAY
    tails = (("so_far", "since"), ("afterwards", "after"), ("beforehand", "before"))
    heads = (("since", "since"), ("after", "after"), ("before", "before"), ("until", "until"))
    after = next(((m, kind) for p, kind in tails if (m := pattern(p).match(text, time.end))), None)
    ahead = next(((m, kind) for p, kind in heads if (m := pattern(p).search(before))), None)
    kind = after[1] if after else ahead[1] if ahead else ""
    if not kind:
        return time
    start = time.start - (len(ahead[0].group()) if ahead else 0)
    end = after[0].end() if after else time.end
    low, high = time.spans[0]
    if kind in ("since", "after"):
        low = low if kind == "since" else high
        span = (low, tomorrow if low < tomorrow else _END)
    else:
        span = (_BEGINNING, low if kind == "before" else high)
    return replace(time, start=start, end=end, spans=[span])
