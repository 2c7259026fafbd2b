"""One time expression in a text, before it is joined with its neighbours."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from mnemic.language.dates.feasts import Feast
from mnemic.language.dates.spans import Calendar, Date, Span, Third
from mnemic.language.word_file import WordFile
from mnemic.late import dataclass


@dataclass(frozen=True, slots=True)
class DateMatch:
    """Where it stands, what it can mean, and its date if parts of that were left open.

    ``other`` is the date where one can be read in two ways; ``relative`` says that its year was
    counted from now.
    """

    start: int
    end: int
    spans: list[Span]
    date: Date | None = None
    joined: bool = False
    rolling: bool = False  # already reaches up to now
    other: Date | None = None
    relative: bool = False
    weekday: bool = False  # said by the name of a weekday alone
    feast: bool = False


Read = Callable[[re.Match[str], Calendar], DateMatch | None]
Pattern = tuple[re.Pattern[str], Read]


class Grammar(WordFile):
    """The time expressions of a word file, with the functions that read them."""

    def __init__(self, file: str) -> None:
        super().__init__("mnemic.language.dates", file)
        self._readers: dict[str, Read] = {}

    def reads(self, *names: str) -> Callable[[Read], Read]:
        """Read the patterns of these names by a function."""

        def note(read: Read) -> Read:
            self._readers.update(dict.fromkeys(names, read))
            return read

        return note

    def patterns(self, text: str) -> list[Pattern]:
        """Those that can match in a text: it has what ``[needs]`` of the file says."""
        needs: Mapping[str, str] = self.tree().get("needs", {})
        lacking = [names for word, names in needs.items() if not self.pattern(word).search(text)]
        without, readers = " ".join(lacking).split(), self._readers.items()
        return [(self.pattern(name), read) for name, read in readers if name not in without]

    def figures(self, table: str, word: str | None) -> tuple[int, ...] | None:
        """The numbers that a table has for a word."""
        numbers = self.tree()[table].get((word or "").lower())
        return tuple(map(int, numbers.split())) if numbers else None

    def hours(self, match: re.Match[str]) -> tuple[int, ...] | None:
        return self.figures("hours", match.groupdict().get("part"))

    def third(self, match: re.Match[str]) -> Third | None:
        """Which third of a month or a year: early, 中旬; what is none of the first two is late."""
        word = (match.groupdict().get("third") or "").lower().removeprefix("the ")
        thirds: tuple[Third, ...] = ("early", "mid")
        matching = (name for name in thirds if word in self.tree()["thirds"][name].split("|"))
        return next(matching, "late") if word else None


def to_match(
    match: re.Match[str], calendar: Calendar, date: Date, start: int | None = None
) -> DateMatch:
    """A calendar date; ``start`` leaves out a word before it."""
    place = match.start() if start is None else start
    groups = match.groupdict()
    relative = any(groups.get(name) for name in ("ry", "ry2", "turn"))
    return DateMatch(place, match.end(), [calendar.resolve(date)], date, relative=relative)


def on_feast(
    match: re.Match[str], calendar: Calendar, feast: Feast, year: int | None, length: int = 1
) -> DateMatch:
    """A feast of a year; of an open one the nearest on the calendar's side of now."""
    if isinstance(feast, tuple):
        return replace(to_match(match, calendar, Date(year, *feast, length)), feast=True)
    day, today = feast(year or calendar.today.year), calendar.today.date()
    if year is None and (day < today if calendar.ahead else day > today):
        day = feast(today.year + (1 if calendar.ahead else -1))
    day_match = to_match(match, calendar, Date(day.year, day.month, day.day, length))
    return replace(day_match, relative=day_match.relative or year is None, feast=True)


def date_match(match: re.Match[str], *spans: Span, rolling: bool = False) -> DateMatch:
    return DateMatch(match.start(), match.end(), list(spans), rolling=rolling)
