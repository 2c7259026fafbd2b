"""Scores judged as probabilities, and how well two groups are told apart by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """The scores from ``low`` to ``high``: their mean, and the share of them that is right."""

    low: float
    high: float
    count: int
    score: float
    right: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """``error`` is the expected one: the mean distance of score and share, by bins."""

    count: int
    error: float
    brier: float
    bins: tuple[Bin, ...]


def calibration(scores: Sequence[float], right: Sequence[bool]) -> Calibration | None:
    """A reliability table in ten bins of equal width; a score outside 0 to 1 counts as its end."""
    if not scores:
        return None
    p = np.clip(np.asarray(scores, np.float64), 0.0, 1.0)
    y = np.asarray(right, np.float64)
    place = np.minimum((p * BINS).astype(int), BINS - 1)
    bins: list[Bin] = []
    for number in range(BINS):
        of = place == number
        count = int(of.sum())
        means = (float(p[of].mean()), float(y[of].mean())) if count else (0.0, 0.0)
        bins.append(Bin(number / BINS, (number + 1) / BINS, count, *means))
    error = sum(one.count * abs(one.score - one.right) for one in bins) / len(p)
    return Calibration(len(p), error, float(((p - y) ** 2).mean()), tuple(bins))


def auc(upper: Sequence[float], lower: Sequence[float]) -> float | None:
    """How often a value of the one group is above one of the other; an equal pair counts half."""
    if not upper or not lower:
        return None
    ordered = np.sort(np.asarray(lower, np.float64))
    values = np.asarray(upper, np.float64)
    below = np.searchsorted(ordered, values, "left")
    upto = np.searchsorted(ordered, values, "right")
    return float((below + upto).sum() / (2 * len(values) * len(ordered)))
