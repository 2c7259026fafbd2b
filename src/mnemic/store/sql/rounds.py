"""Whose turn it is: work is taken from one space after the other."""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress

from mnemic.locks import ForkSafeLock
from mnemic.store.sql.connection import SqlConnection

# From space to space by the index, whatever number of jobs each has.
_DUE_SPACES = (
    "WITH RECURSIVE step (space) AS ("
    " SELECT min(space) FROM jobs WHERE state = 'ready' UNION ALL"
    " SELECT (SELECT min(j.space) FROM jobs j WHERE j.state = 'ready' AND j.space > step.space)"
    " FROM step WHERE step.space IS NOT NULL)"
    " SELECT space FROM step WHERE space IS NOT NULL AND (SELECT min(j.run_at) FROM jobs j"
    " WHERE j.state = 'ready' AND j.space = step.space) <= :now"
)
_LOOKING = 10  # times longer than a look for the spaces with due work its answer is used


class SpaceRound:
    """Whose turn it is: each space with due work once, then all of them again.

    Which spaces have due work is looked up for a whole round, and not more often than a look costs:
    with a few spaces at every claim, with ten thousand a few times a second.
    """

    def __init__(self) -> None:
        self._guard = ForkSafeLock()
        self._waiting: deque[int] = deque()
        self._until = 0.0

    def turns(self, conn: SqlConnection, now: int) -> list[int]:
        """The spaces to try, in this order."""
        with self._guard:
            if not self._waiting or time.monotonic() > self._until:
                self._look(conn, now)
            return list(self._waiting)

    def _look(self, conn: SqlConnection, now: int) -> None:
        begun = time.monotonic()
        due = {space for (space,) in conn.execute(_DUE_SPACES, {"now": now})}
        earlier = [space for space in self._waiting if space in due]
        self._waiting = deque([*earlier, *sorted(due.difference(earlier))])
        ended = time.monotonic()
        self._until = ended + _LOOKING * (ended - begun)

    def served(self, space: int, *, again: bool) -> None:
        """It is the last in the row now, or has no more work."""
        with self._guard, suppress(ValueError):
            self._waiting.remove(space)
            if again:
                self._waiting.append(space)
