"""The SQLite store: spaces, units of work, and how the file is doing."""

from __future__ import annotations

import contextlib
import errno
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw

from mnemic import private
from mnemic.errors import StoreBusy, StoreError, StoreReadOnly, StoreUnavailable
from mnemic.store import codec
from mnemic.store.contract import Store, Unit
from mnemic.store.rows import MAX_SPACES
from mnemic.store.sql import text_columns
from mnemic.store.sql.part import SqlConnection, read_statements
from mnemic.store.sql.queue import JOB, SqlQueue
from mnemic.store.sql.transfer import SqlTransfer, duplicate, misfit, missing
from mnemic.store.sql.unit import UnitPart
from mnemic.store.sqlite import migrate
from mnemic.store.sqlite.backup import back_up
from mnemic.store.sqlite.connection import MEMORY, Database
from mnemic.store.sqlite.keys import FileKey
from mnemic.store.sqlite.readonly import size_of
from mnemic.store.sqlite.terms import FtsTerms
from mnemic.store.transfer import Cells, MovedTable
from mnemic.types import Finding, Job

_LOW_SPACE = 256 << 20
_LARGE_WAL = 256 << 20
_IN_MEMORY = 256 << 20  # a larger file is written anew by way of the disk
_SQL = read_statements("sqlite/store")
# The first job that may run now, by what is asked for.
_NEXT = {
    name.removeprefix("next "): _SQL["first"].format(condition)
    for name, condition in _SQL.items()
    if name.startswith("next ")
}


class SqliteTransfer(SqlTransfer):
    """Moving the rows of one space on one connection."""

    @contextlib.contextmanager
    def refusing(self, table: MovedTable, row: Cells) -> Iterator[None]:
        """A statement that a constraint forbids has changed nothing."""
        try:
            yield
        except apsw.ConstraintError as error:
            message = str(error)
            if message.startswith("NOT NULL"):
                raise missing(table, row, message.rpartition(".")[2]) from error
            if message.startswith("UNIQUE"):
                raise duplicate(table, row) from error
            raise misfit(table, row, message) from error


class SqliteQueue(SqlQueue):
    """Claiming and settling jobs in a file, whose writers wait for each other."""

    def claim(
        self, owner: str, now: datetime, lease_until: datetime, space: str | None = None
    ) -> Job | None:
        moment = codec.to_micros(now)
        values = {"now": moment, "owner": owner, "lease": codec.to_micros(lease_until)}
        # Read before the write lock is taken: an idle worker must not disturb writers.
        with self._store.read_queue() as conn:
            if not conn.execute(_SQL["any_due"], values).get:
                return None
        with self._store.write_queue() as conn:
            claimed = self._find_next(conn, values, space)
            if claimed is None:
                return None
            conn.execute(_SQL["take"], {**values, "id": claimed})
            (row,) = conn.execute(f"SELECT {JOB.columns} {_SQL['job']}", (claimed,)).fetchall()
            return JOB.read(row)

    def _find_next(
        self, conn: SqlConnection, values: dict[str, Any], space: str | None
    ) -> str | None:
        """The id of the job to take: of the space that has waited longest for its turn."""
        claimed: str | None
        if space is not None:
            bindings = {**values, "space": self._store.number_of(conn, space)}
            claimed = conn.execute(_NEXT["of_space"], bindings).get
            return claimed
        claimed = conn.execute(_NEXT["lapsed"], values).get
        if claimed is not None:
            return claimed
        for number in self._round.turns(conn, int(values["now"])):
            claimed = conn.execute(_NEXT["due"], {**values, "space": number}).get
            self._round.mark_served(number, again=claimed is not None)
            if claimed is not None:
                return claimed
        claimed = conn.execute(_NEXT["any"], values).get
        return claimed  # what a clock that went back has left


class SqliteUnit(Unit):
    """All parts of one space on one connection; vectors are searched in memory, unindexed."""

    make_index = FtsTerms
    cosine = "1 - vec_distance_cosine(v.vector, :vector)"
    tables = _SQL["tables"]
    transfer = UnitPart(SqliteTransfer)

    def overwrite(self) -> None:
        self.conn.execute("PRAGMA secure_delete = ON")


class _Writing:
    """One write transaction of a space. Every turn passes here: a generator would cost more."""

    __slots__ = ("_conn", "_space", "_store")

    def __init__(self, store: SqliteStore, space: str) -> None:
        self._store = store
        self._space = space

    def __enter__(self) -> SqliteUnit:
        store = self._store
        conn = self._conn = store.database.begin()
        try:
            number = store.create(conn, self._space)
            store.check_pinned(self._space, number)
        except BaseException as error:
            store.database.abandon(conn, error)
            raise
        return SqliteUnit(conn, number, store)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self._store.database.abandon(self._conn, error)
            return
        self._store.database.commit(self._conn)


