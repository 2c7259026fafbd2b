"""The PostgreSQL store: spaces and units of work."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from datetime import datetime

from recollect.errors import StoreError
from recollect.store import codec
from recollect.store.postgres import migrate
from recollect.store.postgres.address import read_address
from recollect.store.postgres.connection import PostgresConnection
from recollect.store.postgres.jobs import PostgresQueue, PostgresTasks
from recollect.store.postgres.records import (
    PostgresAttachments,
    PostgresEpisodes,
    PostgresEraser,
    PostgresLedger,
    PostgresMemories,
)
from recollect.store.postgres.server import Server
from recollect.store.rows import MAX_SPACES, NOBODY
from recollect.store.sql.cleanup import SqlCleanup
from recollect.store.sql.counters import SqlCounters
from recollect.store.sql.document_states import SqlDocumentStates
from recollect.store.sql.echoes import SqlEchoes
from recollect.store.sql.journal import SqlJournal
from recollect.store.sql.names import SqlNames
from recollect.store.sql.runs import SqlCards, SqlOnboardings, SqlRuns
from recollect.store.sql.scratchpads import SqlScratchpads
from recollect.store.sql.tiers import SqlTiers
from recollect.store.sql.unit import UnitPart, simple
from recollect.store.sqlite.postings import TextStats


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
    tasks = simple(PostgresTasks)
    tiers = simple(SqlTiers)
    runs = simple(SqlRuns)
    cards = simple(SqlCards)
    onboarding = simple(SqlOnboardings)
    eraser = UnitPart(PostgresEraser)
    names = simple(SqlNames)
    cleanup = simple(SqlCleanup)
    counters = simple(SqlCounters)


class PostgresStore:
    """One database."""

    def __init__(
        self,
        url: str,
        *,
        busy_timeout: float,
        now: Callable[[], datetime],
        read_only: bool = False,
    ) -> None:
        self._now = now
        self.numbers: dict[str, int] = {}
        self.text_stats = TextStats()
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
        known = self.numbers.get(space)
        with self.server.read(known, space) as conn:
            number = known
            if number is None:
                number = _number(conn, space)
                if number is None:
                    number = NOBODY
                self.server.enter(conn, number, space)
            yield PostgresUnit(conn, number, self.text_stats)

    @contextlib.contextmanager
    def write(self, space: str) -> Iterator[PostgresUnit]:
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
                (space, codec.to_micros(self._now())),
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
