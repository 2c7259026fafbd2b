"""One exchange with a shared folder: write what changed here, read what the others have written.

Every step is one transaction or one file that is put down whole, and each can be repeated: after a
crash the next exchange goes on where this one stopped.
"""

from __future__ import annotations

import json
import socket
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

from mnemic.clock import Clock
from mnemic.errors import InvalidInput, SyncRefused
from mnemic.forget import traces
from mnemic.forget.erasure import Erasure
from mnemic.index.embedding_job import Ask
from mnemic.providers.vault import Vault
from mnemic.store.codec import dump, to_micros
from mnemic.store.contract import Store, Unit
from mnemic.store.sql.sync import ChangeFile, Device, ForgottenRows
from mnemic.store.sql.text_columns import leaves
from mnemic.sync import files, keys
from mnemic.sync.apply import Union
from mnemic.sync.capture import Capture, Keys, Record, Teller, find_changes, list_records
from mnemic.sync.files import Changes, PartlyCopied, file_name
from mnemic.sync.keys import Keyring
from mnemic.sync.registers import ChangedMeanwhile, Stamp
from mnemic.sync.report import ExchangeReport, MergeReport, RefusedFile
from mnemic.sync.settle import settle
from mnemic.sync.state import confirmed_by, list_conflicts

ROWS = 4_000  # of one change file
_SMALL, _MANY = 1 << 20, 24  # bytes of a file that is joined with others, and how many may be
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class DeviceServices:
    """What an exchange needs of its space."""

    store: Store
    space: str
    clock: Clock
    vault: Vault
    ask: Ask
    forgetting: Erasure
    database: Path | None


