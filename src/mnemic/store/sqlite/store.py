"""The SQLite store: spaces, units of work, and how the file is doing."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from types import TracebackType

import apsw

from mnemic import private
from mnemic.errors import StoreError, StoreReadOnly, StoreUnavailable
from mnemic.store import codec
from mnemic.store.contract import Store, Unit
from mnemic.store.rows import MAX_SPACES, NOBODY
from mnemic.store.sql import text_columns
from mnemic.store.sql.connection import SqlConnection
from mnemic.store.sql.transfer import SqlTransfer, misfit, missing, occupied
from mnemic.store.sql.unit import UnitPart
from mnemic.store.sqlite import backup, compaction, health, migrate
from mnemic.store.sqlite.changes import note_changes
from mnemic.store.sqlite.connection import MEMORY, Database
from mnemic.store.sqlite.jobs import SqliteQueue
from mnemic.store.sqlite.keys import FileKey
from mnemic.store.sqlite.terms import FTS
from mnemic.store.transfer import Cells, MovedTable
from mnemic.types import Backup, Finding, PageProgress, Stats

_KEYS = (
    "SELECT DISTINCT key, iif(key IN (SELECT value FROM json_each(?)), atom, '')"
    " FROM events, json_tree(payload) WHERE typeof(key) = 'text'"
)


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
                raise occupied(table, row) from error
            raise misfit(table, row, message) from error


class SqliteUnit(Unit):
    """All parts of one space on one connection. A copy of many vectors in memory is searched faster
    than any index of SQLite's, so there is none.
    """

    index = FTS
    cosine = "1 - vec_distance_cosine(v.vector, ?)"
    tables = (
        "SELECT m.name FROM sqlite_schema m, pragma_table_info(m.name) c"
        " WHERE m.type = 'table' AND c.name = 'space'"
    )
    notes_changes = True
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
        return SqliteUnit(conn, number, store.text_stats, store.admission)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
        super().__init__(now)
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
            number = self.number_of(conn, space)
            yield SqliteUnit(conn, NOBODY if number is None else number, self.text_stats)

    def open_write(self, space: str) -> AbstractContextManager[SqliteUnit]:
        return _Writing(self, space)

    def read_queue(self) -> AbstractContextManager[SqlConnection]:
        return self.database.read()

    def write_queue(self) -> AbstractContextManager[SqlConnection]:
        return self.database.write()

    def enter(self, conn: SqlConnection, space: str) -> SqliteUnit:
        number = self.number_of(conn, space)
        return SqliteUnit(conn, NOBODY if number is None else number, self.text_stats)

    def stats(self, space: str) -> Stats:
        with self.read(space) as unit:
            return health.stats(unit, self.size(), space)

    def size(self) -> int:
        return migrate.size_of(self.path) + migrate.size_of(f"{self.path}-wal")

    def check(self, space: str, *, deep: bool) -> list[Finding]:
        with self.read(space) as unit:
            return health.check(unit, self.path, deep=deep)

    def clear_text_index(self) -> None:
        with self.database.write() as conn:
            definition = conn.execute("SELECT sql FROM sqlite_schema WHERE name = 'text_index'").get
            conn.execute("DROP TABLE text_index")
            conn.execute(str(definition))
            conn.execute("DELETE FROM text_terms")

    def compact(self) -> None:
        """Leave no byte of removed records in the file: not in the index, free pages or the log."""
        compaction.compact(self.database)

    def settle(self) -> None:
        compaction.settle(self.database)

    def vocabulary(self, space: str) -> Iterator[str]:
        with self.database.read() as conn:
            yield from compaction.vocabulary(conn)

    def names(self, space: str) -> list[str]:
        with self.database.read() as conn:
            schema = conn.execute("SELECT DISTINCT sql FROM sqlite_schema WHERE sql NOT NULL")
            return [*text_columns.names(conn, _KEYS), *(str(sql) for (sql,) in schema)]

    def backup(
        self, target: Path, *, replace: bool, patience: float, progress: PageProgress
    ) -> Backup:
        return backup.back_up(
            self.database, target, replace=replace, patience=patience, progress=progress
        )

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
        conn.execute(
            "INSERT INTO spaces VALUES (?, ?, ?, NULL)",
            (number, space, codec.to_micros(self.now())),
        )
        return number


def open_sqlite(
    path: str,
    *,
    busy_timeout: float,
    now: Callable[[], datetime],
    read_only: bool = False,
    key: FileKey | None = None,
) -> SqliteStore:
    """Open or create the file, and its folder; ``read_only`` changes no byte of it."""
    if path != MEMORY:
        path = str(Path(path).expanduser())
        if not read_only:
            _make_folder(Path(path))
    return SqliteStore(path, busy_timeout=busy_timeout, now=now, read_only=read_only, key=key)


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
