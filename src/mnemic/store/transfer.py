"""Rows on their way from one store to another, in a form that belongs to none of them.

A row is a tuple of JSON values in the order of its table's columns. Numbers that only one database
gives (of documents, sessions, embedders) do not occur: rows name each other by their ids. Not
moved is what a store makes again from the rows (text index, tools of turns), what other processes
hold (leases), and how far the transcript files beside one database have come.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from mnemic import types
from mnemic.errors import InvalidInput, StoreDamaged
from mnemic.rules import checks
from mnemic.store import codec
from mnemic.store.rows import TABLES
from mnemic.types import RecordType

VERSION = 1
"""Of this form. Whoever adds, removes or changes a column raises it and reads the earlier ones."""

Cells = tuple[Any, ...]
BATCH = 1_000  # rows that are moved at once, so that memory stays flat
_TEXTS = ("id", "word", "name", "text")
_LARGEST = 2**63
_RECORDS: Mapping[str, RecordType] = {table: type_ for type_, table in TABLES.items()}


class MovedColumn(NamedTuple):
    """A column: how it travels (not at all: empty), what it holds, the words it may be."""

    name: str
    kind: str
    optional: bool
    holds: Mapping[str, str]
    choices: tuple[str, ...] = ()


class MovedTable:
    """One table: ``every`` column and those that move, the ``key`` that names a row, and the type
    of record that its rows are. ``compared`` are the places of the cells that are the same in every
    store. As SQL, ``row_name`` names a row in one text, and ``time`` is when it came.
    """

    def __init__(self, name: str, every: Sequence[MovedColumn]) -> None:
        self.name, self.every, self.record = name, every, _RECORDS.get(name)
        self.columns = tuple(column for column in every if column.kind)
        self.names = tuple(column.name for column in self.columns)
        self.key = tuple(column.name for column in every if "key" in column.holds)
        self.keys = tuple(self.names.index(name) for name in self.key if name in self.names)
        self.compared = tuple(n for n, column in enumerate(self.columns) if column.kind != "place")
        self.row_name = "id" if "id" in self.names else " || ' ' || ".join(self.key) or "''"
        times = (column.name for column in every if "when" in column.holds)
        self.time = f"ifnull({next(times, 0)}, 0)"

    def same(self, row: Cells, other: Cells) -> bool:
        """Whether two rows say the same."""
        return all(row[n] == other[n] for n in self.compared)

    def check(self, cells: Cells) -> None:
        """Refuse, with InvalidInput, what no store of ours could have given."""
        for column, cell in zip(self.columns, cells, strict=True):
            if cell is not None:
                _check_cell(column, cell)
            elif not column.optional:
                raise _wrong(column.name, "is missing")


def _read_tables() -> dict[str, MovedTable]:
    columns: dict[str, list[MovedColumn]] = {}
    for line in Path(__file__).with_name("columns.tsv").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        table, name, kind, *marks = line.split("\t")
        pairs = [mark.partition(":") for mark in " ".join(marks).split()]
        holds = {mark: of.replace("_", " ") for mark, _, of in pairs}
        listed = next((of for mark, _, of in pairs if mark == "of"), "|")
        words = tuple(filter(None, listed.split("|"))) if "|" in listed else vars(types)[listed]
        column = MovedColumn(name, kind.rstrip("?-"), kind.endswith("?"), holds, words)
        columns.setdefault(table, []).append(column)
    return {table: MovedTable(table, every) for table, every in columns.items()}


def columns_with(mark: str) -> Iterator[tuple[MovedTable, MovedColumn]]:
    """Every column that holds such."""
    for table in TABLES_READ.values():
        for column in table.every:
            if mark in column.holds:
                yield table, column


def _check_cell(column: MovedColumn, cell: Any) -> None:
    name, kind = column.name, column.kind
    if kind in _TEXTS:
        checks.check_text(cell, name, _LARGEST)
        if column.choices and cell not in column.choices:
            listed = ", ".join(column.choices)
            raise _wrong(name, f"is {checks.brief_value(cell)}, none of {listed}")
    elif kind == "flag":
        if not isinstance(cell, bool):
            raise _wrong(name, "is neither true nor false")
    elif kind in ("integer", "place"):
        if isinstance(cell, bool) or not isinstance(cell, int) or not -_LARGEST <= cell < _LARGEST:
            raise _wrong(name, "is not a whole number of 64 bits")
        if kind == "place" and not 0 <= cell < 1 << 36:
            raise _wrong(name, "is out of range")
    elif kind == "real":
        if isinstance(cell, bool) or not isinstance(cell, int | float):
            raise _wrong(name, "is not a number")
    elif kind in ("json", "data"):
        checks.check_depth(cell, name)
        text = codec.dump(cell)
        checks.check_text(text, name, _LARGEST)
        try:
            _READ.get(name, codec.load)(text)
        except (StoreDamaged, AttributeError, LookupError, TypeError, ValueError) as error:
            raise _wrong(name, f"is not of its shape: {error}") from error
    else:
        from_cell(kind, cell, name)


def to_cell(kind: str, value: Any) -> Any:
    """A stored value (microseconds, bytes, JSON as text) as it travels."""
    change = _TO_CELL.get(kind)
    return value if value is None or change is None else change(value)


def from_cell(kind: str, cell: Any, name: str = "") -> Any:
    """The value to store."""
    change = _FROM_CELL.get(kind)
    if cell is None or change is None:
        return cell
    try:
        return change(cell)
    except (TypeError, ValueError, OverflowError, binascii.Error) as error:
        raise _wrong(name, f"cannot be read as {kind}: {error}") from error


def _time(text: str) -> int:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no offset")
    return codec.to_micros(moment)


def _long(text: str) -> int:
    number = int(text)
    if not -_LARGEST <= number < _LARGEST:
        raise ValueError(f"{text} is too large")
    return number


_TO_CELL: dict[str, Callable[[Any], Any]] = {
    "time": lambda micros: codec.from_micros(micros).isoformat(),
    "json": codec.load,
    "data": codec.load,
    "bytes": lambda value: base64.b64encode(value).decode(),
    "long": str,
    "flag": bool,
}
_FROM_CELL: dict[str, Callable[[Any], Any]] = {
    "time": _time,
    "json": codec.dump,
    "data": codec.dump,
    "bytes": lambda text: base64.b64decode(text, validate=True),
    "long": _long,
    "flag": int,
    "real": float,
}


def _wrong(column: str, what: str) -> InvalidInput:
    return InvalidInput(f"{column} {what}", remedy="See docs/moving.md for its columns")


TABLES_READ = _read_tables()
MOVED = tuple(table for table in TABLES_READ.values() if table.columns)
BY_NAME: Mapping[str, MovedTable] = {table.name: table for table in MOVED}
# How a store reads JSON of a shape: what it could not read later is refused.
_READ: Mapping[str, Callable[[str], Any]] = {
    "tool_calls": codec.load_calls,
    "tool_results": codec.load_results,
    "metadata": codec.load_metadata,
    "actions": codec.load_actions,
    **dict.fromkeys(("tags", "entities", "tools", "memories"), codec.load_words),
    **dict.fromkeys(("payload", "answers", "counts"), codec.load_mapping),
}


class RowConflict(NamedTuple):
    """A row that did not go in, by its place among those given, and why."""

    number: int
    reason: str


class PutRows(NamedTuple):
    """What became of rows: the places of those that are new, how many were there, and which could
    not go in beside what is there.
    """

    added: list[int]
    known: int
    conflicts: list[RowConflict]
