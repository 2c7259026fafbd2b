"""Tables with a header, by usual names of columns: turns where there is a role, else memories."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import BinaryIO

from mnemic.errors import InvalidInput
from mnemic.moving.memory_fields import TEXT_KEYS, read_key, read_memory, read_moment
from mnemic.moving.pieces import Piece
from mnemic.moving.source import ImportSource
from mnemic.record.messages import (
    SESSION_KEYS,
    TIME_KEYS,
    UnreadableMessage,
    read_message,
    read_text,
)

FORMAT = "csv"
_SUFFIXES = (".csv", ".tsv")
_DELIMITERS = ",;\t|"
_NAMES = {
    "content": "message body",
    "text": "note fact",
    "role": "speaker author",
    "session": "conversation thread chat",
    "created_at": "created",
    "tags": "tag labels",
}
_OTHER_NAMES = {other: name for name, others in _NAMES.items() for other in others.split()}


class CsvReader:
    """Reads a table with a header."""

    formats = (FORMAT,)

    def recognizes(self, source: ImportSource) -> str:
        if PurePosixPath(source.name).suffix.lower() not in _SUFFIXES:
            return ""
        header = _Table(io.BytesIO(source.head)).header
        return FORMAT if any(name in header for name in TEXT_KEYS) else ""

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        with source.open() as stream:
            table = _Table(stream)
            if not any(name in table.header for name in TEXT_KEYS):
                raise InvalidInput(
                    f"{source.name or 'This'} has no column for the text",
                    remedy=f"Name one of its columns {', '.join(TEXT_KEYS)}",
                )
            positions: dict[str, int] = {}
            for place, cells, reason in table:
                columns = zip(table.header, cells, strict=False)
                fields = {name: cell for name, cell in columns if cell.strip()}
                try:
                    if reason:
                        raise UnreadableMessage(reason)
                    if "role" in table.header:
                        yield _read_turn(place, fields, source.session, positions)
                    else:
                        yield Piece(place, read_memory(fields, "agent"), key=read_key(fields))
                except UnreadableMessage as why:
                    yield Piece(place, None, str(why))


class _Table:
    """The header and the rows of a stream."""

    def __init__(self, stream: BinaryIO) -> None:
        text = io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="")
        first = text.readline()
        delimiter = max(_DELIMITERS, key=first.count)
        self.header = [_name(cell) for cell in next(csv.reader([first], delimiter=delimiter), ())]
        self._rows = csv.reader(text, delimiter=delimiter)

    def __iter__(self) -> Iterator[tuple[str, list[str], str]]:
        """Each row with its place, or with the reason why it cannot be read."""
        while True:
            place = f"line {self._rows.line_num + 2}"
            try:
                row = next(self._rows)
            except StopIteration:
                return
            except csv.Error as error:
                yield place, [], str(error)
                continue
            if any(cell.strip() for cell in row):
                yield place, row, self._check(row)

    def _check(self, row: list[str]) -> str:
        if len(row) != len(self.header):
            return f"it has {len(row)} columns, not {len(self.header)}"
        if any("\udc80" <= character <= "\udcff" for cell in row for character in cell):
            return "it is not UTF-8"
        return ""


def _name(cell: str) -> str:
    name = cell.strip().lower().replace(" ", "_")
    return _OTHER_NAMES.get(name, name)


def _read_turn(place: str, fields: dict[str, str], default: str, next_at: dict[str, int]) -> Piece:
    session = read_text(fields, *SESSION_KEYS) or default
    if not session:
        raise UnreadableMessage("it names no session")
    index = next_at.get(session, 0)
    next_at[session] = index + 1
    message = {
        "role": fields.get("role", "").strip().lower() or None,
        "content": next((fields[name] for name in TEXT_KEYS if name in fields), ""),
        "sender": fields.get("sender") or fields.get("name"),
        "channel": fields.get("channel"),
        "trust": fields.get("trust"),
    }
    turn = read_message(message, session, position=index)
    return Piece(place, replace(turn, at=read_moment(fields, *TIME_KEYS)))


READER = CsvReader()
