"""Rows of another program's SQLite file: only read, and past its damaged pages."""

from __future__ import annotations

import shutil
import sqlite3  # not apsw: it can hand over a text that is no UTF-8 without losing the row
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mnemic.errors import InvalidInput
from mnemic.moving.source import ImportSource

MAGIC = b"SQLite format 3\x00"
_WAL = 2  # in bytes 18 and 19 of the header
_LAST = (1 << 63) - 1
_MOST_LONGER = 16
_BESIDE = ("-wal", "-journal")
# A damaged schema gives names that are no text, a damaged length a text of gigabytes.
_BROKEN = (sqlite3.Error, UnicodeError, MemoryError, OverflowError)


@dataclass(frozen=True, slots=True)
class Row:
    """One row, or the reason why this one, or a stretch of them, cannot be read."""

    place: str
    fields: dict[str, Any] = field(default_factory=dict)
    reason: str = ""


class _NoText(str):
    """In the place of a text that is not UTF-8."""

    __slots__ = ()


class SqliteTables:
    """The tables of an open file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        listed = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        self.names = frozenset(str(name) for (name,) in listed)

    def columns(self, table: str) -> tuple[str, ...]:
        """The columns of a table; none of one that is not there, or cannot be read."""
        try:
            listed = self._connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
            return tuple(str(name) for (name,) in listed)
        except _BROKEN:
            return ()

    def rows(self, table: str, columns: tuple[str, ...] = ()) -> Iterator[Row]:
        """Every row that can be read, in the order of the table; ``columns`` are those wanted."""
        there = self.columns(table) if table in self.names else ()
        chosen = tuple(name for name in there if not columns or name in columns)
        if not chosen:
            return
        names = ", ".join('"' + name.replace('"', '""') + '"' for name in chosen)
        query = f'SELECT rowid, {names} FROM "{table}" WHERE rowid >= ? ORDER BY rowid'
        start = -_LAST - 1
        while True:
            try:
                for number, *values in self._connection.execute(query, (start,)):
                    yield _row(f"{table}, row {number}", dict(zip(chosen, values, strict=True)))
                    start = number + 1
                return
            except _BROKEN as error:
                again = self._readable_from(f"{query} LIMIT 1", start)
                until = "the end" if again is None else f"row {again}"
                what = f"what stands before {until} cannot be read: {error}"
                yield Row(f"{table}, from row {max(start, 0)}", reason=what)
            if again is None:
                return
            start = again

    def _readable_from(self, query: str, start: int) -> int | None:
        """The first row behind a damaged page. Rows stand in pages by their number: what lies
        before a place is damaged, what lies behind it is not.
        """
        low, step = max(start, 0), 1
        while not self._reads(query, low + step):
            step *= 2
            if low + step > _LAST:
                return None
        high, low = low + step, low + step // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._reads(query, middle) else (middle, high)
        found = self._connection.execute(query, (high,)).fetchone()
        return None if found is None else int(found[0])

    def _reads(self, query: str, start: int) -> bool:
        try:
            self._connection.execute(query, (start,)).fetchone()
        except _BROKEN:
            return False
        return True


@contextmanager
def sqlite_tables(path: Path) -> Iterator[SqliteTables]:
    """A file of another program, opened so that nothing is written beside it."""
    with tempfile.TemporaryDirectory(prefix="mnemic-") as folder:
        try:
            place = _copied(path, Path(folder)) if _has_log(path) else path
            try:
                connection, tables = _opened(place)
            except _BROKEN:
                if place == path:
                    place = _copied(path, Path(folder))
                _lengthen(place)
                connection, tables = _opened(place)
        except (*_BROKEN, OSError) as error:
            raise _unreadable(path, error) from error
        with closing(connection):
            yield tables


def table_columns(source: ImportSource, table: str) -> frozenset[str]:
    """The columns of a table of a source; none where it is no SQLite file with such a table."""
    if source.path is None or not source.head.startswith(MAGIC):
        return frozenset()
    try:
        with sqlite_tables(source.path) as tables:
            return frozenset(tables.columns(table))
    except InvalidInput:
        return frozenset()


def table_rows(source: ImportSource, table: str) -> Iterator[Row]:
    """The rows of a table of a source, counted as they are read."""
    assert source.path is not None, "a SQLite file is no pipe"
    with sqlite_tables(source.path) as tables:
        for row in tables.rows(table):
            source.done += 1
            yield row


def _opened(place: Path) -> tuple[sqlite3.Connection, SqliteTables]:
    address = f"{place.absolute().as_uri()}?mode=ro"
    connection = sqlite3.connect(address, uri=True, isolation_level=None)
    try:
        connection.text_factory = _text
        # What the schema of a stranger defines is not run; what is malformed in it is passed over.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("PRAGMA cell_size_check = ON")
        return connection, SqliteTables(connection)
    except BaseException:
        connection.close()
        raise


def _lengthen(copy: Path) -> None:
    """Give a file that breaks off its missing pages, empty; SQLite opens no shorter one."""
    with copy.open("r+b") as file:
        header = file.read(32)
        page = int.from_bytes(header[16:18], "big")
        size = int.from_bytes(header[28:32], "big") * (65_536 if page == 1 else page)
        there = copy.stat().st_size
        if there < size <= _MOST_LONGER * there:
            file.truncate(size)


def _has_log(path: Path) -> bool:
    """Whether SQLite would write beside it, to read what stands in its log."""
    with path.open("rb") as file:
        header = file.read(20)
    return header[18:20] == bytes((_WAL, _WAL)) or any(_beside(path, end) for end in _BESIDE)


def _beside(path: Path, ending: str) -> Path | None:
    other = path.with_name(path.name + ending)
    return other if other.is_file() else None


def _copied(path: Path, folder: Path) -> Path:
    copy = folder / path.name
    shutil.copyfile(path, copy)
    for ending in _BESIDE:
        other = _beside(path, ending)
        if other is not None:
            shutil.copyfile(other, folder / other.name)
    return copy


def _row(place: str, fields: dict[str, Any]) -> Row:
    broken = [name for name, value in fields.items() if isinstance(value, _NoText)]
    return Row(place, reason=f"{broken[0]} is not UTF-8") if broken else Row(place, fields)


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return _NoText()


def _unreadable(path: Path, error: BaseException) -> InvalidInput:
    return InvalidInput(
        f"{path.name} cannot be opened as a SQLite file: {error}",
        remedy="Give a whole file; `sqlite3 FILE .recover` saves what is left of a broken one",
    )
