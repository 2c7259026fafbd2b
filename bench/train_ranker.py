"""Train the ranker: `python -m bench.train_ranker BANKS.jsonl… --out evidence_read.json`.

First out of fold: the banks are dealt into folds, and each fold is ranked by a model that never saw
its banks; the table shows those figures. Then once on everything, which is written. Only numpy is
needed; some minutes on one core, most of them for the features, which `--cache` keeps.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.calibration import auc, calibration
from bench.ranker_data import Example, gather
from mnemic.recall.evidence_model import (
    EvidenceModel,
    Network,
    beside_nothing,
    group_columns,
    probability,
    query_summary,
)
from mnemic.recall.features import GROUPS, crowding
from mnemic.recall.ranker import SPREAD

Floats = NDArray[np.floating]
_HIDDEN = 12
_MEMBERS = 4  # networks whose mean is the score: together one network with as many hidden units
_STEPS = 300
_BATCH = 128  # questions a step
_RATE = 0.02
_DECAY = 1e-2
_FIT_HIDDEN = 16
_FIT_STEPS = 800
_FIT_RATE = 0.03
_FIT_DECAY = 5e-4
_FIT_DEPTH = 20  # candidates of a question that the second network learns from
_FARTHEST = 6.0
_MIXED = 0.3  # weight of an example of all kinds of records, beside one of turns
_OF_READER = frozenset({*GROUPS["reading"], "query best late"})
Parameters = list[NDArray[np.floating]]


class Adam:
    """Gradient descent with a rate that falls like a cosine."""

    def __init__(self, parameters: Parameters, rate: float, steps: int) -> None:
        self._rate, self._steps, self._step = rate, steps, 0
        self._mean = [np.zeros_like(one) for one in parameters]
        self._square = [np.zeros_like(one) for one in parameters]

    def update(self, parameters: Parameters, gradients: Sequence[Floats]) -> None:
        self._step += 1
        fall = 0.5 * (1 + np.cos(np.pi * self._step / self._steps)) + 0.02
        rate = self._rate * fall * min(1.0, self._step / 20)
        for n, gradient in enumerate(gradients):
            self._mean[n] = 0.9 * self._mean[n] + 0.1 * gradient
            self._square[n] = 0.99 * self._square[n] + 0.01 * gradient**2
            mean = self._mean[n] / (1 - 0.9**self._step)
            square = self._square[n] / (1 - 0.99**self._step)
            parameters[n] -= rate * mean / (np.sqrt(square) + 1e-8)


def _start(inputs: int, hidden: int, seed: int) -> Parameters:
    draw = np.random.default_rng(seed)
    return [
        draw.normal(0, inputs**-0.5, (inputs, hidden)),
        np.zeros(hidden),
        draw.normal(0, 0.3 * hidden**-0.5, hidden),
        np.zeros(inputs),
        np.zeros(1),
    ]


def _network(parameters: Parameters, mean: Floats, scale: Floats) -> Network:
    hidden, hidden_bias, output, direct, bias = parameters
    return Network(mean, scale, hidden, hidden_bias, output, direct, float(bias[0]))


def _gradients(
    rows: Floats, lifted: Floats, wanted: Floats, parameters: Parameters, decay: float
) -> list[Floats]:
    hidden, _, output, direct, _ = parameters
    back = wanted[:, None] * output[None] * (lifted > 0)
    return [
        rows.T @ back + decay * hidden,
        back.sum(axis=0),
        lifted.T @ wanted + decay * output,
        rows.T @ wanted + decay * direct,
        np.array([wanted.sum()]),
    ]


def _weights(examples: Sequence[Example], mixed: float = _MIXED) -> Floats:
    """Each file counts the less for one example of a kind the more it has."""
    kinds = [(one.file, one.foreign, one.of_world) for one in examples]
    sizes = Counter(kinds)
    weights = np.array(
        [
            sizes[kind] ** -0.5 * (1 if one.plain else mixed)
            for kind, one in zip(kinds, examples, strict=True)
        ]
    )
    weights /= weights.sum()
    return weights


def train_order(examples: Sequence[Example], seed: int) -> Network:
    """A network that puts evidence first: a softmax over the candidates of each question."""
    useful = [one for one in examples if one.labels.any() and not one.labels.all()]
    stacked = np.vstack([one.rows for one in useful]).astype(np.float64)
    mean, scale = stacked.mean(axis=0), stacked.std(axis=0) + 1e-6
    rows = np.clip((stacked - mean) / scale, -_FARTHEST, _FARTHEST).astype(np.float32)
    sizes = np.array([len(one.labels) for one in useful])
    starts = np.cumsum(sizes) - sizes
    wanted = np.concatenate([one.labels / one.labels.sum() for one in useful])
    weights = _weights(useful) * len(useful)
    parameters = _start(rows.shape[1], _HIDDEN, seed)
    adam = Adam(parameters, _RATE, _STEPS)
    draw = np.random.default_rng(seed + 1)
    for _ in range(_STEPS):
        chosen = draw.choice(len(useful), min(_BATCH, len(useful)), replace=False)
        places = np.concatenate([np.arange(starts[n], starts[n] + sizes[n]) for n in chosen])
        of, batch = sizes[chosen], rows[places]
        small = [one.astype(np.float32) for one in parameters]
        lifted = np.maximum(batch @ small[0] + small[1], 0.0)
        scores = lifted @ small[2] + batch @ small[3]
        begin = np.cumsum(of) - of
        apart = np.exp(scores - np.repeat(np.maximum.reduceat(scores, begin), of))
        shares = apart / np.repeat(np.add.reduceat(apart, begin), of)
        error = (shares - wanted[places]) * np.repeat(weights[chosen] / len(chosen), of)
        adam.update(parameters, _gradients(batch, lifted, error.astype(np.float32), small, _DECAY))
    return _network(parameters, mean, scale)


def joined(networks: Sequence[Network]) -> Network:
    """The mean of some networks over the same inputs, as one network."""
    return Network(
        mean=networks[0].mean,
        scale=networks[0].scale,
        hidden=np.hstack([one.hidden for one in networks]),
        hidden_bias=np.concatenate([one.hidden_bias for one in networks]),
        output=np.concatenate([one.output for one in networks]) / len(networks),
        direct=np.mean([one.direct for one in networks], axis=0),
        bias=float(np.mean([one.bias for one in networks])),
    )


def train_fit(examples: Sequence[Example], scored: Sequence[Scored]) -> tuple[Network, float]:
    """How likely the best candidate is evidence, and what a point of score is worth."""
    summaries = np.array([one.summary for one in scored])
    scores = [one.scores for one in scored]
    mean, scale = summaries.mean(axis=0), summaries.std(axis=0) + 1e-6
    rows = np.clip((summaries - mean) / scale, -_FARTHEST, _FARTHEST)
    owner, behind, labels = [], [], []
    for n, (one, score) in enumerate(zip(examples, scores, strict=True)):
        best = np.argsort(-score)[:_FIT_DEPTH]
        owner += [n] * len(best)
        behind += list(score[best] - score.max())
        labels += list(one.labels[best])
    of, apart, wanted = np.array(owner), np.array(behind), np.array(labels, np.float64)
    weights = _weights(examples, mixed=1.0)[of]
    weights /= weights.sum()
    parameters = [*_start(rows.shape[1], _FIT_HIDDEN, 0), np.ones(1)]
    adam = Adam(parameters, _FIT_RATE, _FIT_STEPS)
    for _ in range(_FIT_STEPS):
        lifted = np.maximum(rows @ parameters[0] + parameters[1], 0.0)
        best_odds = lifted @ parameters[2] + rows @ parameters[3] + parameters[4][0]
        error = (probability(best_odds[of] + parameters[5][0] * apart) - wanted) * weights
        of_query = np.bincount(of, error, minlength=len(rows)).astype(np.float64)
        gradients = _gradients(rows, lifted, of_query, parameters[:5], _FIT_DECAY)
        adam.update(parameters, [*gradients, np.array([(error * apart).sum()])])
    return _network(parameters[:5], mean, scale), float(parameters[5][0])


@dataclass(frozen=True, slots=True)
class Scored:
    """An example as the first network sees it, and what the second one is to see."""

    scores: Floats
    summary: Floats


def _scored(network: Network, names: Sequence[str], example: Example) -> Scored:
    features = {name: example.rows[:, n] for n, name in enumerate(names)}
    scores = network.value(network.standardize(example.rows))
    among = beside_nothing(network, names, features, scores)
    return Scored(scores, query_summary(names, features, scores, among))


def train(
    names: Sequence[str],
    examples: Sequence[Example],
    scored: Sequence[Scored],
) -> EvidenceModel:
    """``scored`` is by networks that did not see the example: what the best candidates look like on
    questions that are new.
    """
    order = joined([train_order(examples, seed) for seed in range(_MEMBERS)])
    fit, slope = train_fit(examples, scored)
    return EvidenceModel(tuple(names), order, fit, slope, group_columns(names))


def folds_of(examples: Sequence[Example], count: int) -> list[int]:
    """A fold for each example: banks that share their name stay together."""
    groups: dict[str, int] = {}
    for file in sorted({one.file for one in examples}):
        for n, group in enumerate(sorted({o.group for o in examples if o.file == file})):
            groups.setdefault(group, n % count)
    return [groups[one.group] for one in examples]


def crossed(
    names: Sequence[str], examples: Sequence[Example], folds: Sequence[int], learn: frozenset[str]
) -> tuple[list[Scored], list[Floats]]:
    """Each example as scored, and its log odds, by models that saw no bank of its fold."""
    scored: dict[int, Scored] = {}
    odds: list[Floats] = [np.zeros(0)] * len(examples)
    for fold in sorted(set(folds)):
        seen = [e for e, f in zip(examples, folds, strict=True) if f != fold and e.file in learn]
        order = joined([train_order(seen, seed) for seed in range(_MEMBERS)])
        for n, one in enumerate(examples):
            if folds[n] == fold:
                scored[n] = _scored(order, names, one)
    for fold in sorted(set(folds)):
        seen_at = [n for n, f in enumerate(folds) if f != fold and examples[n].file in learn]
        fit, slope = train_fit([examples[n] for n in seen_at], [scored[n] for n in seen_at])
        for n in range(len(examples)):
            if folds[n] == fold:
                best = fit.value(fit.standardize(scored[n].summary[None]))
                odds[n] = best + slope * (scored[n].scores - scored[n].scores.max())
    return [scored[n] for n in range(len(examples))], odds


def report(examples: Sequence[Example], odds: Sequence[Floats]) -> dict[str, dict[str, float]]:
    """Recall, MRR, how well it is told that nothing fits, and calibration, for each file."""
    found: dict[str, dict[str, float]] = {}
    for file in sorted({one.file for one in examples}):
        mine = [(e, o) for e, o in zip(examples, odds, strict=True) if e.file == file and e.plain]
        own = [(e, _spread(e, o)) for e, o in mine if not e.foreign]
        ranked = [(e, e.labels[np.argsort(-o, kind="stable")]) for e, o in own]
        tops = [float(o.max()) for _, o in own]
        told_apart = auc(tops, [float(o.max()) for e, o in mine if e.foreign and not e.plausible])
        plausible = auc(tops, [float(o.max()) for e, o in mine if e.plausible])
        first = [np.flatnonzero(labels) for _, labels in ranked]
        found[file] = {
            "questions": len(own),
            "pool": float(np.mean([e.labels.sum() / e.gold for e, _ in own])),
            "recall@5": float(np.mean([labels[:5].sum() / e.gold for e, labels in ranked])),
            "recall@10": float(np.mean([labels[:10].sum() / e.gold for e, labels in ranked])),
            "mrr": float(np.mean([1 / (1 + at[0]) if len(at) else 0.0 for at in first])),
            "auc": float("nan") if told_apart is None else told_apart,
            "auc plausible": float("nan") if plausible is None else plausible,
            "error": _calibration_error(mine),
        }
    return found


def _spread(example: Example, odds: Floats) -> Floats:
    if not example.of_whole:
        return odds
    return odds - SPREAD * crowding(odds, example.sessions)


def _calibration_error(asked: Sequence[tuple[Example, Floats]]) -> float:
    """The expected calibration error of the first ten."""
    best = [(example, odds, np.argsort(-odds)[:10]) for example, odds in asked]
    said = np.concatenate([probability(odds[first]) for _, odds, first in best])
    found = calibration(
        said.tolist(), np.concatenate([one.labels[first] for one, _, first in best]).tolist()
    )
    return float("nan") if found is None else found.error


def as_json(model: EvidenceModel, trained_on: Sequence[str]) -> dict[str, Any]:
    """The file of a model: numbers to five digits."""

    def numbers(network: Network) -> dict[str, Any]:
        arrays = ("mean", "scale", "hidden", "hidden_bias", "output", "direct")
        told = {name: _rounded(getattr(network, name)) for name in arrays}
        return {**told, "bias": float(f"{network.bias:.5g}")}

    return {
        "trained_on": list(trained_on),
        "names": list(model.names),
        "order": numbers(model.order),
        "fit": numbers(model.fit),
        "slope": float(f"{model.slope:.5g}"),
    }


def _rounded(values: Floats) -> Any:
    if values.ndim > 1:
        return [_rounded(row) for row in values]
    return [float(f"{value:.5g}") for value in values.tolist()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--only-measure", action="append", default=[], help="a file's name")
    parser.add_argument("--out", type=Path, help="where the model is written")
    parser.add_argument("--cache", type=Path, help="a folder that keeps the features")
    parser.add_argument("--limit", type=int, help="banks of each file")
    parser.add_argument(
        "--words", action="store_true", help="for words, with vectors of no reader and without any"
    )
    parser.add_argument("--folds", type=int, default=5)
    given = parser.parse_args()
    names: tuple[str, ...] = ()
    examples: list[Example] = []
    for path in given.files:
        before = len(examples)
        for provider in ("auto", "none") if given.words else ("auto",):
            names, of_file = gather(path, given.limit, given.cache, provider)
            examples += of_file
        print(f"{path.stem}: {len(examples) - before} examples", flush=True)
    if given.words:
        kept = [n for n, name in enumerate(names) if name not in _OF_READER]
        names = tuple(names[n] for n in kept)
        examples = [replace(one, rows=one.rows[:, kept]) for one in examples]
    learn = frozenset({one.file for one in examples} - set(given.only_measure))
    folds = folds_of(examples, given.folds)
    scored, odds = crossed(names, examples, folds, learn)
    for file, figures in report(examples, odds).items():
        line = " ".join(f"{name} {value:.3f}" for name, value in figures.items())
        print(f"{file:16} {'' if file in learn else '(not trained on) '}{line}", flush=True)
    if given.out:
        chosen = [n for n, one in enumerate(examples) if one.file in learn]
        model = train(names, [examples[n] for n in chosen], [scored[n] for n in chosen])
        text = json.dumps(as_json(model, sorted(learn)), separators=(",", ":"))
        given.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
