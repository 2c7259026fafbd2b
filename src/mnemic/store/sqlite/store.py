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
from mnemic.store.rows import MAX_SPACES, NOBODY
from mnemic.store.sql import text_columns
from mnemic.store.sql.cleanup import SqlCleanup
from mnemic.store.sql.counters import SqlCounters
from mnemic.store.sql.document_states import SqlDocumentStates
from mnemic.store.sql.echoes import SqlEchoes
from mnemic.store.sql.journal import SqlJournal
from mnemic.store.sql.names import SqlNames
from mnemic.store.sql.postings import TextStats
from mnemic.store.sql.replies import SqlReplies
from mnemic.store.sql.runs import SqlCards, SqlOnboardings, SqlRuns
from mnemic.store.sql.scratchpads import SqlScratchpads
from mnemic.store.sql.tasks import SqlTasks
from mnemic.store.sql.tiers import SqlTiers
from mnemic.store.sql.together import Together
from mnemic.store.sql.unit import UnitPart, simple
from mnemic.store.sqlite import backup, compaction, health, migrate, text
from mnemic.store.sqlite.connection import MEMORY, Database
from mnemic.store.sqlite.jobs import SqliteQueue
from mnemic.store.sqlite.records import (
    SqliteAttachments,
    SqliteEpisodes,
    SqliteEraser,
    SqliteLedger,
    SqliteMemories,
)
from mnemic.store.sqlite.text import SqliteText
from mnemic.store.sqlite.transfer import SqliteTransfer
from mnemic.store.sqlite.vectors import SqliteVectors
from mnemic.types import Backup, Finding, PageProgress, Stats

_KEYS = (
    "SELECT DISTINCT key, iif(key IN (SELECT value FROM json_each(?)), atom, '')"
    " FROM events, json_tree(payload) WHERE typeof(key) = 'text'"
)


class SqliteUnit:
    """All parts of one space on one connection."""

    def __init__(self, conn: apsw.Connection, space: int, text_stats: TextStats) -> None:
        self.conn = conn
        self.space = space
        self.text_stats = text_stats

    ledger = simple(SqliteLedger)
    memories = simple(SqliteMemories)
    episodes = simple(SqliteEpisodes)
    scratchpads = simple(SqlScratchpads)
    echoes = simple(SqlEchoes)
    document_states = simple(SqlDocumentStates)
    attachments = simple(SqliteAttachments)
    journal = simple(SqlJournal)
    text = UnitPart(SqliteText)
    vectors = simple(SqliteVectors)
    tasks = simple(SqlTasks)
    tiers = simple(SqlTiers)
    runs = simple(SqlRuns)
    cards = simple(SqlCards)
    onboarding = simple(SqlOnboardings)
    eraser = UnitPart(SqliteEraser)
    names = simple(SqlNames)
    cleanup = simple(SqlCleanup)
    counters = simple(SqlCounters)
    transfer = simple(SqliteTransfer)
    replies = simple(SqlReplies)


class _Writing:
    """One write transaction of a space. Every turn passes here: a generator would cost more."""

    __slots__ = ("_conn", "_known", "_number", "_space", "_store")

    def __init__(self, store: SqliteStore, space: str) -> None:
        self._store = store
        self._space = space

    def __enter__(self) -> SqliteUnit:
        store = self._store
        self._known = self._space in store.numbers
        conn = self._conn = store.database.begin()
        try:
            number = store.numbers[self._space] if self._known else store.create(conn, self._space)
        except BaseException as error:
            store.database.abandon(conn, error)
            raise
        self._number = number
        return SqliteUnit(conn, number, store.text_stats)

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
        if not self._known:
            self._store.numbers[self._space] = self._number


