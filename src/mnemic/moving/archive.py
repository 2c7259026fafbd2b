"""The JSONL archive: a whole memory as lines, for people who leave, move or look after it with
tools of their own. docs/moving.md describes the format.

The first line says what the file is, each further one is a row with its table, and the last one
counts the rows of each table and has a hash of its lines.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from mnemic.engine.mind import Mind
from mnemic.errors import InvalidInput, MemoryOff
from mnemic.language.guard import bounds_of
from mnemic.moving.importer import Refused
from mnemic.moving.rows import CredentialMask, put_rows
from mnemic.rules.reconcile import STEERING
from mnemic.rules.speakers import least_trusted
from mnemic.store.codec import dump
from mnemic.store.contract import Store
from mnemic.store.new_file import replacement
from mnemic.store.transfer import BATCH, BY_NAME, MOVED, VERSION, Cells, MovedTable
from mnemic.types import Trust

FORMAT = "mnemic-archive"
_LISTED = 1_000  # problems that are kept; the rest are counted
_LARGE = 8_000_000  # bytes of lines that are put down before there are enough for a batch
_BOM = b"\xef\xbb\xbf"

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ArchiveSummary:
    """What was exported: rows of each table, and how many of them had credentials masked."""

    space: str
    rows: Mapping[str, int]
    masked: Mapping[str, int]


@dataclass(slots=True)
class ArchiveImport:
    """What became of an archive; ``complete`` when all of it was there and as it was exported.

    ``added`` and ``known`` count rows by table. ``masked`` rows had credentials that the settings
    do not let in; ``pending`` rules, identities and traits wait for the person's word. Of very many
    problems the first are listed, and all rejected rows are counted by ``rejected``.
    """

    space: str
    added: dict[str, int] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    rejected: int = 0
    masked: int = 0
    complete: bool = False
    problems: tuple[Refused, ...] = ()
    pending: int = 0

    def reject(self, place: str, reason: str) -> None:
        """Count a row that did not go in."""
        self.rejected += 1
        self.note(place, reason)

    def note(self, place: str, reason: str) -> None:
        """Note something that is not as it was exported."""
        if len(self.problems) < _LISTED:
            self.problems += (Refused(place, reason),)


# --- out ------------------------------------------------------------------------------------------


def export_jsonl(
    mind: Mind,
    out: str | Path | BinaryIO,
    *,
    secrets: bool = False,
    progress: Progress = lambda done, total: None,
) -> ArchiveSummary:
    """Write a memory as it is at this moment; a file is replaced whole, or left as it was.

    ``secrets`` writes credentials as they are stored. ``progress`` is told the rows that are done,
    and how many there are.
    """
    store = _store_of(mind)
    mask = None if secrets else CredentialMask(bounds_of(mind.settings), sealed=True)
    target: AbstractContextManager[BinaryIO]
    target = replacement(Path(out)) if isinstance(out, str | Path) else nullcontext(out)
    tallies = {table.name: _LineTally() for table in MOVED}
    with store.read(mind.space) as unit, target as stream:
        total = sum(map(unit.transfer.count, MOVED))
        stream.write(_line(_header(mind, store, secrets=secrets)))
        done = 0
        for table in MOVED:
            tally = tallies[table.name]
            for stored in unit.transfer.rows(table):
                rows, masked_rows = (stored, 0) if mask is None else mask.mask(table, stored)
                tally.masked += masked_rows
                for row in rows:
                    cells = dict(zip(table.names, row, strict=True))
                    line = _line({"table": table.name, "row": cells})
                    tally.add(line)
                    stream.write(line)
                done += len(rows)
                progress(done, total)
        masked = {name: tally.masked for name, tally in tallies.items() if tally.masked}
        tables = {name: tally.summarize() for name, tally in tallies.items()}
        stream.write(_line({"format": FORMAT, "end": True, "tables": tables, "masked": masked}))
    return ArchiveSummary(mind.space, {name: tally.rows for name, tally in tallies.items()}, masked)


def _header(mind: Mind, store: Store, *, secrets: bool) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "schema": store.stats(mind.space).schema,
        "space": mind.space,
        "database": store.read_origin(),
        "made_at": mind._clock.now().isoformat(),
        "credentials": "kept" if secrets else "masked",
        "lossless": "all rows" if secrets else "all rows without credentials",
        "columns": {table.name: list(table.names) for table in MOVED},
    }


def _line(value: Mapping[str, Any]) -> bytes:
    return dump(value).encode() + b"\n"


@dataclass(slots=True)
class _LineTally:
    """The rows of one table, and the hash of their lines."""

    rows: int = 0
    masked: int = 0
    _hash: Any = field(default_factory=hashlib.sha256)

    def add(self, line: bytes) -> None:
        self.rows += 1
        self._hash.update(line)

    def summarize(self) -> dict[str, Any]:
        return {"rows": self.rows, "sha256": self._hash.hexdigest()}


# --- in -------------------------------------------------------------------------------------------


def import_jsonl(
    mind: Mind,
    stream: BinaryIO,
    *,
    trust: Trust | None = None,
    progress: Progress = lambda rows, read: None,
) -> ArchiveImport:
    """Put an archive into this memory, whatever its space was called; safe to interrupt and repeat.

    Nothing in it is trusted better than ``trust``, and rules, identities and traits below "owner"
    wait for the person's word. So do all of them in an archive of another database unless the
    caller states trust="owner".

    A row that is there already is known, and another one under its key stays. Lines that cannot be
    read are reported with their place, and the rest goes in. ``progress`` is told the rows and the
    bytes that are done.
    """
    return _Import(mind, progress, trust).run(stream)


def read_header(line: bytes) -> dict[str, Any] | None:
    """The first line of an archive; None where it is something else."""
    try:
        value = json.loads(line.removeprefix(_BOM))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and value.get("format") == FORMAT else None


def count_rows(stream: BinaryIO) -> dict[str, int]:
    """How many rows of each table an archive holds."""
    counts = Counter[str]()
    for line in stream:
        with suppress(InvalidInput):
            table = _parse(line).get("table")
            counts.update([table] if isinstance(table, str) else ())
    return counts


class _Import:
    """One import: rows are put down in batches, each of one table."""

    def __init__(self, mind: Mind, progress: Progress, trust: Trust | None) -> None:
        bounds = mind._guard.secrets
        self._store = _store_of(mind)
        self._progress = progress
        self._trust = trust
        self._steering: Trust = "owner"  # the most that a rule, identity or trait is trusted
        self._mask = None if bounds is None else CredentialMask(bounds, sealed=False)
        self._done = ArchiveImport(mind.space)
        self._tallies = {table.name: _LineTally() for table in MOVED}
        self._table = MOVED[0]
        self._rows: list[tuple[int, Cells]] = []
        self._size = self._read = 0
        self._put_down = 0

    def run(self, stream: BinaryIO) -> ArchiveImport:
        first = stream.readline()
        header = _check_header(first)
        trusted = self._trust == "owner" or header.get("database") == self._store.read_origin()
        self._steering = least_trusted((self._trust or "owner", "owner" if trusted else "agent"))
        self._read = len(first)
        footer: dict[str, Any] | None = None
        number = 1
        for number, line in enumerate(stream, 2):
            self._read += len(line)
            if footer is not None and line.strip():
                self._done.reject(f"line {number}", "it comes after the end of the archive")
            elif line.strip():
                footer = self._take(number, line)
            if len(self._rows) >= BATCH or self._size > _LARGE:
                self._put()
        self._put()
        if footer is None:
            reason = "the archive ends here without its last line: it was cut off"
            self._done.note(f"line {number}", reason)
        else:
            self._compare(footer.get("tables"))
        return self._done

    def _take(self, number: int, line: bytes) -> dict[str, Any] | None:
        """Add a row to the batch; gives the last line of an archive when it comes."""
        try:
            value = _parse(line)
            if value.get("end") is True:
                return value
            table, row = _row(value)
            self._tallies[table.name].add(line)
            table.check(row)
        except InvalidInput as error:
            self._done.reject(f"line {number}", error.message)
            return None
        if table is not self._table:
            self._put()
            self._table = table
        self._rows.append((number, row))
        self._size += len(line)
        return None

    def _put(self) -> None:
        if not self._rows:
            return
        done, table = self._done, self._table
        places, rows = [number for number, _ in self._rows], [row for _, row in self._rows]
        self._rows, self._size = [], 0
        if self._mask is not None:
            rows, masked = self._mask.mask(table, rows)
            done.masked += masked
        if "trust" in table.names:
            rows = [self._lower(table, row) for row in rows]
        put = put_rows(self._store, done.space, table, rows)
        done.added[table.name] = done.added.get(table.name, 0) + len(put.added)
        done.known[table.name] = done.known.get(table.name, 0) + put.known
        if table.record == "memory":
            status = table.names.index("status")
            done.pending += sum(rows[number][status] == "pending" for number in put.added)
        for conflict in put.conflicts:
            done.reject(f"line {places[conflict.number]}", conflict.reason)
        self._put_down += len(rows)
        self._progress(self._put_down, self._read)

    def _lower(self, table: MovedTable, row: Cells) -> Cells:
        """The row as far as it is believed here; what is not the owner's to order waits."""
        cells = dict(zip(table.names, row, strict=True))
        steers = cells.get("kind") in STEERING
        most = self._steering if steers else self._trust or "owner"
        cells["trust"] = least_trusted((cells["trust"], most))
        if steers and cells["trust"] != "owner" and cells["status"] == "active":
            cells |= {"status": "pending", "core": False}
        return tuple(cells.values())

    def _compare(self, stated: object) -> None:
        """Whether what was read is what was exported."""
        tables = stated if isinstance(stated, dict) else {}
        problems = {}
        for name, tally in self._tallies.items():
            exported, read = tables.get(name), tally.summarize()
            if not isinstance(exported, dict):
                problems[name] = "the last line of the archive does not tell of it"
            elif exported.get("rows") != read["rows"]:
                problems[name] = f"{exported.get('rows')} rows were exported, {read['rows']} read"
            elif exported != read:
                problems[name] = "its lines were changed since they were exported"
        for name, reason in problems.items():
            self._done.note(f"table {name}", reason)
        self._done.complete = not problems


