"""Copying a space from one database into another, or under another name, row by row.

The source is only read, in one snapshot; the target keeps what it has. A copy that was interrupted
is repeated: what is there is known. At the end every row is read again on both sides.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Literal

from mnemic.clock import SystemClock
from mnemic.errors import InvalidInput, NotFound
from mnemic.language.guard import DEFAULT
from mnemic.late import dataclass
from mnemic.moving.rows import put_rows
from mnemic.settings import Settings
from mnemic.store.codec import dump
from mnemic.store.contract import Store, Unit
from mnemic.store.postgres.address import is_address
from mnemic.store.sqlite.keys import choose_key, key_for
from mnemic.store.target import is_missing, is_same, open_store, redact_target
from mnemic.store.transfer import MOVED, Cells, MovedTable

Phase = Literal["Copying", "Verifying"]
Progress = Callable[[Phase, int, int], None]
_LISTED = 1_000  # conflicts that are kept; the rest are counted


@dataclass(slots=True)
class CopiedTable:
    """One table: its rows in the source, what became of them, and the hashes of both sides."""

    name: str
    rows: int = 0
    added: int = 0
    known: int = 0
    conflicts: int = 0
    source_sha256: str = ""
    target_sha256: str = ""

    @property
    def same(self) -> bool:
        return self.source_sha256 == self.target_sha256


@dataclass(frozen=True, slots=True)
class CopyConflict:
    """A row of the source that the target has no place for."""

    table: str
    reason: str


@dataclass(frozen=True, slots=True)
class CopyReport:
    """What a copy did. ``verified``: the target has every row of the source, as it is there."""

    space: str
    to_space: str
    tables: tuple[CopiedTable, ...]
    conflicts: tuple[CopyConflict, ...]

    @property
    def verified(self) -> bool:
        return all(table.same for table in self.tables)

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)


def copy_space(
    source: str | Path,
    target: str | Path,
    *,
    space: str = "default",
    to_space: str | None = None,
    progress: Progress = lambda phase, done, total: None,
    key: str | bytes | None = None,
) -> CopyReport:
    """Copy a space into another database, made if there is none, or under another name. Either may
    be a file or the address of a server.

    ``progress`` is told what is going on, the rows that are done, and how many there are. ``key``,
    or MNEMIC_KEY, is that of whichever file is encrypted; a new file is encrypted with it.
    """
    beginning, end = _target(source), _target(target)
    to_space = DEFAULT.name(space if to_space is None else to_space, "to_space")
    if is_missing(beginning):
        raise NotFound(f"There is no memory at {beginning}", remedy="Give the path of a database")
    if to_space == space and is_same(beginning, end):
        raise InvalidInput(
            f"{redact_target(beginning)} and {redact_target(end)} are the same database",
            remedy="Name another space to copy into",
        )
    busy, now = Settings().store.busy_timeout.total_seconds(), SystemClock().now
    chosen = choose_key(key, None)
    reading = open_store(
        beginning, busy_timeout=busy, now=now, read_only=True, key=key_for(beginning, chosen)
    )
    with closing(reading):
        if space not in (spaces := reading.spaces()):
            raise NotFound(
                f"There is no space {space!r} in it",
                remedy=f"It has {', '.join(spaces)}"
                if spaces
                else "Nothing was written into it yet",
            )
        writing = open_store(end, busy_timeout=busy, now=now, key=key_for(end, chosen))
        with closing(writing):
            return copy_between(reading, writing, space, to_space, progress)


def copy_between(
    source: Store, target: Store, space: str, to_space: str, progress: Progress
) -> CopyReport:
    """Copy a space of one open store into another one."""
    tables = {table: CopiedTable(table.name) for table in MOVED}
    conflicts: list[CopyConflict] = []
    with source.read(space) as unit:
        total = sum(map(unit.transfer.count, MOVED))
        for table, rows, done in _read_all(unit):
            put, report = put_rows(target, to_space, table, rows), tables[table]
            report.rows += len(rows)
            report.added += len(put.added)
            report.known += put.known
            report.conflicts += len(put.conflicts)
            room = _LISTED - len(conflicts)
            conflicts += [CopyConflict(table.name, clash.reason) for clash in put.conflicts[:room]]
            progress("Copying", done, total)
        ours, theirs = ({table: hashlib.sha256() for table in MOVED} for _ in range(2))
        with target.read(to_space) as copied:
            for table, rows, done in _read_all(unit):
                for row, stored in zip(rows, copied.transfer.find_stored(table, rows), strict=True):
                    ours[table].update(_bytes(table, row))
                    theirs[table].update(b"" if stored is None else _bytes(table, stored))
                progress("Verifying", done, total)
    for table, report in tables.items():
        report.source_sha256 = ours[table].hexdigest()
        report.target_sha256 = theirs[table].hexdigest()
    return CopyReport(space, to_space, tuple(tables.values()), tuple(conflicts))


def _read_all(unit: Unit) -> Iterator[tuple[MovedTable, list[Cells], int]]:
    """Every row, batch by batch, with the number of rows up to there."""
    done = 0
    for table in MOVED:
        for rows in unit.transfer.rows(table):
            done += len(rows)
            yield table, rows, done


def _target(place: str | Path) -> str:
    text = str(place)
    return text if is_address(text) else str(Path(place).expanduser())


def _bytes(table: MovedTable, row: Cells) -> bytes:
    """What a hash is made of: the cells that are the same in every store."""
    return dump([row[n] for n in table.compared]).encode() + b"\n"
