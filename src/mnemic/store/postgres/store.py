"""The PostgreSQL store: spaces and units of work."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any

from mnemic.errors import StoreError
from mnemic.store import codec
from mnemic.store.contract import Store, Unit, forgotten_meanwhile
from mnemic.store.postgres import backup, health, migrate
from mnemic.store.postgres.address import read_address
from mnemic.store.postgres.connection import PostgresConnection
from mnemic.store.postgres.jobs import PostgresQueue
from mnemic.store.postgres.replica import Replica
from mnemic.store.postgres.server import KEYS, SCHEMA, Server, ServerOptions
from mnemic.store.postgres.terms import TERMS
from mnemic.store.postgres.transfer import PostgresTransfer
from mnemic.store.postgres.vector_type import PgVector
from mnemic.store.postgres.vectors import (
    INDEXED,
    MOST_DIMENSIONS,
    PostgresVectors,
    index_memory,
    index_name,
    index_statements,
)
from mnemic.store.rows import MAX_SPACES, NOBODY
from mnemic.store.sql.connection import SqlConnection
from mnemic.store.sql.memories import SqlMemories
from mnemic.store.sql.unit import UnitPart
from mnemic.types import Backup, Finding, PageProgress, Stats

_BELIEVED = 1.0  # seconds
_THERE = "SELECT 1 FROM spaces WHERE space = $1 AND name = $2"
_START = 200  # characters of a slot that its index has; schema/0001.sql
_STATED = """
SELECT m.doc, m.subject, m.predicate, m.value, m.content, m.trust
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS r (first, last, start, stop)
CROSS JOIN LATERAL (
    SELECT n.* FROM memories n WHERE n.space = $1 AND n.slot != ''
        AND n.slot_start BETWEEN r.start AND r.stop AND n.slot BETWEEN r.first AND r.last
        AND (n.status = 'active' OR (n.status = 'superseded' AND n.valid_to IS NOT NULL))
    ORDER BY n.slot_start DESC, n.slot DESC, n.project DESC, n.doc DESC LIMIT $6
) m ORDER BY m.created_at DESC, m.doc DESC
"""


_TYPES = "SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'vector'"
_FIRST_ANALYZED = 1_000_000  # characters, some 1,000 turns, after which tables are analyzed


class PostgresMemories(SqlMemories):
    """The memories of one space on one connection."""

    _conn: PostgresConnection
    is_slot = f"slot_start = left(:slot, {_START}) AND slot = :slot"

    def _between(self, ranges: Sequence[tuple[str, str]], each: int) -> Iterable[tuple[Any, ...]]:
        """The bounds are cut here: a column that a function was asked about is not looked up in an
        index behind row-level security.
        """
        bounds = [[ends[n] for ends in ranges] for n in (0, 1)]
        starts = [[text[:_START] for text in texts] for texts in bounds]
        return self._conn.rows(_STATED, [self._space, *bounds, *starts, each])


class PostgresUnit(Unit):
    """All parts of one space on one connection."""

    conn: PostgresConnection
    index = TERMS
    cosine = "1 - (v.vector <=> ?)"
    tables = (
        "SELECT table_name FROM information_schema.columns"
        f" WHERE table_schema = '{SCHEMA}' AND column_name = 'space'"
    )
    memories = UnitPart(PostgresMemories)
    vectors = UnitPart(PostgresVectors)
    transfer = UnitPart(PostgresTransfer)

    def first_rows(self, statement: str, every: Iterable[Mapping[str, Any]]) -> list[Any]:
        """All are asked for before the first is read: the server answers them at once."""
        asked = [self.conn.execute(statement, values) for values in every]
        return [rows.fetchone() for rows in asked]

    def encode_vector(self, vector: bytes) -> PgVector:
        return PgVector(vector)


class PostgresStore(Store):
    """One database. ``indexed_from`` so many vectors of a space are worth an index."""

    indexed_from = INDEXED
    queue: PostgresQueue

    def __init__(
        self,
        url: str,
        *,
        busy_timeout: float,
        now: Callable[[], datetime],
        read_only: bool = False,
        options: ServerOptions = ServerOptions(),  # noqa: B008 - frozen
    ) -> None:
        super().__init__(now)
        self.numbers: dict[str, int] = {}
        self._believed: dict[str, float] = {}
        self.address = read_address(url)
        self.server = Server(self.address, busy_timeout, read_only=read_only, options=options)
        self._sent, self._analyzed_at = 0, _FIRST_ANALYZED
        self._replica = Replica(self.server, busy_timeout, options) if options.replica else None
        self.has_replica = self.server.has_replica = self._replica is not None
        self.queue = PostgresQueue(self)
        migrate.prepare(self.server, codec.to_micros(now()))

    def __repr__(self) -> str:
        return f"PostgresStore({self.address.shown!r})"

    @property
    def read_only(self) -> bool:
        return self.server.read_only

    @contextlib.contextmanager
    def open_read(self, space: str) -> Iterator[PostgresUnit]:
        known = self._known(space)
        with self.server.read(known, space) as conn:
            number = known
            if number is None:
                number = self.number_of(conn, space)
                if number is None:
                    number = NOBODY
                self.server.enter(conn, number, space)
            yield PostgresUnit(conn, number, self.text_stats)

    @contextlib.contextmanager
    def open_write(self, space: str) -> Iterator[PostgresUnit]:
        known = self.numbers.get(space)
        with self.server.write(known, space) as conn:
            number = known
            there = None
            if number is None:
                number = self._create(conn, space)
                self.server.enter(conn, number, space)
                self.server.lock(conn, number)
            else:  # asked behind the lock and answered with what follows: nobody waits for it
                there = conn.rows(_THERE, (number, space))
            self.check_pinned(space, number)
            yield PostgresUnit(conn, number, self.text_stats, self.admission)
            if there is not None and there.fetchone() is None:
                self.numbers.pop(space, None)
                raise forgotten_meanwhile(space)
        self.numbers[space] = number
        self._note_sent(conn.sent)

    def _note_sent(self, size: int) -> None:
        """Have the server look at its tables anew whenever so much was written as before: it plans
        badly for what was loaded since it last did, which may be a minute or never.
        """
        self._sent += size
        if self._sent >= self._analyzed_at:
            self._analyzed_at = 2 * self._sent
            with self.server.alone() as conn:
                health.analyze(conn)

    @contextlib.contextmanager
    def read_replica(self, space: str) -> Iterator[Unit]:
        number, replica = self.numbers.get(space), self._replica
        if number is None or replica is None or self._together.of(space) or not replica.keeps_up():
            with self.read(space) as unit:
                yield unit
            return
        try:
            with replica.server.read(number, space) as conn:
                yield PostgresUnit(conn, number, replica.text_stats)
        except StoreError:
            replica.leave()
            raise

    def number_of(self, conn: SqlConnection, space: str) -> int | None:
        """Another process may have had a space forgotten, so that a number is believed for a
        second; what is written looks again.
        """
        number = self._known(space)
        if number is None:
            number = super().number_of(conn, space)
            if number is None:
                self.numbers.pop(space, None)
            else:
                self.numbers[space] = number
                self._believed[space] = time.monotonic() + _BELIEVED
        return number

    def find_number(self, space: str) -> int | None:
        known = self._known(space)
        return super().find_number(space) if known is None else known

    def _known(self, space: str) -> int | None:
        fresh = self._believed.get(space, 0.0) > time.monotonic()
        return self.numbers.get(space) if fresh else None

    def read_queue(self) -> AbstractContextManager[PostgresConnection]:
        return self.server.read(queue=True)

    def write_queue(self) -> AbstractContextManager[PostgresConnection]:
        return self.server.write(queue=True)

    def enter(self, conn: Any, space: str) -> PostgresUnit:
        number = self.number_of(conn, space)
        unit = PostgresUnit(conn, NOBODY if number is None else number, self.text_stats)
        self.server.enter(conn, unit.space, space, queue=True)
        self.server.lock(conn, unit.space)
        return unit

    def stats(self, space: str) -> Stats:
        with self.open_read(space) as unit:
            return health.stats(unit, space)

    def size(self) -> int:
        with self.server.read() as conn:
            return health.size(conn)

    def check(self, space: str, *, deep: bool) -> list[Finding]:
        with self.open_read(space) as unit:
            return health.check(unit, deep=deep)

    def clear_text_index(self) -> None:
        with self.server.alone() as conn:
            conn.execute(f"TRUNCATE {SCHEMA}.text_terms, {SCHEMA}.text_postings")
        self.text_stats.forget()

    def index_vectors(self, space: str, embedder: int) -> None:
        """Give a space that has grown large an index of its own, and remove what stands for
        vectors of embedders that are gone; others read and write meanwhile.
        """
        with self.open_read(space) as unit:
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
        # One process at a time, by a transaction that stays open beside; another one that comes
        # meanwhile need not wait for it.
        with self.server.alone() as turn, self.server.alone() as conn, turn.transaction():
            # Not prepared: the answer of such a statement would keep its snapshot, which making
            # an index waits for.
            lock = f"SELECT pg_try_advisory_xact_lock({KEYS}, {number:d})"
            if turn.execute(lock, prepare=False).fetchone() != (True,):
                return
            if not self.server.pooled:  # else it would hold for somebody else's connection
                conn.execute(index_memory(count, dimensions))
            try:
                for name in outdated:
                    conn.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {SCHEMA}.{name}")
                types = str(conn.execute(_TYPES).fetchone()[0])  # type: ignore[index]
                made = index_statements(number, embedder, dimensions, types) if wanted else ()
                for statement in made:
                    conn.execute(statement)
            finally:
                if not self.server.pooled:
                    conn.execute("RESET maintenance_work_mem")

    def compact(self) -> None:
        with self.server.alone() as conn:
            health.compact(conn)

    def vocabulary(self, space: str) -> Iterator[str]:
        with self.open_read(space) as unit:
            yield from health.vocabulary(unit.conn)

    def names(self, space: str) -> list[str]:
        with self.open_read(space) as unit:
            return list(health.names(unit.conn))

    def backup(
        self, target: Path, *, replace: bool, patience: float, progress: PageProgress
    ) -> Backup:
        return backup.back_up(self, target, replace=replace, patience=patience, progress=progress)

    def close(self) -> None:
        self.server.close()
        if self._replica is not None:
            self._replica.server.close()

    def _create(self, conn: PostgresConnection, space: str) -> int:
        """The number of a space; a new one waits for nobody but who makes the same."""
        number = super().number_of(conn, space)
        if number is None:
            conn.native(
                "INSERT INTO spaces (name, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                (space, codec.to_micros(self.now())),
            )
            number = super().number_of(conn, space)
        if number is None or number >= MAX_SPACES:
            raise StoreError(
                f"{self.address.shown} already holds {MAX_SPACES} spaces",
                remedy="Open another database",
            )
        return number


def open_postgres(
    url: str,
    *,
    busy_timeout: float,
    now: Callable[[], datetime],
    read_only: bool = False,
    options: ServerOptions = ServerOptions(),  # noqa: B008 - frozen
) -> PostgresStore:
    """Open a database of a server, and make the schema in it where there is none."""
    return PostgresStore(
        url, busy_timeout=busy_timeout, now=now, read_only=read_only, options=options
    )
