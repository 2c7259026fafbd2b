"""Bring a file to the schema this code knows: forward only, one transaction per version.

A file that is not ours, or is from a newer Mnemic, is refused without a byte changed.
"""

from __future__ import annotations

import contextlib
import struct
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

import apsw

from mnemic import errors, private
from mnemic.late import data_of
from mnemic.store.sql.part import SqlConnection
from mnemic.store.sqlite import connection
from mnemic.store.sqlite.connection import MEMORY, Database, explain
from mnemic.store.sqlite.keys import MAGIC, FileKey, check_key, is_encrypted
from mnemic.store.sqlite.readonly import ReadOnlyFile, connect, is_writable, size_of

LATEST = 14
SchemaObjects: TypeAlias = dict[tuple[str, str], str]
"""Statements that made a schema, by type and name of the object."""
# SHA-256 of the objects of the latest schema, so that an open need not make one to compare with.
DIGEST = "b8a69b5e9f1e5d4e4f5cf7f19a69bd484132abb40b42e8c4b9b0fd2926ea88f1"
_STATISTICS = ("sqlite_stat1", "sqlite_stat4")  # of ANALYZE
APPLICATION_ID = 0x4D6E656D  # "Mnem"
_WAL_MAGICS = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
# The magic, the version at 60, the application at 68; then the first page's kind and cells.
_HEADER = struct.Struct(">16s 44x i 4x i 28x B 2x H")
_LEAF = 13
_PAUSES = (0.01, 0.05, 0.2)  # seconds before a file that seems to be no memory is looked at again


def prepare(database: Database, now: int) -> None:
    """Make sure the file exists, is ours, and has the latest schema."""
    state = inspect(database.path, database.key)
    if state:
        with database.read() as conn:
            refuse_foreign(conn, database.path)
    if state == LATEST and (database.read_only or not _lacks_wal(database.path)):
        return
    if database.read_only:
        raise errors.StoreReadOnly(
            f"{database.path} has schema {state} and cannot be brought to {LATEST}: it is open for"
            " reading only",
            remedy="Open it once where it can be written, or open a copy",
        )
    deadline = time.monotonic() + 60
    while True:
        try:
            _use_wal(database)
            state = state or _create(database, now)
            for version in range(state + 1, LATEST + 1):
                _apply(database, version, now)
            return
        except errors.StoreBusy:
            # Several processes creating one file at once: switching to WAL has no busy handler.
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        except errors.WrongKey:
            # Another process made the file meanwhile, with a salt of its own.
            if state or time.monotonic() > deadline:
                raise
            database.start_over()


def inspect(path: str, key: FileKey | None = None) -> int:
    """The schema version of a file (0 when it is new or empty), without changing it."""
    for pause in _PAUSES:
        try:
            return _inspect(path, key)
        except (errors.NotADatabase, errors.StoreDamaged):
            time.sleep(pause)  # another process may be writing the first page just now
    return _inspect(path, key)


def _inspect(path: str, key: FileKey | None) -> int:
    # Looked for before the header is read: what a log held that is gone by then is in the file.
    has_log = any(size_of(f"{path}{log}") for log in ("-wal", "-journal"))
    header = b"" if path == MEMORY else _header(path)
    if not header:
        return 0
    check_key(path, key)
    if not (header.startswith(MAGIC) or _has_wal(path) or is_encrypted(path)):
        raise _not_sqlite(path)
    if len(header) == _HEADER.size and not has_log and key is None:
        _, version, application, kind, cells = _HEADER.unpack(header)
        tables = int(kind != _LEAF or cells > 0)
    else:
        with connection.passing:
            application, version, tables = _look(path, key)
    if application != APPLICATION_ID and (application or tables):
        raise errors.NotADatabase(
            f"{path} is a SQLite database of another program",
            remedy="Choose another file with --db or MNEMIC_DB",
        )
    if version > LATEST:
        raise errors.SchemaTooNew(
            f"{path} has schema {version}, this Mnemic knows {LATEST}",
            remedy="Upgrade with `pip install -U mnemic`; the file was left untouched",
        )
    if version < 0 or (tables and not version):
        raise errors.StoreDamaged(
            f"{path} has tables but says its schema is {version}",
            remedy="It was left as it is; restore a backup",
        )
    return int(version)


def refuse_foreign(conn: apsw.Connection, path: str) -> None:
    """Raise where the schema has anything that its version was not made with."""
    foreign = foreign_objects(conn)
    if foreign:
        raise errors.NotADatabase(
            f"{path} has a schema that Mnemic did not make: {', '.join(foreign)}",
            remedy="It was left untouched. Restore a backup of your own; if you made these changes"
            " yourself, take them back with the sqlite3 command",
        )


def foreign_objects(conn: SqlConnection) -> list[str]:
    """What the schema has too much or otherwise, each with its type."""
    objects = objects_of(conn)
    if digest_of(objects) == DIGEST:
        return []
    ours = _make_objects(int(conn.execute("PRAGMA user_version").get))
    return [f"{key[0]} {key[1]}" for key, sql in sorted(objects.items()) if ours.get(key) != sql]


