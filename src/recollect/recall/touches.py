"""Counting the use of memories and episodes without making recall wait for the disk.

Uses are counted in memory and written by the worker, or when the mind closes. A crash may lose the
last few, which only means that those memories fade a little sooner.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime

from recollect.locks import ForkSafeLock
from recollect.store.contract import Store


class Touches:
    """Uses of the records of one space that are not written yet."""

    def __init__(self, store: Store, space: str, *, enabled: bool) -> None:
        self._store = store
        self._space = space
        self._enabled = enabled
        self._guard = ForkSafeLock()
        self._waiting: dict[str, tuple[int, datetime]] = {}
        self._pid = os.getpid()

    def add(self, ids: Sequence[str], at: datetime) -> None:
        """Count a use of these records."""
        if not ids or not self._enabled:
            return
        with self._guard:
            self._reset_after_fork()
            for id_ in ids:
                count, _ = self._waiting.get(id_, (0, at))
                self._waiting[id_] = (count + 1, at)

    def flush(self) -> None:
        """Write the counts to the store."""
        with self._guard:
            self._reset_after_fork()
            waiting, self._waiting = self._waiting, {}
        if waiting:
            with self._store.write(self._space) as unit:
                for id_, (count, at) in waiting.items():
                    unit.memories.touch(id_, count, at)
                    unit.episodes.touch(id_, count)

    def _reset_after_fork(self) -> None:
        """Uses counted before a fork are written by the parent."""
        if self._pid != os.getpid():
            self._pid, self._waiting = os.getpid(), {}
