"""Backups: the whole file copied while others write, and a copy put in a database's place.

Pages are copied by SQLite's backup interface inside one read transaction. Between its steps it
would otherwise begin again whenever another process has written, and under load never end; the
snapshot of the transaction does not change, keeps no writer waiting, and counts its pages.
``VACUUM INTO`` reads a snapshot too, but builds every index anew, which takes longer.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import quote

import apsw

from mnemic import errors
from mnemic.store.contract import MADE_AT, Store
from mnemic.store.new_file import UnfinishedFile, exists_error, explain_errors, sync_folder
from mnemic.store.sqlite import migrate
from mnemic.store.sqlite.connection import MEMORY, explain, explaining
from mnemic.store.sqlite.keys import CIPHER, FileKey, check_key, key_for
from mnemic.store.sqlite.readonly import ReadOnlyFile, connect
from mnemic.types import Backup, PageProgress, Restored

if TYPE_CHECKING:
    from mnemic.store.sqlite.store import SqliteStore

_STEP = 1_000  # pages between two words on the progress
_COUNTED = ("spaces", "sessions", "turns", "memories", "episodes", "attachments", "events", "jobs")
_LOGS = ("-wal", "-journal", "-shm")
# What a database knows of leases, and of files beside it that are not those of the backup: they are
# no base for edits, and are written anew.
_OUTSIDE = {
    "upkeep_steps": "lease_until = NULL",
    "documents": "written = NULL, writing = NULL",
    "transcripts": "doc = -1, bytes = 0",
}
_CHUNK = 1 << 20
_WAIT = 1_000  # milliseconds for a connection that is just closing
_BROKEN = (apsw.CorruptError, apsw.NotADBError)


def back_up(
    store: SqliteStore, target: Path, *, replace: bool, patience: float, progress: PageProgress
) -> Backup:
    """A checked copy of the file as it is now; nobody is kept from reading or writing."""
    database = store.database
    if not replace and os.path.lexists(target):
        raise exists_error(target)
    if target.exists() and database.path != MEMORY and target.samefile(database.path):
        raise errors.InvalidInput(f"{target} is itself the database", remedy="Choose another name")
    refuse_logs(target)
    with UnfinishedFile(target, patience=patience) as unfinished:
        with database.read() as conn:
            counts = count_rows(conn)
            secret = database.key.for_file(database.path) if database.key else ""
            _copy(conn, unfinished.path, progress, secret)
        copy = examine(unfinished.path, target, database.key)
        compare_counts(copy, counts)
        unfinished.put(replace=replace)
    return copy


def is_backup_of(store: Store, file: Path) -> bool:
    """Whether a file is a copy of this database: both were made in the same microsecond."""
    try:
        key = key_for(str(file), store.key)
        if not migrate.inspect(str(file), key):
            return False
        with _reading(file, key) as conn:
            return bool(conn.execute(MADE_AT).get == store.read_origin())
    except (apsw.Error, errors.StoreError):
        return False


def restore(
    backup: Path,
    to: Path,
    *,
    force: bool,
    now: datetime,
    progress: PageProgress,
    key: FileKey | None = None,
) -> Restored:
    """A checked copy of ``backup`` as the database ``to``, with no job in anybody's hands.

    What stood there before is kept under another name, beside it. An encrypted backup gives a
    database with the same key.
    """
    used = key_for(str(backup), key)
    if not migrate.inspect(str(backup), used):
        raise errors.NotFound(f"There is no backup at {backup}", remedy="Name the file of a backup")
    if not force and _leftovers(to):
        raise exists_error(to)
    with UnfinishedFile(to) as unfinished:
        with _reading(backup, used) as conn, explaining(backup):
            migrate.refuse_foreign(conn, str(backup))
            secret = used.for_file(str(backup)) if used else ""
            _copy(conn, unfinished.path, progress, secret)
        released = _release(unfinished.path, used)
        with _reading(unfinished.path, used) as conn:
            spaces = _space_names(conn)
        copy = examine(unfinished.path, backup, used)
        with alone(to, key):
            aside = _set_aside(to, now)
            unfinished.put(replace=True)
    return Restored(str(to), str(backup), copy.schema, copy.counts, spaces, released, aside)


def refuse_logs(target: Path) -> None:
    """A log beside a file would be taken for that of whatever stands there next."""
    if log := next((f for f in _leftovers(target) if f != target), None):
        raise errors.Conflict(
            f"{log} belongs to a database that is in use, or was when its program died",
            remedy="Choose another name for the backup",
        )


# --- copying ------------------------------------------------------------------------------------


def _copy(source: apsw.Connection, target: Path, progress: PageProgress, secret: str) -> None:
    """Copy the snapshot of ``source``; damage is its own, any other failure the new file's."""
    remove_logs(target)  # of one who was killed
    try:
        with contextlib.closing(connect(str(target), secret=secret)) as copy:
            # A file nobody knows of needs no journal, and is made durable when it is whole.
            copy.execute("PRAGMA journal_mode = OFF")
            copy.execute("PRAGMA synchronous = OFF")
            with copy.backup("main", source, "main") as backup:
                while not backup.done:
                    backup.step(_STEP)
                    progress(backup.page_count - backup.remaining, backup.page_count)
    except _BROKEN:
        raise
    except apsw.Error as error:
        raise explain(error, str(target)) from error


