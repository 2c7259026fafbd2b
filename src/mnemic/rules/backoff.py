"""How long a failed job waits before its next try."""

from __future__ import annotations

from datetime import timedelta

from mnemic.late import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits that grow by a factor from ``first`` to ``ceiling``."""

    first: timedelta
    factor: float
    ceiling: timedelta

    def after(self, attempts: int) -> timedelta:
        """The wait after that many tries."""
        try:
            grown = self.first.total_seconds() * self.factor ** (max(attempts, 1) - 1)
        except OverflowError:
            return self.ceiling
        return min(timedelta(seconds=min(grown, self.ceiling.total_seconds())), self.ceiling)

    def after_waiting(self, waited: timedelta) -> timedelta:
        """The next wait for a server that has been away for so long: as long again."""
        return min(max(waited, self.first), self.ceiling)
