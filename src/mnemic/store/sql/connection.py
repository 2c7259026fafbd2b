"""What the shared parts ask of a connection: apsw's own face, which PostgreSQL is given too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

Values = Sequence[Any] | Mapping[str, Any]


class SqlRows(Protocol):
    """The answer of a statement."""

    def __iter__(self) -> Iterator[Any]: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    @property
    def get(self) -> Any:
        """The first row, or its value where it has one column; None where there is no row."""


class SqlConnection(Protocol):
    """A transaction, told in SQLite's words.

    In a list given as JSON ``value`` is a text and ``atom`` a whole number: SQLite does not tell
    them apart, PostgreSQL does.
    """

    def execute(self, statements: str, bindings: Any = None, /) -> SqlRows: ...
    def executemany(self, statements: str, sequenceofbindings: Iterable[Any], /) -> Any: ...
    def changes(self) -> int:
        """The rows that the last statement changed."""