def examine(copy: Path, original: Path, key: FileKey | None = None) -> Backup:
    """What a copy holds, after SQLite has found nothing wrong with it."""
    with _reading(copy, key) as conn, explaining(original):
        problems = [str(row[0]) for row in conn.execute("PRAGMA integrity_check(5)")]
        if problems != ["ok"]:
            raise errors.StoreDamaged(
                f"The copy of {original} is damaged: {'; '.join(problems)}",
                remedy="It was removed; run `mnemic doctor --deep` on the database",
            )
        schema = int(conn.execute("PRAGMA user_version").get)
        pages = int(conn.execute("PRAGMA page_count").get)
        counts = MappingProxyType(count_rows(conn))
    return Backup(str(original), copy.stat().st_size, pages, schema, counts)


def count_rows(conn: apsw.Connection) -> dict[str, int]:
    return {table: int(conn.execute(f"SELECT count(*) FROM {table}").get) for table in _COUNTED}


def compare_counts(copy: Backup, counts: dict[str, int]) -> None:
    """Raise where a copy does not hold as many rows as what it was made from."""
    if dict(copy.counts) != counts:
        raise errors.StoreDamaged(
            f"The copy for {copy.path} holds {copy.counts} instead of {counts}",
            remedy="Nothing was left behind; check the disk, and call again",
        )


def remove_logs(file: Path) -> None:
    """What stands beside a database that nobody has open."""
    for log in _leftovers(file):
        if log != file:
            log.unlink()


@contextlib.contextmanager
def _reading(file: Path, key: FileKey | None) -> Iterator[apsw.Connection]:
    """A snapshot of a file that is left as it is, whatever log stands beside it."""
    readable = ReadOnlyFile(str(file), key)
    with explaining(file):
        conn = readable.connect().conn
    try:
        conn.execute("BEGIN")
        yield conn
    finally:
        conn.close(True)
        readable.close()


# --- restoring ----------------------------------------------------------------------------------


def _space_names(conn: apsw.Connection) -> tuple[str, ...]:
    """Those of a database of any version; what was forgotten shows since version 12."""
    columns = {str(row[1]) for row in conn.execute("PRAGMA table_info(spaces)")}
    held = "WHERE forgotten_at IS NULL" if "forgotten_at" in columns else ""
    return tuple(str(name) for (name,) in conn.execute(f"SELECT name FROM spaces {held}"))


def _release(copy: Path, key: FileKey | None) -> int:
    """Give back the jobs and steps that were in hand when the backup was made, each its try."""
    conn = connect(str(copy), secret=key.for_file(str(copy)) if key else "")
    with contextlib.closing(conn), explaining(copy):
        conn.execute("PRAGMA journal_mode = MEMORY")
        with conn:
            conn.execute(
                "UPDATE OR IGNORE jobs SET state = 'ready', attempts = attempts - 1,"
                " lease_owner = '', lease_until = NULL WHERE state = 'running'"
            )
            released = conn.changes()
            conn.execute("DELETE FROM jobs WHERE state = 'running'")
            released += conn.changes()
            for table, change in _OUTSIDE.items():
                if conn.table_exists("main", table):
                    conn.execute(f"UPDATE {table} SET {change}")
        conn.execute("PRAGMA journal_mode = WAL")
        return released