class SqliteStore:
    """One file."""

    def __init__(
        self,
        path: str,
        *,
        busy_timeout: float,
        now: Callable[[], datetime],
        read_only: bool = False,
    ) -> None:
        self.path = path
        self._now = now
        self.numbers: dict[str, int] = {}
        self.text_stats = TextStats()
        self._together: Together[SqliteUnit] = Together()
        self.database = Database(path, busy_timeout, read_only=read_only)
        self.queue = SqliteQueue(self.database)
        migrate.prepare(self.database, codec.to_micros(now()))

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written, so that nobody should try."""
        return self.database.read_only

    @contextlib.contextmanager
    def read(self, space: str) -> Iterator[SqliteUnit]:
        joined = self._together.of(space)
        if joined is not None:
            yield joined
            return
        with self.database.read() as conn:
            yield SqliteUnit(conn, self._number(conn, space), self.text_stats)

    def write(self, space: str) -> AbstractContextManager[SqliteUnit]:
        joined = self._together.of(space)
        return _Writing(self, space) if joined is None else self._together.joined(joined)

    def together(self, space: str) -> AbstractContextManager[SqliteUnit]:
        return self._together.begin(space, _Writing(self, space))

    def stats(self, space: str) -> Stats:
        with self.database.read() as conn:
            number = self._number(conn, space)
            return health.stats(conn, self.path, space, number)

    def check(self, space: str, *, deep: bool) -> list[Finding]:
        with self.database.read() as conn:
            return health.check(conn, self.path, self._number(conn, space), deep=deep)

    def spaces(self) -> list[str]:
        with self.database.read() as conn:
            return [name for (name,) in conn.execute("SELECT name FROM spaces ORDER BY space")]

    def clear_text_index(self) -> None:
        """Start the text index afresh, for all spaces; what to index comes from the records."""
        with self.database.write() as conn:
            text.recreate(conn)

    def index_vectors(self, space: str, embedder: int) -> None:
        """Nothing to build: vectors are searched in memory."""

    def compact(self) -> None:
        """Leave no byte of removed records in the file: not in the index, free pages or the log."""
        compaction.compact(self.database)

    def settle(self) -> None:
        """Bring the log into the file and empty it."""
        compaction.settle(self.database)

    def vocabulary(self, space: str) -> Iterator[str]:
        """Every term of the text index, of all spaces."""
        with self.database.read() as conn:
            yield from compaction.vocabulary(conn)

    def names(self, space: str) -> list[str]:
        """Every name that may stand in the file beside what people said."""
        with self.database.read() as conn:
            schema = conn.execute("SELECT DISTINCT sql FROM sqlite_schema WHERE sql NOT NULL")
            return [*text_columns.names(conn, _KEYS), *(str(sql) for (sql,) in schema)]

    def backup(
        self, target: Path, *, replace: bool, patience: float, progress: PageProgress
    ) -> Backup:
        return backup.back_up(
            self.database, target, replace=replace, patience=patience, progress=progress
        )

    def is_backup(self, file: Path) -> bool:
        return backup.is_backup_of(self, file)

    def made_at(self) -> int:
        with self.database.read() as conn:
            return backup.schema_made_at(conn)

    def close(self) -> None:
        self.database.close()

    def _number(self, conn: apsw.Connection, space: str) -> int:
        """The number of a space; one that was never written to has nobody's."""
        cached = self.numbers.get(space)
        if cached is not None:
            return cached
        stored = conn.execute("SELECT space FROM spaces WHERE name = ?", (space,)).get
        return NOBODY if stored is None else int(stored)

    def create(self, conn: apsw.Connection, space: str) -> int:
        stored = conn.execute("SELECT space FROM spaces WHERE name = ?", (space,)).get
        if stored is not None:
            return int(stored)
        number = int(conn.execute("SELECT ifnull(max(space), -1) + 1 FROM spaces").get)
        if number >= MAX_SPACES:
            raise StoreError(
                f"{self.path} already holds {MAX_SPACES} spaces", remedy="Open another file"
            )
        conn.execute(
            "INSERT INTO spaces VALUES (?, ?, ?)", (number, space, codec.to_micros(self._now()))
        )
        return number


def open_sqlite(
    path: str, *, busy_timeout: float, now: Callable[[], datetime], read_only: bool = False
) -> SqliteStore:
    """Open or create the file, and its folder; ``read_only`` changes no byte of it."""
    if path != MEMORY:
        path = str(Path(path).expanduser())
        if not read_only:
            _make_folder(Path(path))
    return SqliteStore(path, busy_timeout=busy_timeout, now=now, read_only=read_only)


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