def digest_of(objects: SchemaObjects) -> str:
    """What tells one schema from another."""
    return sha256(repr(sorted(objects.items())).encode()).hexdigest()


def objects_of(conn: SqlConnection) -> SchemaObjects:
    """The words each object was made with; none for what SQLite makes by itself."""
    rows = conn.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    return {(type_, name): sql for type_, name, sql in rows if name not in _STATISTICS}


def _make_objects(version: int) -> SchemaObjects:
    """The schema of a version, made anew."""
    with contextlib.closing(apsw.Connection(MEMORY)) as conn:
        for number in range(1, version + 1):
            conn.execute(_script(f"{number:04d}"))
            _note(conn, [number], 0)
        return objects_of(conn)


def _look(path: str, key: FileKey | None) -> tuple[int, int, int]:
    """The application and version by SQLite, needed only where there may be a log."""
    readable = ReadOnlyFile(path, key)
    secret = key.for_file(path) if key else ""
    try:
        conn = connect(path, secret=secret) if is_writable(path) else readable.connect().conn
    except apsw.Error as error:
        raise explain(error, path) from error
    try:
        conn.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        conn.set_busy_timeout(10_000)
        return (
            int(conn.execute("PRAGMA application_id").get),
            int(conn.execute("PRAGMA user_version").get),
            int(conn.execute("SELECT count(*) FROM sqlite_schema").get),
        )
    except apsw.NotADBError as error:
        raise (explain(error, path) if is_encrypted(path) else _not_sqlite(path)) from error
    except apsw.Error as error:
        raise explain(error, path) from error
    finally:
        conn.close()
        readable.close()


def _header(path: str) -> bytes:
    """How the database begins; nothing for a file that is empty or not there."""
    try:
        with Path(path).open("rb") as file:
            header = file.read(_HEADER.size)
    except FileNotFoundError:
        return b""
    except IsADirectoryError as error:
        raise errors.StoreUnavailable(
            f"{path} is a folder", remedy="Name a file in it, such as memory.db"
        ) from error
    except PermissionError as error:
        raise errors.StoreReadOnly(
            f"{path} cannot be read", remedy="Give read and write permission on the file"
        ) from error
    except OSError as error:
        raise errors.StoreUnavailable(
            f"{path} cannot be opened: {error}", remedy="Choose another with --db or MNEMIC_DB"
        ) from error
    return header


def _has_wal(path: str) -> bool:
    """Whether SQLite's log stands beside: where the power failed while its first page was being
    written back, the file begins with anything, and the log still has that page.
    """
    try:
        with Path(f"{path}-wal").open("rb") as file:
            return file.read(len(_WAL_MAGICS[0])) in _WAL_MAGICS
    except OSError:
        return False


def _lacks_wal(path: str) -> bool:
    """Whether another program left the file with a rollback journal, which blocks readers."""
    if path == MEMORY:
        return False
    header = _header(path)
    ours = header.startswith(MAGIC) or is_encrypted(path)
    return ours and header[18:20] == b"\x01\x01"  # both are 2 with a WAL


def _not_sqlite(path: str) -> errors.NotADatabase:
    return errors.NotADatabase(
        f"{path} is not a SQLite database", remedy="Choose another file; this one was left alone"
    )


def _use_wal(database: Database) -> None:
    if database.path != MEMORY:
        # SQLite gives the files it makes beside this one the same mode.
        with contextlib.suppress(OSError):  # SQLite will say what is the matter
            private.create_empty(Path(database.path))
        with database.alone() as conn:
            conn.execute("PRAGMA journal_mode = WAL")


def _create(database: Database, now: int) -> int:
    """Make the latest schema at once, faster than column by column; the version it has then."""
    with database.write() as conn:
        existing = int(conn.execute("PRAGMA user_version").get)
        if existing:
            return existing  # another process was first
        conn.execute(_script("latest"))
        _note(conn, range(1, LATEST + 1), now)
        return LATEST


def _apply(database: Database, version: int, now: int) -> None:
    with database.write() as conn:
        if conn.execute("PRAGMA user_version").get >= version:
            return  # another process was first
        conn.execute(_script(f"{version:04d}"))
        _note(conn, [version], now)


def _script(name: str) -> str:
    return data_of("mnemic.store.sqlite").joinpath("schema", f"{name}.sql").read_text("utf-8")


def _note(conn: apsw.Connection, versions: Sequence[int], now: int) -> None:
    conn.execute(
        "CREATE TABLE IF NOT EXISTS migrations ("
        "version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT"
    )
    rows = [(version, now) for version in versions]
    conn.executemany("INSERT INTO migrations VALUES (?, ?)", rows)
    conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    conn.execute(f"PRAGMA user_version = {versions[-1]}")
