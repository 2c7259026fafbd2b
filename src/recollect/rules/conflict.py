"""Which of two contradicting statements holds: the newer, or the one confirmed more often."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.rules.decay import fading

# Neither side of a conflict has more right: half for the newer, half for the one said more often.
_RECENCY = 0.5
_CONFIRMATIONS = 0.5


@dataclass(frozen=True, slots=True)
class Side:
    """When a side was last said, and how often it was said in all."""

    said_at: datetime
    times: int


@dataclass(frozen=True, slots=True)
class Contest:
    """The scores of both sides."""

    known: float
    new: float

    @property
    def new_wins(self) -> bool:
        """Among equals the later word holds."""
        return self.new >= self.known


def contest(known: Side, new: Side, half_life: timedelta | None) -> Contest:
    """Recency fades from the newer side; confirmations are shares of all that was said."""
    latest, total = max(known.said_at, new.said_at), max(known.times + new.times, 1)

    def score(side: Side) -> float:
        fresh = fading(latest - side.said_at, half_life)
        return _RECENCY * fresh + _CONFIRMATIONS * side.times / total

    return Contest(score(known), score(new))
