"""What a memory is made of when it is merged: rows whose parts are registers.

A register has one value and the stamp of the change that set it. Of two values one wins by a total
order, whoever holds which and in whatever order they meet, so merging is commutative, associative
and idempotent. Counters are sums of what each device has added. A row that is gone stays gone.
"""

from __future__ import annotations

import json
import marshal
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

from mnemic.errors import InvalidInput
from mnemic.store.contract import Unit
from mnemic.store.sql.sync import Shadow
from mnemic.store.transfer import BY_NAME, MovedTable, from_cell, to_cell

_MARK = 8  # bytes of a hash
_SEPARATOR = "\x1f"


class Stamp(NamedTuple):
    """The change that set a value: a number that grows along cause and effect, and the device."""

    number: int = 0
    device: str = ""

    def __str__(self) -> str:
        return f"{self.number}.{self.device}"

    @classmethod
    def read(cls, text: str) -> Stamp:
        number, _, device = text.partition(".")
        return cls(int(number or 0), device)


class Group(NamedTuple):
    """Columns that change together: the later change wins, or, of counts, all are added up."""

    summed: bool
    columns: tuple[str, ...]


def order_of(stamp: Stamp, cells: Sequence[Any]) -> tuple[int, str, str]:
    """What decides between two values: the greater wins; cells tell copies of a device apart."""
    return stamp.number, stamp.device, json.dumps(cells, sort_keys=True)


class ChangedMeanwhile(Exception):
    """Somebody wrote between a capture and what was to follow it; both are repeated."""


