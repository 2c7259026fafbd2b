"""The order of evidence: a weighted sum of parts from 0 to 1, times what the persona cares about.

The parts and their weights bear the same names, so a preset's formula is its table of weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from mnemic.late import dataclass
from mnemic.settings.recall import PersonaBoost, RankingWeights


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """What a score is made of, each from 0 to 1."""

    relevance: float = 0.0
    semantic: float = 0.0
    keyword: float = 0.0
    recency: float = 0.0
    importance: float = 0.0
    access: float = 0.0


def access(count: int, saturation: int) -> float:
    """The share of ``saturation`` uses that a memory has had, at most 1."""
    return unit(count / saturation) if saturation > 0 else float(count > 0)


def combine(parts: ScoreParts, weights: RankingWeights) -> float:
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
    """The value held between 0 and 1; what is not a number is 0."""
    return min(1.0, value) if value > 0 else 0.0


def reciprocal_rank(ranks: Iterable[int], k: int) -> float:
    """The sum of 1 / (k + rank) over the lists that hold the item; the first rank is 1."""
    return math.fsum(1 / (k + rank) for rank in ranks)


def rank_share(ranks: Iterable[int], k: int, lists: int) -> float:
    """``reciprocal_rank`` as a share of what the first place in every list would give."""
    return unit(reciprocal_rank(ranks, k) * (k + 1) / lists) if lists > 0 else 0.0
