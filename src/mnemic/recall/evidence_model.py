"""The model that ranks: the probability that a candidate is evidence for a query.

Two small networks over the features of `features.py`. The first gives each candidate a score that
puts the candidates of one query in order; the second reads how good the best of them are and says
how likely it is that anything fits at all. The weights are data, made by `bench/train_ranker.py`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from mnemic.late import dataclass, np
from mnemic.recall.features import GROUPS, OF_QUERY, Floats

_FILES = {
    reads: Path(__file__).with_name(f"evidence_{name}.json")
    for reads, name in ((True, "read"), (False, "words"))
}
_FARTHEST = 6.0  # standard deviations from its mean beyond which a feature says no more
_BEST = 3
_FEW = 5
_PAGE = 10
_ALIKE = 0.1  # of a score: texts of one form differ by less
# Rows multiplied at once: with more, BLAS wakes threads, and to wait for them costs more than all
# the rest of a recall where other work keeps the cores busy.
_AT_ONCE = 64
_OF_BEST = ("cover", "text strength", "vector", "late")
_OF_FIRST = ("cover of window", "session cover", "best term")


@dataclass(frozen=True, slots=True)
class Network:
    """One hidden layer beside a direct sum, over standardized inputs."""

    mean: Floats
    scale: Floats
    hidden: Floats
    hidden_bias: Floats
    output: Floats
    direct: Floats
    bias: float

    def standardize(self, rows: Floats) -> Floats:
        return np.clip((rows - self.mean) / self.scale, -_FARTHEST, _FARTHEST)

    def value(self, inputs: Floats) -> Floats:
        """One number a row."""
        total: Floats = inputs @ self.direct + self.bias
        for start in range(0, len(inputs), _AT_ONCE):
            batch = slice(start, start + _AT_ONCE)
            lifted = np.maximum(inputs[batch] @ self.hidden + self.hidden_bias, 0.0)
            total[batch] += lifted @ self.output
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
    groups: Floats  # a row a group of features, a column a feature: 1 where it belongs there

    def rows(self, features: Mapping[str, Floats]) -> Floats:
        """One row a candidate."""
        return np.stack([features[name] for name in self.names], axis=1)

    def scores(self, rows: Floats) -> Floats:
        """What puts candidates in order."""
        return self.order.value(self.order.standardize(rows))

    def log_odds(
        self, features: Mapping[str, Floats], scores: Floats, *, alike_once: bool = False
    ) -> Floats:
        """The logarithm of the odds that each candidate is evidence; with ``alike_once``, a hundred
        texts of one form are not worse for having no other to be better than.
        """
        distinct = scores
        if alike_once:
            falling = np.sort(scores)[::-1]
            distinct = falling[np.unique(np.round(falling / _ALIKE), return_index=True)[1]]
        among = beside_nothing(self.order, self.names, features, distinct)
        summary = self.fit.standardize(query_summary(self.names, features, scores, among)[None])
        best: Floats = self.slope * (scores - scores.max()) + self.fit.value(summary)
        return best

    def shares(self, rows: Floats) -> list[dict[str, float]]:
        """What each group of features adds to the log odds of each candidate, beside one that is
        average in them; nothing of a group that says nothing of it.
        """
        net, standing = self.order, self.order.standardize(rows)
        # With the hidden units that are on, a score is a sum over the features.
        on = (standing @ net.hidden + net.hidden_bias > 0) * net.output
        adds = self.slope * standing * (on @ net.hidden.T + net.direct) @ self.groups.T
        says = (rows != 0) @ self.groups.T > 0
        return [
            {name: add for name, add, applies in zip(GROUPS, mine, flags, strict=True) if applies}
            for mine, flags in zip(adds.tolist(), says.tolist(), strict=True)
        ]


def group_columns(names: Sequence[str]) -> Floats:
    """Which features belong to each group."""
    return np.array([[float(name in of) for name in names] for of in GROUPS.values()])


def beside_nothing(
    order: Network, names: Sequence[str], features: Mapping[str, Floats], scores: Floats
) -> Floats:
    """The scores, and so many of a text that has nothing of the query that a page is full: the one
    text of a young memory is not worse for having no other to be better than.
    """
    missing = _PAGE - len(scores)
    if missing <= 0:
        return scores
    row = np.array([features[name][0] if name in OF_QUERY else 0.0 for name in names])
    nothing = order.value(order.standardize(row[None]))
    return np.concatenate([scores, np.repeat(nothing, missing)])


def query_summary(
    names: Sequence[str], features: Mapping[str, Floats], scores: Floats, among: Floats
) -> Floats:
    """What is known of a query, of its best candidates, and of all that they stand ``among``; of
    the features that a model has.
    """
    top = np.sort(among)[::-1]
    best = np.argsort(-scores, kind="stable")[:_BEST].tolist()
    mean = float(top.mean())
    apart = top - mean
    first, last = float(top[0]), float(top[min(_PAGE, len(top)) - 1])
    return np.array(
        [
            *(features[name].item(0) for name in OF_QUERY if name in names),
            first,
            float(top[:_FEW].mean()),
            first - last,
            first - mean,
            math.sqrt(float(apart @ apart) / len(top)),
            *(sum(map(features[n].item, best)) / len(best) for n in _OF_BEST if n in names),
            *(features[name].item(best[0]) for name in _OF_FIRST),
        ]
    )


def probability(log_odds: Floats) -> Floats:
    """Between 0 and 1."""
    result: Floats = 1 / (1 + np.exp(-np.clip(log_odds, -30.0, 30.0)))
    return result


@cache
def evidence_model(*, reads: bool) -> EvidenceModel:
    """The model for texts that the reader has read, or the one for words and other vectors."""
    return model_of(json.loads(_FILES[reads].read_text(encoding="utf-8")))


def model_of(stored: Mapping[str, Any]) -> EvidenceModel:
    names = tuple(stored["names"])
    order, fit = _network(stored["order"]), _network(stored["fit"])
    return EvidenceModel(names, order, fit, stored["slope"], group_columns(names))


def _network(stored: Mapping[str, Any]) -> Network:
    arrays = {name: np.array(value) for name, value in stored.items() if name != "bias"}
    return Network(**arrays, bias=stored["bias"])
