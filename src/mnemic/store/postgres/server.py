"""The connections of one process to one database, and its transactions.

Writers of one space wait for each other by an advisory lock, as they do for the one writer of a
SQLite file; different spaces write at the same time. Readers see one snapshot each.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mnemic import errors
from mnemic.store.postgres.address import Address
from mnemic.store.postgres.connection import PostgresConnection, adapt, escaped
from mnemic.store.postgres.failures import explain
from mnemic.store.postgres.pool import ConnectionPool
from mnemic.store.postgres.vector_type import adapt_vectors

if TYPE_CHECKING:
    from psycopg import Connection

SCHEMA = "mnemic"
MEMBER = "mnemic_member"
WRITERS = 0x5265  # the kinds of advisory locks
MIGRATION = 0x5266
KEYS = 0x5267
_PAUSE = 0.1  # seconds between looks at a server that is starting
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
# What row-level security goes by. SET LOCAL, since a cluster hands on no other setting.
_SET = "SET LOCAL mnemic.{} = '{}'"
_SETTINGS = (
    "SELECT set_config('lock_timeout', $1, false), set_config('synchronous_commit', 'on', false),"
    f" set_config('search_path', '{SCHEMA}, public', false)"
)
_PREPARED = 400  # statements that a connection keeps ready; the house has fewer
_LOCK = "SELECT pg_advisory_xact_lock($1::int, $2::int)"


def load_driver() -> None:
    """Say what to install where the driver is missing."""
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise errors.MissingExtra(
            f"{error.name or 'psycopg'} is not installed",
            remedy='Install it: pip install "mnemic[postgres]"',
        ) from error
    # A lost connection is told by an error; a program without logging is not to see it twice.
    logging.getLogger("psycopg").addHandler(logging.NullHandler())


class Server:
    """One database, for one process and what is forked from it."""

    def __init__(self, address: Address, busy_timeout: float, *, read_only: bool = False) -> None:
        load_driver()
        self.address = address
        self.read_only = read_only
        self._busy_timeout = busy_timeout
        self._pool = ConnectionPool(self.connect, busy_timeout)
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
        self, space: int | None = None, name: str = "", *, queue: bool = False, lock: bool = True
    ) -> Iterator[PostgresConnection]:
        """A transaction: committed and durable when the block ends, or gone whole."""
        self._check_writable()
        with self._transaction(_WRITE) as conn:
            self.enter(conn, space, name, queue=queue)
            if lock and space is not None:
                self.lock(conn, space)
            yield conn

    def enter(
        self, conn: PostgresConnection, space: int | None, name: str, *, queue: bool = False
    ) -> None:
        """Open the rows of one space to the transaction, or of the queue. While the number of a
        space is not known, only that can be read.
        """
        if space is not None:
            conn.native(_SET.format("space", int(space)))
        elif name:
            conn.native(_SET.format("name", escaped(name).replace("'", "''")))
        if queue:
            conn.native(_SET.format("queue", "on"))

    def lock(self, conn: PostgresConnection, space: int) -> None:
        """Be the only one who writes to the space until the transaction ends."""
        conn.native(_LOCK, (WRITERS, space))

    @contextlib.contextmanager
    def alone(self) -> Iterator[Connection[Any]]:
        """A connection outside a transaction, with the rights of the role that logged in."""
        import psycopg

        with self._borrowed() as conn:
            try:
                conn.execute("RESET ROLE")
                yield conn
            except psycopg.Error as error:
                raise explain(error, self.address.shown) from error
            finally:
                with contextlib.suppress(psycopg.Error):
                    _prepare_role(conn)

    def close(self) -> None:
        """Close this process's connections; a parent's are left alone."""
        self._closed = True
        if self._pid == os.getpid():
            self._pool.close()

    # --- parts ----------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[PostgresConnection]:
        import psycopg

        with self._borrowed() as conn:
            try:
                with conn.pipeline() as pipeline:
                    conn.execute(begin)
                    unit = PostgresConnection(conn, pipeline)
                    yield unit
                    ended = conn.execute("COMMIT")
                # On a transaction that had failed, which somebody took no notice of, COMMIT undoes.
                if ended.statusmessage != "COMMIT":
                    raise errors.StoreError(
                        f"{self.address.shown} did not commit the transaction",
                        remedy="Call again; nothing was written",
                    )
            except psycopg.Error as error:
                raise explain(error, self.address.shown) from error
            finally:
                _undo(conn)

    @contextlib.contextmanager
    def _borrowed(self) -> Iterator[Connection[Any]]:
        pool = self._current_pool()
        conn = pool.take()
        try:
            yield conn
        finally:
            pool.give_back(conn)

    def _check_writable(self) -> None:
        if self.read_only:
            raise errors.StoreReadOnly(
                f"{self.address.shown} is open for reading only",
                remedy="Open it without read_only to write",
            )

    def _current_pool(self) -> ConnectionPool:
        """The pool of this process: a forked child leaves its parent's connections alone."""
        if self._pid != os.getpid():
            self._pid, self._pool = os.getpid(), ConnectionPool(self.connect, self._busy_timeout)
        if self._closed:
            raise errors.Closed(
                f"{self.address.shown} was closed", remedy="Open it again with mnemic.open()"
            )
        return self._pool

    def connect(self) -> Connection[Any]:
        """A new connection. A server that is just starting is waited for."""
        import psycopg

        deadline = time.monotonic() + self._busy_timeout
        while True:
            try:
                return self._connected()
            except psycopg.Error as error:
                if "starting up" not in str(error) or time.monotonic() > deadline:
                    raise explain(error, self.address.shown) from error
                time.sleep(_PAUSE)

    def _connected(self) -> Connection[Any]:
        """With values as SQLite has them, nothing left to the server's own settings, and no rights
        that row-level security does not hold for.
        """
        import psycopg

        conn = psycopg.connect(
            self.address.url,
            autocommit=True,
            cursor_factory=psycopg.RawCursor,
            application_name=SCHEMA,
            client_encoding="UTF8",
            connect_timeout=max(2, int(self._busy_timeout)),
            keepalives_idle=30,
        )
        try:
            # Not as options of the address: those are its owner's, and poolers know none.
            conn.execute(_SETTINGS, (str(int(self._busy_timeout * 1000)),))
            adapt(conn)
            adapt_vectors(conn)
            conn.prepare_threshold, conn.prepared_max = 3, _PREPARED
            _prepare_role(conn)
        except BaseException:
            conn.close()
            raise
        return conn


def _prepare_role(conn: Connection[Any]) -> None:
    may = conn.execute(
        "SELECT pg_has_role(r.oid, 'MEMBER') FROM pg_roles r WHERE r.rolname = $1", (MEMBER,)
    ).fetchone()
    if may is not None and may[0]:
        conn.execute(f"SET ROLE {MEMBER}")


def _undo(conn: Connection[Any]) -> None:
    """End what was not committed. After an error of the server the driver no longer knows which
    statements are prepared there: such a connection is not used again.
    """
    import psycopg

    status = conn.info.transaction_status
    if status == psycopg.pq.TransactionStatus.IDLE:
        return
    try:
        if status == psycopg.pq.TransactionStatus.INTRANS:
            conn.execute("ROLLBACK")
            return
    except psycopg.Error:
        pass
    conn.close()  # the pool makes another