@dataclass(frozen=True)
class MergedTable:
    """A table of the memory: its key, its groups, and whether removed rows may come back.

    ``final``: a removed row never comes back. ``hashed``: its key is a name that people gave.
    ``derived`` are columns that each database works out itself, as they begin.
    """

    name: str
    groups: tuple[Group, ...]
    key: tuple[str, ...] = ("id",)
    final: bool = True
    hashed: bool = False
    derived: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def table(self) -> MovedTable:
        return BY_NAME[self.name]

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Key columns, then those of every group."""
        return (*self.key, *(name for group in self.groups for name in group.columns))

    @cached_property
    def places(self) -> tuple[slice, ...]:
        """Where each group stands among the columns."""
        spans, start = [], len(self.key)
        for group in self.groups:
            spans.append(slice(start, start + len(group.columns)))
            start += len(group.columns)
        return tuple(spans)

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        return {column.name: column.kind for column in self.table.columns}

    @property
    def sums(self) -> int | None:
        """The place of the group that is added up."""
        return next((n for n, group in enumerate(self.groups) if group.summed), None)

    def key_of(self, row: Sequence[Any]) -> str:
        """What names a row; a name that people gave is hashed, since it outlives the row."""
        if self.hashed:
            return blake2b(str(row[0]).encode(), digest_size=12).hexdigest()
        return _SEPARATOR.join(map(str, row[: len(self.key)]))

    def key_values(self, key: str) -> dict[str, Any]:
        """The key columns again; a hashed one is in the first group."""
        return dict(zip(self.key, key.split(_SEPARATOR), strict=True)) if self.key else {}

    def to_filter(self, row: Sequence[Any]) -> dict[str, Any]:
        """The columns by which a stored row is found."""
        stored = dict(zip(self.columns, row, strict=True))
        names = (*self.key, "at") if self.name == "events" else self.key
        return {name: stored[name] for name in (("id",) if self.hashed else names)}

    def marks(self, row: Sequence[Any]) -> list[str]:
        """A hash of each group as it is stored."""
        return [mark_of(row[place]) for place in self.places]

    def cells(self, group: int, values: Sequence[Any]) -> list[Any]:
        """Stored values as they travel."""
        names = self.groups[group].columns
        return [to_cell(self.kinds[name], value) for name, value in zip(names, values, strict=True)]

    def true_cells(self, group: int, row: Sequence[Any], held: Held) -> list[Any]:
        """What the devices agree on, where it is shown otherwise here."""
        shown = self.cells(group, row[self.places[group]])
        names = self.groups[group].columns
        return [held.true.get(name, [cell])[0] for name, cell in zip(names, shown, strict=True)]

    def decode(self, group: int, cells: Sequence[Any]) -> tuple[Any, ...]:
        """Values that traveled as they are stored; InvalidInput for what fits no column."""
        names = self.groups[group].columns
        if len(cells) != len(names):
            raise InvalidInput(f"a part of {self.name} has {len(cells)} values")
        return tuple(
            from_cell(self.kinds[name], cell, name) for name, cell in zip(names, cells, strict=True)
        )


def read_rows(
    unit: Unit, table: MergedTable, keys: Collection[str] | None
) -> dict[str, Sequence[Any]]:
    """Stored rows by their keys, or all of them."""
    wanted = set(keys or ())
    if keys is None:
        return {table.key_of(row): row for row in unit.sync.rows(table.table, table.columns)}
    if not wanted:
        return {}
    chosen: Collection[str] | None = None
    if table.hashed:
        names = unit.sync.rows(table.table, ("id",))
        chosen = [row[0] for row in names if table.key_of(row) in wanted]
    elif table.key:
        chosen = {table.key_values(key)[table.key[0]] for key in wanted}
    rows = unit.sync.rows(table.table, table.columns, chosen)
    return {key: row for row in rows if (key := table.key_of(row)) in wanted}


def mark_of(values: Sequence[Any]) -> str:
    """A hash of stored values, the same in every process."""
    return blake2b(marshal.dumps(tuple(values), 2), digest_size=_MARK).hexdigest()


def _table(name: str, *groups: str, key: tuple[str, ...] = ("id",), **options: Any) -> MergedTable:
    """A plus before columns: they are added up."""
    parts = (Group(names.startswith("+"), tuple(names.strip("+").split())) for names in groups)
    return MergedTable(name, tuple(parts), key, **options)


# In an order in which every row comes after those that it names, as in columns.tsv. Not here:
# what is made again from these (indexes, vectors, cards, documents), and work that each device
# does by itself (jobs, schedules, echoes).
_PLACE = {"place": 0}
_TABLES = (
    _table("sessions", "id project topic ended_at", "started_at last_at shared", "+prompted",
           key=(), final=False, hashed=True, derived={"turns": 0, "next_idx": 0, "speaker": "-1"}),
    _table("turns", "session idx role content tool_calls tool_results at zone tokens channel sender"
           " metadata", "trust state reason claimed", derived=_PLACE),
    _table("memories", "kind content subject predicate project topic tags created_at valid_from"
           " episode value slot session origin",
           "status valid_to superseded_at superseded_by snoozed_until put_away core",
           "importance confidence trust expires_at metadata", "updated_at last_accessed_at",
           "+access_count confirmations offered", derived=_PLACE),
    _table("memory_sources", "", key=("memory", "turn"), final=False),
    _table("episodes", "session summary goal outcome started_at ended_at actions entities tools"
           " memories tags importance source last_turn", "+access_count", derived=_PLACE),
    _table("attachments", "session filename mime size path url direction description transcription"
           " extracted_text tags memories created_at put_away", derived=_PLACE),
    _table("events", "operation_id step type subject payload at"),
    _table("daily_events", "day channel sender summary tokens compressed created_at"),
    _table("usage", "purpose model input_tokens output_tokens cost at"),
    _table("scratchpads", "text updated_at", key=(), final=False),
    _table("document_choices", "choice at", key=("document", "memory"), final=False),
    _table("onboarding", "stage answers updated_at", key=(), final=False),
    _table("counters", "+amount", key=("day", "name"), final=False),
)  # fmt: skip
MERGED: Mapping[str, MergedTable] = {table.name: table for table in _TABLES}


class Held(NamedTuple):
    """What is known of a row beside its columns: what each device has added to its counts, with the
    number of that change; columns that are shown otherwise here, the true cell and the shown; and
    changes of groups that came before the row itself.
    """

    counts: dict[str, list[Any]]
    true: dict[str, list[Any]]
    parked: dict[str, list[Any]]

    @classmethod
    def read(cls, shadow: Shadow | None) -> Held:
        value = json.loads(shadow.held) if shadow is not None and shadow.held else {}
        return cls(*(value.get(name, {}) for name in cls._fields))

    def __str__(self) -> str:
        value = {name: entries for name, entries in self._asdict().items() if entries}
        return json.dumps(value, separators=(",", ":"), sort_keys=True) if value else ""

    def total(self, width: int) -> list[int]:
        """The sums over all devices."""
        return [sum(counts[n] for _, counts in self.counts.values()) for n in range(width)]


def stamps_of(shadow: Shadow | None) -> list[Stamp]:
    return [] if shadow is None else [Stamp.read(text) for text in shadow.stamps.split()]


def numbers_of(shadow: Shadow, device: str) -> Iterator[int]:
    """The change files of a device that hold a part of a row."""
    for stamp in stamps_of(shadow):
        if stamp.device == device:
            yield stamp.number
    counts = Held.read(shadow).counts.get(device)
    if counts:
        yield int(counts[0])