class FolderExchange:
    """Exchanges of one space with one folder."""

    def __init__(
        self,
        services: DeviceServices,
        ring: Keyring,
        folder: Path,
        passphrase: str,
        progress: Progress,
    ) -> None:
        self._services = services
        self._store, self._space = services.store, services.space
        self._folder = folder
        self._progress = progress
        self._ring = ring
        folder.mkdir(parents=True, exist_ok=True)
        keys.pair(self._ring, folder, services.space, passphrase)
        self._key = self._ring.group
        self._counts: tuple[Counter[str], Counter[str], Counter[str]] = (
            Counter(), Counter(), Counter())  # fmt: skip
        self._written = self._read = self._forgotten = 0
        self._waiting: dict[str, str] = {}
        self._refused: dict[str, str] = {}

    def run(self) -> ExchangeReport:
        self._know_own()
        self._write_changes()
        self._read_others()
        if self._forgotten:
            self._write_changes()
        self._tidy()
        self._confirm()
        with self._store.read(self._space) as unit:
            conflicts = list_conflicts(unit)
        added, changed, removed = map(dict, self._counts)
        return ExchangeReport(
            self._own.device,
            self._ring.fingerprint,
            self._written,
            self._read,
            MergeReport(added, changed, removed, conflicts),
            self._forgotten,
            *(tuple(RefusedFile(*one) for one in sorted(some.items()))
              for some in (self._waiting, self._refused)),
        )  # fmt: skip

    # --- this device ----------------------------------------------------------------------------

    def _know_own(self) -> None:
        with self._store.write(self._space) as unit:
            self._own = own_device(unit, self._services.clock, self._ring.public)
            numbers, _ = files.list_numbers(self._folder, self._own.device)
            if numbers and numbers[-1] > self._own.clock:
                # A copy of this database, or this one before a backup was restored, wrote them.
                self._own = renew_device(unit, self._own)

    def remove(self, device: str) -> None:
        """Take nothing more from a device, and give it no new key."""
        self._know_own()
        with self._store.write(self._space) as unit:
            devices = unit.sync.devices()
            chosen = [one for one in devices.values() if device in (one.device, one.name)]
            if len(chosen) != 1 or chosen[0].own:
                raise InvalidInput(
                    f"{device!r} names no other device", remedy="See `mnemic sync --devices`"
                )
            removed = chosen[0]._replace(removed=chosen[0].clock)
            unit.sync.put_device(removed)
        left = [one.public for one in devices.values() if one.removed < 0 and one.public
                and one.device != removed.device]  # fmt: skip
        keys.rotate(self._ring, self._folder, left, self._space)
        self._key = self._ring.group

    def add(self, public: str) -> None:
        """Let the device with this public key in."""
        keys.add(self._ring, self._folder, public, self._space)

    # --- writing --------------------------------------------------------------------------------

    def _write_changes(self) -> None:
        with self._store.read(self._space) as unit:
            changes = find_changes(unit, unpublished(unit))
        chunks = list(split(changes)) or [{}]
        for number, chunk in enumerate(chunks):
            self._progress(number, len(chunks))
            with self._store.write(self._space) as unit:
                file = self._capture(unit, chunk)
                if file is None:
                    continue
                records = self._records(unit, range(file.number, file.number + 1), chunk)
            self._put(file, records)

    def _capture(
        self, unit: Unit, chunk: Mapping[str, Sequence[str]], *, confirms: bool = False
    ) -> ChangeFile | None:
        devices = unit.sync.devices()
        number = 1 + max(device.clock for device in devices.values())
        me = self._own.device
        said = self._say_forgotten(unit, number, confirms=confirms)
        if not chunk and not said and unit.sync.files():  # the first file says who writes
            return None
        file = capture_rows(unit, Stamp(number, me), chunk)
        self._own = devices[me]._replace(clock=number, at=self._now())
        unit.sync.put_device(self._own)
        return file

    def _say_forgotten(self, unit: Unit, number: int, *, confirms: bool) -> bool:
        """Give receipts and confirmations that nobody was told of the number of this change."""
        said, me = False, self._own.device
        for one in unit.sync.receipts().values():
            confirmed = json.loads(one.confirmed)
            new = one.device == me and not one.number
            if new or (confirms and confirmed.get(me, [1])[0] == 0):
                mine = number if new else one.number
                confirmed |= {me: [number, self._now()]}
                unit.sync.put_receipt(one._replace(number=mine, confirmed=dump(confirmed)))
                said = True
        return said

    def _records(
        self, unit: Unit, numbers: range, chunk: Mapping[str, Sequence[str]] | None
    ) -> tuple[Record, ...]:
        me = self._own.device
        records: list[Record] = []
        for one in unit.sync.receipts().values():
            if one.device == me and one.number in numbers:
                records.append(
                    {"f": one.receipt, "at": one.at, "body": json.loads(one.body or "{}")}
                )
            elif (told := json.loads(one.confirmed).get(me, [0]))[0] in numbers:
                records.append({"c": one.receipt, "at": told[1]})
        teller = Teller(me, numbers, self._services.vault.open, unpublished(unit))
        records += list_records(unit, teller, chunk)
        return tuple(records)

    def _put(self, file: ChangeFile, records: tuple[Record, ...]) -> None:
        with self._store.read(self._space) as unit:
            removed = {one.device: one.removed for one in unit.sync.devices().values()
                       if one.removed >= 0}  # fmt: skip
        changes = Changes(
            self._own.device, file.number, file.before, self._space, self._own.name,
            self._ring.public, json.loads(file.seen), removed, records,
        )  # fmt: skip
        digest, size = files.write_changes(self._folder, self._key, changes)
        with self._store.write(self._space) as unit:
            unit.sync.put_file(file._replace(sha256=digest, bytes=size, stale=False))
        self._written += 1

    def _confirm(self) -> None:
        """Say what was erased here, once no file of this device has it."""
        with self._store.write(self._space) as unit:
            file = self._capture(unit, {}, confirms=True)
            records = (
                () if file is None else self._records(unit, range(file.number, file.number + 1), {})
            )
        if file is not None:
            self._put(file, records)

    def _tidy(self) -> None:
        """Write again what is missing, stale or small."""
        with self._store.read(self._space) as unit:
            own, receipts = unit.sync.files(), unit.sync.receipts()
        urgent = any(one.body for one in receipts.values())
        stale = [file for file in own.values() if file.stale]
        if not urgent and 2 * len(stale) < len(own):
            stale = []
        missing = {file.number for file in own.values() if not self._is_there(file)}
        again = missing | {file.number for file in stale}
        small = [file for file in own.values() if file.bytes < _SMALL]
        if len(small) > _MANY:
            self._join(list(own.values()))
        else:
            for number in sorted(again):
                self._rewrite([own[number]])
        with self._store.read(self._space) as unit:
            known = unit.sync.files()
        for number in files.list_numbers(self._folder, self._own.device)[0]:
            if number not in known:
                (self._folder / file_name(self._own.device, number)).unlink(missing_ok=True)

    def _is_there(self, file: ChangeFile) -> bool:
        path = self._folder / file_name(self._own.device, file.number)
        return bool(file.sha256) and path.is_file() and path.stat().st_size == file.bytes

    def _join(self, own: Sequence[ChangeFile]) -> None:
        """Small files that follow each other become one."""
        run: list[ChangeFile] = []
        for file in own:
            if run and sum(one.bytes for one in run) + file.bytes > 4 * _SMALL:
                self._rewrite(run)
                run = []
            run.append(file)
        self._rewrite(run)

    def _rewrite(self, run: Sequence[ChangeFile]) -> None:
        """Put one file in the place of several, with what of them still holds."""
        first, last = run[0], run[-1]
        for _ in range(10):
            try:
                with self._store.write(self._space) as unit:
                    seen = {one.device: one.clock for one in unit.sync.devices().values()
                            if not one.own}  # fmt: skip
                    joined = last._replace(before=first.before, seen=dump(seen), sha256="")
                    numbers = range(first.before + 1, last.number + 1)
                    records = self._records(unit, numbers, None)
                    unit.sync.drop_files([file.number for file in run])
                    unit.sync.put_file(joined)
                break
            except ChangedMeanwhile:
                self._write_changes()
        else:
            return  # somebody writes all the time; the next exchange does it
        self._put(joined, records)
        for file in run[:-1]:
            (self._folder / file_name(self._own.device, file.number)).unlink(missing_ok=True)

    # --- reading --------------------------------------------------------------------------------

    def _read_others(self) -> None:
        devices, foreign = files.list_devices(self._folder)
        self._refused |= dict.fromkeys(foreign, "no device of this group made it")
        others = set(devices) - {self._own.device}
        for device in devices:
            self._read_device(device, files.MAX_NUMBER, others)

    def _read_device(self, device: str, until: int, others: set[str]) -> None:
        """Read what is new of a device, each file after those that it had read itself: what was
        forgotten has to be known before the rows that are gone for it, or what was made of them
        here would stay. ``others`` are those of which no file is being read just now.
        """
        if device not in others:
            return
        numbers, foreign = files.list_numbers(self._folder, device)
        self._refused |= dict.fromkeys(foreign, "it is no change file")
        with self._store.read(self._space) as unit:
            known = unit.sync.devices().get(device)
        clock, bound = (known.clock, known.removed) if known else (0, -1)
        ahead = [number for number in numbers if number > clock]
        for done, number in enumerate(ahead):
            name = file_name(device, number)
            if 0 <= bound < number:
                self._refused[name] = "its device was removed"
                return
            if clock >= until:
                return
            self._progress(done, len(ahead))
            try:
                changes = files.read_changes(self._folder, self._key, device, number)
                if changes.before > clock:
                    self._waiting[name] = f"the file after {clock} is missing"
                    return
                if changes.space != self._space:
                    raise SyncRefused(f"{name} is of another space", remedy="Remove it")
                for other, seen in changes.seen.items():
                    self._read_device(other, seen, others - {device})
                if reason := self._hold(changes):
                    self._waiting[name] = reason
                    return
                self._take(changes)
            except PartlyCopied:
                self._waiting[name] = "it is only partly copied"
                return
            except FileNotFoundError:
                return  # joined with others by its device just now
            except (SyncRefused, InvalidInput) as error:
                self._refused[name] = error.message
                return
            clock = number
            self._read += 1

    def _take(self, changes: Changes) -> None:
        for record in changes.records:
            if "f" in record:
                self._forget(changes, record)
        rows = [record for record in changes.records if "t" in record]
        for _ in range(10):
            try:
                with self._store.write(self._space) as unit:
                    union = Union(unit, self._own.device, seal=self._services.vault.seal)
                    union.take(rows, changes.device)
                    settle(unit, union.touched, captured=True)
                    self._note(unit, changes)
                    self._services.ask(unit, self._services.clock.now())
                break
            except ChangedMeanwhile:
                self._write_changes()
        else:
            raise SyncRefused("This memory is being written to all the time", remedy="Try again")
        for counter, counts in zip(self._counts, (union.added, union.changed, {
            name: len(ids) for name, ids in union.removed.items()}), strict=True):  # fmt: skip
            counter.update(counts)

    def _note(self, unit: Unit, changes: Changes) -> None:
        """How far the device was read, what it has erased, and whom it has removed."""
        known = unit.sync.devices()
        device = known.get(changes.device) or Device(changes.device, "", 0, 0, 0)
        device = device._replace(name=changes.name[:100], clock=changes.number, at=self._now())
        unit.sync.put_device(device._replace(public=changes.public))
        for id_, bound in changes.removed.items():
            other = known.get(id_)
            if other is not None and not other.own and other.removed < 0:
                unit.sync.put_device(other._replace(removed=max(bound, other.clock)))
        receipts = unit.sync.receipts()
        for record in changes.records:
            if "t" in record:
                continue
            id_, at = str(record.get("c", record.get("f"))), int(record["at"])
            # Who confirms may be read before who has forgotten.
            one = receipts.get(id_, ForgottenRows(id_, "", 0, "", "{}", "{}", at))
            confirmed = json.loads(one.confirmed) | {changes.device: [changes.number, at]}
            receipts[id_] = one._replace(confirmed=dump(confirmed))
            unit.sync.put_receipt(receipts[id_])
        active = {one.device for one in unit.sync.devices().values() if one.removed < 0}
        for one in receipts.values():
            if one.body and active <= confirmed_by(one).keys():
                unit.sync.put_receipt(one._replace(body=""))

    def _forget(self, changes: Changes, record: Record) -> None:
        """Erase here what was forgotten there."""
        id_ = str(record["f"])
        with self._store.read(self._space) as unit:
            known = unit.sync.receipts().get(id_)
        if known is not None and known.device:
            return
        ids = {str(table): [str(id_) for id_ in some]
               for table, some in record["body"].get("ids", {}).items()}  # fmt: skip
        receipt = self._services.forgetting.erase(ids)
        confirmed = json.loads(known.confirmed if known else "{}") | {self._own.device: [0, 0]}
        with self._store.write(self._space) as unit:
            unit.sync.put_receipt(ForgottenRows(
                id_, changes.device, changes.number, dump(record["body"]),
                dump(dict(receipt.counts)), dump(confirmed), int(record["at"])))  # fmt: skip
        self._forgotten += 1

    def _hold(self, changes: Changes) -> str:
        """Why a file waits: its device has not yet erased what another one has forgotten."""
        with self._store.read(self._space) as unit:
            receipts = unit.sync.receipts().values()
        for one in receipts:
            told = one.device == changes.device or changes.device in confirmed_by(one)
            if not one.body or told or self._has_seen(changes, one):
                continue
            found = traces.load(json.loads(one.body)["traces"])
            for record in changes.records:
                if any(found.quotes(text) for text in leaves(record.get("g", {}))):
                    return "its device has still to erase what was forgotten"
        return ""

    def _has_seen(self, changes: Changes, one: ForgottenRows) -> bool:
        """Whether a device has erased something: when it wrote a file, or by its last one."""
        last = changes
        if changes.seen.get(one.device, 0) < one.number:
            numbers, _ = files.list_numbers(self._folder, changes.device)
            try:
                last = files.read_changes(self._folder, self._key, changes.device, numbers[-1])
            except (PartlyCopied, SyncRefused, OSError):
                return False
        return last.seen.get(one.device, 0) >= one.number > 0

    def _now(self) -> int:
        return to_micros(self._services.clock.now())


