"""Rows of another program's SQLite file, which is only read."""

from __future__ import annotations

import shutil
import sqlite3  # not apsw: it can hand over a text that is no UTF-8 without losing the row
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from mnemic.errors import InvalidInput
from mnemic.moving.pieces import Record
from mnemic.moving.source import ImportSource

MAGIC = b"SQLite format 3\x00"
_WAL = bytes((2, 2))  # bytes 18 and 19 of the header
_BESIDE = ("-wal", "-journal")
# A damaged schema gives names that are no text, a damaged length a text of gigabytes.
_BROKEN = (sqlite3.Error, UnicodeError, MemoryError, OverflowError, OSError)


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
        """The columns of a table; none of one that is missing or cannot be read."""
        try:
            listed = self._connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
            return tuple(str(name) for (name,) in listed)
        except _BROKEN:
            return ()

    def rows(self, table: str, columns: tuple[str, ...] = ()) -> Iterator[Record]:
        """The rows of a table in order, each a dict; ``columns`` are those wanted.

        Where the file is damaged, that place is named and the rest of the table is not read.
        """
        there = self.columns(table) if table in self.names else ()
        chosen = tuple(name for name in there if not columns or name in columns)
        if not chosen:
            return
        names = ", ".join('"' + name.replace('"', '""') + '"' for name in chosen)
        place = f"{table}, row 1"
        try:
            for number, *values in self._connection.execute(
                f'SELECT rowid, {names} FROM "{table}" ORDER BY rowid'
            ):
                place = f"{table}, row {number}"
                fields = dict(zip(chosen, values, strict=True))
                broken = [name for name, value in fields.items() if isinstance(value, _NoText)]
                yield Record(place, fields, f"{broken[0]} is not UTF-8" if broken else "", table)
                place = f"{table}, behind row {number}"
        except _BROKEN as error:
            yield Record(place, {}, f"the rest of the table cannot be read: {error}", table)


@contextmanager
def sqlite_tables(source: ImportSource, name: str = "") -> Iterator[SqliteTables]:
    """A file of another program, or one in a folder of it, opened so that nothing is written
    beside it.
    """
    if source.path is None:
        raise InvalidInput("A SQLite file cannot be read from a pipe", remedy="Give its file name")
    path = source.path / name
    with tempfile.TemporaryDirectory(prefix="mnemic-") as folder:
        try:
            place = _copy(path, Path(folder)) if _has_log(path) else path
            address = f"{place.absolute().as_uri()}?mode=ro"
            connection = sqlite3.connect(address, uri=True, isolation_level=None)
        except _BROKEN as error:
            raise _unreadable(path, error) from error
        with closing(connection):
            connection.text_factory = _decode
            try:
                # What the schema of a stranger defines is not run; what is malformed is skipped.
                connection.execute("PRAGMA trusted_schema = OFF")
                connection.execute("PRAGMA writable_schema = ON")
                connection.execute("PRAGMA cell_size_check = ON")
                tables = SqliteTables(connection)
            except _BROKEN as error:
                raise _unreadable(path, error) from error
            yield tables


def table_columns(source: ImportSource, table: str) -> frozenset[str]:
    """The columns of a table of a source; none where it is no SQLite file with such a table."""
    if not source.head.startswith(MAGIC):
        return frozenset()
    try:
        with sqlite_tables(source) as tables:
            return frozenset(tables.columns(table))
    except InvalidInput:
        return frozenset()


def table_rows(source: ImportSource, table: str) -> Iterator[Record]:
    """The rows of a table of a source, counted as they are read."""
    with sqlite_tables(source) as tables:
        for source.done, row in enumerate(tables.rows(table), 1):
            yield row


def _has_log(path: Path) -> bool:
    """Whether SQLite would write beside the file, to read its log."""
    with path.open("rb") as file:
        header = file.read(20)
    return header[18:20] == _WAL or any(Path(f"{path}{end}").is_file() for end in _BESIDE)


def _copy(path: Path, folder: Path) -> Path:
    for ending in ("", *_BESIDE):
        original = Path(f"{path}{ending}")
        if original.is_file():
            shutil.copyfile(original, folder / original.name)
    return folder / path.name


def _decode(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return _NoText()


def _unreadable(path: Path, error: BaseException) -> InvalidInput:
    return InvalidInput(
        f"{path.name} cannot be opened as a SQLite file: {error}",
        remedy="Give a whole file; `sqlite3 FILE .recover` saves what is left of a broken one",
    )
