"""A lock that is free again in a forked child, whoever held it in the parent.

A thread of the parent that held a lock does not exist in the child, so nobody there would ever
release it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from weakref import WeakSet


class ForkSafeLock:
    """As ``threading.Lock`` in a ``with`` statement; with ``reentrant`` as ``threading.RLock``.

    ``forked`` is called in a child, which is to begin with nothing of what the lock guards.
    """

    def __init__(
        self, *, reentrant: bool = False, forked: Callable[[], None] = lambda: None
    ) -> None:
        self._make, self.forked = threading.RLock if reentrant else threading.Lock, forked
        self.renew()
        _all.add(self)

    def renew(self) -> None:
        self._lock = self._make()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


_all: WeakSet[ForkSafeLock] = WeakSet()


def _renew_all() -> None:
    for lock in list(_all):
        lock.renew()
        lock.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
