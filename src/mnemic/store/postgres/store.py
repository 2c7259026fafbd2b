"""The PostgreSQL store: spaces and units of work."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

from mnemic.errors import StoreError
from mnemic.settings.environment import StoreSettings
from mnemic.store import codec
from mnemic.store.contract import Store, Unit, forgotten_meanwhile
from mnemic.store.postgres import migrate
from mnemic.store.postgres.address import read_address
from mnemic.store.postgres.backup import back_up
from mnemic.store.postgres.connection import SCHEMA, PostgresConnection
from mnemic.store.postgres.server import KEYS, Server
from mnemic.store.postgres.terms import PostingTerms
from mnemic.store.postgres.vectors import (
    INDEXED,
    MOST_DIMENSIONS,
    PgVector,
    PostgresVectors,
    index_memory,
    index_name,
    index_statements,
)
from mnemic.store.rows import MAX_SPACES
from mnemic.store.sql import text_columns
from mnemic.store.sql.memories import SqlMemories
from mnemic.store.sql.part import SqlConnection, read_statements
from mnemic.store.sql.postings import TextStats
from mnemic.store.sql.queue import JOB, SqlQueue
from mnemic.store.sql.transfer import SqlTransfer, duplicate, misfit, missing
from mnemic.store.sql.unit import UnitPart
from mnemic.store.transfer import Cells, MovedTable
from mnemic.types import Finding, Job

_AWAY = 10.0  # seconds for which a replica that did not answer is not asked again
_PATIENCE = 2.0
_STATE = (
    "SELECT pg_last_wal_replay_lsn() - '0/0'::pg_lsn,"
    " EXISTS (SELECT 1 FROM pg_stat_wal_receiver),"
    " CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0"
    " ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) END"
)


class Replica:
    """A second server that follows ``primary``, and answers recall while it keeps up: while it has
    all that this process wrote, hears from the first server, and is not far behind. Its figures of
    the text index may be older.
    """

    def __init__(self, primary: Server, busy_timeout: float, settings: StoreSettings) -> None:
        self._primary = primary
        self._lag = settings.replica_lag.total_seconds()
        self._away_until = 0.0
        self.text_stats = TextStats()
        self.server = Server(
            read_address(settings.replica.reveal()),
            min(busy_timeout, _PATIENCE),
            read_only=True,
            settings=settings,
            connect_timeout=_PATIENCE,
        )

    def keeps_up(self) -> bool:
        """Whether a recall may be answered there now."""
        if time.monotonic() < self._away_until:
            return False
        try:
            with self.server.read() as conn:
                replayed, is_fed, lag = conn.native(_STATE).fetchone()
        except StoreError:
            self.leave()
            return False
        return bool(is_fed) and (lag or 0) <= self._lag and replayed >= self._primary.written

    def leave(self) -> None:
        """Ask nothing of it for a while."""
        self._away_until = time.monotonic() + _AWAY


_BELIEVED = 1.0  # seconds
_START = 200  # characters of a slot that its index has; schema/0001.sql
_FIRST_ANALYZED = 1_000_000  # characters, some 1,000 turns, after which tables are analyzed
_AT_ONCE = 10  # spaces that are asked for work in one round trip
_AGAIN = 20  # others that were quicker, before a worker looks again later
_REWRITTEN = 8 << 20  # bytes of a table that is written anew while others wait a moment
_AGED = 1 << 30  # transactions after which the server has to look at old rows itself
_NOT_NULL, _UNIQUE = "23502", "23505"
_STATEMENTS = read_statements("postgres/store")
_SQL = {name: sql.replace("{free}", _STATEMENTS["free"]) for name, sql in _STATEMENTS.items()}


class PostgresMemories(SqlMemories):
    """The memories of one space on one connection."""

    _conn: PostgresConnection
    is_slot = f"slot_start = left(:slot, {_START}) AND slot = :slot"

    def _between(self, ranges: Sequence[tuple[str, str]], each: int) -> Iterable[tuple[Any, ...]]:
        """Cut the bounds here: behind row-level security a function's result finds no index."""
        bounds = [[ends[n] for ends in ranges] for n in (0, 1)]
        starts = [[text[:_START] for text in texts] for texts in bounds]
        return self._conn.native(_SQL["stated"], [self._space, *bounds, *starts, each])


