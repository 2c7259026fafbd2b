"""Uniting the changes of another device with the rows that are here."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mnemic.errors import InvalidInput
from mnemic.language.guard import DEFAULT
from mnemic.learn.reindex import index_again
from mnemic.store.contract import Unit
from mnemic.store.sql.sync import PARKED, Shadow
from mnemic.store.transfer import from_cell
from mnemic.sync.capture import RECORD_TABLES, Record, is_changed, removal_of
from mnemic.sync.registers import (
    MERGED,
    ChangedMeanwhile,
    Held,
    MergedTable,
    Stamp,
    mark_of,
    numbers_of,
    order_of,
    read_rows,
    stamps_of,
)
from mnemic.sync.settle import Touched, free_places
from mnemic.types import RecordType

Seal = Callable[[str], str]
_DEFAULTS: Mapping[str, Any] = {
    "integer": 0, "real": 0.0, "flag": False, "json": [], "data": [], "long": "0", "place": 0,
}  # fmt: skip
_CREDENTIAL = "credential"


class Union:
    """Takes records of one device into one transaction. ``device`` is this one."""

    def __init__(self, unit: Unit, device: str, *, seal: Seal) -> None:
        self._unit = unit
        self._device = device
        self._seal = seal
        self.touched = Touched()
        self.soiled = Counter[int]()
        self.added: dict[str, int] = defaultdict(int)
        self.changed: dict[str, int] = defaultdict(int)
        self.removed: dict[str, list[str]] = defaultdict(list)
        self._index: dict[RecordType, tuple[list[str], list[str]]] = {}

    def take(self, records: Sequence[Record], sender: str) -> None:
        """Unite records that ``sender`` has written."""
        by_table: dict[str, dict[str, Record]] = defaultdict(dict)
        for record in records:
            by_table[str(record["t"])][str(record["k"])] = record
        for name, by_key in by_table.items():  # before removing one row takes others with it
            if name in MERGED and is_changed(self._unit, MERGED[name], by_key):
                raise ChangedMeanwhile
        first = self._unit.sync.next_turn()
        for name, table in MERGED.items():
            if name in by_table:
                self._take(table, by_table[name], sender)
        if self.touched.sessions:
            self._unit.sync.count_turns(self.touched.sessions)
            self._unit.sync.pass_over(self.touched.sessions, first)
        self._unit.sync.soil_files(self.soiled)
        for type_, (new, changed) in self._index.items():
            index_again(self._unit, type_, new, changed=False)
            index_again(self._unit, type_, changed)

    def _take(self, table: MergedTable, records: Mapping[str, Record], sender: str) -> None:
        shadows = self._unit.sync.shadows(table.name, list(records))
        rows = read_rows(self._unit, table, shadows)
        after: dict[str, Shadow] = {}
        new: dict[str, dict[str, Any]] = {}
        gone: list[str] = []
        for key, record in records.items():
            before = shadows.get(key)
            merged = _Merged(table, key, before, rows.get(key))
            if "x" in record:
                merged.remove(Stamp(int(record["x"]), sender))
            for group, (number, cells) in record.get("g", {}).items():
                sealed = self._seal_again(table, group, cells)
                merged.take(group, Stamp(int(number), sender), sealed)
            for device, (number, cells) in record.get("n", {}).items():
                merged.take("+", Stamp(int(number), str(device)), cells)
            if not merged.changed:
                continue
            if before is not None:
                self.soiled.update(numbers_of(before, self._device))
            row = rows.get(key) if merged.is_gone and table.name == "sessions" else None
            if before is not None and row is not None and self._unit.sync.spans(row[:1]):
                # It is told to the others anew.
                after[key] = before._replace(marks=" ".join("?" * len(table.groups)))
                self._unit.sync.look_again(table.name)
                continue
            if merged.is_gone:
                gone.append(key)
            elif merged.is_whole and key in rows:
                self._change(table, key, rows[key], merged)
            elif merged.is_whole:
                new[key] = merged.row()
            after[key] = merged.shadow()
        self._insert(table, new, after)
        self._remove(table, gone, rows)
        self._unit.sync.put_shadows(table.name, after)

    def _seal_again(self, table: MergedTable, group: str, cells: list[Any]) -> list[Any]:
        """A credential is sealed again with the key of this device."""
        if table.name == "memories" and group == "0" and cells[0] == _CREDENTIAL:
            return [cells[0], self._seal(str(cells[1])), *cells[2:]]
        return cells

    def _change(self, table: MergedTable, key: str, row: Sequence[Any], merged: _Merged) -> None:
        stored = dict(zip(table.columns, row, strict=True))
        values = {name: value for name, value in merged.decode().items() if stored[name] != value}
        self.touched.add(table, key, row)
        if not values:
            return
        self.changed[table.name] += 1
        if table.name == "turns":
            self._have_sessions([{**stored, **values}])
        shown = {name: value for name, value in values.items() if name not in merged.held.true}
        if shown:
            self._unit.sync.change(table.table, table.to_filter(row), shown)
        self.touched.add(table, key, [{**stored, **values}[name] for name in table.columns])
        if table.table.record is not None and values.keys() & set(table.groups[0].columns):
            self._index.setdefault(table.table.record, ([], []))[1].append(key)

    def _insert(
        self, table: MergedTable, new: Mapping[str, dict[str, Any]], after: dict[str, Shadow]
    ) -> None:
        if not new:
            return
        names = table.table.names
        if table.name == "turns":
            self._have_sessions([self._decode(table, cells) for cells in new.values()])
        aside: dict[str, dict[str, Any]] = {}
        if table.name in ("turns", "events"):
            column = "idx" if table.name == "turns" else "step"
            taken = free_places(self._unit, table.name, list(new.values()))
            aside = {key: {column: place} for key, place in taken.items()}
        elif table.name == "episodes":
            aside = {key: {"last_turn": ""} for key, cells in new.items() if cells["last_turn"]}
        for key, shown in aside.items():
            held = Held.read(after[key])
            held.true.update({name: [new[key][name], cell] for name, cell in shown.items()})
            new[key].update(shown)
            stored = self._decode(table, new[key])
            marks = " ".join(table.marks([stored[name] for name in table.columns]))
            after[key] = after[key]._replace(held=str(held), marks=marks)
        rows = [tuple(cells[name] for name in names) for cells in new.values()]
        for row in rows:
            table.table.check(row)
        put = self._unit.transfer.put(table.table, rows)
        if put.conflicts:
            raise InvalidInput(f"A row of {table.name} does not fit: {put.conflicts[0].reason}")
        self.added[table.name] += len(put.added)
        if table.table.record is not None:
            self._index.setdefault(table.table.record, ([], []))[0].extend(new)
        for key, cells in new.items():
            stored = self._decode(table, cells)
            self.touched.add(table, key, [stored[name] for name in table.columns])

    def _decode(self, table: MergedTable, cells: Mapping[str, Any]) -> dict[str, Any]:
        return {name: from_cell(table.kinds[name], cells[name], name) for name in table.columns}

    def _have_sessions(self, turns: Sequence[Mapping[str, Any]]) -> None:
        """Make the sessions of turns that came before their own."""
        table = MERGED["sessions"]
        wanted = {str(turn["session"]): turn["at"] for turn in turns}
        existing = {id_ for (id_,) in self._unit.sync.rows(table.table, ("id",), list(wanted))}
        shadows, rows = {}, []
        for id_, at in wanted.items():
            if id_ in existing:
                continue
            row = [DEFAULT.name(id_, "session"), "", "", None, at, at, 0, 0]
            cells = {**table.derived, "id": id_}
            for n, group in enumerate(table.groups):
                cells |= dict(zip(group.columns, table.cells(n, row[table.places[n]]), strict=True))
            rows.append(tuple(cells[name] for name in table.table.names))
            stamps = " ".join([str(Stamp())] * len(table.groups))
            shadows[table.key_of(row)] = Shadow(" ".join(table.marks(row)), stamps, "")
        self._unit.transfer.put(table.table, rows)
        self._unit.sync.put_shadows("sessions", shadows)

    def _remove(
        self, table: MergedTable, keys: Sequence[str], rows: Mapping[str, Sequence[Any]]
    ) -> None:
        here = [key for key in keys if key in rows]
        if not here:
            return
        self.removed[table.name] += here
        for key in here:
            self.touched.add(table, key, rows[key])
            if table.name != "turns":
                self.touched.add(table, key, None)
        if table.name in RECORD_TABLES:
            self._unit.eraser.remove(removal_of({table.name: here}))
            return
        self._unit.sync.drop(table.table, [table.to_filter(rows[key]) for key in here])


class _Merged:
    """One row: what was known of it, and what comes."""

    def __init__(
        self, table: MergedTable, key: str, before: Shadow | None, row: Sequence[Any] | None
    ) -> None:
        self._table = table
        self._key = key
        self._before = before
        self.held = Held.read(before)
        width = len(table.groups)
        self._cells: list[list[Any] | None] = [None] * width
        self._stamps = [Stamp()] * width
        self.changed = False
        self._gone: Stamp | None = None
        if before is not None and before.is_gone:
            self._gone = stamps_of(before)[0] if before.stamps else Stamp()
        elif before is not None and not before.is_parked:
            self._stamps = stamps_of(before)
        if row is not None:
            for n in range(width):
                self._cells[n] = table.true_cells(n, row, self.held)
        for group, (number, device, cells) in self.held.parked.items():
            self._set(int(group), Stamp(number, device), cells)
        self.held.parked.clear()

    @property
    def is_gone(self) -> bool:
        if self._gone is None:
            return False
        return self._table.final or self._gone >= max(self._stamps)

    @property
    def is_whole(self) -> bool:
        """Whether the row itself is known; a table of counts has nothing else."""
        return self._cells[0] is not None or self._table.sums == 0

    def remove(self, stamp: Stamp) -> None:
        if self._gone is None or stamp > self._gone:
            self._gone = stamp
            self.changed = self.is_gone and not (self._before is not None and self._before.is_gone)

    def take(self, group: str, stamp: Stamp, cells: Sequence[Any]) -> None:
        table = self._table
        if group == "+":
            counts = self.held.counts.get(stamp.device)
            if counts is None or [stamp.number, list(cells)] > counts:
                if len(cells) != len(table.groups[table.sums or 0].columns):
                    raise InvalidInput(f"counts of {table.name} have another length")
                self.held.counts[stamp.device] = [stamp.number, [int(count) for count in cells]]
                if table.sums is not None:
                    self._stamps[table.sums] = max(self._stamps[table.sums], stamp)
                self.changed = True
            return
        n = int(group)
        if not 0 <= n < len(table.groups) or n == table.sums:
            raise InvalidInput(f"{table.name} has no part {group}")
        table.decode(n, cells)  # refuses what fits no column
        if self._set(n, stamp, list(cells)):
            self.changed = True

    def _set(self, n: int, stamp: Stamp, cells: list[Any]) -> bool:
        current = self._cells[n]
        if current is not None and order_of(self._stamps[n], current) >= order_of(stamp, cells):
            return False
        if current is None and self._stamps[n] > stamp:
            return False
        for name in self._table.groups[n].columns:
            if name in self.held.true:
                place = self._table.groups[n].columns.index(name)
                self.held.true[name][0] = cells[place]
        self._cells[n], self._stamps[n] = cells, stamp
        return True

    def row(self) -> dict[str, Any]:
        """All cells of a new row; what no device has told yet begins as in a new one."""
        table = self._table
        cells: dict[str, Any] = {**table.derived, **table.key_values(self._key)}
        for n, group in enumerate(table.groups):
            values = self._cells[n]
            if n == table.sums:
                values = self.held.total(len(group.columns))
            if values is None:
                values = [self._default(name) for name in group.columns]
                self._cells[n] = values
            cells |= dict(zip(group.columns, values, strict=True))
        return cells

    def _default(self, name: str) -> Any:
        table = self._table
        (column,) = (column for column in table.table.columns if column.name == name)
        if column.optional:
            return None
        usual = {"trust": "external", "state": "new", "status": "pending", "metadata": {}}
        return usual.get(name, _DEFAULTS.get(column.kind, "1970-01-01T00:00:00+00:00" if
                                             column.kind == "time" else ""))  # fmt: skip

    def decode(self) -> dict[str, Any]:
        """Every column of the groups, as it is stored."""
        table, values = self._table, dict[str, Any]()
        for n, group in enumerate(table.groups):
            cells = self._cells[n]
            if n == table.sums:
                cells = self.held.total(len(group.columns))
            if cells is not None:
                values |= dict(zip(group.columns, table.decode(n, cells), strict=True))
        return values

    def shadow(self) -> Shadow:
        """What is to be known of the row from now on."""
        table = self._table
        if self.is_gone:
            return Shadow("", str(self._gone), "")
        if not self.is_whole:
            for n, cells in enumerate(self._cells):
                if cells is not None:
                    self.held.parked[str(n)] = [*self._stamps[n], cells]
            return Shadow(PARKED, " ".join(map(str, self._stamps)), str(self.held))
        stored = self.decode()
        for name, (_, shown) in self.held.true.items():
            stored[name] = from_cell(table.kinds[name], shown, name)
        marks = [mark_of([stored[name] for name in group.columns]) for group in table.groups]
        return Shadow(" ".join(marks), " ".join(map(str, self._stamps)), str(self.held))
