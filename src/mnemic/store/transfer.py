"""Rows on their way from one store to another, in a form that belongs to none of them.

A row is a tuple of JSON values in the order of its table's columns. Numbers that only one database
gives (of documents, sessions, embedders) do not occur: rows name each other by their ids. Not
moved is what a store makes again from the rows (text index, tools of turns), what other processes
hold (leases), and how far the transcript files beside one database have come.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

from mnemic.errors import InvalidInput, StoreDamaged
from mnemic.rules import checks
from mnemic.store import codec
from mnemic.types import (
    ORIGINS,
    OUTCOMES,
    RECORD_TYPES,
    ROLES,
    STATUSES,
    TRUSTS,
    TURN_STATES,
    Direction,
    RecordType,
)

VERSION = 1
"""Of this form. Whoever adds, removes or changes a column raises it and reads the earlier ones."""

ColumnKind = Literal[
    "id",  # made by the engine, or a fingerprint
    "word",  # of the engine, the settings, or a fixed list
    "name",  # by which something is found: a session, a sender
    "text",  # what people, tools or models said
    "json",  # the same as a JSON value
    "data",  # a JSON value of ids, fingerprints and counts
    "integer",
    "long",  # a whole number beyond 53 bits, as text
    "real",
    "flag",  # true or false
    "time",  # ISO 8601 with its offset
    "bytes",  # base64
    "place",  # how manieth of its space and type it was written; decides between equals
]
Cells = tuple[Any, ...]
_TEXTS = ("id", "word", "name", "text")
_LARGEST = 2**63


class MovedColumn(NamedTuple):
    """One column; ``optional`` may be null."""

    name: str
    kind: ColumnKind
    optional: bool = False


@dataclass(frozen=True)
class MovedTable:
    """One table: its columns, those that name a row, and the type of record that its rows are."""

    name: str
    columns: tuple[MovedColumn, ...]
    key: tuple[str, ...]
    record: RecordType | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def compared(self) -> tuple[int, ...]:
        """Where the cells stand that are the same in every store; a place need not be."""
        return tuple(n for n, column in enumerate(self.columns) if column.kind != "place")

    @cached_property
    def keys(self) -> tuple[int, ...]:
        return tuple(self.names.index(name) for name in self.key)

    def same(self, one: Cells, other: Cells) -> bool:
        """Whether two rows say the same."""
        return all(one[n] == other[n] for n in self.compared)

    def check(self, cells: Cells) -> None:
        """Refuse, with InvalidInput, what no store of ours could have given."""
        for column, cell in zip(self.columns, cells, strict=True):
            if cell is None:
                if not column.optional:
                    raise _wrong(column, "is missing")
            else:
                self._check_cell(column, cell)

    def _check_cell(self, column: MovedColumn, cell: Any) -> None:
        kind = column.kind
        if kind in _TEXTS:
            checks.check_text(cell, column.name, _LARGEST)
            allowed = _CHOICES.get((self.name, column.name))
            if allowed is not None and cell not in allowed:
                raise _wrong(column, f"is {checks.brief_value(cell)}, none of {', '.join(allowed)}")
        elif kind == "flag":
            if not isinstance(cell, bool):
                raise _wrong(column, "is neither true nor false")
        elif kind in ("integer", "place"):
            _check_whole(column, cell)
        elif kind == "real":
            if isinstance(cell, bool) or not isinstance(cell, int | float):
                raise _wrong(column, "is not a number")
        elif kind in ("json", "data"):
            checks.check_depth(cell, column.name)
            text = codec.dump(cell)
            checks.check_text(text, column.name, _LARGEST)
            try:
                _READ.get((self.name, column.name), codec.load)(text)
            except (StoreDamaged, AttributeError, LookupError, TypeError, ValueError) as error:
                raise _wrong(column, f"is not of its shape: {error}") from error
        else:
            from_cell(kind, cell, column.name)


def to_cell(kind: ColumnKind, value: Any) -> Any:
    """A stored value (microseconds, bytes, JSON as text) as it travels."""
    change = _TO_CELL.get(kind)
    return value if value is None or change is None else change(value)


def from_cell(kind: ColumnKind, cell: Any, name: str = "") -> Any:
    """The value to store."""
    change = _FROM_CELL.get(kind)
    if cell is None or change is None:
        return cell
    try:
        return change(cell)
    except (TypeError, ValueError, OverflowError, binascii.Error) as error:
        raise _wrong(MovedColumn(name, kind), f"cannot be read as {kind}: {error}") from error


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


_TO_CELL: dict[ColumnKind, Callable[[Any], Any]] = {
    "time": lambda micros: codec.from_micros(micros).isoformat(),
    "json": codec.load,
    "data": codec.load,
    "bytes": lambda value: base64.b64encode(value).decode(),
    "long": str,
    "flag": bool,
}
_FROM_CELL: dict[ColumnKind, Callable[[Any], Any]] = {
    "time": _time,
    "json": codec.dump,
    "data": codec.dump,
    "bytes": lambda text: base64.b64decode(text, validate=True),
    "long": _long,
    "flag": int,
    "real": float,
}


def _check_whole(column: MovedColumn, cell: Any) -> None:
    if isinstance(cell, bool) or not isinstance(cell, int) or not -_LARGEST <= cell < _LARGEST:
        raise _wrong(column, "is not a whole number of 64 bits")
    if column.kind == "place" and not 0 <= cell < 1 << 36:
        raise _wrong(column, "is out of range")


def _wrong(column: MovedColumn, what: str) -> InvalidInput:
    return InvalidInput(f"{column.name} {what}", remedy="See docs/moving.md for its columns")


def _table(name: str, key: str, columns: str, record: RecordType | None = None) -> MovedTable:
    """``columns``: each as name:kind, with ? where it may be null."""
    parts = [column.partition(":") for column in columns.split()]
    kinds: Mapping[str, ColumnKind] = {kind: kind for kind in get_args(ColumnKind)}
    made = (
        MovedColumn(column, kinds[kind.removesuffix("?")], kind.endswith("?"))
        for column, _, kind in parts
    )
    return MovedTable(name, tuple(made), tuple(key.split()), record)


# In an order in which every row comes after those that it names; work to be done comes last.
MOVED: tuple[MovedTable, ...] = (
    _table("embedders", "name", "name:word dimensions:integer"),
    _table(
        "sessions", "id",
        "id:name project:name topic:name started_at:time last_at:time ended_at:time? turns:integer"
        " next_idx:integer prompted:integer speaker:long shared:flag",
    ),
    _table(
        "turns", "id",
        "id:id place:place session:name idx:integer role:word content:text tool_calls:json?"
        " tool_results:json? at:time zone:integer tokens:integer channel:name sender:name"
        " trust:word state:word reason:text claimed:flag metadata:json?",
        "turn",
    ),
    _table("session_progress", "session", "session:name digested:id? extracted:id?"),
    _table(
        "memories", "id",
        "id:id place:place kind:word content:text subject:text predicate:text project:name"
        " topic:name tags:json importance:real confidence:real trust:word status:word"
        " access_count:integer created_at:time updated_at:time last_accessed_at:time"
        " valid_from:time valid_to:time? superseded_at:time? superseded_by:id expires_at:time?"
        " episode:id value:text slot:text confirmations:integer session:name snoozed_until:time?"
        " offered:integer put_away:time? core:flag metadata:json origin:word",
        "memory",
    ),
    _table("memory_sources", "memory turn", "memory:id turn:id"),
    _table(
        "episodes", "id",
        "id:id place:place session:name summary:text goal:text outcome:word started_at:time"
        " ended_at:time actions:json entities:json tools:json memories:data tags:json"
        " importance:real access_count:integer source:word last_turn:id",
        "episode",
    ),
    _table(
        "attachments", "id",
        "id:id place:place session:name filename:text mime:text size:integer path:text url:text"
        " direction:word description:text transcription:text extracted_text:text tags:json"
        " memories:data created_at:time put_away:time?",
        "attachment",
    ),
    _table(
        "events", "operation_id step",
        "operation_id:name step:integer id:id type:word subject:name payload:json at:time",
    ),
    _table(
        "daily_events", "id",
        "id:id day:word channel:name sender:name summary:text tokens:integer compressed:flag"
        " created_at:time",
    ),
    _table(
        "usage", "id",
        "id:id purpose:name model:name input_tokens:integer output_tokens:integer cost:real?"
        " at:time",
    ),
    _table("scratchpads", "", "text:text updated_at:time"),
    _table(
        "documents", "name",
        "name:word written:data? writing:data? rolled_through:id updated_at:time",
    ),
    _table(
        "document_choices", "document memory", "document:word memory:id choice:word at:time"
    ),
    _table("cards", "name", "name:word source:id maker:word text:text made_at:time"),
    _table("onboarding", "", "stage:word answers:json updated_at:time"),
    _table("counters", "day name", "day:word name:word amount:integer"),
    _table(
        "echo_lines", "session line",
        "session:name line:long marks:bytes words:bytes taint:integer since:long at:time",
    ),
    _table("upkeep_runs", "work run", "work:word run:word started_at:time finished_at:time?"),
    _table(
        "upkeep_steps", "work run step",
        "work:word run:word step:word finished_at:time? counts:data error:text",
    ),
    _table("embedding_cache", "embedder hash", "embedder:word hash:bytes vector:bytes"),
    _table(
        "vectors", "embedder type record part",
        "embedder:word type:word record:id part:integer vector:bytes",
    ),
    _table("changed_texts", "type record", "type:word record:id change:integer"),
    _table(
        "embedded", "embedder type", "embedder:word type:word through:id records:integer"
    ),
    _table(
        "schedules", "kind", "kind:word cron:word zone:word next_at:time last_at:time?"
    ),
    _table(
        "jobs", "id",
        "id:id kind:word key:name payload:json state:word attempts:integer max_attempts:integer"
        " run_at:time queued_at:time created_at:time error:text",
    ),
)  # fmt: skip
BY_NAME: Mapping[str, MovedTable] = {table.name: table for table in MOVED}
_CHOICES: Mapping[tuple[str, str], Sequence[str]] = {
    ("turns", "role"): ROLES,
    ("turns", "trust"): TRUSTS,
    ("turns", "state"): TURN_STATES,
    ("memories", "trust"): TRUSTS,
    ("memories", "status"): STATUSES,
    ("memories", "origin"): ORIGINS,
    ("episodes", "outcome"): OUTCOMES,
    ("attachments", "direction"): get_args(Direction),
    ("vectors", "type"): RECORD_TYPES,
    ("changed_texts", "type"): RECORD_TYPES,
    ("embedded", "type"): RECORD_TYPES,
    ("jobs", "state"): ("ready", "dead"),
}
# How a store reads JSON of a shape: what it could not read later is refused.
_READ: Mapping[tuple[str, str], Callable[[str], Any]] = {
    ("turns", "tool_calls"): codec.load_calls,
    ("turns", "tool_results"): codec.load_results,
    ("turns", "metadata"): codec.load_metadata,
    ("memories", "tags"): codec.load_words,
    ("memories", "metadata"): codec.load_metadata,
    ("episodes", "actions"): codec.load_actions,
    ("episodes", "entities"): codec.load_words,
    ("episodes", "tools"): codec.load_words,
    ("episodes", "memories"): codec.load_words,
    ("episodes", "tags"): codec.load_words,
    ("attachments", "tags"): codec.load_words,
    ("attachments", "memories"): codec.load_words,
    ("events", "payload"): codec.load_mapping,
    ("onboarding", "answers"): codec.load_mapping,
    ("upkeep_steps", "counts"): codec.load_mapping,
    ("jobs", "payload"): codec.load_mapping,
}


class RowPage(NamedTuple):
    """Some rows of a table, and where to go on; None after the last."""

    rows: list[Cells]
    after: Cells | None


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
