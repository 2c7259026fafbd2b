"""The vector route: what is near to a query in meaning.

Small memories are scanned in the database; larger ones by an index in memory, which is brought up
to date with the database at every query.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from recollect.errors import StoreDamaged
from recollect.index.nearest import Near, NearestIndex
from recollect.index.segment import has_dense_script, query_terms
from recollect.locks import ForkSafeLock
from recollect.providers.embedding.base import Embedder, WordEmbedder
from recollect.rules.bm25 import number_of
from recollect.rules.fusion import VectorScores
from recollect.settings.reading import Conversation
from recollect.store.base import TextFound, Unit, Vectors
from recollect.store.documents import type_of
from recollect.types import RECORD_TYPES, RecordType

SCAN_LIMIT = 256  # up to this many vectors are compared by the database
_WORD = re.compile(r"[^\W_]+")
_UNIT = 0.01  # how far the square of a vector may be from 1
Floats = NDArray[np.float32]


class VectorFound(Protocol):
    """What is near to one query, and how near any record is."""

    def nearest(self, types: Sequence[RecordType], limit: int) -> list[Near]: ...
    def scores(self, docs: Sequence[int], trust: float) -> VectorScores: ...


class VectorRoute:
    """Searches the vectors of one space."""

    def __init__(self, embedder: Embedder, weights: Conversation) -> None:
        self._embedder = embedder
        self._weights = weights
        self._guard = ForkSafeLock()
        self._held: _Held | None = None

    def trust(self, query: str) -> float:
        """How much the embedder's word counts for such a query; 0 when it knows too little."""
        if isinstance(self._embedder, WordEmbedder):
            return 0.0 if has_dense_script(query) else self._weights.word_vectors
        return self._weights.sentence_vectors

    def search(self, unit: Unit, query: str, text: TextFound | None) -> VectorFound | None:
        """None while no record has vectors of this embedder."""
        number = unit.vectors.known_embedders().get(self._embedder.name)
        if number is None:
            return None
        count = SCAN_LIMIT + 1 if self._held else unit.vectors.count(number, SCAN_LIMIT + 1)
        if not count:
            return None  # before anybody is asked for the vector of the query
        vector = self._embed(query, text)
        if not vector.any():
            return None
        if count <= SCAN_LIMIT:
            scanned = unit.vectors.scan(number, vector.tobytes())
            return _Scanned(scanned) if scanned else None
        with self._guard:
            if self._held is None:
                self._held = _Held(len(vector))
            self._held.catch_up(unit.vectors, number)
            return _Indexed(self._held.indexes, vector)

    def _embed(self, query: str, text: TextFound | None) -> Floats:
        """Words that are rare in this memory say most about what is meant."""
        if text is None or not isinstance(self._embedder, WordEmbedder):
            vector: Floats = self._embedder.embed([query], query=True)[0]
            return vector
        rarest = max(text.weights.values(), default=1.0)
        words = [(word, _weight(word, text, rarest)) for word in _WORD.findall(query)]
        return self._embedder.embed_words(words)


def _weight(word: str, text: TextFound, rarest: float) -> float:
    """The weight its term has in the text search; a word that no text has counts as the rarest."""
    terms = query_terms(word)
    if not terms:
        return 0.0
    known = text.weights.get(number_of(terms[0].text))
    return rarest * terms[0].weight if known is None else known


class _Held:
    """The index in memory, and how much of the database it has seen."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._rewrites = -1
        self._reached: dict[RecordType, int] = {}
        self.indexes: dict[RecordType, NearestIndex] = {}

    def catch_up(self, vectors: Vectors, number: int) -> None:
        state = vectors.state(number)
        if state.rewrites != self._rewrites:
            self._reached, self._rewrites = {}, state.rewrites
            self.indexes = {type_: NearestIndex(self._dimensions) for type_ in RECORD_TYPES}
        for type_, reached in state.reached.items():
            if reached == self._reached.get(type_):
                continue
            loaded = vectors.load(number, type_, self._reached.get(type_))
            if loaded.docs:
                matrix = np.frombuffer(loaded.vectors, np.float32)
                rows = matrix.reshape(len(loaded.docs), self._dimensions)
                _check_lengths(rows)
                self.indexes[type_].append(np.array(loaded.docs, np.int64), rows)
            self._reached[type_] = reached


def _check_lengths(rows: Floats) -> None:
    """Garbage that was read as numbers would spoil the scores of everything else."""
    squares = np.einsum("ij,ij->i", rows, rows)
    if not (np.abs(squares - 1) < _UNIT).all():
        raise StoreDamaged(
            "A vector in the database is not of length 1",
            remedy="Restore a backup, or change embedding.model and back to make them anew",
        )


class _Indexed:
    """Answers from the index in memory."""

    def __init__(self, indexes: dict[RecordType, NearestIndex], query: Floats) -> None:
        self._indexes = {type_: index for type_, index in indexes.items() if len(index)}
        self._query = query

    def nearest(self, types: Sequence[RecordType], limit: int) -> list[Near]:
        found = [
            near
            for type_ in types
            if type_ in self._indexes
            for near in self._indexes[type_].search(self._query, limit)
        ]
        return sorted(found, key=lambda near: -near.cosine)[:limit]

    def scores(self, docs: Sequence[int], trust: float) -> VectorScores:
        samples = [index.sample(self._query) for index in self._indexes.values()]
        chance = np.concatenate(samples) if samples else np.zeros(1, np.float32)
        similarity = np.full(len(docs), np.nan)
        numbers = np.array(docs, np.int64)
        types = [type_of(doc) for doc in docs]
        for type_, index in self._indexes.items():
            mine = np.array([n for n, other in enumerate(types) if other == type_], np.int64)
            if len(mine):
                similarity[mine] = index.cosines(self._query, numbers[mine])
        return _vector_scores(similarity, chance, trust)


class _Scanned:
    """Answers from cosines with every vector."""

    def __init__(self, cosines: Sequence[tuple[int, float]]) -> None:
        self._all = np.array([cosine for _, cosine in cosines])
        self._best: dict[int, float] = {}
        for doc, cosine in cosines:
            self._best[doc] = max(cosine, self._best.get(doc, -1.0))

    def nearest(self, types: Sequence[RecordType], limit: int) -> list[Near]:
        found = [Near(doc, c) for doc, c in self._best.items() if type_of(doc) in types]
        return sorted(found, key=lambda near: -near.cosine)[:limit]

    def scores(self, docs: Sequence[int], trust: float) -> VectorScores:
        similarity = np.array([self._best.get(doc, np.nan) for doc in docs])
        return _vector_scores(similarity, self._all, trust)


def _vector_scores(
    similarity: NDArray[np.float64], chance: NDArray[np.floating], trust: float
) -> VectorScores:
    """A record without vectors is as near as any by chance."""
    mean = float(chance.mean())
    filled = np.where(np.isnan(similarity), mean, similarity)
    return VectorScores(filled, mean, float(chance.std()), trust)