def own_device(unit: Unit, clock: Clock, public: str = "") -> Device:
    """This device, made if the memory has none. Until it exchanges anything, ``public``, copies of
    one database are one device.
    """
    own = next((one for one in unit.sync.devices().values() if one.own), None)
    if own is None:
        name = socket.gethostname().partition(".")[0][:40] or "device"
        first = "".join(id_ or "" for id_ in unit.sync.first_ids())
        id_ = sha256(first.encode()).hexdigest()[:16] if first and not public else token_hex(8)
        own = Device(id_, name, 1, 0, to_micros(clock.now()), -1, public)
        unit.sync.put_device(own)
    elif public and not own.public:
        own = renew_device(unit, own._replace(public=public))
    return own


def unpublished(unit: Unit) -> set[str]:
    """Devices whose databases were merged here and that write no files: what came from them is
    told to the others by this one.
    """
    return {one.device for one in unit.sync.devices().values() if not one.public and not one.own}


def renew_device(unit: Unit, own: Device) -> Device:
    """Go on as another device: the files of the old one are then read like those of any other."""
    before = unit.sync.devices()[own.device]
    unit.sync.put_device(before._replace(own=0))
    unit.sync.drop_files(list(unit.sync.files()))
    new = own._replace(device=token_hex(8))
    unit.sync.put_device(new)
    return new


def capture_rows(unit: Unit, stamp: Stamp, chunk: Mapping[str, Sequence[str]]) -> ChangeFile:
    """Stamp changed rows and show what follows from them; the file that is to tell of them."""
    capture = Capture(unit, stamp, unpublished(unit))
    capture.take(chunk)
    settle(unit, capture.touched, captured=False)
    seen = {one.device: one.clock for one in unit.sync.devices().values() if not one.own}
    before = max(unit.sync.files(), default=0)
    file = ChangeFile(stamp.number, before, dump(seen), "", 0, 0)
    unit.sync.put_file(file)
    return file


def split(changes: Keys, size: int = ROWS) -> Iterator[Keys]:
    """Changed rows in pieces of bounded size, in the order of tables."""
    chunk: Keys = {}
    room = size
    for name, listed in changes.items():
        rest = listed
        while rest:
            chunk[name], rest = rest[:room], rest[room:]
            room -= len(chunk[name])
            if not room:
                yield chunk
                chunk, room = {}, size
    if chunk:
        yield chunk
