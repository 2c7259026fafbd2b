"""Which of two contradicting statements holds: the newer, or the one confirmed more often."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.rules.decay import fading


@dataclass(frozen=True, slots=True)
class Side:
    """When a side was last said, and how often it was said in all."""

    said_at: datetime
    times: int


@dataclass(frozen=True, slots=True)
class ConflictWeights:
    """How much recency and confirmations count, and how fast recency fades."""

    recency: float
    confirmations: float
    half_life: timedelta | None


@dataclass(frozen=True, slots=True)
class Contest:
    """The scores of both sides."""

    known: float
    new: float

    @property
    def new_wins(self) -> bool:
        """Among equals the later word holds."""
        return self.new >= self.known


def contest(known: Side, new: Side, weights: ConflictWeights) -> Contest:
    """Recency fades from the newer side; confirmations are shares of all that was said."""
    latest, total = max(known.said_at, new.said_at), max(known.times + new.times, 1)

    def score(side: Side) -> float:
        fresh = fading(latest - side.said_at, weights.half_life)
        return weights.recency * fresh + weights.confirmations * side.times / total

    return Contest(score(known), score(new))
