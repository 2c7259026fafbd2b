"""The deadline of the work of this thread, for calls to a server.

Local work cannot be interrupted; a call to a server can, and is what takes long.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from mnemic.errors import DeadlineReached

_deadline: ContextVar[float | None] = ContextVar("mnemic_deadline", default=None)


@contextmanager
def until(moment: float | None) -> Iterator[None]:
    """Within this block no server is waited for beyond ``moment`` of ``time.monotonic``."""
    token = _deadline.set(moment)
    try:
        yield
    finally:
        _deadline.reset(token)


def seconds_left(most: float) -> float:
    """How long a server may be waited for, at most ``most``; DeadlineReached when no time is left.

    An infinite deadline and none at all leave it at ``most``.
    """
    moment = _deadline.get()
    if moment is None:
        return most
    remaining = moment - time.monotonic()
    if remaining <= 0:
        raise reached()
    return min(most, remaining)


def reached() -> DeadlineReached:
    """The error of interrupted work."""
    return DeadlineReached(
        "The time for this work was over before a model answered",
        remedy="It goes on at the next drain or with a worker; give a longer timeout",
    )
