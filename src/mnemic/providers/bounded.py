"""A call that is waited for no longer than it may take.

It runs on a thread of its own: a server that sends a byte now and then satisfies every timeout of a
socket, and code of a host knows none. A late call ends by itself, and nobody hears of its outcome.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class CallTimeout(Exception):
    """The call did not end in time."""


def call_within(seconds: float, work: Callable[[], T]) -> T:
    """The outcome of ``work``; CallTimeout where there is none after so many seconds."""
    call = _Call(work)
    threading.Thread(target=call.run, name="mnemic-call", daemon=True).start()
    if not call.done.wait(seconds):
        raise CallTimeout
    return call.outcome()


class _Call(Generic[T]):
    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self.done = threading.Event()
        self._answers: list[T] = []
        self._error: BaseException | None = None

    def outcome(self) -> T:
        if self._error is not None:
            raise self._error
        return self._answers[0]

    def run(self) -> None:
        try:
            self._answers.append(self._work())
        except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
            self._error = error
        finally:
            self.done.set()
