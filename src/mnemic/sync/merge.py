"""Merging another database into this one: the same union as between devices, without a folder."""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from mnemic.errors import InvalidInput, NotFound
from mnemic.index.embedding_job import ask_vectors
from mnemic.rules.reconcile import STEERING
from mnemic.rules.speakers import least_trusted
from mnemic.store.codec import dump
from mnemic.store.contract import Store
from mnemic.store.sql.sync import Device, ForgottenRows
from mnemic.store.sqlite.keys import FileKey
from mnemic.store.target import is_missing, is_same, open_store
from mnemic.sync import steps
from mnemic.sync.capture import RECORD_TABLES, Record, Teller, Unseal, find_changes, list_records
from mnemic.sync.registers import MERGED, Stamp
from mnemic.sync.report import MergeReport
from mnemic.sync.state import list_conflicts
from mnemic.sync.steps import DeviceServices, Tally

_ALL = range(1 << 62)
DeviceRecords = Mapping[str, Sequence[Record]]


class _Undo(Exception):
    """Ends the transaction of a preview."""


class MergeSource(NamedTuple):
    """Another database, the key of its file, and what opens its credentials."""

    place: str
    key: FileKey | None
    unseal: Unseal


def merge_database(
    services: DeviceServices, other: MergeSource, *, mine: bool, preview: bool
) -> MergeReport:
    """Unite a space of another database with this one; ``mine``: its owner is this owner."""
    if is_missing(other.place):
        raise NotFound(f"There is no memory at {other.place}", remedy="Give the path of a database")
    if is_same(other.place, str(services.database)):
        raise InvalidInput("A memory is not merged with itself", remedy="Give another database")
    with _open_source(other, services, copy=preview) as store:
        _capture_all(store, services)
        with store.read(services.space.name) as unit:
            devices, receipts = unit.sync.devices(), unit.sync.receipts()
            records = {
                device: list(list_records(unit, Teller(device, _ALL, other.unseal)))
                for device in devices
            }
        _capture_all(services.space.store, services)
        if not mine:
            records = {
                device: [_lower(record) for record in listed if _may_come(record)]
                for device, listed in records.items()
            }
        merge = _Merge(services, records, receipts)
        if preview:
            return merge.preview()
        report, clock = merge.run(), merge.know(devices)
        with store.write(services.space.name) as unit:  # its next changes come after these
            me = steps.own_device(unit, services.space.clock)
            unit.sync.put_device(me._replace(clock=max(me.clock, clock)))
    return report


@dataclass(slots=True, eq=False)
class _Merge:
    """The other database on its way into this one."""

    services: DeviceServices
    records: DeviceRecords
    receipts: Mapping[str, ForgottenRows]
    _tally: Tally = field(default_factory=Tally)

    def preview(self) -> MergeReport:
        report = self._tally.report(())
        with suppress(_Undo), self.services.space.write() as unit:
            steps.unite(unit, self.services, self.records, self._tally)
            report = self._tally.report(list_conflicts(unit), preview=True)
            raise _Undo
        return report

    def run(self) -> MergeReport:
        self._erase()
        for device, records in self.records.items():
            for start in range(0, len(records), steps.ROWS):
                self._take({device: records[start : start + steps.ROWS]})
        with self.services.space.read() as unit:
            return self._tally.report(list_conflicts(unit))

    def _take(self, chunk: DeviceRecords) -> None:
        def take() -> None:
            with self.services.space.write() as unit:
                steps.unite(unit, self.services, chunk, self._tally)
                ask_vectors(unit, self.services.space.now())

        steps.repeat(take, lambda: _capture_all(self.services.space.store, self.services))

    def _erase(self) -> None:
        """Forget here what was forgotten there, with all that was made of it."""
        gone: dict[str, list[str]] = defaultdict(list)
        for record in chain.from_iterable(self.records.values()):
            if "x" in record and record["t"] in RECORD_TABLES:
                gone[record["t"]].append(record["k"])
        if gone:
            self._tally.removed.update(self.services.forgetting.erase(gone).counts)
        with self.services.space.write() as unit:
            me, receipts = steps.own_device(unit, self.services.space.clock), unit.sync.receipts()
            for id_, receipt in self.receipts.items():
                here = receipts.get(id_)
                if receipt.number and not (here and here.device):
                    confirmed = json.loads(here.confirmed) if here else {}
                    confirmed |= json.loads(receipt.confirmed) | {me.device: [0, 0]}
                    unit.sync.put_receipt(receipt._replace(confirmed=dump(confirmed)))

    def know(self, devices: Mapping[str, Device]) -> int:
        """Note how far each device is known by way of the other database; the last number."""
        with self.services.space.write() as unit:
            current = unit.sync.devices()
            for id_, device in devices.items():
                here = current.get(id_)
                if here is None:
                    unit.sync.put_device(device._replace(own=0, public=""))
                elif here.clock < device.clock and not here.own:
                    unit.sync.put_device(here._replace(clock=device.clock))
            unit.sync.look_again()  # what came is to be told to the others
            return max(device.clock for device in unit.sync.devices().values())


@contextmanager
def _open_source(other: MergeSource, services: DeviceServices, *, copy: bool) -> Iterator[Store]:
    """The other database, or a copy of it where it must stay as it is."""
    space, place = services.space, other.place
    busy, now = space.settings.store.busy_timeout.total_seconds(), space.now
    with tempfile.TemporaryDirectory(prefix="mnemic-") as folder:
        if copy:
            place = str(Path(folder) / "other.db")
            reading = open_store(
                other.place, busy_timeout=busy, now=now, read_only=True, key=other.key
            )
            with closing(reading):
                reading.backup(Path(place), replace=False, patience=busy, progress=lambda *_: None)
        with closing(open_store(place, busy_timeout=busy, now=now, key=other.key)) as store:
            if services.space.name not in store.spaces():
                raise NotFound(
                    f"There is no space {services.space.name!r} in it", remedy="See --space"
                )
            yield store


def _capture_all(store: Store, services: DeviceServices) -> None:
    """Give every change a stamp; nothing else of the memory is touched."""
    with store.write(services.space.name) as unit:
        me = steps.own_device(unit, services.space.clock)
        changes = find_changes(unit)
        if changes:
            number = 1 + max(device.clock for device in unit.sync.devices().values())
            steps.capture_rows(unit, Stamp(number, me.device), changes)
            unit.sync.put_device(me._replace(clock=number))


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
