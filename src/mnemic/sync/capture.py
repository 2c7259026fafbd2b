"""Finding what changed here since the last exchange, and giving it the stamp of a new change.

A row that was written to is noted by the database itself, so nothing that writes to a memory has to
know of this; whether it differs from what was exchanged is told by the hashes that were kept of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mnemic.language.secrets.envelope import is_sealed
from mnemic.store.contract import Unit
from mnemic.store.rows import Removal
from mnemic.store.sql.sync import Shadow
from mnemic.sync.registers import (
    MERGED,
    ChangedMeanwhile,
    Held,
    MergedTable,
    Stamp,
    mark_of,
    numbers_of,
    read_rows,
    stamps_of,
)
from mnemic.sync.settle import Touched

Keys = dict[str, list[str]]
Record = dict[str, Any]
Unseal = Callable[[str], str]
RECORD_TABLES = ("turns", "memories", "episodes", "attachments", "daily_events")


def find_changes(unit: Unit, unpublished: Collection[str] = ()) -> Keys:
    """The keys of rows changed since the last exchange, and of those from merged devices."""
    noted = unit.sync.list_changed()
    changed: Keys = {}
    settled: Keys = {}
    for name, table in MERGED.items():
        if noted is None:
            changed[name] = _list_differing(unit, table, None, unpublished)
        elif name in noted:
            keys = {note: table.key_of((id_,)) for note, id_ in noted[name].items()}
            chosen = None if "" in keys else keys.values()
            differing = _list_differing(unit, table, chosen, unpublished)
            unsettled = set(keys if chosen is None and differing else differing)
            changed[name] = differing
            settled[name] = [note for note, key in keys.items() if not unsettled & {note, key}]
            if name == "turns" and differing and "sessions" in noted:
                # A session that lost a turn is as it was, and may yet last less long.
                ids = noted["sessions"].values()
                changed["sessions"] += map(MERGED["sessions"].key_of, ((id_,) for id_ in ids))
                settled.pop("sessions")
    for name, notes in settled.items():
        unit.sync.settle_changes(name, notes)
    return {name: sorted(set(keys)) for name, keys in changed.items() if keys}


def _list_differing(
    unit: Unit, table: MergedTable, keys: Collection[str] | None, unpublished: Collection[str]
) -> list[str]:
    """Those of some rows, or of all, that are not as they were last exchanged."""
    shadows = unit.sync.shadows(table.name, keys)
    rows = read_rows(unit, table, keys)

    def differs(key: str) -> bool:
        row, shadow = rows.get(key), shadows.get(key)
        if shadow is None:
            return row is not None
        if any(device in shadow.stamps for device in unpublished):
            return row is not None or not shadow.is_parked
        if row is not None:
            return shadow.marks != " ".join(table.marks(row))
        return not shadow.is_parked and not (shadow.is_gone and shadow.stamps)

    return [key for key in (*rows, *(key for key in shadows if key not in rows)) if differs(key)]


def is_changed(unit: Unit, table: MergedTable, keys: Collection[str]) -> bool:
    """Whether one of these rows was changed here and is not captured yet."""
    shadows = unit.sync.shadows(table.name, keys)
    chosen = shadows if table.final else keys
    rows = read_rows(unit, table, chosen)
    for key in chosen:
        shadow, row = shadows.get(key), rows.get(key)
        marks = "" if row is None else " ".join(table.marks(row))
        captured = "" if shadow is None or shadow.is_parked else shadow.marks
        if marks != captured:
            return True
    return False


class Capture:
    """Stamps changes of one device with one number."""

    def __init__(self, unit: Unit, stamp: Stamp, unpublished: Collection[str]) -> None:
        self._unit = unit
        self._unpublished = unpublished
        self._stamp = stamp
        self.touched = Touched()
        self.soiled = Counter[int]()

    def take(self, changes: Mapping[str, Sequence[str]]) -> None:
        """Note these rows as they are now."""
        for name, keys in changes.items():
            self._take(MERGED[name], keys)
        self._unit.sync.soil_files(self.soiled)

    def _take(self, table: MergedTable, keys: Sequence[str]) -> None:
        shadows = self._unit.sync.shadows(table.name, keys)
        rows = read_rows(self._unit, table, keys)
        after: dict[str, Shadow] = {}
        for key in keys:
            before, row = shadows.get(key), rows.get(key)
            if before is not None:
                self.soiled.update(numbers_of(before, self._stamp.device))
            if before is not None and before.is_gone and table.final:
                if row is not None and table.name in RECORD_TABLES:
                    # It came back by another way, such as an old backup.
                    self._unit.eraser.remove(removal_of({table.name: [key]}))
                if before.stamps and stamps_of(before)[0].device not in self._unpublished:
                    continue
                after[key] = Shadow("", str(self._stamp), "")
            elif row is None:
                if before is not None and not (before.is_gone or before.is_parked):
                    after[key] = Shadow("", str(self._stamp), "")
            else:
                after[key] = self._stamp_row(table, before, row)
            self.touched.add(table, key, row)
        self._unit.sync.put_shadows(table.name, after)

    def _stamp_row(self, table: MergedTable, before: Shadow | None, row: Sequence[Any]) -> Shadow:
        if before is not None and (before.is_gone or before.is_parked):
            before = None
        held, stamps = Held.read(before), stamps_of(before)
        marks = before.marks.split() if before is not None else [""] * len(table.groups)
        stamps = stamps or [Stamp()] * len(table.groups)
        for n, place in enumerate(table.places):
            mark = mark_of(row[place])
            if mark == marks[n]:
                if stamps[n].device in self._unpublished:
                    stamps[n] = self._stamp
                continue
            if n == table.sums:
                self._count(held, row[place])
            for name, cell in zip(table.groups[n].columns, table.cells(n, row[place]), strict=True):
                if name in held.true and held.true[name][1] != cell:
                    del held.true[name]
            marks[n], stamps[n] = mark, self._stamp
        return Shadow(" ".join(marks), " ".join(map(str, stamps)), str(held))

    def _count(self, held: Held, values: Sequence[Any]) -> None:
        """What this device has added: the sum without what the others have."""
        me = self._stamp.device
        others = [counts for device, (_, counts) in held.counts.items() if device != me]
        added = [int(value) - sum(other[n] for other in others) for n, value in enumerate(values)]
        held.counts[me] = [self._stamp.number, added]


def removal_of(ids: Mapping[str, Sequence[str]]) -> Removal:
    """Records to remove, by the names of their tables."""
    return Removal(**{table: list(keys) for table, keys in ids.items()})


def list_records(
    unit: Unit, teller: Teller, keys: Mapping[str, Sequence[str]] | None = None
) -> Iterator[Record]:
    """What changes of a device say and still holds; ``keys`` are the rows, where known."""
    for name, table in MERGED.items():
        if keys is not None and name not in keys:
            continue
        shadows = unit.sync.shadows(name, None if keys is None else keys[name])
        chosen = {
            key: shadow
            for key, shadow in shadows.items()
            if any(number in teller.numbers for number in numbers_of(shadow, teller.device))
        }
        rows = read_rows(unit, table, [key for key, shadow in chosen.items() if not shadow.is_gone])
        for key, shadow in chosen.items():
            record = teller.tell(table, key, shadow, rows.get(key))
            if record is not None:
                yield record


class Teller(NamedTuple):
    """Tells changes of a device with these numbers, and counts of devices that tell nothing."""

    device: str
    numbers: Container[int]
    unseal: Unseal
    unpublished: Collection[str] = ()

    def tell(
        self, table: MergedTable, key: str, shadow: Shadow, row: Sequence[Any] | None
    ) -> Record | None:
        device = self.device
        stamps = stamps_of(shadow)
        if shadow.is_gone:
            return {"t": table.name, "k": key, "x": stamps[0].number}
        if row is None:
            if shadow.is_parked:
                return None
            raise ChangedMeanwhile
        held, parts, marks = Held.read(shadow), dict[str, list[Any]](), shadow.marks.split()
        for n, (stamp, place) in enumerate(zip(stamps, table.places, strict=True)):
            if n == table.sums or stamp.device != device or stamp.number not in self.numbers:
                continue
            if mark_of(row[place]) != marks[n]:
                raise ChangedMeanwhile
            cells = table.true_cells(n, row, held)
            if table.name == "memories" and n == 0 and is_sealed(cells[1]):
                cells = [cells[0], self.unseal(cells[1]), *cells[2:]]
            parts[str(n)] = [stamp.number, cells]
        counts = held.counts.get(device)
        if counts and counts[0] in self.numbers:
            parts["+"] = counts
        record: Record = {"t": table.name, "k": key, "g": parts}
        others = {other: held.counts[other] for other in self.unpublished if other in held.counts}
        return {**record, "n": others} if others else record if parts else None
