"""What a fork must not find: an open connection.

SQLite keeps its file locks in tables of the process. A child that inherits those tables believes it
holds locks that only its parent has, so even a connection of its own is not safe: the parent could
remove the log the child is writing to. So transactions pass a gate; a fork shuts it, waits until
nobody is inside, closes every connection, and both sides open new ones when they next need them.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Iterator
from typing import Protocol

PATIENCE = 10.0  # seconds a fork waits for transactions of other threads


class Forkable(Protocol):
    """Something that holds connections."""

    def let_go(self) -> None: ...
    def begin_again(self, *, clean: bool) -> None: ...


class _Gate:
    def __init__(self) -> None:
        self.turn = threading.Condition()
        self.inside: dict[int, int] = {}
        self.shut = False
        self.clean = False


_gate = _Gate()
_holders: weakref.WeakSet[Forkable] = weakref.WeakSet()


def watch(holder: Forkable) -> None:
    """Tell ``holder`` about forks for as long as it lives."""
    with passing():
        _holders.add(holder)


@contextlib.contextmanager
def passing() -> Iterator[None]:
    """Be inside: a fork by another thread waits until this ends. A thread may enter again."""
    me = threading.get_ident()
    gate = _gate
    with gate.turn:
        while gate.shut and me not in gate.inside:
            gate.turn.wait()
        gate.inside[me] = gate.inside.get(me, 0) + 1
    try:
        yield
    finally:
        with gate.turn:
            gate.inside[me] -= 1
            if not gate.inside[me]:
                del gate.inside[me]
                gate.turn.notify_all()


def _before() -> None:
    me = threading.get_ident()
    with _gate.turn:
        _gate.shut = True
        # A thread that forks inside its own transaction would wait for itself.
        _gate.clean = me not in _gate.inside and _gate.turn.wait_for(
            lambda: not _gate.inside, PATIENCE
        )
    if _gate.clean:
        for holder in list(_holders):
            holder.let_go()


def _after_in_parent() -> None:
    with _gate.turn:
        _gate.shut = False
        _gate.turn.notify_all()


def _after_in_child() -> None:
    global _gate
    clean, _gate = _gate.clean, _Gate()
    for holder in list(_holders):
        holder.begin_again(clean=clean)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child
    )
