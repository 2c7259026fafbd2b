"""The SQLite store: spaces, units of work, and how the file is doing."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import date, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Generic, Literal, TypeVar

import apsw

from recollect import private
from recollect.errors import StoreError, StoreReadOnly, StoreUnavailable
from recollect.store import codec
from recollect.store.rows import MAX_SPACES, NOBODY
from recollect.store.sqlite import backup, compaction, health, migrate, text, text_columns
from recollect.store.sqlite.attachments import SqliteAttachments
from recollect.store.sqlite.cleanup import SqliteCleanup
from recollect.store.sqlite.connection import MEMORY, Database
from recollect.store.sqlite.document_states import SqliteDocumentStates
from recollect.store.sqlite.echoes import SqliteEchoes
from recollect.store.sqlite.episodes import SqliteEpisodes
from recollect.store.sqlite.erasure import SqliteEraser
from recollect.store.sqlite.jobs import SqliteQueue, SqliteTasks
from recollect.store.sqlite.journal import SqliteJournal
from recollect.store.sqlite.ledger import SqliteLedger
from recollect.store.sqlite.memories import SqliteMemories
from recollect.store.sqlite.names import SqliteNames
from recollect.store.sqlite.postings import TextStats
from recollect.store.sqlite.runs import SqliteCards, SqliteOnboardings, SqliteRuns
from recollect.store.sqlite.scratchpads import SqliteScratchpads
from recollect.store.sqlite.text import SqliteText
from recollect.store.sqlite.tiers import SqliteTiers
from recollect.store.sqlite.transfer import SqliteTransfer
from recollect.store.sqlite.vectors import SqliteVectors
from recollect.types import Backup, Finding, PageProgress, Stats

_EPOCH = date(1970, 1, 1)
_DAY = 86_400_000_000  # microseconds


class SqliteCounters:
    """The counters of one space on one connection."""

    def __init__(self, conn: apsw.Connection, space: int) -> None:
        self._conn = conn
        self._space = space

    def add(self, day: date, amounts: Mapping[str, int]) -> None:
        self._conn.executemany(
            "INSERT INTO counters VALUES (?, ?, ?, ?) ON CONFLICT (space, day, name)"
            " DO UPDATE SET amount = amount + excluded.amount",
            [(self._space, day.isoformat(), name, amount) for name, amount in amounts.items()],
        )

    def totals(self, since: date | None) -> dict[str, int]:
        """The sums of all days from then on."""
        rows = self._conn.execute(
            "SELECT name, sum(amount) FROM counters WHERE space = ? AND day >= ? GROUP BY name",
            (self._space, "" if since is None else since.isoformat()),
        )
        return {str(name): int(amount) for name, amount in rows}

    def per_day(self, table: Literal["turns", "memories"], since: date) -> dict[date, int]:
        time = "at" if table == "turns" else "created_at"
        held = "" if table == "turns" else " AND status NOT IN ('pending', 'rejected')"
        rows = self._conn.execute(
            f"SELECT {time} / ?, count(*) FROM {table} WHERE space = ? AND {time} >= ?{held}"
            " GROUP BY 1",
            (_DAY, self._space, (since - _EPOCH).days * _DAY),
        )
        return {_EPOCH + timedelta(days=int(day)): int(count) for day, count in rows}

    def rows(self, table: Literal["turns", "memories"]) -> int:
        count = self._conn.execute(
            f"SELECT count(*) FROM {table} WHERE space = ?", (self._space,)
        ).get
        return int(count)


T = TypeVar("T")


class _part(Generic[T]):
    """A part of a unit, made when it is first used. It has no lock, since a unit belongs to one
    thread and every turn that is recorded makes one.
    """

    def __init__(self, make: Callable[[apsw.Connection, int, TextStats], T]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, unit: SqliteUnit, owner: type | None = None) -> T:
        made = unit.__dict__[self._name] = self._make(unit.conn, unit.space, unit.text_stats)
        return made


def _simple(make: Callable[[apsw.Connection, int], T]) -> _part[T]:
    """A part that needs no statistics of the text index."""
    return _part(lambda conn, space, _: make(conn, space))


class SqliteUnit:
    """All parts of one space on one connection."""

    def __init__(self, conn: apsw.Connection, space: int, text_stats: TextStats) -> None:
        self.conn = conn
        self.space = space
        self.text_stats = text_stats

    ledger = _simple(SqliteLedger)
    memories = _simple(SqliteMemories)
    episodes = _simple(SqliteEpisodes)
    scratchpads = _simple(SqliteScratchpads)
    echoes = _simple(SqliteEchoes)
    document_states = _simple(SqliteDocumentStates)
    attachments = _simple(SqliteAttachments)
    journal = _simple(SqliteJournal)
    text = _part(SqliteText)
    vectors = _simple(SqliteVectors)
    tasks = _simple(SqliteTasks)
    tiers = _simple(SqliteTiers)
    runs = _simple(SqliteRuns)
    cards = _simple(SqliteCards)
    onboarding = _simple(SqliteOnboardings)
    eraser = _part(SqliteEraser)
    names = _simple(SqliteNames)
    cleanup = _simple(SqliteCleanup)
    counters = _simple(SqliteCounters)
    transfer = _simple(SqliteTransfer)


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
        self.database = Database(path, busy_timeout, read_only=read_only)
        self.queue = SqliteQueue(self.database)
        migrate.prepare(self.database, codec.to_micros(now()))

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written, so that nobody should try."""
        return self.database.read_only

    @contextlib.contextmanager
    def read(self, space: str) -> Iterator[SqliteUnit]:
        with self.database.read() as conn:
            yield SqliteUnit(conn, self._number(conn, space), self.text_stats)

    def write(self, space: str) -> AbstractContextManager[SqliteUnit]:
        return _Writing(self, space)

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

    def compact(self) -> None:
        """Leave no byte of removed records in the file: not in the index, free pages or the log."""
        compaction.compact(self.database)

    def settle(self) -> None:
        """Bring the log into the file and empty it."""
        compaction.settle(self.database)

    def vocabulary(self) -> Iterator[str]:
        """Every term of the text index, of all spaces."""
        with self.database.read() as conn:
            yield from compaction.vocabulary(conn)

    def names(self) -> list[str]:
        """Every name that may stand in the file beside what people said."""
        with self.database.read() as conn:
            return list(text_columns.names(conn))

    def backup(
        self, target: Path, *, replace: bool, patience: float, progress: PageProgress
    ) -> Backup:
        return backup.back_up(
            self.database, target, replace=replace, patience=patience, progress=progress
        )

    def is_backup(self, file: Path) -> bool:
        return backup.is_backup_of(self.database, file)

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
            remedy="Choose another place with --db or RECOLLECT_DB",
        ) from error
