"""How long a failed job waits before its next try."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

_ENOUGH = 64  # factor ** 64 is beyond any ceiling; more would only overflow


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits that grow by a factor from ``first`` to ``ceiling``."""

    first: timedelta
    factor: float
    ceiling: timedelta

    def after(self, attempts: int) -> timedelta:
        """The wait after that many tries."""
        grown = self.first.total_seconds() * self.factor ** min(max(attempts, 1) - 1, _ENOUGH)
        return min(timedelta(seconds=min(grown, self.ceiling.total_seconds())), self.ceiling)
