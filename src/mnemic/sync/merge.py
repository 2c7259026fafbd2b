"""Merging another database into this one: the same union as between devices, without a folder."""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from mnemic.errors import InvalidInput, NotFound
from mnemic.rules.reconcile import STEERING
from mnemic.rules.speakers import least_trusted
from mnemic.settings import Settings
from mnemic.store.codec import dump
from mnemic.store.contract import Store, Unit
from mnemic.store.sql.sync import Device, ForgottenRows
from mnemic.store.sqlite.keys import FileKey
from mnemic.store.target import is_missing, is_same, open_store
from mnemic.sync.apply import Union
from mnemic.sync.capture import Record, Teller, find_changes, list_records
from mnemic.sync.exchange import ROWS, DeviceServices, capture_rows, own_device
from mnemic.sync.registers import MERGED, ChangedMeanwhile, Stamp
from mnemic.sync.report import MergeReport
from mnemic.sync.settle import settle
from mnemic.sync.state import list_conflicts

_ALL = range(1 << 62)
_ERASED = ("turns", "memories", "episodes", "attachments", "daily_events")
Unseal = Callable[[str], str]


class _Undo(Exception):
    """Ends the transaction of a preview."""


class MergeSource(NamedTuple):
    """Another database, the key of its file, and what opens its credentials."""

    place: str
    key: FileKey | None
    unseal: Unseal


def merge_database(
    services: DeviceServices, other: MergeSource, settings: Settings, *, mine: bool, preview: bool
) -> MergeReport:
    """Unite a space of another database with this one; ``mine``: its owner is this owner."""
    if is_missing(other.place):
        raise NotFound(f"There is no memory at {other.place}", remedy="Give the path of a database")
    if is_same(other.place, str(services.database)):
        raise InvalidInput("A memory is not merged with itself", remedy="Give another database")
    with _opened(other, settings, services, copy=preview) as store:
        _capture_all(store, services)
        with store.read(services.space) as unit:
            devices, receipts = unit.sync.devices(), unit.sync.receipts()
            records = {
                device: list(list_records(unit, Teller(device, _ALL, other.unseal)))
                for device in devices
            }
        _capture_all(services.store, services)
        if not mine:
            records = {
                device: [_lower(record) for record in some if _may_come(record)]
                for device, some in records.items()
            }
        merged = _Merge(services, preview=preview)
        merged.run(records, receipts)
        if not preview:
            clock = merged.know(devices)
            with store.write(services.space) as unit:  # its next changes come after these
                own = own_device(unit, services.clock)
                unit.sync.put_device(own._replace(clock=max(own.clock, clock)))
    return merged.report()


