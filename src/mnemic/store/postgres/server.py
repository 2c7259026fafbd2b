"""The connections of one process to one database, and its transactions.

Writers of one space wait for each other by an advisory lock, as they do for the one writer of a
SQLite file; different spaces write at the same time. Readers see one snapshot each.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from mnemic import errors
from mnemic.settings.environment import StoreSettings
from mnemic.store.failures import failures_of
from mnemic.store.postgres.address import Address
from mnemic.store.postgres.connection import SCHEMA, PostgresConnection, adapt, escape
from mnemic.store.postgres.vectors import adapt_vectors

if TYPE_CHECKING:
    import psycopg
    from psycopg import Connection

MEMBER = "mnemic_member"
WRITERS = 0x5265  # the kinds of advisory locks
MIGRATION = 0x5266
KEYS = 0x5267
_PAUSE = 0.1  # seconds between looks at a server that is starting
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
# What row-level security goes by. SET LOCAL, since a cluster hands on no other setting.
_SET = "SET LOCAL mnemic.{} = '{}'"
# For one transaction each: behind a pooler the next one runs on another connection of the server.
PATH = f"SET LOCAL search_path = {SCHEMA}, public"
_SETTINGS = (
    "SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true),"
    " set_config('synchronous_commit', 'on', true), set_config('role', $3, true)"
)
# Who is behind the connection, and whether row-level security holds for it only as a member.
_WHO = (
    "SELECT pg_backend_pid(), (SELECT u.rolsuper OR u.rolbypassrls OR NOT pg_has_role(m.oid,"
    " 'USAGE') FROM pg_roles m, pg_roles u WHERE m.rolname = $1 AND u.rolname = session_user"
    " AND pg_has_role(m.oid, 'MEMBER'))"
)
_POSITION = "SELECT pg_current_wal_flush_lsn() - '0/0'::pg_lsn"
_PREPARED = 400  # statements that a connection keeps ready; the house has fewer
_LOCK = "SELECT pg_advisory_xact_lock($1::int, $2::int)"
_IDLE = 60.0  # seconds after which a connection that nobody needs is closed


def explain(error: psycopg.Error, place: str) -> errors.StoreError:
    """The typed error for what the server at ``place`` said. A password never gets into one."""
    code, output = error.sqlstate or "", error.diag.message_primary or str(error)
    message = f"{place}: {next(iter(output.strip().splitlines()), type(error).__name__)}"
    if "pooling mode" in message:
        return errors.StoreUnavailable(
            f"The pooler keeps no transactions: {message}",
            remedy="Give it pool_mode = transaction, or session",
        )
    for codes, kind, what, remedy in failures_of("postgres"):
        if code.startswith(codes) or (not code and kind is errors.StoreUnavailable):
            return kind(what.format(message=message), remedy=remedy)
    return errors.StoreError(
        f"The database does not do what was asked: {message}",
        remedy="Look into the server's log",
    )


def load_driver() -> None:
    """Say what to install where the driver is missing."""
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise errors.MissingExtra.of(error.name or "psycopg", "postgres") from error
    # A lost connection is told by an error; a program without logging is not to see it twice.
    logging.getLogger("psycopg").addHandler(logging.NullHandler())


class Server:
    """One database, for one process and what is forked from it."""

    def __init__(
        self,
        address: Address,
        busy_timeout: float,
        *,
        read_only: bool = False,
        settings: StoreSettings | None = None,
        connect_timeout: float = math.inf,
    ) -> None:
        """``connect_timeout``: wait no longer than that, whatever the settings say."""
        load_driver()
        settings = settings or StoreSettings()
        self.address = address
        self.read_only = read_only
        self.pooled = False  # whether a pooler stands between, as the last connection showed
        self.has_replica = False
        self.written = 0  # how far the server's log was when this process last wrote
        self._role = "none"
        self._busy_timeout = busy_timeout
        statement = settings.statement_timeout
        waits = (busy_timeout, 0.0 if statement is None else statement.total_seconds())
        self._waits = [str(int(seconds * 1000)) for seconds in waits]
        self._pool_size = settings.pool_size
        self._connect_timeout = min(connect_timeout, settings.connect_timeout.total_seconds())
        self._pool = self._new_pool()
        self._pid = os.getpid()
        self._closed = False

    def __repr__(self) -> str:
        return f"Server({self.address.shown!r})"

    @contextlib.contextmanager
    def read(
        self, space: int | None = None, name: str = "", *, queue: bool = False
    ) -> Iterator[PostgresConnection]:
        """A consistent snapshot of one space, or of the queue."""
        with self._transaction(_READ) as conn:
            self.enter(conn, space, name, queue=queue)
            yield conn

    @contextlib.contextmanager
    def write(
        self, space: int | None = None, name: str = "", *, queue: bool = False
    ) -> Iterator[PostgresConnection]:
        """A transaction: committed and durable when the block ends, or gone whole."""
        if self.read_only:
            raise errors.StoreReadOnly(
                f"{self.address.shown} is open for reading only",
                remedy="Open it without read_only to write",
            )
        with self._transaction(_WRITE) as conn:
            self.enter(conn, space, name, queue=queue)
            if space is not None:
                self.lock(conn, space)
            yield conn

    def enter(
        self, conn: PostgresConnection, space: int | None, name: str, *, queue: bool = False
    ) -> None:
        """Open the rows of a space, or of the queue; until its number is known, only that."""
        if space is not None:
            conn.native(_SET.format("space", int(space)))
        elif name:
            conn.native(_SET.format("name", escape(name).replace("'", "''")))
        if queue:
            conn.native(_SET.format("queue", "on"))

    def lock(self, conn: PostgresConnection, space: int) -> None:
        """Be the only one who writes to the space until the transaction ends."""
        conn.native(_LOCK, (WRITERS, space))

    @contextlib.contextmanager
    def alone(self) -> Iterator[Connection[Any]]:
        """A connection outside a transaction, with the rights of the role that logged in."""
        import psycopg

        pool = self._current_pool()
        conn = pool.take()
        try:
            yield conn
        except psycopg.Error as error:
            raise explain(error, self.address.shown) from error
        finally:
            pool.give_back(conn)

    def close(self) -> None:
        """Close this process's connections; a parent's are left alone."""
        self._closed = True
        if self._pid == os.getpid():
            self._pool.close()

    # --- parts ----------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[PostgresConnection]:
        with self.alone() as conn:
            try:
                with conn.pipeline() as pipeline:
                    conn.execute(begin)
                    conn.execute(PATH)
                    conn.execute(_SETTINGS, [*self._waits, self._role])
                    unit = PostgresConnection(conn, pipeline)
                    yield unit
                    ended = conn.execute("COMMIT")
                    follows = self.has_replica and begin is _WRITE
                    place = conn.execute(_POSITION) if follows else None
                # On a transaction that had failed, which somebody took no notice of, COMMIT undoes.
                if ended.statusmessage != "COMMIT":
                    raise errors.StoreError(
                        f"{self.address.shown} did not commit the transaction",
                        remedy="Call again; nothing was written",
                    )
                if place is not None and (row := place.fetchone()):
                    self.written = max(self.written, row[0])
            finally:
                _undo(conn)

    def _current_pool(self) -> ConnectionPool:
        """The pool of this process: a forked child leaves its parent's connections alone."""
        if self._pid != os.getpid():
            self._pid, self._pool = os.getpid(), self._new_pool()
        if self._closed:
            raise errors.Closed(
                f"{self.address.shown} was closed", remedy="Open it again with mnemic.open()"
            )
        return self._pool

    def _new_pool(self) -> ConnectionPool:
        return ConnectionPool(self.connect, self._busy_timeout, self._pool_size)

    def connect(self) -> Connection[Any]:
        """A new connection. A server that is just starting is waited for."""
        import psycopg

        deadline = time.monotonic() + self._busy_timeout
        while True:
            try:
                return self._open()
            except psycopg.Error as error:
                if "starting up" not in str(error) or time.monotonic() > deadline:
                    raise explain(error, self.address.shown) from error
                time.sleep(_PAUSE)

    def _open(self) -> Connection[Any]:
        """A connection with SQLite's values, whose rights row-level security bounds."""
        import psycopg

        conn = psycopg.connect(
            self.address.url,
            autocommit=True,
            cursor_factory=psycopg.RawCursor,
            application_name=SCHEMA,
            client_encoding="UTF8",
            connect_timeout=max(2, int(self._connect_timeout)),
            keepalives_idle=30,
        )
        try:
            adapt(conn)
            with conn.transaction():
                conn.execute(PATH)
                adapt_vectors(conn)
                process, as_member = conn.execute(_WHO, (MEMBER,)).fetchone() or (0, None)
            self._role = MEMBER if as_member else "none"
            # A pooler answers under a number of its own, and need not keep what is prepared.
            self.pooled = process != conn.info.backend_pid
            conn.prepare_threshold = None if self.pooled else 3
            conn.prepared_max = _PREPARED
        except BaseException:
            conn.close()
            raise
        return conn


