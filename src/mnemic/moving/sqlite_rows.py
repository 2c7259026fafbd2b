"""Rows of another program's SQLite file, which is only read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

import apsw

from mnemic.errors import InvalidInput, StoreUnavailable
from mnemic.moving.pieces import Record
from mnemic.moving.source import ImportSource
from mnemic.store.sqlite.keys import MAGIC
from mnemic.store.sqlite.readonly import ReadOnlyFile

# A damaged schema gives names that are no text, a damaged length a text of gigabytes.
_BROKEN = (apsw.Error, UnicodeError, MemoryError, OverflowError)


class SqliteTables:
    """The tables of an open file."""

    def __init__(self, connection: apsw.Connection) -> None:
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
        """The rows of a table as dicts of the wanted columns, up to a damaged place."""
        chosen = tuple(name for name in self.columns(table) if not columns or name in columns)
        if not chosen:
            return
        names = ", ".join('"' + name.replace('"', '""') + '"' for name in chosen)
        place = f"{table}, row 1"
        try:
            for number, *values in self._connection.execute(
                f'SELECT rowid, {names} FROM "{table}" ORDER BY rowid'
            ):
                fields = dict(zip(chosen, values, strict=True))
                yield Record(f"{table}, row {number}", fields, key=table)
                place = f"{table}, behind row {number}"
        except _BROKEN as error:
            yield Record(place, {}, f"the rest of the table cannot be read: {error}", table)


@contextmanager
def sqlite_tables(source: ImportSource, name: str = "") -> Iterator[SqliteTables]:
    """Another program's file, alone or in a folder, opened so that nothing is written beside it."""
    if source.path is None:
        raise InvalidInput("A SQLite file cannot be read from a pipe", remedy="Give its file name")
    path = source.path / name
    with closing(ReadOnlyFile(str(path))) as file:
        try:
            connection = file.connect().conn
            tables = SqliteTables(connection)
        except (*_BROKEN, StoreUnavailable) as error:
            raise InvalidInput(
                f"{path.name} cannot be opened as a SQLite file: {error}",
                remedy="Give a whole file; `sqlite3 FILE .recover` saves what is left of a broken"
                " one",
            ) from error
        with closing(connection):
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
