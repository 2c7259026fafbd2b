"""One exchange with a shared folder: write what changed here, read what the others have written.

Every step is one transaction or one file that is put down whole, and each can be repeated: after a
crash the next exchange goes on where this one stopped.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from mnemic.errors import InvalidInput, SyncRefused
from mnemic.forget import traces
from mnemic.index.embedding_job import ask_vectors
from mnemic.store.codec import dump, to_micros
from mnemic.store.contract import Unit
from mnemic.store.sql.sync import ChangeFile, Device, ForgottenRows
from mnemic.store.sql.text_columns import leaves
from mnemic.sync import files, keys, steps
from mnemic.sync.capture import RECORD_TABLES, Keys, Record, Teller, find_changes, list_records
from mnemic.sync.files import Changes, Waits, file_name
from mnemic.sync.keys import Keyring
from mnemic.sync.registers import Stamp
from mnemic.sync.report import ExchangeReport, RefusedFile
from mnemic.sync.state import list_confirmed, list_conflicts
from mnemic.sync.steps import DeviceServices, Tally

_SMALL, _MANY = 1 << 18, 24  # bytes of a file that is joined with others, and how many may be
_ROW = 100  # bytes of a row in a file, about
Progress = Callable[[int, int], None]


class FolderExchange:
    """Exchanges of one space with one folder."""

    def __init__(
        self, services: DeviceServices, ring: Keyring, folder: Path, passphrase: str,
        progress: Progress,
    ) -> None:  # fmt: skip
        folder.mkdir(parents=True, exist_ok=True)
        keys.pair(ring, folder, services.space.name, passphrase)
        self._services, self._space = services, services.space
        self._folder, self._progress, self._ring = folder, progress, ring
        self._key = ring.group
        self._tally = Tally()
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
        self._write({}, confirms=True)  # what was erased: now no file of this device has it
        with self._space.read() as unit:
            conflicts = list_conflicts(unit)
        return ExchangeReport(
            self._own.device, self._ring.fingerprint, self._written, self._read,
            self._tally.report(conflicts), self._forgotten,
            tuple(RefusedFile(name, why) for name, why in sorted(self._waiting.items())),
            tuple(RefusedFile(name, why) for name, why in sorted(self._refused.items())),
        )  # fmt: skip

    # --- this device ----------------------------------------------------------------------------

    def _know_own(self) -> None:
        with self._space.write() as unit:
            self._own = steps.own_device(unit, self._space.clock, self._ring.public)
            numbers, _ = files.list_numbers(self._folder, self._own.device)
            if numbers and numbers[-1] > self._own.clock:
                # A copy of this database, or this one before a backup was restored, wrote them.
                self._own = steps.renew_device(unit, self._own)

    def remove(self, device: str) -> None:
        """Take nothing more from a device, and give it no new key."""
        self._know_own()
        with self._space.write() as unit:
            devices = unit.sync.devices()
            chosen = [row for row in devices.values() if device in (row.device, row.name)]
            if len(chosen) != 1 or chosen[0].own:
                raise InvalidInput(
                    f"{device!r} names no other device", remedy="See `mnemic sync --devices`"
                )
            removed = chosen[0]._replace(removed=chosen[0].clock)
            unit.sync.put_device(removed)
        rest = [row for row in devices.values() if row.removed < 0 and row.device != removed.device]
        publics = [row.public for row in rest if row.public]
        keys.rotate(self._ring, self._folder, publics, self._space.name)
        self._key = self._ring.group

    def add(self, public: str) -> None:
        """Let the device with this public key in."""
        keys.add(self._ring, self._folder, public, self._space.name)

    # --- writing --------------------------------------------------------------------------------

    def _write_changes(self) -> None:
        with self._space.read() as unit:
            looks = unit.sync.looks()
        # A first look takes long, and nobody waits for it.
        with (self._space.read if looks else self._space.write)() as unit:
            changes = find_changes(unit, steps.list_unpublished(unit))
        chunks = list(steps.split(changes)) or [{}]
        for number, chunk in enumerate(chunks):
            self._progress(number, len(chunks))
            self._write(chunk)
        if looks:
            with self._space.write() as unit:
                unit.sync.settle_changes("", looks)

    def _write(self, chunk: Mapping[str, Sequence[str]], *, confirms: bool = False) -> None:
        """Write one file, if there is anything to say."""
        with self._space.write() as unit:
            file = self._capture(unit, chunk, confirms=confirms)
            if file is None:
                return
            records = self._records(unit, range(file.number, file.number + 1), chunk)
        self._put(file, records)

    def _capture(
        self, unit: Unit, chunk: Mapping[str, Sequence[str]], *, confirms: bool
    ) -> ChangeFile | None:
        devices = unit.sync.devices()
        number = 1 + max(device.clock for device in devices.values())
        me = self._own.device
        numbered = self._number_receipts(unit, number, confirms=confirms)
        if not chunk and not numbered and unit.sync.files():  # the first file says who writes
            return None
        file = steps.capture_rows(unit, Stamp(number, me), chunk)
        self._own = devices[me]._replace(clock=number, at=self._now())
        unit.sync.put_device(self._own)
        return file

    def _number_receipts(self, unit: Unit, number: int, *, confirms: bool) -> bool:
        """Give receipts and confirmations that nobody was told of the number of this change."""
        numbered, me = False, self._own.device
        for receipt in unit.sync.receipts().values():
            confirmed, mine = json.loads(receipt.confirmed), receipt.device == me
            if mine and not receipt.number:
                updated = receipt._replace(number=number, confirmed=dump({me: [0, 0]}))
            elif confirms and confirmed.get(me, [1])[0] == 0:
                confirmed[me] = [receipt.number if mine else number, self._now()]
                updated = receipt._replace(confirmed=dump(confirmed))
            else:
                continue
            unit.sync.put_receipt(updated)
            numbered |= not (mine and receipt.number)
        return numbered

    def _records(
        self, unit: Unit, numbers: range, chunk: Mapping[str, Sequence[str]] | None
    ) -> tuple[Record, ...]:
        me = self._own.device
        records: list[Record] = []
        for receipt in unit.sync.receipts().values():
            if receipt.device == me and receipt.number in numbers:
                body = json.loads(receipt.body or "{}")
                records.append({"f": receipt.receipt, "at": receipt.at, "body": body})
            elif (confirmation := json.loads(receipt.confirmed).get(me, [0]))[0] in numbers:
                records.append({"c": receipt.receipt, "at": confirmation[1]})
        teller = Teller(me, numbers, self._services.vault.open, steps.list_unpublished(unit))
        records += list_records(unit, teller, chunk)
        return tuple(records)

    def _put(self, file: ChangeFile, records: tuple[Record, ...]) -> None:
        with self._space.read() as unit:
            removed = {row.device: row.removed for row in unit.sync.devices().values()
                       if row.removed >= 0}  # fmt: skip
        changes = Changes(
            self._own.device, file.number, file.before, self._space.name, self._own.name,
            self._ring.public, json.loads(file.seen), removed, records,
        )  # fmt: skip
        digest, size = files.write_changes(self._folder, self._key, changes)
        with self._space.write() as unit:
            unit.sync.put_file(file._replace(sha256=digest, bytes=size, stale=0))
        self._written += 1

    def _tidy(self) -> None:
        """Write again what is missing or stale, and join what is small."""
        with self._space.read() as unit:
            written, receipts = unit.sync.files(), unit.sync.receipts()
        me = self._own.device
        urgent = any(json.loads(row.confirmed).get(me, [1])[0] == 0 for row in receipts.values())
        joins = sum(file.bytes < _SMALL for file in written.values()) > _MANY
        runs: list[list[ChangeFile]] = []
        for file in written.values():
            size = sum(small.bytes for small in runs[-1]) if runs else 0
            if joins and runs and file.bytes < _SMALL and size < 4 * _SMALL:
                runs[-1].append(file)
            else:
                runs.append([file])
        for run in runs:
            stale = run[0].stale * (run[0].bytes if urgent else 2 * _ROW)
            if len(run) > 1 or stale >= run[0].bytes or not self._is_there(run[0]):
                self._rewrite(run)
        with self._space.read() as unit:
            current = unit.sync.files()
        for number in files.list_numbers(self._folder, me)[0]:
            if number not in current:
                (self._folder / file_name(me, number)).unlink(missing_ok=True)

    def _is_there(self, file: ChangeFile) -> bool:
        path = self._folder / file_name(self._own.device, file.number)
        return bool(file.sha256) and path.is_file() and path.stat().st_size == file.bytes

    def _list_keys(self, run: Sequence[ChangeFile]) -> Keys | None:
        """The rows that some files told of; None where a file is not as it was written."""
        keys: Keys = defaultdict(list)
        for file in run:
            try:
                data = files.read_changes(self._folder, self._key, self._own.device, file.number)
            except (Waits, SyncRefused, OSError):
                return None
            if data.sha256 != file.sha256:
                return None
            for record in data.records:
                if "t" in record:
                    keys[record["t"]].append(record["k"])
        return keys

    def _rewrite(self, run: Sequence[ChangeFile]) -> None:
        """Put one file in the place of several, with what of them still holds."""
        first, last, keys = run[0], run[-1], self._list_keys(run)

        def read() -> tuple[ChangeFile, tuple[Record, ...]]:
            with self._space.write() as unit:
                seen = dump(steps.read_clocks(unit))
                joined = last._replace(before=first.before, seen=seen, sha256="")
                records = self._records(unit, range(first.before + 1, last.number + 1), keys)
                unit.sync.drop_files([file.number for file in run])
                unit.sync.put_file(joined)
            return joined, records

        self._put(*steps.repeat(read, self._write_changes))
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
        self._refused |= dict.fromkeys(foreign, "it is not a change file")
        with self._space.read() as unit:
            state = unit.sync.devices().get(device)
        clock, bound = (state.clock, state.removed) if state else (0, -1)
        ahead = [number for number in numbers if number > clock]
        for done, number in enumerate(ahead):
            name = file_name(device, number)
            if clock >= until:
                return
            if 0 <= bound < number:
                self._refused[name] = "its device was removed"
                return
            self._progress(done, len(ahead))
            try:
                self._read_file(device, number, clock, others - {device})
            except FileNotFoundError:
                return  # joined with others by its device just now
            except Waits as reason:
                self._waiting[name] = str(reason)
                return
            except (SyncRefused, InvalidInput) as error:
                self._refused[name] = error.message
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                self._refused[name] = f"it says what no device says: {error!r}"
            if name in self._refused:
                return
            clock = number
            self._read += 1

    def _read_file(self, device: str, number: int, clock: int, others: set[str]) -> None:
        changes = files.read_changes(self._folder, self._key, device, number)
        if changes.before > clock:
            raise Waits(f"the file after {clock} is missing")
        if changes.space != self._space.name:
            raise SyncRefused(
                f"{file_name(device, number)} is of another space", remedy="Remove it"
            )
        for other, seen in changes.seen.items():
            self._read_device(other, seen, others)
        if self._is_to_erase(changes):
            for later in self._list_later(changes):  # though they wait, or two wait for each other
                self._forget(later)
            raise Waits("its device has still to erase what was forgotten")
        self._take(changes)

    def _take(self, changes: Changes) -> None:
        self._forget(changes)
        rows = [record for record in changes.records if "t" in record]

        def take() -> None:
            with self._space.write() as unit:
                steps.unite(unit, self._services, {changes.device: rows}, self._tally)
                self._note(unit, changes)
                ask_vectors(unit, self._space.now())

        steps.repeat(take, self._write_changes)

    def _note(self, unit: Unit, changes: Changes) -> None:
        """How far the device was read, what it has erased, and whom it has removed."""
        devices = unit.sync.devices()
        device = devices.get(changes.device) or Device(changes.device, "", 0, 0, 0)
        device = device._replace(name=changes.name[:100], clock=changes.number, at=self._now())
        unit.sync.put_device(device._replace(public=changes.public))
        for id_, bound in changes.removed.items():
            other = devices.get(id_)
            if other is not None and not other.own and other.removed < 0:
                unit.sync.put_device(other._replace(removed=max(bound, other.clock)))
        receipts = unit.sync.receipts()
        for record in changes.records:
            if "t" in record:
                continue
            id_, at = str(record.get("c", record.get("f"))), int(record["at"])
            # Who confirms may be read before who has forgotten.
            receipt = receipts.get(id_, ForgottenRows(id_, "", 0, "", "{}", "{}", at))
            confirmed = json.loads(receipt.confirmed) | {changes.device: [changes.number, at]}
            receipts[id_] = receipt._replace(confirmed=dump(confirmed))
            unit.sync.put_receipt(receipts[id_])
        active = {row.device for row in unit.sync.devices().values() if row.removed < 0}
        for receipt in receipts.values():
            if receipt.body and active <= list_confirmed(receipt).keys():
                unit.sync.put_receipt(receipt._replace(body=""))

    def _forget(self, changes: Changes) -> None:
        """Erase here what was forgotten there."""
        for record in changes.records:
            if "f" not in record:
                continue
            id_ = str(record["f"])
            with self._space.read() as unit:
                receipt = unit.sync.receipts().get(id_)
            if receipt is not None and receipt.device:
                continue
            at, body = int(record["at"]), record["body"]
            counts: dict[str, int] = {}
            if body != {}:  # else every device that was known then has erased it
                traces.load(body["traces"])  # or its file is refused
                ids = {table: list(map(str, body["ids"].get(table, ()))) for table in RECORD_TABLES}
                counts |= self._services.forgetting.erase(ids).counts
            before = json.loads(receipt.confirmed if receipt else "{}")
            with self._space.write() as unit:
                unit.sync.put_receipt(ForgottenRows(
                    id_, changes.device, changes.number, dump(body) if body != {} else "",
                    dump(counts), dump(before | {self._own.device: [0, 0]}), at))  # fmt: skip
            self._forgotten += 1

    def _is_to_erase(self, changes: Changes) -> bool:
        """Whether a file quotes what was forgotten, and its device has not yet erased it."""
        with self._space.read() as unit:
            receipts = unit.sync.receipts().values()
        for receipt in receipts:
            confirmed = {receipt.device, *list_confirmed(receipt)}
            if not receipt.body or changes.device in confirmed or self._has_seen(changes, receipt):
                continue
            forgotten = traces.load(json.loads(receipt.body)["traces"])
            if any(forgotten.quotes(text) for record in changes.records
                   for text in leaves(record.get("g", {}))):  # fmt: skip
                return True
        return False

    def _has_seen(self, changes: Changes, receipt: ForgottenRows) -> bool:
        """Whether a device has erased something: when it wrote a file, or by a later one."""
        return any(
            later.seen.get(receipt.device, 0) >= receipt.number > 0
            or any(record.get("c") == receipt.receipt for record in later.records)
            for later in self._list_later(changes)
        )

    def _list_later(self, changes: Changes) -> Iterator[Changes]:
        """A file and those that its device has written since, as far as they can be read."""
        for number in files.list_numbers(self._folder, changes.device)[0]:
            if number >= changes.number:
                with suppress(Waits, SyncRefused, OSError):
                    yield files.read_changes(self._folder, self._key, changes.device, number)

    def _now(self) -> int:
        return to_micros(self._space.now())
