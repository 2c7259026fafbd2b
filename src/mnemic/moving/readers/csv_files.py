"""Tables with a header, by usual names of columns: turns where there is a role, else memories."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
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
_MOST_LINES = 1_000  # of one row: what has no end by then was never closed
_OTHER_NAMES = {
    "message": "content",
    "body": "content",
    "note": "text",
    "fact": "text",
    "speaker": "role",
    "author": "role",
    "conversation": "session",
    "thread": "session",
    "chat": "session",
    "created": "created_at",
    "tag": "tags",
    "labels": "tags",
}


class CsvReader:
    """Reads a table with a header."""

    formats = (FORMAT,)

    def recognises(self, source: ImportSource) -> str:
        if PurePosixPath(source.name).suffix.lower() not in _SUFFIXES:
            return ""
        header = _Table(io.BytesIO(source.head)).header
        return FORMAT if any(name in header for name in TEXT_KEYS) else ""

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        source.done = 0
        with source.open() as stream:
            table = _Table(stream)
            if not any(name in table.header for name in TEXT_KEYS):
                raise InvalidInput(
                    f"{source.name or 'This'} has no column for the text",
                    remedy=f"Name one of its columns {', '.join(TEXT_KEYS)}",
                )
            positions: dict[str, int] = {}
            for number, values, reason in table:
                place = f"line {number}"
                fields = dict(zip(table.header, values, strict=False))
                try:
                    if reason:
                        raise UnreadableMessage(reason)
                    if "role" in table.header:
                        yield _turn(place, fields, source.session, positions)
                    else:
                        said = {name: value for name, value in fields.items() if value.strip()}
                        yield Piece(place, read_memory(said, "agent"), key=read_key(said))
                except UnreadableMessage as why:
                    yield Piece(place, None, str(why))


class _Table:
    """The rows of a stream. A row that is not as wide as the header costs one line, not those that
    an open quotation mark would swallow.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="")
        first = self._stream.readline()
        self._delimiter = max(_DELIMITERS, key=first.count)
        self.header = [_name(cell) for cell in self._split([first]) or ()]

    def __iter__(self) -> Iterator[tuple[int, Sequence[str], str]]:
        waiting: list[str] = []
        number = 2
        while line := waiting.pop(0) if waiting else self._stream.readline():
            lines, row = [line], self._split([line])
            while row is None and len(lines) < _MOST_LINES:
                following = waiting.pop(0) if waiting else self._stream.readline()
                if not following:
                    break
                lines.append(following)
                row = self._split(lines) if '"' in following else None
            if line.strip():
                reason = self._reason(row, line)
                if reason and len(lines) > 1:
                    waiting[:0] = lines[1:]
                    lines = lines[:1]
                yield number, row or (), reason
            number += len(lines)

    def _reason(self, row: list[str] | None, line: str) -> str:
        if row is None:
            return "a quotation mark is not closed"
        if len(row) != len(self.header):
            return f"it has {len(row)} columns, not {len(self.header)}"
        if any("\udc80" <= one <= "\udcff" for cell in row for one in cell):
            return "it is not UTF-8"
        return ""

    def _split(self, lines: list[str]) -> list[str] | None:
        """The cells of one row; None while a quotation mark is open."""
        try:
            rows = list(csv.reader(lines, delimiter=self._delimiter, strict=True))
        except csv.Error:
            return None
        return rows[0] if len(rows) == 1 else None


def _name(cell: str) -> str:
    name = cell.strip().lower().replace(" ", "_")
    return _OTHER_NAMES.get(name, name)


def _turn(place: str, fields: dict[str, str], default: str, positions: dict[str, int]) -> Piece:
    said = {name: value for name, value in fields.items() if value.strip()}
    session = read_text(said, *SESSION_KEYS) or default
    if not session:
        raise UnreadableMessage("it names no session")
    index = positions.get(session, 0)
    positions[session] = index + 1
    times = [said[name] for name in TIME_KEYS if name in said]
    message = {
        "role": said.get("role", "").strip().lower() or None,
        "content": next((said[name] for name in TEXT_KEYS if name in said), ""),
        "sender": said.get("sender") or said.get("name"),
        "channel": said.get("channel"),
        "trust": said.get("trust"),
    }
    turn = read_message(message, session, position=index)
    return Piece(place, replace(turn, at=read_moment(times[0], "its time") if times else None))


READER = CsvReader()