class PostgresTransfer(SqlTransfer):
    """Moving the rows of one space on one connection."""

    _conn: PostgresConnection

    @contextlib.contextmanager
    def refusing(self, table: MovedTable, row: Cells) -> Iterator[None]:
        import psycopg

        try:
            yield
            self._conn.flush()
        except (psycopg.IntegrityError, psycopg.errors.PipelineAborted) as error:
            self._conn.recover()
            if error.sqlstate == _NOT_NULL:
                raise missing(table, row, error.diag.column_name or "row") from error
            if error.sqlstate == _UNIQUE:
                raise duplicate(table, row) from error
            raise misfit(table, row, error.diag.message_primary or "") from error


class PostgresQueue(SqlQueue):
    """Claiming and settling jobs on a server, by any number of workers at once."""

    _store: PostgresStore

    def claim(
        self, owner: str, now: datetime, lease_until: datetime, space: str | None = None
    ) -> Job | None:
        moment = codec.to_micros(now)
        for _ in range(_AGAIN):
            with self._store.write_queue() as conn:
                choice = self._next(conn, moment, space)
                if choice is None:
                    return None
                number, id_, kind, key = choice
                # Two jobs of one key may be chosen at once; the second look is under a lock.
                if not conn.native(_SQL["try_lock"], (KEYS, f"{number} {kind} {key}")).get:
                    continue
                values = (moment, number, id_, owner, codec.to_micros(lease_until))
                row = conn.native(_SQL["take"], values).fetchone()
            if row:
                return JOB.read(row)
        return None

    def _next(
        self, conn: PostgresConnection, moment: int, space: str | None
    ) -> tuple[int, str, str, str] | None:
        if space is not None:
            mine: tuple[int, str, str, str] | None = conn.native(
                _SQL["of_space"], (moment, self._store.number_of(conn, space))
            ).fetchone()
            return mine
        choice: tuple[int, str, str, str] | None = conn.native(_SQL["lapsed"], (moment,)).fetchone()
        waiting = [] if choice else self._round.turns(conn, moment)
        while choice is None and waiting:
            asked, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
            choice = conn.native(_SQL["due"], (moment, asked)).fetchone()
            for number in asked:
                is_last = choice is not None and number == choice[0]
                self._round.mark_served(number, again=is_last)
                if is_last:
                    break
        if choice is None:
            choice = conn.native(_SQL["future"], (moment,)).fetchone()
        return choice


