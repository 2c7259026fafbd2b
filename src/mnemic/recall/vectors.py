"""The vector route: what is near to a query in meaning.

Small memories are scanned in the database; larger ones by the engine that the settings name, which
is brought up to date with the database at every query. After a change of the embedder the vectors
of the old one answer, to a query embedded by the old one, until the new one has caught up.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from mnemic.errors import BadVector, ModelUnavailable, StoreError
from mnemic.index.engine import VectorTable
from mnemic.index.live_tables import LiveTables, VectorSet
from mnemic.index.nearest import Near
from mnemic.index.segment import has_dense_script, index_text, term_weight
from mnemic.locks import ForkSafeLock
from mnemic.providers.embedding.base import (
    Embedder,
    HanEmbedder,
    WordEmbedder,
    clear_cache,
    expect,
    release,
)
from mnemic.recall.features import VectorScores
from mnemic.rules.bm25 import number_of
from mnemic.store.contract import Unit
from mnemic.store.rows import TextMatches, are_of, type_of
from mnemic.store.sql.vectors import SqlVectors
from mnemic.types import RecordType

SCAN_LIMIT = 256  # up to this many vectors are compared by the database
SCAN_MEANWHILE = 100_000  # up to this many records, while an index of them is being made
_SCANNED = 1_000  # how many of the nearest it returns
_SAMPLE = 256
# How far likeness by the vectors of an embedder is believed, beside that by vectors of words.
WORD_TRUST = 1.0
GLOSS_TRUST = 1.0
SENTENCE_TRUST = 1.5
WORD = re.compile(r"[^\W_]+")
# The scripts without spaces apart from Han: Thai to Khmer, kana, Hangul.
_NO_HAN = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30fa\uac00-\ud7a3]")
FloatRow = NDArray[np.float32]
Earlier = Callable[[str], Embedder | None]


class VectorMatches(Protocol):
    """The records nearest to one query, and how near any record is."""

    def nearest(self, types: Sequence[RecordType], limit: int) -> list[Near]: ...
    def among(self, docs: Sequence[int], limit: int) -> list[Near]:
        """The nearest of these records."""

    def scores(self, docs: Sequence[int], trust: float) -> VectorScores: ...


class IndexedVectors:
    """Matches from the tables of an engine."""

    def __init__(
        self, tables: Mapping[RecordType, VectorTable], query: FloatRow, trust: float
    ) -> None:
        """``trust`` is the most that the vectors of this embedder count for such a query."""
        self._tables = tables
        self._query = query
        self._trust = trust

    def nearest(self, types: Sequence[RecordType], limit: int) -> list[Near]:
        matches = [
            near
            for type_ in types
            if type_ in self._tables
            for near in self._tables[type_].search(self._query, limit)
        ]
        return sorted(matches, key=lambda near: -near.cosine)[:limit]

    def among(self, docs: Sequence[int], limit: int) -> list[Near]:
        similarity = self._similarity(docs)
        best = np.argsort(-similarity)[:limit]  # what has no vectors comes last
        return [Near(docs[n], float(similarity[n])) for n in best if not np.isnan(similarity[n])]

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


class ScannedVectors:
    """Matches from cosines that the database computed."""

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
        matches = [Near(doc, self._best[doc]) for doc in docs if doc in self._best]
        return sorted(matches, key=lambda near: -near.cosine)[:limit]

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


class VectorRoute:
    """Searches the vectors of one space."""

    def __init__(self, embedder: Embedder, holder: LiveTables, earlier: Earlier) -> None:
        """``earlier`` makes an embedder again from the name its vectors are stored under."""
        self._embedder = embedder
        self._holder = holder
        self._earlier = earlier
        self._guard = ForkSafeLock()
        self._remade: dict[str, Embedder | None] = {}

    def trust(self, query: str) -> float:
        """The weight of vector similarity for such a query; 0 where the embedder cannot read it."""
        return self._trust(self._embedder, query)

    def settle(self, timeout: float | None = None) -> bool:
        """Wait until an index that is being made is there; True when it is."""
        return self._holder.settle(timeout)

    def waiting(self) -> int:
        """How many records still wait for vectors of the present embedder."""
        try:
            return self._holder.waiting(self._embedder.name)
        except StoreError:
            return 0  # a damaged file; recall and the worker report it

    def forget(self) -> None:
        """Drop cached vectors and answers."""
        for embedder in (self._embedder, *filter(None, self._remade.values())):
            clear_cache(embedder)
        self._holder.forget()

    def close(self) -> None:
        """Close connections and files."""
        for embedder in (self._embedder, *filter(None, self._remade.values())):
            release(embedder)
        self._holder.close()

    def search(self, unit: Unit, query: str, text: TextMatches | None) -> VectorMatches | None:
        """None while no record has vectors, or none that can be searched yet."""
        rows = unit.vectors
        embedder, vectors = self._source(rows)
        if embedder is None or vectors is None:
            return None
        trust = self._trust(embedder, query)
        # Whether there are vectors at all, before the query is embedded.
        small = not (self._holder.holds or self._holder.always)
        count = rows.count(vectors.number, SCAN_LIMIT + 1) if small else SCAN_LIMIT + 1
        if not (trust and count):
            return None
        vector = self._embed(embedder, query, text)
        if not vector.any():
            return None
        if len(vector) != vectors.dimensions:
            raise BadVector(
                f"{vectors.name} answered {len(vector)} dimensions where its vectors here have"
                f" {vectors.dimensions}",
                remedy="Set embedding.dimensions, or name the model that made the others",
            )
        if count <= SCAN_LIMIT:
            return ScannedVectors(rows.scan(vectors.number, vector.tobytes()), trust)
        tables = self._holder.tables(rows, vectors)
        if tables:
            return IndexedVectors(tables, vector, trust)
        return self._scan_meanwhile(rows, vectors, vector, trust)

    def _scan_meanwhile(
        self, rows: SqlVectors, vectors: VectorSet, vector: FloatRow, trust: float
    ) -> VectorMatches | None:
        """A scan by the database, unless that too would take seconds; then words answer alone."""
        if rows.coverage()[vectors.number].records > SCAN_MEANWHILE:
            return None
        query = vector.tobytes()
        chance = rows.sample(vectors.number, query, _SAMPLE)
        return ScannedVectors(rows.scan(vectors.number, query, _SCANNED), trust, chance)

    def _trust(self, embedder: Embedder, query: str) -> float:
        if _sums_words(embedder):
            if not has_dense_script(query):
                return WORD_TRUST
            readable = _reads_han(embedder) and not _NO_HAN.search(query)
            return GLOSS_TRUST if readable else 0.0
        return SENTENCE_TRUST

    # --- embedders --------------------------------------------------------------------------

    def _source(self, rows: SqlVectors) -> tuple[Embedder | None, VectorSet | None]:
        """The embedder whose vectors cover most records, the present one among equals."""
        covered = rows.coverage()
        if not covered:
            return None, None
        names = {number: one.embedder for number, one in covered.items()}
        present = self._embedder.name
        best = max(covered, key=lambda number: (covered[number].records, names[number] == present))
        embedder = self._embedder if names[best] == present else self._again(names[best])
        if embedder is None:  # better the few new vectors than none
            mine = [number for number in covered if names[number] == present]
            if not mine:
                return None, None
            embedder, best = self._embedder, mine[0]
        vectors = VectorSet(best, names[best], covered[best].dimensions)
        expect(embedder, vectors.dimensions)
        return embedder, vectors

    def _again(self, name: str) -> Embedder | None:
        """The embedder of the old vectors; the error that there is none is raised once."""
        with self._guard:
            if name not in self._remade:
                self._remade[name] = self._earlier(name)
                if self._remade[name] is None:
                    raise ModelUnavailable(
                        f"The vectors were made by {name}, which the settings no longer reach",
                        remedy="Words answer until the new vectors are there; see mnemic jobs",
                    )
            return self._remade[name]

    # --- the query ------------------------------------------------------------------------------

    def _embed(self, embedder: Embedder, query: str, text: TextMatches | None) -> FloatRow:
        """Words that are rare in this memory say most about what is meant."""
        if text is None or not _sums_words(embedder):
            vector: FloatRow = embedder.embed([query], query=True)[0]
            return vector
        if has_dense_script(query) and _reads_han(embedder):
            words = embedder.words(query)
        else:
            words = WORD.findall(query)
        return embedder.embed_words(word_weights(words, text.weights))


_kinds_by_type: dict[type, tuple[bool, bool]] = {}


def _sums_words(embedder: Embedder) -> TypeGuard[WordEmbedder]:
    return _kinds(embedder)[0]


def _reads_han(embedder: Embedder) -> TypeGuard[HanEmbedder]:
    return _kinds(embedder)[1] and bool(getattr(embedder, "reads_han", False))


def _kinds(embedder: Embedder) -> tuple[bool, bool]:
    """Cached because checking a protocol is slow and happens at every query."""
    kind = type(embedder)
    if kind not in _kinds_by_type:
        _kinds_by_type[kind] = isinstance(embedder, WordEmbedder), isinstance(embedder, HanEmbedder)
    return _kinds_by_type[kind]


def word_weights(words: Sequence[str], weights: Mapping[int, float]) -> list[tuple[str, float]]:
    """Each word with the weight its term has in the text search, by the number of the term.

    A word that no text has counts as the rarest.
    """
    rarest = max(weights.values(), default=1.0)
    return [(word, _weight(word, weights, rarest)) for word in words]


def _weight(word: str, weights: Mapping[int, float], rarest: float) -> float:
    """A Chinese word has several terms there: the mean of its pairs of characters."""
    terms = index_text(word).split()
    if has_dense_script(word):
        terms = list(dict.fromkeys(term for term in terms if len(term) == 2)) or terms
    else:
        terms = terms[:1]
    if not terms:
        return 0.0
    found = (weights.get(number_of(term), 0.0) or rarest * term_weight(term) for term in terms)
    return sum(found) / len(terms)