@contextlib.contextmanager
def alone(place: Path, key: FileKey | None) -> Iterator[apsw.Connection | None]:
    """Nobody else has the database open, and all that its log held is in the file. A damaged one,
    or what is none, cannot be asked; it is taken as it is, without a connection.
    """
    key = key_for(str(place), key)
    try:
        ours = migrate.inspect(str(place), key) > 0
    except errors.WrongKey:
        raise
    except errors.StoreError:
        ours = False
    if not ours:
        yield None
        return
    secret = key.for_file(str(place)) if key else ""
    conn = connect(str(place), apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI, secret)
    try:
        conn.set_busy_timeout(_WAIT)
        with contextlib.suppress(*_BROKEN):
            # Leaving WAL needs the file for oneself and removes the log; whoever opens it in
            # this moment waits for the transaction, and finds the old file without a log.
            conn.execute("PRAGMA journal_mode = DELETE")
            conn.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT").fetchall()
        yield conn
    except (apsw.BusyError, apsw.LockedError) as error:
        raise errors.StoreBusy(
            f"{place} is in use", remedy="Close the programs that have it open, then call again"
        ) from error
    except apsw.Error as error:
        raise explain(error, str(place)) from error
    finally:
        conn.close()


def _set_aside(place: Path, now: datetime) -> str:
    """Give what stands there, and its logs, a second name; the name, or nothing."""
    leftovers = _leftovers(place)
    if not leftovers:
        return ""
    marks = (f"-{number}" if number else "" for number in itertools.chain([0], itertools.count(2)))
    names = (
        f"{place.stem}.before-restore-{now:%Y%m%d-%H%M%S}{mark}{place.suffix}" for mark in marks
    )
    aside = next(free for name in names if not _leftovers(free := place.with_name(name)))
    with explain_errors(place, "kept aside"):
        for file in leftovers:
            name = aside.with_name(aside.name + file.name.removeprefix(place.name))
            try:
                name.hardlink_to(file)  # so that the database is never without a name
            except OSError:  # a disk without hard links
                file.rename(name)
        for file in leftovers:
            if file != place:
                file.unlink(missing_ok=True)
        sync_folder(place.parent)
    return str(aside)


def _leftovers(place: Path) -> list[Path]:
    """The file and its logs, as far as they exist."""
    files = [place, *(place.with_name(place.name + log) for log in _LOGS)]
    return [file for file in files if os.path.lexists(file)]


# --- another key ----------------------------------------------------------------------------------


def rewrite(file: Path, old: FileKey | None, new: FileKey | None) -> Backup:
    """Give a database another key, or none; what it holds now, after it was checked.

    It is whole under its name at every moment: the new file is written beside it, checked and made
    durable, and then renamed. Nobody else has the database open meanwhile.
    """
    check_key(str(file), old)
    if not migrate.inspect(str(file), old):
        raise errors.NotFound(f"There is no memory at {file}", remedy="Give the path of a database")
    with UnfinishedFile(file) as unfinished, alone(file, old) as conn:
        assert conn is not None  # it was looked at before
        secret = new.for_file(str(unfinished.path)) if new else ""
        name = f"file:{quote(str(unfinished.path))}?cipher={CIPHER}&key={secret}"
        with explaining(file):
            conn.execute("VACUUM INTO ?", (name,))
        copy = examine(unfinished.path, file, new)
        compare_counts(copy, count_rows(conn))
        with explain_errors(file, "replaced"), file.open("r+b") as former:
            unfinished.put(replace=True)
            if old is None:
                _overwrite(former.fileno())
            sync_folder(file.parent)
    return copy


def _overwrite(handle: int) -> None:
    """Zeroes over the plain pages, unless the file has another name that somebody wants."""
    status = os.fstat(handle)
    if status.st_nlink:
        return
    for start in range(0, status.st_size, _CHUNK):
        os.lseek(handle, start, os.SEEK_SET)
        os.write(handle, bytes(min(_CHUNK, status.st_size - start)))
    os.fsync(handle)
