"""How much of what was to be learned was learned, and how much else."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.metrics import Mean
from bench.utterances.labels import Label
from mnemic.types import KINDS, Candidate

_ROUNDS = 2_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """The counts of one utterance.

    ``candidates`` leaves out those that met an optional label: they were allowed, not asked for.
    ``exact`` are the right candidates that also have the label's value as their own.
    """

    candidates: int
    right: int
    exact: int
    labels: int
    matched: int
    wrong: tuple[Candidate, ...] = ()
    missed: tuple[Label, ...] = ()


@dataclass(frozen=True, slots=True)
class Figures:
    """Shares over many utterances with their 95 % intervals; ``count`` is what each is a share of.

    ``traps_sprung`` is the share of utterances without labels from which something was learned.
    """

    precision: Mean
    recall: Mean
    exact_precision: Mean
    traps_sprung: Mean


def score(labels: Sequence[Label], candidates: Sequence[Candidate]) -> Outcome:
    """Pair candidates with labels, the surest pairs first, each at most once."""
    pairs = sorted(
        (
            (-_likeness(label, candidate), label.optional, nth_label, nth_candidate)
            for nth_label, label in enumerate(labels)
            for nth_candidate, candidate in enumerate(candidates)
            if _likeness(label, candidate)
        ),
    )
    of_label: dict[int, int] = {}
    of_candidate: dict[int, int] = {}
    for _, _, nth_label, nth_candidate in pairs:
        if nth_label not in of_label and nth_candidate not in of_candidate:
            of_label[nth_label] = nth_candidate
            of_candidate[nth_candidate] = nth_label
    matched = {n: m for n, m in of_label.items() if not labels[n].optional}
    wanted = [label for label in labels if not label.optional]
    return Outcome(
        candidates=len(candidates) - (len(of_label) - len(matched)),
        right=len(matched),
        exact=sum(_exact(labels[n], candidates[m]) for n, m in matched.items()),
        labels=len(wanted),
        matched=len(matched),
        wrong=tuple(one for n, one in enumerate(candidates) if n not in of_candidate),
        missed=tuple(
            label for n, label in enumerate(labels) if n not in of_label and not label.optional
        ),
    )


def figures(outcomes: Sequence[Outcome], seed: int = 7) -> Figures:
    """The shares over all utterances. A share of nothing counts as whole."""
    candidates = [one.candidates for one in outcomes]
    traps = [one for one in outcomes if not one.labels]
    return Figures(
        precision=_share([one.right for one in outcomes], candidates, seed),
        recall=_share([one.matched for one in outcomes], [one.labels for one in outcomes], seed),
        exact_precision=_share([one.exact for one in outcomes], candidates, seed),
        traps_sprung=_share([one.candidates > 0 for one in traps], [1] * len(traps), seed),
    )


def _likeness(label: Label, candidate: Candidate) -> int:
    """0 for no pair; more for a pair in more respects."""
    if candidate.withdraws != label.withdraws or not _kind_fits(label, candidate):
        return 0
    predicate = candidate.predicate == label.predicate
    place = predicate and plain_text(candidate.subject) == plain_text(label.subject)
    value = says(label, candidate.value) or says(label, candidate.text)
    return 4 * value + 2 * place + predicate if value or place else 0


def _kind_fits(label: Label, candidate: Candidate) -> bool:
    """What is withdrawn may have been kept as any kind."""
    kinds = KINDS if label.withdraws else (label.kind, *label.kinds)
    return candidate.kind in kinds


def _exact(label: Label, candidate: Candidate) -> bool:
    return says(label, candidate.value or candidate.text)


def says(label: Label, text: str) -> bool:
    """Whether the text has the label's value in it, as a word or number of its own."""
    return any(holds(plain_text(text), plain_text(value)) for value in (label.value, *label.accept))


def holds(text: str, value: str) -> bool:
    """A number is never part of a longer one; a word may have an ending but no beginning more."""
    before = "(?<![0-9])" if _is_digit(value[0]) else "(?<![a-z])" if value[0].isascii() else ""
    after = "(?![0-9])" if _is_digit(value[-1]) else ""
    return re.search(before + re.escape(value) + after, text) is not None


def _is_digit(character: str) -> bool:
    return character.isascii() and character.isdigit()


def plain_text(text: str) -> str:
    """Without what two writers of the same thing may differ in: case, width, spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _share(parts: Sequence[int], wholes: Sequence[int], seed: int) -> Mean:
    """The share, and between what shares of resampled utterances lie in 95 of 100 cases."""
    part, whole = np.asarray(parts, np.float64), np.asarray(wholes, np.float64)
    if not whole.sum():
        return Mean(1.0, 1.0, 1.0, 0)
    drawn = np.random.default_rng(seed).integers(0, len(part), (_ROUNDS, len(part)))
    low, high = np.percentile(_ratio(part[drawn].sum(1), whole[drawn].sum(1)), (2.5, 97.5)).tolist()
    return Mean(float(part.sum() / whole.sum()), low, high, int(whole.sum()))


def _ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(part, whole, out=np.ones_like(part), where=whole > 0)
