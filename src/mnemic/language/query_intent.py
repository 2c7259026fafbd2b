"""Intent of a query, by its wording: the kind of evidence that answers it."""

from __future__ import annotations

from datetime import datetime

from mnemic.language.dates.query_dates import PartialDate, find_date
from mnemic.language.word_file import WordFile
from mnemic.late import dataclass

pattern = WordFile("mnemic.language", "query_intent.toml").pattern


@dataclass(frozen=True, slots=True)
class QueryIntent:
    """What kind of evidence a query is after.

    ``for_help``: something is to be done now, and what the user wants it like is evidence.
    ``of_whole``: a course of things, told in many places. ``for_time``, ``for_number``: the answer
    is a time or a number.
    """

    of_assistant: bool
    for_help: bool
    of_whole: bool
    date: PartialDate | None
    for_time: bool = False
    for_number: bool = False

    @property
    def wide(self) -> bool:
        """Whether a text may be wanted for something else than how well it fits by itself."""
        return self.for_help or self.of_whole or self.date is not None


def without_asking(query: str) -> str:
    """A query without the words that only ask whether something is remembered."""
    return pattern("asking").sub(" ", query)


def asks_recent(query: str) -> bool:
    """Whether a query asks for what was last, whatever it was."""
    return bool(pattern("recent").search(query))


def asks_of_past(query: str) -> bool:
    """Whether a query is after what was, rather than what is."""
    return pattern("of_past").search(query) is not None


def read_intent(query: str, now: datetime | None = None) -> QueryIntent:
    """Read the wording of a query; without ``now`` no date that is counted from it."""
    of_assistant = pattern("of_assistant").search(query) is not None
    of_whole = pattern("of_whole").search(query) is not None
    of_record = of_assistant or of_whole or pattern("of_own_past").search(query) is not None
    return QueryIntent(
        of_assistant=of_assistant,
        for_help=not of_record and pattern("for_help").search(query) is not None,
        of_whole=of_whole,
        date=find_date(query, now),
        for_time=pattern("for_time").search(query) is not None,
        for_number=pattern("for_number").search(query) is not None,
    )