def _check_header(line: bytes) -> dict[str, Any]:
    """The first line of an archive that can be read here."""
    header = read_header(line)
    if header is None:
        raise InvalidInput(
            "This is not an archive: its first line does not say so",
            remedy="Give a file that `mnemic export --format jsonl` has written",
        )
    version = header.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise InvalidInput(
            f"This archive has version {version} of the format, this Mnemic reads {VERSION}",
            remedy="Upgrade with `pip install -U mnemic`; nothing was imported",
        )
    return header


def _parse(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except UnicodeDecodeError as error:
        raise InvalidInput(f"it is not UTF-8 at byte {error.start + 1}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"it is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise InvalidInput("it is not a JSON object")
    return value


def _row(value: Mapping[str, Any]) -> tuple[MovedTable, Cells]:
    name, cells = value.get("table"), value.get("row")
    table = BY_NAME.get(name) if isinstance(name, str) else None
    if table is None:
        raise InvalidInput(f"there is no table {name!r}")
    if not isinstance(cells, dict):
        raise InvalidInput("it has no row")
    missing, strange = set(table.names) - cells.keys(), cells.keys() - set(table.names)
    faults = [f"lacks {', '.join(sorted(missing))}"] if missing else []
    faults += [f"has {', '.join(sorted(strange))} besides"] if strange else []
    if faults:
        raise InvalidInput(f"a row of {table.name} {' and '.join(faults)}")
    return table, tuple(cells[name] for name in table.names)


def _store_of(mind: Mind) -> Store:
    """The store of a mind, with everything written down that was gathered in this process."""
    if not mind.settings.memory.enabled:
        raise MemoryOff(
            "There is no database to move rows of while memory is switched off",
            remedy="Switch it on with memory.enabled; the plain files can be copied as they are",
        )
    if not mind._store.read_only:
        mind._services.flush()
    return mind._store
