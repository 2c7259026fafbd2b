"""Rows of another program's SQLite file, which is read only and stays as it is."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from recollect.errors import InvalidInput
from recollect.moving.source import Source

_MAGIC = b"SQLite format 3\x00"
_PENDING = ("-wal", "-journal")  # what is not yet in the file itself


@contextmanager
def sqlite_file(source: Source) -> Iterator[apsw.Connection]:
    """The file as it is now. Changes that wait beside it are only in a copy that is thrown away."""
    path = source.path
    assert path is not None, "a database is a file"
    waiting = [end for end in _PENDING if Path(f"{path}{end}").exists()]
    with tempfile.TemporaryDirectory() as folder:
        if waiting:
            for end in ("", *waiting):
                shutil.copyfile(f"{path}{end}", f"{folder}/copy{end}")
            path = Path(folder, "copy")
        place = f"file:{quote(str(path))}?mode={'rw' if waiting else 'ro&immutable=1'}"
        try:
            file = apsw.Connection(place, flags=apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READWRITE)
        except (apsw.Error, OSError) as error:
            raise unreadable(source, error) from error
        try:
            yield file
        finally:
            file.close()


def columns(source: Source) -> dict[str, set[str]]:
    """The tables of a file with their columns; nothing where it is no database that can be read."""
    if source.path is None or not source.head.startswith(_MAGIC):
        return {}
    try:
        with sqlite_file(source) as file:
            names = [row[0] for row in file.execute("SELECT name FROM sqlite_schema")]
            return {name: set(_columns(file, name)) for name in names}
    except (apsw.Error, InvalidInput):
        return {}


def rows(source: Source, table: str) -> Iterator[tuple[str, Mapping[str, Any] | str]]:
    """Each row by its place; where some are damaged, a reason stands for them, and those behind
    them are read from the end.
    """
    with sqlite_file(source) as file:
        try:
            names = _columns(file, table)
        except apsw.Error as error:
            raise unreadable(source, error) from error
        with suppress(apsw.Error):  # what is damaged is met below
            source.total = file.execute(f'SELECT count(*) FROM "{table}"').get
        # A text that is not UTF-8 would end the query; as bytes it costs its own row only.
        told = ", ".join(
            f'CASE typeof("{name}") WHEN \'text\' THEN CAST("{name}" AS BLOB) ELSE "{name}" END'
            for name in names
        )
        last, reason = 0, ""
        for order in ("ASC", "DESC"):
            asked = f'SELECT rowid, {told} FROM "{table}" WHERE rowid > ? ORDER BY rowid {order}'
            try:
                for row in file.execute(asked, (last,)):
                    source.done += 1
                    if order == "ASC":
                        last = row[0]
                    yield f"{table} {row[0]}", _row(names, row[1:])
            except apsw.Error as error:
                reason = reason or str(error)
            else:
                break
        if reason:
            yield f"{table} after {last}", f"rows are damaged: {reason}"


def _row(names: list[str], values: tuple[Any, ...]) -> Mapping[str, Any] | str:
    try:
        told = [one.decode() if isinstance(one, bytes) else one for one in values]
    except UnicodeDecodeError as error:
        return f"it is not UTF-8 at byte {error.start + 1}"
    return dict(zip(names, told, strict=True))


def _columns(file: apsw.Connection, table: str) -> list[str]:
    return [row[0] for row in file.execute("SELECT name FROM pragma_table_info(?)", (table,))]


def unreadable(source: Source, error: Exception) -> InvalidInput:
    return InvalidInput(
        f"{source.name} cannot be read: {error}", remedy="Give a whole SQLite file of a closed app"
    )
