"""Connections that wait for their next use.

They are made by whoever needs one, so that what is wrong is told at once and to the right one, and
no thread runs beside those of the program.
"""

from __future__ import annotations

import contextlib
import select
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mnemic import errors

if TYPE_CHECKING:
    from psycopg import Connection

_IDLE = 60.0  # seconds after which a connection that nobody needs is closed


class ConnectionPool:
    """The connections of one process to one database."""

    def __init__(self, connect: Callable[[], Connection[Any]], patience: float, most: int) -> None:
        self._connect = connect
        self._patience = patience
        self._most = most
        self._places = threading.Semaphore(most)
        self._idle: deque[tuple[float, Connection[Any]]] = deque()  # the last used at the end
        self._closed = False

    def take(self) -> Connection[Any]:
        """A connection that lives, to be given back."""
        if not self._places.acquire(timeout=self._patience):
            raise errors.StoreBusy(
                f"All {self._most} connections were in use for {self._patience} seconds",
                remedy="Raise store.pool_size or store.busy_timeout",
            )
        try:
            while True:
                try:
                    _, conn = self._idle.pop()
                except IndexError:
                    return self._connect()
                if _lives(conn):
                    return conn
                conn.close()
        except BaseException:
            self._places.release()
            raise

    def give_back(self, conn: Connection[Any]) -> None:
        now = time.monotonic()
        if self._closed or conn.closed:
            conn.close()
        else:
            self._idle.append((now, conn))
        self._places.release()
        with contextlib.suppress(IndexError):  # another thread may have been quicker
            while self._idle[0][0] < now - _IDLE:
                self._idle.popleft()[1].close()

    def close(self) -> None:
        self._closed = True
        with contextlib.suppress(IndexError):
            while True:
                self._idle.pop()[1].close()


def _lives(conn: Connection[Any]) -> bool:
    """Whether nothing came while nobody asked: a server that goes away says so."""
    if conn.closed:
        return False
    poll = select.poll() if hasattr(select, "poll") else None
    if poll is None:
        readable = bool(select.select([conn.fileno()], [], [], 0)[0])
    else:
        poll.register(conn.fileno(), select.POLLIN | select.POLLERR | select.POLLHUP)
        readable = bool(poll.poll(0))
    return not readable
