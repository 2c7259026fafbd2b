"""Steps of this device that merging a database and exchanging through a folder have in common."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

from mnemic.clock import Clock
from mnemic.errors import SyncRefused
from mnemic.forget.erasure import Erasure
from mnemic.providers.vault import Vault
from mnemic.space import Space
from mnemic.store.codec import dump, to_micros
from mnemic.store.contract import Unit
from mnemic.store.sql.sync import ChangeFile, Device
from mnemic.sync.apply import Union
from mnemic.sync.capture import Capture, Keys, Record
from mnemic.sync.registers import ChangedMeanwhile, Stamp
from mnemic.sync.report import Conflicts, MergeReport
from mnemic.sync.settle import settle

ROWS = 4_000  # of one change file
_TRIES = 10  # while somebody else writes
T = TypeVar("T")


@dataclass(frozen=True)
class DeviceServices:
    """What an exchange needs of its space."""

    space: Space
    vault: Vault
    forgetting: Erasure
    database: Path | None


class Tally:
    """What came in, by tables."""

    def __init__(self) -> None:
        self.added, self.changed, self.removed = Counter[str](), Counter[str](), Counter[str]()

    def add(self, union: Union) -> None:
        self.added.update(union.added)
        self.changed.update(union.changed)
        self.removed.update({name: len(ids) for name, ids in union.removed.items()})

    def report(self, conflicts: Conflicts, *, preview: bool = False) -> MergeReport:
        added, changed, removed = map(dict, (self.added, self.changed, self.removed))
        return MergeReport(added, changed, removed, conflicts, preview)


def repeat(work: Callable[[], T], capture: Callable[[], None]) -> T:
    """Do something with rows that were all captured; what somebody wrote meanwhile is, first."""
    for _ in range(_TRIES):
        try:
            return work()
        except ChangedMeanwhile:
            capture()
    raise SyncRefused("This memory is being written to all the time", remedy="Try again")


def unite(
    unit: Unit, services: DeviceServices, by_device: Mapping[str, Sequence[Record]], tally: Tally
) -> None:
    """Take in what devices have told."""
    union = Union(unit, own_device(unit, services.space.clock).device, seal=services.vault.seal)
    for device, records in by_device.items():
        union.take(records, device)
    settle(unit, union.touched, captured=True)
    tally.add(union)


def own_device(unit: Unit, clock: Clock, public: str = "") -> Device:
    """This device, made if there is none; without ``public`` copies of it are the same one."""
    me = next((device for device in unit.sync.devices().values() if device.own), None)
    if me is None:
        name = socket.gethostname().partition(".")[0][:40] or "device"
        first = "".join(id_ or "" for id_ in unit.sync.first_ids())
        id_ = sha256(first.encode()).hexdigest()[:16] if first and not public else token_hex(8)
        me = Device(id_, name, 1, 0, to_micros(clock.now()), -1, public)
        unit.sync.put_device(me)
        unit.sync.look_again()
    elif public and not me.public:
        me = renew_device(unit, me._replace(public=public))
    return me


def list_unpublished(unit: Unit) -> set[str]:
    """Devices that were merged here and write no files: this one tells of their changes."""
    return {row.device for row in unit.sync.devices().values() if not row.public and not row.own}


def renew_device(unit: Unit, device: Device) -> Device:
    """Go on as another device: the files of the old one are then read like those of any other."""
    before = unit.sync.devices()[device.device]
    unit.sync.put_device(before._replace(own=0))
    unit.sync.drop_files(list(unit.sync.files()))
    new = device._replace(device=token_hex(8))
    unit.sync.put_device(new)
    unit.sync.look_again()
    return new


def capture_rows(unit: Unit, stamp: Stamp, chunk: Mapping[str, Sequence[str]]) -> ChangeFile:
    """Stamp changed rows and show what follows from them; the file that is to tell of them."""
    capture = Capture(unit, stamp, list_unpublished(unit))
    capture.take(chunk)
    settle(unit, capture.touched, captured=False)
    before = max(unit.sync.files(), default=0)
    file = ChangeFile(stamp.number, before, dump(read_clocks(unit)), "", 0, 0)
    unit.sync.put_file(file)
    return file


def read_clocks(unit: Unit) -> dict[str, int]:
    """How far the others were read."""
    return {row.device: row.clock for row in unit.sync.devices().values() if not row.own}


def split(changes: Keys, size: int = ROWS) -> Iterator[Keys]:
    """Changed rows in pieces of bounded size, in the order of tables."""
    chunk: Keys = {}
    room = size
    for name, keys in changes.items():
        rest = keys
        while rest:
            chunk[name], rest = rest[:room], rest[room:]
            room -= len(chunk[name])
            if not room:
                yield chunk
                chunk, room = {}, size
    if chunk:
        yield chunk
