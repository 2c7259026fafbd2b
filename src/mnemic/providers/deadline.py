"""The deadline of the work of this thread, and calls that are waited for no longer than they may
take.

Local work cannot be interrupted; a call to a server can, and is what takes long.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from mnemic.errors import DeadlineReached, ModelUnavailable

T = TypeVar("T")
_deadline: ContextVar[float | None] = ContextVar("mnemic_deadline", default=None)


@contextmanager
def until(moment: float | None) -> Iterator[None]:
    """Within this block no server is waited for beyond ``moment`` of ``time.monotonic``."""
    token = _deadline.set(moment)
    try:
        yield
    finally:
        _deadline.reset(token)


def call_within(
    seconds: float, work: Callable[[float], T], late: Callable[[], ModelUnavailable]
) -> T:
    """The outcome of ``work``, which gets the seconds it may take: at most so many, and none beyond
    the deadline of this thread. What ``late`` gives is raised where there is no outcome in time.

    It runs on a thread of its own: a server that sends a byte now and then satisfies every timeout
    of a socket, and code of a host knows none. A late call ends by itself, and nobody hears of its
    outcome.
    """
    moment = _deadline.get()
    patience = seconds if moment is None else min(seconds, moment - time.monotonic())
    if patience <= 0:
        raise _make_error()
    done, answers, errors = threading.Event(), list[T](), list[BaseException]()

    def run() -> None:
        try:
            answers.append(work(patience))
        except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
            errors.append(error)
        finally:
            done.set()

    threading.Thread(target=run, name="mnemic-call", daemon=True).start()
    if not done.wait(patience):
        slow = late()
        raise slow if patience == seconds else _make_error()
    if errors:
        raise errors[0]
    return answers[0]


def _make_error() -> DeadlineReached:
    """The error of interrupted work."""
    return DeadlineReached(
        "The time for this work was over before a model answered",
        remedy="It goes on at the next drain or with a worker; give a longer timeout",
    )
