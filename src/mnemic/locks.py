"""A lock that is free again in a forked child, whoever held it in the parent.

A thread of the parent that held a lock does not exist in the child, so nobody there would ever
release it.
"""

from __future__ import annotations

import os
import threading
from weakref import WeakSet


class ForkSafeLock:
    """As ``threading.Lock`` in a ``with`` statement; with ``reentrant`` as ``threading.RLock``."""

    def __init__(self, *, reentrant: bool = False) -> None:
        self._make = threading.RLock if reentrant else threading.Lock
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


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
