"""Whether recall loses anything against scoring every turn with the same terms and weights.

Measured on the order of the text scores alone: what the conversation adds to them is a matter of
ranking, not of loss.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.bare import connect
from bench.corpus import Question
from bench.figures import Figure, figure, ratio_at_least
from bench.grown import Grown
from bench.minds import bench_mind, text_order
from mnemic.index import segment
from mnemic.rules import bm25

_EQUAL = 1e-9


class Exhaustive:
    """BM25 over every turn of a file, with counted instead of estimated figures."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        conn = connect(os.fspath(path))
        rows: list[Any] = conn.execute(
            "SELECT t.id, x.packed FROM turns t JOIN text_terms x ON x.doc = t.doc ORDER BY t.doc"
        ).fetchall()
        conn.close()
        self.place_of: dict[str, int] = {id_: place for place, (id_, _) in enumerate(rows)}
        self._packed: list[bytes] = [packed for _, packed in rows]
        lengths = [len(packed) // bm25.TERM_BYTES for packed in self._packed]
        self._length = fmean(max(bm25.SHORT, length) for length in lengths)
        self._owner = np.repeat(np.arange(len(rows)), lengths)
        self._terms = np.frombuffer(b"".join(self._packed), np.uint32)

    def scores(self, query: str, *, stop: bool) -> NDArray[np.float64]:
        """The score of every turn, in the order of recording, with or without stop words."""
        weights: dict[int, float] = {}
        for term in segment.query_terms(query):
            number = bm25.number_of(term.text)
            holding = len(np.unique(self._owner[self._terms == number]))
            if holding and (stop or term.weight > segment.STOP_WEIGHT):
                weights[number] = term.weight * bm25.rarity(len(self._packed), holding)
        return bm25.term_matches(self._packed, weights, self._length).scores


@dataclass(frozen=True, slots=True)
class _Compared:
    """One question: the share of the best that was found, the score lost, the turn aimed at."""

    shared: float
    lost: float
    aimed: bool
    aimed_exhaustive: bool


def measure_exact(grown: Grown, asked: Sequence[Question], k: int) -> list[Figure]:
    """How much of the exhaustive top ``k`` is found; equal scores may stand for each other."""
    exhaustive = Exhaustive(grown.path)
    with bench_mind(grown.path, text_order()) as mind:
        found = [
            [
                exhaustive.place_of[hit.id]
                for hit in mind.recall(question.text, limit=k, of=["turn"])
            ]
            for question in asked
        ]
    figures: list[Figure] = []
    for stop in (True, False):
        compared = [
            one
            for question, places in zip(asked, found, strict=True)
            if (one := _compare(exhaustive.scores(question.text, stop=stop), places, question, k))
        ]
        if compared:
            figures += _figures(grown, compared, k, stop=stop)
    return figures


def _compare(
    scores: NDArray[np.float64], found: list[int], question: Question, k: int
) -> _Compared | None:
    order = np.lexsort((np.arange(len(scores)), scores))[::-1][:k]
    best: list[int] = [place for place in order.tolist() if scores[place] > 0]
    if not best:
        return None
    least, most = scores[best[-1]] - _EQUAL, float(scores[best].sum())
    return _Compared(
        shared=sum(bool(scores[place] >= least) for place in found) / len(best),
        lost=1 - float(scores[found].sum()) / most if found else 1.0,
        aimed=question.target in found,
        aimed_exhaustive=question.target in best,
    )


def _figures(grown: Grown, compared: list[_Compared], k: int, *, stop: bool) -> list[Figure]:
    name = f"{grown.corpus.tongue}, {grown.turns:,} turns"
    beside = "exhaustive BM25" + ("" if stop else ", no stop words")
    figures = [
        figure(
            "exact", f"{name}, shared of the top {k}", "", fmean(one.shared for one in compared),
            beside=beside, baseline=1.0,
            details={
                "worst": min(one.shared for one in compared),
                "score lost": fmean(one.lost for one in compared),
                "asked": len(compared),
            },
        )
    ]  # fmt: skip
    theirs = fmean(one.aimed_exhaustive for one in compared)
    if stop and theirs:  # questions of real texts are aimed at no turn of their own
        figures.append(
            figure(
                "exact",
                f"{name}, turn aimed at in the top {k}",
                "",
                fmean(one.aimed for one in compared),
                beside=beside,
                baseline=theirs,
                target=ratio_at_least(1),
            )
        )
    return figures
