"""Strings that passed the guard: the only ones a store method accepts.

``SafeText`` and ``SafeName`` are made by `language.guard.Guard`, by the functions below from the
engine's own words, and by the SQLite codec for what is read back. A test reads the source and
refuses any other place that makes one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import NewType, cast

from mnemic.types.literals import (
    DecisionOutcome,
    Direction,
    Json,
    Kind,
    MemoryOrigin,
    MemoryStatus,
    Outcome,
    RecordType,
    Role,
    Trust,
    TurnState,
)

SafeText = NewType("SafeText", str)
"""Valid Unicode of bounded size whose secrets were redacted."""

SafeName = NewType("SafeName", SafeText)
"""A safe text on one line, without control characters or characters that hide text."""

_MemoryWord = DecisionOutcome | Kind | MemoryOrigin | MemoryStatus | Outcome
Word = _MemoryWord | Direction | RecordType | Role | Trust | TurnState
Fact = SafeText | Word | int | float | bool | None | list["Fact"] | dict[str, "Fact"]
"""JSON of safe strings: payloads of events and jobs."""

SafeMetadata = NewType("SafeMetadata", Mapping[str, Json])
"""A small JSON object whose keys and texts passed the guard."""

EMPTY = SafeName(SafeText(""))


def constant(text: str) -> SafeName:
    """A word of the engine's own: a literal, a module constant, or a name in the settings."""
    return SafeName(SafeText(text))


def key_of(prefix: str, *parts: SafeText | int) -> SafeName:
    """A key such as ``remember:ID`` from a word of the engine and safe parts."""
    return SafeName(SafeText(":".join((prefix, *map(str, parts)))))


def join_key(*parts: SafeText | int, by: str = ":") -> SafeName:
    """A key from safe parts."""
    return SafeName(SafeText(by.join(map(str, parts))))


def lines_of(parts: Iterable[SafeText]) -> SafeText:
    """Safe texts one under another; empty ones are left out."""
    return SafeText("\n".join(filter(None, parts)))


def digests(value: Mapping[str, Json]) -> dict[str, Fact]:
    """Ids, counts and hashes that the engine worked out of what it removes; it holds no text."""
    return cast("dict[str, Fact]", dict(value))


def stamp(moment: date) -> SafeName:
    """A time or a day as ISO 8601."""
    return SafeName(SafeText(moment.isoformat()))


def no_metadata() -> SafeMetadata:
    return SafeMetadata({})


def merge_metadata(earlier: SafeMetadata, later: SafeMetadata) -> SafeMetadata:
    """Both objects in one; a key of the later one wins."""
    return SafeMetadata({**earlier, **later})