class PostgresUnit(Unit):
    """All parts of one space on one connection."""

    conn: PostgresConnection
    make_index = PostingTerms
    cosine = "1 - (v.vector <=> :vector)"
    tables = _SQL["tables_with_space"]
    memories = UnitPart(PostgresMemories)
    vectors = UnitPart(PostgresVectors)
    transfer = UnitPart(PostgresTransfer)

    def first_rows(self, statement: str, bindings: Iterable[Mapping[str, Any]]) -> list[Any]:
        """All are asked for before the first is read: the server answers them at once."""
        answers = [self.conn.execute(statement, values) for values in bindings]
        return [rows.fetchone() for rows in answers]

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
        settings: StoreSettings | None = None,
    ) -> None:
        """Open a database of a server, and make the schema in it where there is none."""
        super().__init__(now)
        settings = settings or StoreSettings()
        self.numbers: dict[str, int] = {}
        self._believed: dict[str, float] = {}
        self.address = read_address(url)
        self.server = Server(self.address, busy_timeout, read_only=read_only, settings=settings)
        self._sent, self._analyzed_at = 0, _FIRST_ANALYZED
        self._replica = Replica(self.server, busy_timeout, settings) if settings.replica else None
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
        cached = self._look_up(space)
        with self.server.read(cached, space) as conn:
            number = cached
            if number is None:
                number = self.owner_of(conn, space)
                self.server.enter(conn, number, space)
            yield PostgresUnit(conn, number, self, reading=True)

    @contextlib.contextmanager
    def open_write(self, space: str) -> Iterator[PostgresUnit]:
        cached = self.numbers.get(space)
        with self.server.write(cached, space) as conn:
            number = cached
            there = None
            if number is None:
                number = self._create(conn, space)
                self.server.enter(conn, number, space)
                self.server.lock(conn, number)
            else:  # asked behind the lock and answered with what follows: nobody waits for it
                there = conn.native(_SQL["there"], (number, space))
            self.check_pinned(space, number)
            yield PostgresUnit(conn, number, self)
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
            with self.server.alone() as conn:  # tables of another owner the server passes over
                for name, _ in conn.execute(_SQL["tables"], (SCHEMA,)).fetchall():
                    conn.execute(f"ANALYZE (SKIP_LOCKED) {SCHEMA}.{name}")

    @contextlib.contextmanager
    def read_replica(self, space: str) -> Iterator[Unit]:
        number, replica = self.numbers.get(space), self._replica
        if number is None or replica is None or self._together.of(space) or not replica.keeps_up():
            with self.read(space) as unit:
                yield unit
            return
        try:
            with replica.server.read(number, space) as conn:
                yield PostgresUnit(conn, number, self, reading=True, text_stats=replica.text_stats)
        except StoreError:
            replica.leave()
            raise

    def number_of(self, conn: SqlConnection, space: str) -> int | None:
        """Believed for a second: another process may have had the space forgotten."""
        number = self._look_up(space)
        if number is None:
            number = super().number_of(conn, space)
            if number is None:
                self.numbers.pop(space, None)
            else:
                self.numbers[space] = number
                self._believed[space] = time.monotonic() + _BELIEVED
        return number

    def find_number(self, space: str) -> int | None:
        cached = self._look_up(space)
        return super().find_number(space) if cached is None else cached

    def _look_up(self, space: str) -> int | None:
        fresh = self._believed.get(space, 0.0) > time.monotonic()
        return self.numbers.get(space) if fresh else None

    def read_queue(self) -> AbstractContextManager[PostgresConnection]:
        return self.server.read(queue=True)

    def write_queue(self) -> AbstractContextManager[PostgresConnection]:
        return self.server.write(queue=True)

    def enter(self, conn: Any, space: str) -> PostgresUnit:
        unit = PostgresUnit(conn, self.owner_of(conn, space), self)
        self.server.enter(conn, unit.space, space, queue=True)
        self.server.lock(conn, unit.space)
        return unit

    def size(self) -> int:
        """Bytes of all tables and indexes."""
        with self.server.read() as conn:
            return int(sum(bytes_ for _, bytes_ in conn.native(_SQL["tables"], (SCHEMA,))))

    def check(self, space: str, *, deep: bool) -> list[Finding]:
        with self.open_read(space) as unit:
            version = int(unit.conn.native("SELECT max(version) FROM migrations").get or 0)
            detail = f"{version} of {migrate.LATEST}"
            findings = [Finding("schema", version == migrate.LATEST, detail)]
            findings += [_check_age(unit.conn), *unit.cleanup.findings()]
            return [_check_integrity(unit.conn, unit.space), *findings] if deep else findings

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
                and not vectors.has_index(embedder)
                and vectors.count(embedder, self.indexed_from) == self.indexed_from
            )
            outdated = [
                index_name(number, other)
                for other in set(vectors.list_embedders().values()) - {embedder}
                if vectors.has_index(other)
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
                types = str(conn.execute(_SQL["schema_of_vectors"]).fetchone()[0])  # type: ignore[index]
                made = index_statements(number, embedder, dimensions, types) if wanted else ()
                for statement in made:
                    conn.execute(statement)
            finally:
                if not self.server.pooled:
                    conn.execute("RESET maintenance_work_mem")

    def compact(self) -> None:
        """Small tables are written anew; in large ones the room of removed rows is freed."""
        with self.server.alone() as conn:
            for name, size in conn.execute(_SQL["tables"], (SCHEMA,)).fetchall():
                full = "FULL, " if size <= _REWRITTEN else ""
                conn.execute(f"VACUUM ({full}ANALYZE) {SCHEMA}.{name}")

    def vocabulary(self, space: str) -> Iterator[str]:
        with self.open_read(space) as unit:
            for (term,) in unit.conn.native(_SQL["vocabulary"]):
                yield term

    def names(self, space: str) -> list[str]:
        with self.open_read(space) as unit:
            return list(text_columns.names(unit.conn, _SQL["payload_keys"]))

    backup = back_up

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


def _check_age(conn: PostgresConnection) -> Finding:
    """A server whose autovacuum is off or blocked stops writing one day."""
    age = int(conn.native(_SQL["age"]).get)
    remedy = "" if age < _AGED else "Let autovacuum run, or run VACUUM on the database"
    return Finding("vacuum", age < _AGED, f"oldest transaction {age:,} ago", remedy)


def _check_integrity(conn: PostgresConnection, space: int) -> Finding:
    """The lists of the text index and the terms of the records say the same."""
    wrong = int(conn.native(_SQL["wrong_entries"], (space,)).get or 0)
    detail = f"{wrong} entries of the text index are wrong" if wrong else "ok"
    return Finding("integrity", not wrong, detail, "Run `mnemic doctor --repair`" if wrong else "")