def _undo(conn: Connection[Any]) -> None:
    """End what was not committed. After an error of the server the driver no longer knows which
    statements are prepared there: such a connection is not used again.
    """
    import psycopg

    status = conn.info.transaction_status
    if status == psycopg.pq.TransactionStatus.INTRANS:
        with contextlib.suppress(psycopg.Error):
            conn.execute("ROLLBACK")
            return
    if status != psycopg.pq.TransactionStatus.IDLE:
        conn.close()  # the pool makes another


class ConnectionPool:
    """Connections that are taken in turn. They are made by whoever needs one, so that what is wrong
    is told at once and to the right one, and no thread runs beside those of the program.
    """

    def __init__(self, connect: Callable[[], Connection[Any]], patience: float, most: int) -> None:
        self._connect = connect
        self._patience = patience
        self._most = most
        self._guard = threading.Lock()
        self._free = most
        self._waiting: deque[threading.Lock] = deque()
        self._idle: deque[tuple[float, Connection[Any]]] = deque()  # the last used at the end
        self._closed = False

    def take(self) -> Connection[Any]:
        """A connection that lives, to be given back."""
        turn = threading.Lock()
        with self._guard:
            self._free -= 1
            if self._free < 0:  # a semaphore would let those overtake who give back and take again
                turn.acquire()
                self._waiting.append(turn)
        try:
            if not turn.acquire(timeout=self._patience):
                raise errors.StoreBusy(
                    f"All {self._most} connections were in use for {self._patience} seconds",
                    remedy="Raise store.pool_size or store.busy_timeout",
                )
            while True:
                try:
                    _, conn = self._idle.pop()
                except IndexError:
                    return self._connect()
                if _lives(conn):
                    return conn
                conn.close()
        except BaseException:
            self._leave(turn)
            raise

    def give_back(self, conn: Connection[Any]) -> None:
        now = time.monotonic()
        if self._closed or conn.closed:
            conn.close()
        else:
            self._idle.append((now, conn))
        self._leave()
        with contextlib.suppress(IndexError):  # another thread may have been quicker
            while self._idle[0][0] < now - _IDLE:
                self._idle.popleft()[1].close()

    def _leave(self, turn: threading.Lock | None = None) -> None:
        with self._guard:
            self._free += 1
            if turn is not None and turn in self._waiting:
                self._waiting.remove(turn)
            elif self._waiting:
                self._waiting.popleft().release()

    def close(self) -> None:
        self._closed = True
        with contextlib.suppress(IndexError):
            while True:
                self._idle.pop()[1].close()


def _lives(conn: Connection[Any]) -> bool:
    """Whether nothing came while nobody asked: a server that goes away says so."""
    if conn.closed:
        return False
    if not hasattr(select, "poll"):  # not every system has it
        return not select.select([conn.fileno()], [], [], 0)[0]
    poll = select.poll()
    poll.register(conn.fileno(), select.POLLIN | select.POLLERR | select.POLLHUP)
    return not poll.poll(0)
