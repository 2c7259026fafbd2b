"""The one source of "now": real time by default, a settable one in tests and simulations."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Anything that can tell the present moment as an aware UTC datetime."""

    def now(self) -> datetime: ...


def monotonic_of(clock: Clock) -> Callable[[], float]:
    """Seconds that only grow, however the clock is set; for measuring how long something takes."""
    monotonic: Callable[[], float] = getattr(clock, "monotonic", time.monotonic)
    return monotonic


class SystemClock:
    """The machine's clock."""

    monotonic = staticmethod(time.monotonic)

    def now(self) -> datetime:
        return datetime.now(UTC)


class ManualClock:
    """A clock that stands still until it is moved, in either direction."""

    def __init__(self, start: datetime) -> None:
        self._now = start.astimezone(UTC)
        self._elapsed = timedelta()

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        """Seconds it was moved ahead; moving it back takes nothing away."""
        return self._elapsed.total_seconds()

    def advance(self, **parts: float) -> datetime:
        """Move by a timedelta's parts: ``advance(days=1)``, ``advance(hours=-2)``."""
        self.set(self._now + timedelta(**parts))
        return self._now

    def set(self, moment: datetime) -> None:
        self._elapsed += max(moment - self._now, timedelta())
        self._now = moment.astimezone(UTC)