class SqliteStore(Store):
    """One file."""

    def __init__(
        self,
        path: str,
        *,
        busy_timeout: float,
        now: Callable[[], datetime],
        read_only: bool = False,
        key: FileKey | None = None,
    ) -> None:
        """Open or create the file, and its folder; ``read_only`` changes no byte of it."""
        super().__init__(now)
        if path != MEMORY:
            path = str(Path(path).expanduser())
            if not read_only:
                _make_folder(Path(path))
        self.path = path
        self.database = Database(path, busy_timeout, read_only=read_only, key=key)
        self.key = self.database.key
        self.queue = SqliteQueue(self)
        migrate.prepare(self.database, codec.to_micros(now()))
        self.database.prepare_writer(note_changes)

    @property
    def read_only(self) -> bool:
        return self.database.read_only

    @contextlib.contextmanager
    def open_read(self, space: str) -> Iterator[SqliteUnit]:
        with self.database.read() as conn:
            yield SqliteUnit(conn, self.owner_of(conn, space), self, reading=True)

    def open_write(self, space: str) -> AbstractContextManager[SqliteUnit]:
        return _Writing(self, space)

    def read_queue(self) -> AbstractContextManager[SqlConnection]:
        return self.database.read()

    def write_queue(self) -> AbstractContextManager[SqlConnection]:
        return self.database.write()

    def enter(self, conn: SqlConnection, space: str) -> SqliteUnit:
        return SqliteUnit(conn, self.owner_of(conn, space), self)

    def size(self) -> int:
        return size_of(self.path) + size_of(f"{self.path}-wal")

    def check(self, space: str, *, deep: bool) -> list[Finding]:
        with self.read(space) as unit:
            findings = [_check_schema(unit.conn), self._check_disk(), self._check_log()]
            findings += unit.cleanup.findings((apsw.Error,))
            return [_check_integrity(unit.conn), *findings] if deep else findings

    def _check_disk(self) -> Finding:
        folder = Path(self.path).parent
        free = shutil.disk_usage(folder).free if folder.is_dir() else _LOW_SPACE
        ok = free >= _LOW_SPACE
        return Finding("disk", ok, f"{free >> 20} MiB free", "" if ok else "Free some disk space")

    def _check_log(self) -> Finding:
        size = size_of(f"{self.path}-wal")
        ok = size < _LARGE_WAL
        remedy = "" if ok else "A long-running reader keeps it; restart that process"
        return Finding("write-ahead log", ok, f"{size >> 10} KiB", remedy)

    def clear_text_index(self) -> None:
        with self.database.write() as conn:
            definition = conn.execute(_SQL["text_index"]).get
            conn.execute("DROP TABLE text_index")
            conn.execute(str(definition))
            conn.execute("DELETE FROM text_terms")

    def compact(self) -> None:
        """Leave no byte of removed records in the file: not in the index, free pages or the log.

        Terms stay in segments of the text index until they are merged, pages that were split or
        freed keep old bytes, and the log keeps whole pages. So the index is merged into one
        segment, the file is written anew from its live rows, and the log is brought into it.
        """
        with self.database.write() as conn:
            conn.execute("PRAGMA secure_delete = ON")
            conn.execute("INSERT INTO text_index (text_index) VALUES ('optimize')")
        large = self.path != MEMORY and size_of(self.path) > _IN_MEMORY
        with self.database.alone() as conn:
            conn.execute(f"PRAGMA temp_store = {'FILE' if large else 'MEMORY'}")
            try:
                conn.execute("VACUUM")
            finally:
                conn.execute("PRAGMA temp_store = MEMORY")
        self.settle()

    def settle(self) -> None:
        """Bring the log into the file and empty it; a reader elsewhere can be in the way."""
        if self.path == MEMORY:
            return
        with self.database.alone() as conn:
            # What is deleted after this is as good as any other; only forgetting pays for zeroes.
            conn.execute("PRAGMA secure_delete = OFF")
            ((busy, _, _),) = conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            if busy:
                raise StoreBusy(
                    f"Another reader of {self.path} keeps the write-ahead log, which still has old"
                    " pages",
                    remedy="Close the other program; the work is finished at the next start, or"
                    " call again",
                )

    def vocabulary(self, space: str) -> Iterator[str]:
        with self.database.read() as conn:
            conn.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, text_index, row)")
            try:
                for (term,) in conn.execute("SELECT term FROM temp.terms"):
                    yield str(term)
            finally:
                conn.execute("DROP TABLE temp.terms")

    def names(self, space: str) -> list[str]:
        with self.database.read() as conn:
            schema = conn.execute("SELECT DISTINCT sql FROM sqlite_schema WHERE sql NOT NULL")
            return [
                *text_columns.names(conn, _SQL["payload_keys"]),
                *(str(sql) for (sql,) in schema),
            ]

    backup = back_up

    def close(self) -> None:
        self.database.close()

    def create(self, conn: SqlConnection, space: str) -> int:
        """The number of a space, a new one for a space that is not there."""
        stored = self.number_of(conn, space)
        if stored is not None:
            return stored
        number = int(conn.execute("SELECT ifnull(max(space), -1) + 1 FROM spaces").get)
        if number >= MAX_SPACES:
            raise StoreError(
                f"{self.path} already holds {MAX_SPACES} spaces", remedy="Open another file"
            )
        row = (number, space, codec.to_micros(self.now()))
        conn.execute("INSERT INTO spaces VALUES (?, ?, ?, NULL)", row)
        return number