class _Merge:
    def __init__(self, services: DeviceServices, *, preview: bool) -> None:
        self._services = services
        self._store, self._space = services.store, services.space
        self._preview = preview
        self._counts = (Counter[str](), Counter[str](), Counter[str]())
        self._conflicts: tuple[tuple[str, str], ...] = ()

    def run(
        self, records: Mapping[str, Sequence[Record]], receipts: Mapping[str, ForgottenRows]
    ) -> None:
        if self._preview:
            try:
                with self._store.write(self._space) as unit:
                    self._take(unit, [(device, some) for device, some in records.items() if some])
                    self._conflicts = list_conflicts(unit)
                    raise _Undo
            except _Undo:
                return
        self._erase(records, receipts)
        chunks = [(device, some[n : n + ROWS]) for device, some in records.items()
                  for n in range(0, len(some), ROWS)]  # fmt: skip
        for chunk in chunks:
            for _ in range(10):
                try:
                    with self._store.write(self._space) as unit:
                        self._take(unit, [chunk])
                        self._services.ask(unit, self._services.clock.now())
                    break
                except ChangedMeanwhile:
                    _capture_all(self._store, self._services)
        with self._store.read(self._space) as unit:
            self._conflicts = list_conflicts(unit)

    def _take(self, unit: Unit, chunks: Sequence[tuple[str, Sequence[Record]]]) -> None:
        own = own_device(unit, self._services.clock)
        union = Union(unit, own.device, seal=self._services.vault.seal)
        for device, records in chunks:
            union.take(records, device)
        settle(unit, union.touched, captured=True)
        removed = {name: len(ids) for name, ids in union.removed.items()}
        for counter, counts in zip(
            self._counts, (union.added, union.changed, removed), strict=True
        ):
            counter.update(counts)

    def _erase(
        self, records: Mapping[str, Sequence[Record]], receipts: Mapping[str, ForgottenRows]
    ) -> None:
        """Forget here what was forgotten there, with all that was made of it."""
        gone: dict[str, list[str]] = defaultdict(list)
        for some in records.values():
            for record in some:
                if "x" in record and record["t"] in _ERASED:
                    gone[record["t"]].append(record["k"])
        if gone:
            removed = self._services.forgetting.erase(gone)
            self._counts[2].update(removed.counts)
        with self._store.write(self._space) as unit:
            own, known = own_device(unit, self._services.clock), unit.sync.receipts()
            for id_, one in receipts.items():
                here = known.get(id_)
                if one.number and not (here and here.device):
                    told = json.loads(here.confirmed) if here else {}
                    told |= json.loads(one.confirmed) | {own.device: [0, 0]}
                    unit.sync.put_receipt(one._replace(confirmed=dump(told)))

    def know(self, devices: Mapping[str, Device]) -> int:
        """Note how far each device is known by way of the other database; the last number."""
        with self._store.write(self._space) as unit:
            known = unit.sync.devices()
            for id_, device in devices.items():
                here = known.get(id_)
                if here is None:
                    unit.sync.put_device(device._replace(own=0, public=""))
                elif here.clock < device.clock and not here.own:
                    unit.sync.put_device(here._replace(clock=device.clock))
            return max(one.clock for one in unit.sync.devices().values())

    def report(self) -> MergeReport:
        added, changed, removed = map(dict, self._counts)
        return MergeReport(added, changed, removed, self._conflicts, self._preview)


@contextmanager
def _opened(
    other: MergeSource, settings: Settings, services: DeviceServices, *, copy: bool
) -> Iterator[Store]:
    """The other database, or a copy of it where it must stay as it is."""
    busy, now, place = settings.store.busy_timeout.total_seconds(), services.clock.now, other.place
    with tempfile.TemporaryDirectory(prefix="mnemic-") as folder:
        if copy:
            place = str(Path(folder) / "other.db")
            reading = open_store(
                other.place, busy_timeout=busy, now=now, read_only=True, key=other.key
            )
            try:
                reading.backup(Path(place), replace=False, patience=busy, progress=lambda *_: None)
            finally:
                reading.close()
        store = open_store(place, busy_timeout=busy, now=now, key=other.key)
        try:
            if services.space not in store.spaces():
                raise NotFound(f"There is no space {services.space!r} in it", remedy="See --space")
            yield store
        finally:
            store.close()


def _capture_all(store: Store, services: DeviceServices) -> None:
    """Give every change a stamp; nothing else of the memory is touched."""
    with store.write(services.space) as unit:
        changes = find_changes(unit)
        own = own_device(unit, services.clock)
        if changes:
            number = 1 + max(one.clock for one in unit.sync.devices().values())
            capture_rows(unit, Stamp(number, own.device), changes)
            unit.sync.put_device(own._replace(clock=number))


def _may_come(record: Record) -> bool:
    """Credentials of somebody else stay where they are, and nobody else forgets what is here."""
    parts = record.get("g", {})
    kind = parts["0"][1][0] if record["t"] == "memories" and "0" in parts else ""
    return "x" not in record and kind != "credential"


def _lower(record: Record) -> Record:
    """What somebody else's owner said is an outsider's word here; what would steer waits."""
    table, parts = MERGED[record["t"]], record.get("g", {})
    for n, group in enumerate(table.groups):
        if "trust" in group.columns and str(n) in parts:
            cells, place = parts[str(n)][1], group.columns.index("trust")
            cells[place] = least_trusted((cells[place], "external"))
    if record["t"] == "memories" and "0" in parts and "1" in parts:
        state = parts["1"][1]
        if parts["0"][1][0] in STEERING and state[0] == "active":
            state[0] = "pending"
    return record
