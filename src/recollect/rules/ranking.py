"""The order of evidence: a weighted sum of parts from 0 to 1, times what the persona cares about.

The parts and their weights bear the same names, so a preset's formula is its table of weights.
The second half of this page makes parts comparable before they are summed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from recollect.rules.decay import fading
from recollect.settings.reading import PersonaBoost, Weights


@dataclass(frozen=True, slots=True)
class Parts:
    """What a score is made of, each from 0 to 1."""

    relevance: float = 0.0
    semantic: float = 0.0
    keyword: float = 0.0
    recency: float = 0.0
    importance: float = 0.0
    access: float = 0.0


def recency(age: timedelta, half_life: timedelta) -> float:
    """1 for what is new, one half at ``half_life``; what lies in the future is new."""
    return fading(age, half_life)


def access(count: int, saturation: int) -> float:
    """The share of ``saturation`` uses that a memory has had, at most 1."""
    return unit(count / saturation) if saturation > 0 else float(count > 0)


def combine(parts: Parts, weights: Weights) -> float:
    """The weighted sum of the parts; a part out of range counts as the nearer end of it."""
    return math.fsum(
        (
            unit(parts.relevance) * weights.relevance,
            unit(parts.semantic) * weights.semantic,
            unit(parts.keyword) * weights.keyword,
            unit(parts.recency) * weights.recency,
            unit(parts.importance) * weights.importance,
            unit(parts.access) * weights.access,
        )
    )


def persona_boost(
    kind: str | None, personas: Mapping[str, PersonaBoost], active: str | None
) -> float:
    """The factor for a memory of ``kind`` while the persona ``active`` speaks."""
    boost = personas.get(active) if active else None
    return boost.factor if boost and kind in boost.kinds else 1.0


def unit(value: float) -> float:
    """The value held between 0 and 1: an opposite meaning is worth no less than an unrelated one.

    What is not a number is 0.
    """
    return min(1.0, value) if value > 0 else 0.0


def reciprocal_rank(ranks: Iterable[int], k: int) -> float:
    """The sum of 1 / (k + rank) over the lists that hold the item; the first rank is 1."""
    return math.fsum(1 / (k + rank) for rank in ranks)


def rank_share(ranks: Iterable[int], k: int, lists: int) -> float:
    """``reciprocal_rank`` as a share of what the first place in every list would give."""
    return unit(reciprocal_rank(ranks, k) * (k + 1) / lists) if lists > 0 else 0.0


def min_max(scores: Sequence[float]) -> list[float]:
    """Scores from 0 for the lowest to 1 for the highest; 1 for all when they are the same."""
    if not scores:
        return []
    low, high = min(scores) / 2, max(scores) / 2  # halves, so that the difference is finite
    spread = high - low
    return [unit((score / 2 - low) / spread) if spread > 0 else 1.0 for score in scores]


def z_scores(scores: Sequence[float]) -> list[float]:
    """How many standard deviations each score is from the mean; 0 for all when they are the same.

    These are not from 0 to 1: they make lists of different scale comparable, ``logistic`` squeezes.
    """
    if not scores:
        return []
    mean = math.fsum(score / len(scores) for score in scores)
    deviation = math.hypot(*((score - mean) / math.sqrt(len(scores)) for score in scores))
    # Rounding can leave a trace of spread among equal scores.
    if not 0 < deviation < math.inf or min(scores) == max(scores):
        return [0.0] * len(scores)
    return [(score - mean) / deviation for score in scores]


def logistic(value: float) -> float:
    """Any number as one from 0 to 1, with 0 in the middle."""
    return (1 + math.tanh(value / 2)) / 2


def weighted_sum(values: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The sum of the values that have a weight, each times its weight."""
    return math.fsum(values[name] * weight for name, weight in weights.items() if name in values)