def _make_folder(file: Path) -> None:
    try:
        private.make_folder(file.parent)
        file.exists()  # a name that the system does not take is refused here
    except OSError as error:
        refused = isinstance(error, PermissionError) or error.errno == errno.EROFS
        kind = StoreReadOnly if refused else StoreUnavailable
        raise kind(
            f"The folder of {file} cannot be made: {error}",
            remedy="Choose another place with --db or MNEMIC_DB",
        ) from error


def _check_integrity(conn: SqlConnection) -> Finding:
    try:
        # FTS5 would judge by what this connection last saw of the index; a query looks afresh.
        conn.execute("SELECT 1 FROM text_index WHERE text_index MATCH 'x' LIMIT 1").fetchall()
        problems = [str(row[0]) for row in conn.execute("PRAGMA integrity_check(20)")]
    except apsw.Error as error:
        problems = [str(error)]
    ok = problems == ["ok"]
    remedy = "" if ok else "Copy the file away, then restore a backup"
    return Finding("integrity", ok, "; ".join(problems), remedy)


def _check_schema(conn: SqlConnection) -> Finding:
    version = int(conn.execute("PRAGMA user_version").get)
    foreign = migrate.foreign_objects(conn)
    detail = f"{version} of {migrate.LATEST}"
    if foreign:
        detail += f"; not made by Mnemic: {', '.join(foreign)}"
    remedy = "Find out who changed the file, and restore a backup of your own" if foreign else ""
    return Finding("schema", version == migrate.LATEST and not foreign, detail, remedy)


# What stands for a row. A session is noted by its number, since its id is a name that people gave;
# a table with few rows is noted as a whole.
_KEYS = {
    "sessions": "{}.number",
    "memory_sources": "{0}.memory || char(31) || {0}.turn",
    **dict.fromkeys("turns memories episodes attachments".split(), "{}.id"),
    **dict.fromkeys("events daily_events usage".split(), "{}.id"),
    **dict.fromkeys("scratchpads document_choices onboarding counters".split(), "''"),
}
_TRIGGER = """
CREATE TEMP TRIGGER note_{name} AFTER {change} ON {table}
WHEN EXISTS (SELECT 1 FROM main.sync_devices WHERE space = {row}.space AND own = 1) BEGIN
    INSERT INTO sync_changes (space, tbl, key) VALUES ({row}.space, '{table}', {key})
    ON CONFLICT DO NOTHING;
END;
"""


def _list_triggers() -> Iterator[tuple[str, str]]:
    for table, key in _KEYS.items():
        for change, row in (("INSERT", "new"), ("UPDATE", "new"), ("UPDATE", "old"),
                            ("DELETE", "old")):  # fmt: skip
            noted, name = key.format(row), f"{table}_{change}_{row}"
            when = change
            if table == "sessions" and row == "old":  # its number no longer tells its old id
                when, noted = change.replace("UPDATE", "UPDATE OF id"), "''"
            elif change == "UPDATE" and row == "old" and table != "memory_sources":
                continue  # ids stay
            yield table, _TRIGGER.format(name=name, change=when, table=table, row=row, key=noted)


_TRIGGERS = tuple(_list_triggers())


def note_changes(conn: apsw.Connection) -> None:
    """Note which rows a connection changes from now on, so that an exchange with other devices need
    not look at them all; a damaged file may lack a table. By triggers of the connection, since
    those of a file are never run, and only where the space has a device to exchange from.
    """
    there = {name for (name,) in conn.execute("SELECT name FROM main.sqlite_schema")}
    conn.execute("".join(trigger for table, trigger in _TRIGGERS if table in there))
