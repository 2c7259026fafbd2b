"""The model that ranks: the probability that a candidate is evidence for a query.

Two small networks over the features of `features.py`. The first gives each candidate a score that
puts the candidates of one query in order; the second reads how good the best of them are and says
how likely it is that anything fits at all. The weights are data, made by `bench/train_ranker.py`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from recollect.recall.features import GROUPS, OF_QUERY, Floats

_FILE = Path(__file__).with_name("evidence_model.json")
_FARTHEST = 6.0  # standard deviations from its mean beyond which a feature says no more
_BEST = 3
_FEW = 5
_PAGE = 10
_OF_BEST = ("cover", "text strength", "vector")
_OF_FIRST = ("cover of window", "session cover", "best term")


@dataclass(frozen=True, slots=True)
class Network:
    """One hidden layer beside a direct sum, over standardised inputs."""

    mean: Floats
    scale: Floats
    hidden: Floats
    hidden_bias: Floats
    output: Floats
    direct: Floats
    bias: float

    def standardised(self, rows: Floats) -> Floats:
        return np.clip((rows - self.mean) / self.scale, -_FARTHEST, _FARTHEST)

    def value(self, standardised: Floats) -> Floats:
        """One number a row."""
        lifted = np.maximum(standardised @ self.hidden + self.hidden_bias, 0.0)
        total: Floats = lifted @ self.output + standardised @ self.direct + self.bias
        return total


@dataclass(frozen=True, slots=True)
class EvidenceModel:
    """``order`` scores candidates by the features in ``names``; ``fit`` says how likely the best
    one is evidence; ``slope`` is what a point of score is worth in log odds.
    """

    names: tuple[str, ...]
    order: Network
    fit: Network
    slope: float

    def rows(self, features: Mapping[str, Floats]) -> Floats:
        """One standardised row a candidate."""
        return self.order.standardised(np.stack([features[name] for name in self.names], axis=1))

    def log_odds(self, features: Mapping[str, Floats], scores: Floats) -> Floats:
        """The logarithm of the odds that each candidate is evidence."""
        summary = self.fit.standardised(query_summary(features, scores))
        best: Floats = self.slope * (scores - scores.max()) + self.fit.value(summary)
        return best

    def shares(self, rows: Floats) -> dict[str, Floats]:
        """What each group of features adds to the log odds, beside a candidate that is average
        in them.
        """
        groups = [(name, self._columns(of)) for name, of in GROUPS.items()]
        without = np.repeat(rows[None], len(groups), axis=0)
        for place, (_, columns) in enumerate(groups):
            without[place][:, columns] = 0.0
        whole = self.order.value(rows)
        rest = self.order.value(without.reshape(-1, rows.shape[1])).reshape(len(groups), -1)
        return {name: self.slope * (whole - rest[place]) for place, (name, _) in enumerate(groups)}

    def _columns(self, names: Sequence[str]) -> list[int]:
        return [place for place, name in enumerate(self.names) if name in names]


def query_summary(features: Mapping[str, Floats], scores: Floats) -> Floats:
    """What is known of a query and of its best candidates."""
    order = np.argsort(-scores, kind="stable")
    top = scores[order]
    best, first = order[:_BEST], order[0]
    return np.array(
        [
            *(features[name][0] for name in OF_QUERY),
            top[0],
            top[:_FEW].mean(),
            top[0] - top[min(_PAGE, len(top)) - 1],
            top[0] - top.mean(),
            top.std(),
            *(features[name][best].mean() for name in _OF_BEST),
            *(features[name][first] for name in _OF_FIRST),
        ]
    )


def probability(log_odds: Floats) -> Floats:
    """Between 0 and 1."""
    result: Floats = 1 / (1 + np.exp(-np.clip(log_odds, -30.0, 30.0)))
    return result


@lru_cache(maxsize=1)
def evidence_model() -> EvidenceModel:
    """The model that is shipped; read once."""
    return model_of(json.loads(_FILE.read_text(encoding="utf-8")))


def model_of(stored: Mapping[str, Any]) -> EvidenceModel:
    """A model from its file."""
    return EvidenceModel(
        tuple(stored["names"]), _network(stored["order"]), _network(stored["fit"]), stored["slope"]
    )


def _network(stored: Mapping[str, Any]) -> Network:
    arrays = {name: np.array(value) for name, value in stored.items() if name != "bias"}
    return Network(**arrays, bias=stored["bias"])
