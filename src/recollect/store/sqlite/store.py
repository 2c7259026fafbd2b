"""The SQLite store: spaces, units of work, and how the file is doing."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, TypeVar

import apsw

from recollect import private
from recollect.errors import StoreError, StoreReadOnly, StoreUnavailable
from recollect.store import codec
from recollect.store.documents import MAX_SPACES, NOBODY
from recollect.store.sqlite import compacting, health, holdings, migrate, text
from recollect.store.sqlite.attachments import SqliteAttachments
from recollect.store.sqlite.connection import MEMORY, Database
from recollect.store.sqlite.counters import SqliteCounters
from recollect.store.sqlite.document_states import SqliteDocumentStates
from recollect.store.sqlite.echoes import SqliteEchoes
from recollect.store.sqlite.episodes import SqliteEpisodes
from recollect.store.sqlite.erasing import SqliteErasing
from recollect.store.sqlite.jobs import SqliteQueue, SqliteTasks
from recollect.store.sqlite.journal import SqliteJournal
from recollect.store.sqlite.ledger import SqliteLedger
from recollect.store.sqlite.memories import SqliteMemories
from recollect.store.sqlite.runs import SqliteCards, SqliteOnboardings, SqliteRuns
from recollect.store.sqlite.scratchpads import SqliteScratchpads
from recollect.store.sqlite.shelf import SqliteShelf
from recollect.store.sqlite.text import SqliteText
from recollect.store.sqlite.textstats import TextStats
from recollect.store.sqlite.tidying import SqliteTidying
from recollect.store.sqlite.vectors import SqliteVectors
from recollect.types import Finding, Stats

T = TypeVar("T")


class _made_once(Generic[T]):
    """A cached property without the lock of ``functools``: a unit belongs to one thread, and every
    turn that is recorded makes one.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, unit: Any, owner: type | None = None) -> T:
        made = unit.__dict__[self._name] = self._make(unit)
        return made


class SqliteUnit:
    """The rooms of one space on one connection, each made when first entered."""

    def __init__(self, conn: apsw.Connection, space: int, text_stats: TextStats) -> None:
        self._conn = conn
        self._space = space
        self._text_stats = text_stats

    @_made_once
    def ledger(self) -> SqliteLedger:
        return SqliteLedger(self._conn, self._space)

    @_made_once
    def memories(self) -> SqliteMemories:
        return SqliteMemories(self._conn, self._space)

    @_made_once
    def episodes(self) -> SqliteEpisodes:
        return SqliteEpisodes(self._conn, self._space)

    @_made_once
    def scratchpads(self) -> SqliteScratchpads:
        return SqliteScratchpads(self._conn, self._space)

    @_made_once
    def echoes(self) -> SqliteEchoes:
        return SqliteEchoes(self._conn, self._space)

    @_made_once
    def document_states(self) -> SqliteDocumentStates:
        return SqliteDocumentStates(self._conn, self._space)

    @_made_once
    def attachments(self) -> SqliteAttachments:
        return SqliteAttachments(self._conn, self._space)

    @_made_once
    def journal(self) -> SqliteJournal:
        return SqliteJournal(self._conn, self._space)

    @_made_once
    def text(self) -> SqliteText:
        return SqliteText(self._conn, self._space, self._text_stats)

    @_made_once
    def vectors(self) -> SqliteVectors:
        return SqliteVectors(self._conn, self._space)

    @_made_once
    def tasks(self) -> SqliteTasks:
        return SqliteTasks(self._conn, self._space)

    @_made_once
    def shelf(self) -> SqliteShelf:
        return SqliteShelf(self._conn, self._space)

    @_made_once
    def runs(self) -> SqliteRuns:
        return SqliteRuns(self._conn, self._space)

    @_made_once
    def cards(self) -> SqliteCards:
        return SqliteCards(self._conn, self._space)

    @_made_once
    def onboarding(self) -> SqliteOnboardings:
        return SqliteOnboardings(self._conn, self._space)

    @_made_once
    def erasing(self) -> SqliteErasing:
        return SqliteErasing(self._conn, self._space, self._text_stats)

    @_made_once
    def tidying(self) -> SqliteTidying:
        return SqliteTidying(self._conn, self._space)

    @_made_once
    def counters(self) -> SqliteCounters:
        return SqliteCounters(self._conn, self._space)


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

    def __init__(self, path: str, *, busy_timeout: float, now: Callable[[], datetime]) -> None:
        self.path = path
        self._now = now
        self.numbers: dict[str, int] = {}
        self.text_stats = TextStats()
        self.database = Database(path, busy_timeout)
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
        compacting.compact(self.database)

    def settle(self) -> None:
        """Bring the log into the file and empty it."""
        compacting.settle(self.database)

    def vocabulary(self) -> Iterator[str]:
        """Every term of the text index, of all spaces."""
        with self.database.read() as conn:
            yield from compacting.vocabulary(conn)

    def names(self) -> list[str]:
        """Every name that may stand in the file beside what people said."""
        with self.database.read() as conn:
            return list(holdings.names(conn))

    def close(self) -> None:
        self.database.close()

    def _number(self, conn: apsw.Connection, space: str) -> int:
        """The number of a space; one that was never written to has nobody's."""
        known = self.numbers.get(space)
        if known is not None:
            return known
        found = conn.execute("SELECT space FROM spaces WHERE name = ?", (space,)).get
        return NOBODY if found is None else int(found)

    def create(self, conn: apsw.Connection, space: str) -> int:
        found = conn.execute("SELECT space FROM spaces WHERE name = ?", (space,)).get
        if found is not None:
            return int(found)
        number = int(conn.execute("SELECT ifnull(max(space), -1) + 1 FROM spaces").get)
        if number >= MAX_SPACES:
            raise StoreError(
                f"{self.path} already holds {MAX_SPACES} spaces", remedy="Open another file"
            )
        conn.execute(
            "INSERT INTO spaces VALUES (?, ?, ?)", (number, space, codec.to_micros(self._now()))
        )
        return number


def open_sqlite(path: str, *, busy_timeout: float, now: Callable[[], datetime]) -> SqliteStore:
    """Open or create the file, and its folder."""
    if path != MEMORY:
        _make_folder(Path(path).expanduser())
        path = str(Path(path).expanduser())
    return SqliteStore(path, busy_timeout=busy_timeout, now=now)


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
