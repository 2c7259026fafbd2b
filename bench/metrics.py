"""How good a ranked list is, and how sure a mean over questions is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

CUTS = (1, 5, 10, 20)
DEPTH = max(CUTS)
METRICS = (
    *(f"{name}@{k}" for name in ("recall", "hit", "all") for k in CUTS),
    "mrr",
    "ndcg@10",
    "stale@10",
)
_ROUNDS = 1_000
_CHUNK = 2_000_000  # random places drawn at once


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over ``count`` questions with its 95 % interval."""

    value: float
    low: float
    high: float
    count: int


def score(
    ranked: Sequence[str], gold: Sequence[str], avoid: Sequence[str] = ()
) -> dict[str, float]:
    """One ranked list. An id that comes twice counts once, where it came first.

    recall@k is the share of the gold items in the first k, hit@k whether any of them is there,
    all@k whether all are; stale@10 the share of out-of-date items in the first ten.
    """
    wanted = frozenset(gold)
    first = list(dict.fromkeys(ranked))[:DEPTH]
    hits = [item in wanted for item in first]
    told: dict[str, float] = {}
    for k in CUTS:
        found = sum(hits[:k])
        told[f"recall@{k}"] = found / len(wanted)
        told[f"hit@{k}"] = float(found > 0)
        told[f"all@{k}"] = float(found == len(wanted))
    told["mrr"] = 1 / (hits.index(True) + 1) if any(hits) else 0.0
    gained = sum(_discount(place) for place, hit in enumerate(hits[:10]) if hit)
    told["ndcg@10"] = gained / sum(map(_discount, range(min(10, len(wanted)))))
    if stale := frozenset(avoid) - wanted:
        told["stale@10"] = sum(item in stale for item in first[:10]) / max(1, len(first[:10]))
    return told


def _discount(place: int) -> float:
    return 1 / math.log2(place + 2)


def mean(values: Sequence[float], rounds: int = _ROUNDS, seed: int = 7) -> Mean:
    """The mean, and between what means of resampled questions lie in 95 of 100 cases."""
    return ratio(values, np.ones(len(values)), rounds, seed)


def ratio(
    tops: Sequence[float],
    bottoms: Sequence[float] | np.ndarray[Any, Any],
    rounds: int = _ROUNDS,
    seed: int = 7,
) -> Mean:
    """The sum of the one over the sum of the other, and the interval of resampled questions."""
    over, under = np.asarray(tops, np.float64), np.asarray(bottoms, np.float64)
    rng = np.random.default_rng(seed)
    step = max(1, _CHUNK // len(over))
    drawn = [
        _share(over[places], under[places])
        for done in range(0, rounds, step)
        for places in [rng.integers(0, len(over), (min(step, rounds - done), len(over)))]
    ]
    low, high = np.percentile(np.concatenate(drawn), (2.5, 97.5)).tolist()
    whole = _share(over[None], under[None])
    return Mean(float(whole[0]), low, high, len(over))


def _share(over: np.ndarray[Any, Any], under: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Sums of rows over sums of rows; of nothing the share is 0."""
    sums: np.ndarray[Any, Any] = over.sum(1) / np.maximum(under.sum(1), 1e-12)
    return sums


def means(rows: Sequence[dict[str, float]]) -> dict[str, Mean]:
    """Every metric over the questions that have it."""
    told = {name: [row[name] for row in rows if name in row] for name in METRICS}
    return {name: mean(values) for name, values in told.items() if values}
