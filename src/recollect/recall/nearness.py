"""What the vector route found for one query: the nearest records, and how near any record is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from recollect.index.engine import VectorTable
from recollect.index.nearest import Near
from recollect.recall.fusion import VectorScores
from recollect.store.documents import are_of, type_of
from recollect.types import RecordType

Floats = NDArray[np.float32]


class VectorFound(Protocol):
    """What is near to one query, and how near any record is."""

    def nearest(self, types: Sequence[RecordType], limit: int) -> list[Near]: ...
    def among(self, docs: Sequence[int], limit: int) -> list[Near]:
        """The nearest of these records."""

    def scores(self, docs: Sequence[int], trust: float) -> VectorScores: ...


class IndexedVectors:
    """Answers from the tables of an engine."""

    def __init__(
        self, tables: Mapping[RecordType, VectorTable], query: Floats, trust: float
    ) -> None:
        """``trust`` is the most that the vectors of this embedder count for such a query."""
        self._tables = tables
        self._query = query
        self._trust = trust

    def nearest(self, types: Sequence[RecordType], limit: int) -> list[Near]:
        found = [
            near
            for type_ in types
            if type_ in self._tables
            for near in self._tables[type_].search(self._query, limit)
        ]
        return sorted(found, key=lambda near: -near.cosine)[:limit]

    def among(self, docs: Sequence[int], limit: int) -> list[Near]:
        similarity = self._similarity(docs)
        found = np.argsort(-similarity)[:limit]  # what has no vectors comes last
        return [Near(docs[n], float(similarity[n])) for n in found if not np.isnan(similarity[n])]

    def scores(self, docs: Sequence[int], trust: float) -> VectorScores:
        samples = [table.sample(self._query) for table in self._tables.values()]
        chance = np.concatenate(samples) if len(samples) > 1 else samples[0]
        return _vector_scores(self._similarity(docs), chance, min(trust, self._trust))

    def _similarity(self, docs: Sequence[int]) -> NDArray[np.float64]:
        """Cosines with the query; NaN for what has no vectors."""
        similarity = np.full(len(docs), np.nan)
        numbers = np.array(docs, np.int64)
        for type_, table in self._tables.items():
            mine = np.flatnonzero(are_of(numbers, type_))
            if len(mine):
                similarity[mine] = table.cosines(self._query, numbers[mine])
        return similarity


class Scanned:
    """Answers from cosines that the database has made."""

    def __init__(
        self,
        cosines: Sequence[tuple[int, float]],
        trust: float,
        chance: Sequence[tuple[int, float]] = (),
    ) -> None:
        """``chance``: some vectors whatever they are, where ``cosines`` has only the nearest."""
        self._chance = np.array([cosine for _, cosine in chance or cosines])
        self._trust = trust
        self._best: dict[int, float] = {}
        for doc, cosine in (*chance, *cosines):
            self._best[doc] = max(cosine, self._best.get(doc, -1.0))

    def nearest(self, types: Sequence[RecordType], limit: int) -> list[Near]:
        return self.among([doc for doc in self._best if type_of(doc) in types], limit)

    def among(self, docs: Sequence[int], limit: int) -> list[Near]:
        found = [Near(doc, self._best[doc]) for doc in docs if doc in self._best]
        return sorted(found, key=lambda near: -near.cosine)[:limit]

    def scores(self, docs: Sequence[int], trust: float) -> VectorScores:
        similarity = np.array([self._best.get(doc, np.nan) for doc in docs])
        return _vector_scores(similarity, self._chance, min(trust, self._trust))


def _vector_scores(
    similarity: NDArray[np.float64], chance: NDArray[np.floating], trust: float
) -> VectorScores:
    """A record without vectors is as near as any by chance."""
    mean = float(chance.sum()) / len(chance)
    apart = chance - mean
    deviation = math.sqrt(float(apart @ apart) / len(chance))
    similarity[np.isnan(similarity)] = mean
    return VectorScores(similarity, mean, deviation, trust)
