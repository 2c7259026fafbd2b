"""The PostgreSQL store: spaces and units of work."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path

from mnemic.errors import StoreError
from mnemic.store import codec
from mnemic.store.postgres import backup, health, migrate
from mnemic.store.postgres.address import read_address
from mnemic.store.postgres.connection import PostgresConnection
from mnemic.store.postgres.jobs import PostgresQueue, PostgresTasks
from mnemic.store.postgres.records import (
    PostgresAttachments,
    PostgresEpisodes,
    PostgresEraser,
    PostgresLedger,
    PostgresMemories,
)
from mnemic.store.postgres.server import KEYS, SCHEMA, Server
from mnemic.store.postgres.text import PostgresText
from mnemic.store.postgres.transfer import PostgresTransfer
from mnemic.store.postgres.vectors import (
    INDEXED,
    MOST_DIMENSIONS,
    PostgresVectors,
    index_memory,
    index_name,
    index_statements,
)
from mnemic.store.rows import MAX_SPACES, NOBODY
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
from mnemic.store.sql.tiers import SqlTiers
from mnemic.store.sql.together import Together
from mnemic.store.sql.unit import UnitPart, simple
from mnemic.store.sqlite.backup import is_backup_of
from mnemic.types import Backup, Finding, PageProgress, Stats


class PostgresUnit:
    """All parts of one space on one connection."""

    def __init__(self, conn: PostgresConnection, space: int, text_stats: TextStats) -> None:
        self.conn = conn
        self.space = space
        self.text_stats = text_stats

    ledger = simple(PostgresLedger)
    memories = simple(PostgresMemories)
    episodes = simple(PostgresEpisodes)
    scratchpads = simple(SqlScratchpads)
    echoes = simple(SqlEchoes)
    document_states = simple(SqlDocumentStates)
    attachments = simple(PostgresAttachments)
    journal = simple(SqlJournal)
    text = UnitPart(PostgresText)
    vectors = simple(PostgresVectors)
    tasks = simple(PostgresTasks)
    tiers = simple(SqlTiers)
    runs = simple(SqlRuns)
    cards = simple(SqlCards)
    onboarding = simple(SqlOnboardings)
    eraser = UnitPart(PostgresEraser)
    names = simple(SqlNames)
    cleanup = simple(SqlCleanup)
    counters = simple(SqlCounters)
    transfer = simple(PostgresTransfer)
    replies = simple(SqlReplies)


class PostgresStore:
    """One database. ``indexed_from`` so many vectors of a space are worth an index."""

    indexed_from = INDEXED

    def __init__(
        self,
        url: str,
        *,
        busy_timeout: float,
        now: Callable[[], datetime],
        read_only: bool = False,
    ) -> None:
        self.now = now
        self.numbers: dict[str, int] = {}
        self.text_stats = TextStats()
        self._together: Together[PostgresUnit] = Together()
        self.address = read_address(url)
        self.server = Server(self.address, busy_timeout, read_only=read_only)
        self.queue = PostgresQueue(self.server, self.numbers)
        migrate.prepare(self.server, codec.to_micros(now()))

    def __repr__(self) -> str:
        return f"PostgresStore({self.address.shown!r})"

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written, so that nobody should try."""
        return self.server.read_only

    @contextlib.contextmanager
    def read(self, space: str) -> Iterator[PostgresUnit]:
        joined = self._together.of(space)
        if joined is not None:
            yield joined
            return
        known = self.numbers.get(space)
        with self.server.read(known, space) as conn:
            number = known
            if number is None:
                number = _number(conn, space)
                if number is None:
                    number = NOBODY
                else:  # committed, and no space ever goes
                    self.numbers[space] = number
                self.server.enter(conn, number, space)
            yield PostgresUnit(conn, number, self.text_stats)

    def write(self, space: str) -> AbstractContextManager[PostgresUnit]:
        joined = self._together.of(space)
        return self._writing(space) if joined is None else self._together.joined(joined)

    def together(self, space: str) -> AbstractContextManager[PostgresUnit]:
        return self._together.begin(space, self._writing(space))

    @contextlib.contextmanager
    def _writing(self, space: str) -> Iterator[PostgresUnit]:
        known = self.numbers.get(space)
        with self.server.write(known, space) as conn:
            number = known
            if number is None:
                number = self._create(conn, space)
                self.server.enter(conn, number, space)
                self.server.lock(conn, number)
            yield PostgresUnit(conn, number, self.text_stats)
        self.numbers[space] = number

    def spaces(self) -> list[str]:
        with self.server.read(queue=True) as conn:
            return [name for (name,) in conn.rows("SELECT name FROM spaces ORDER BY space")]

    def stats(self, space: str) -> Stats:
        with self.read(space) as unit:
            return health.stats(unit.conn, space, unit.space)

    def check(self, space: str, *, deep: bool) -> list[Finding]:
        with self.read(space) as unit:
            return health.check(unit.conn, unit.space, deep=deep)

    def clear_text_index(self) -> None:
        """Start the text index afresh, for all spaces; what to index comes from the records."""
        with self.server.alone() as conn:
            conn.execute(f"TRUNCATE {SCHEMA}.text_terms, {SCHEMA}.text_postings")
        self.text_stats.forget()

    def index_vectors(self, space: str, embedder: int) -> None:
        """Give a space that has grown large an index of its own, and remove what stands for
        vectors of embedders that are gone; others read and write meanwhile.
        """
        with self.read(space) as unit:
            number, vectors = unit.space, unit.vectors
            dimensions = vectors.dimensions(embedder)
            wanted = (
                0 < dimensions <= MOST_DIMENSIONS
                and not vectors.indexed(embedder)
                and vectors.count(embedder, self.indexed_from) == self.indexed_from
            )
            outdated = [
                index_name(number, other)
                for other in set(vectors.known_embedders().values()) - {embedder}
                if vectors.indexed(other)
            ]
            count = vectors.count(embedder, 10_000_000) if wanted else 0  # more get no more memory
        if not wanted and not outdated:
            return
        with self.server.alone() as conn:
            # One process at a time; another one that comes meanwhile need not wait for it.
            key = (KEYS, number)
            if conn.execute("SELECT pg_try_advisory_lock($1::int, $2::int)", key).fetchone() != (
                True,
            ):
                return
            try:
                conn.execute(index_memory(count, dimensions))
                for name in outdated:
                    conn.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
                for statement in index_statements(number, embedder, dimensions) if wanted else ():
                    conn.execute(statement)
            finally:
                conn.execute("RESET maintenance_work_mem")
                conn.execute("SELECT pg_advisory_unlock($1::int, $2::int)", key)

    def compact(self) -> None:
        """Remove the rows that are gone from the tables; docs/backup.md says what stays."""
        with self.server.alone() as conn:
            health.compact(conn)

    def vocabulary(self, space: str) -> Iterator[str]:
        """Every term of the text index of a space."""
        with self.read(space) as unit:
            yield from health.vocabulary(unit.conn)

    def names(self, space: str) -> list[str]:
        """Every name of a space beside what people said."""
        with self.read(space) as unit:
            return list(health.names(unit.conn))

    def backup(
        self, target: Path, *, replace: bool, patience: float, progress: PageProgress
    ) -> Backup:
        return backup.back_up(self, target, replace=replace, patience=patience, progress=progress)

    def is_backup(self, file: Path) -> bool:
        return is_backup_of(self, file)

    def made_at(self) -> int:
        with self.server.read() as conn:
            return int(conn.rows("SELECT min(applied_at) FROM migrations").get)

    def settle(self) -> None:
        """The server keeps its own log."""

    def close(self) -> None:
        self.server.close()

    def _create(self, conn: PostgresConnection, space: str) -> int:
        """The number of a space; a new one waits for nobody but who makes the same."""
        number = _number(conn, space)
        if number is None:
            conn.native(
                "INSERT INTO spaces (name, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                (space, codec.to_micros(self.now())),
            )
            number = _number(conn, space)
        if number is None or number >= MAX_SPACES:
            raise StoreError(
                f"{self.address.shown} already holds {MAX_SPACES} spaces",
                remedy="Open another database",
            )
        return number


def _number(conn: PostgresConnection, space: str) -> int | None:
    stored = conn.rows("SELECT space FROM spaces WHERE name = $1", (space,)).get
    return None if stored is None else int(stored)


def open_postgres(
    url: str, *, busy_timeout: float, now: Callable[[], datetime], read_only: bool = False
) -> PostgresStore:
    """Open a database of a server, and make the schema in it where there is none."""
    return PostgresStore(url, busy_timeout=busy_timeout, now=now, read_only=read_only)
