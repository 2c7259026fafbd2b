"""What a fork must not find: an open connection.

SQLite keeps its file locks in tables of the process. A child that inherits those tables believes it
holds locks that only its parent has, so even a connection of its own is not safe: the parent could
remove the log the child is writing to. So transactions pass a gate; a fork shuts it, waits until
nobody is inside, closes every connection, and both sides open new ones when they next need them.
"""

from __future__ import annotations

import os
import threading
import weakref
from types import TracebackType
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
    with passing:
        _holders.add(holder)


class _Passing:
    """Be inside: a fork by another thread waits until this ends. A thread may enter again.

    Every transaction comes by, so the usual case takes no lock: a thread first says that it is
    inside and then looks whether the gate is shut; a fork shuts it first and then looks inside.
    """

    def __enter__(self) -> None:
        gate, me = _gate, threading.get_ident()
        entered = gate.inside[me] = gate.inside.get(me, 0) + 1
        if gate.shut and entered == 1:
            _wait_outside(gate, me)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        gate, me = _gate, threading.get_ident()
        remaining = (
            gate.inside.get(me, 1) - 1
        )  # in a child forked from inside, the gate is a new one
        if remaining:
            gate.inside[me] = remaining
            return
        gate.inside.pop(me, None)
        if gate.shut:
            with gate.turn:
                gate.turn.notify_all()


passing = _Passing()


def _wait_outside(gate: _Gate, me: int) -> None:
    with gate.turn:
        del gate.inside[me]
        gate.turn.notify_all()
        while gate.shut:
            gate.turn.wait()
        gate.inside[me] = 1


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
