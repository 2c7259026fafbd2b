"""Counting the use of memories without making recall wait for the disk.

Uses are gathered in memory and written by the worker, or when the mind closes. A crash may lose the
last few, which only means that those memories fade a little sooner.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime

from recollect.store.base import Store


class Touches:
    """Uses of the memories of one space that are not written yet."""

    def __init__(self, store: Store, space: str, *, enabled: bool) -> None:
        self._store = store
        self._space = space
        self._enabled = enabled
        self._guard = threading.Lock()
        self._waiting: dict[str, tuple[int, datetime]] = {}

    def add(self, ids: Sequence[str], at: datetime) -> None:
        """Note that these were used."""
        if not ids or not self._enabled:
            return
        with self._guard:
            for id_ in ids:
                count, _ = self._waiting.get(id_, (0, at))
                self._waiting[id_] = (count + 1, at)

    def flush(self) -> None:
        """Write what was noted."""
        with self._guard:
            waiting, self._waiting = self._waiting, {}
        if waiting:
            with self._store.write(self._space) as unit:
                for id_, (count, at) in waiting.items():
                    unit.memories.touch(id_, count, at)
