"""The vector route: what is near to a query in meaning.

Small memories are scanned in the database; larger ones by the engine that the settings name, which
is brought up to date with the database at every query. After a change of the embedder the vectors
of the old one answer, to a query embedded by the old one, until the new one has caught up.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Self, TypeAlias

from mnemic.errors import BadVector, ModelUnavailable, StoreError
from mnemic.index.engine import VectorTable
from mnemic.index.live_tables import LiveTables, VectorSet
from mnemic.index.nearest import Near
from mnemic.late import NDArray, np
from mnemic.locks import ForkSafeLock
from mnemic.providers.embedding.base import Embedder, clear_cache, expect, release
from mnemic.providers.reader.model import AskedQuestion, TrainedReader, score_passages
from mnemic.recall.features import Floats, VectorScores
from mnemic.store.contract import Unit
from mnemic.store.rows import are_of, type_of
from mnemic.store.sql.vectors import SqlVectors
from mnemic.types import RecordType

SCAN_LIMIT = 256  # up to this many vectors are compared by the database
SCAN_MEANWHILE = 100_000  # up to this many records, while an index of them is being made
_SCANNED = 1_000  # how many of the nearest it returns
_SAMPLE = 256
FloatRow: TypeAlias = "NDArray[np.float32]"
Earlier = Callable[[str], Embedder | None]


class VectorMatches(ABC):
    """The records nearest to one query, how near any record is, and the query as the reader reads
    it.
    """

    _question: AskedQuestion | None = None
    _number = 0

    @abstractmethod
    def nearest(self, types: Sequence[RecordType], limit: int) -> list[Near]: ...

    @abstractmethod
    def among(self, docs: Sequence[int], limit: int) -> list[Near]:
        """The nearest of these records."""

    @abstractmethod
    def scores(self, docs: Sequence[int]) -> VectorScores: ...

    def with_question(self, question: AskedQuestion | None, number: int) -> Self:
        """These matches, of a query that was read, and of the embedder with this number."""
        self._question, self._number = question, number
        return self

    def late_scores(self, rows: SqlVectors, docs: Sequence[int]) -> Floats | None:
        """How well each record answers the query token by token, NaN where it was not read yet;
        None where the vectors are not the reader's.
        """
        if self._question is None:
            return None
        tokens = rows.tokens(self._number, docs)
        return score_passages(self._question, [tokens.get(doc) for doc in docs])


class IndexedVectors(VectorMatches):
    """Matches from the tables of an engine."""

    def __init__(self, tables: Mapping[RecordType, VectorTable], query: FloatRow) -> None:
        self._tables = tables
        self._query = query

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

    def scores(self, docs: Sequence[int]) -> VectorScores:
        samples = [table.sample(self._query) for table in self._tables.values()]
        chance = np.concatenate(samples) if len(samples) > 1 else samples[0]
        return _vector_scores(self._similarity(docs), chance)

    def _similarity(self, docs: Sequence[int]) -> NDArray[np.float64]:
        """Cosines with the query; NaN for what has no vectors."""
        similarity = np.full(len(docs), np.nan)
        numbers = np.array(docs, np.int64)
        for type_, table in self._tables.items():
            mine = np.flatnonzero(are_of(numbers, type_))
            if len(mine):
                similarity[mine] = table.cosines(self._query, numbers[mine])
        return similarity


class ScannedVectors(VectorMatches):
    """Matches from cosines that the database computed."""

    def __init__(
        self, cosines: Sequence[tuple[int, float]], chance: Sequence[tuple[int, float]] = ()
    ) -> None:
        """``chance``: some vectors whatever they are, where ``cosines`` has only the nearest."""
        self._chance = np.array([cosine for _, cosine in chance or cosines])
        self._best: dict[int, float] = {}
        for doc, cosine in (*chance, *cosines):
            self._best[doc] = max(cosine, self._best.get(doc, -1.0))

    def nearest(self, types: Sequence[RecordType], limit: int) -> list[Near]:
        return self.among([doc for doc in self._best if type_of(doc) in types], limit)

    def among(self, docs: Sequence[int], limit: int) -> list[Near]:
        matches = [Near(doc, self._best[doc]) for doc in docs if doc in self._best]
        return sorted(matches, key=lambda near: -near.cosine)[:limit]

    def scores(self, docs: Sequence[int]) -> VectorScores:
        return _vector_scores(np.array([self._best.get(doc, np.nan) for doc in docs]), self._chance)


def _vector_scores(similarity: NDArray[np.float64], chance: NDArray[np.floating]) -> VectorScores:
    """A record without vectors is as near as any by chance."""
    mean = float(chance.sum()) / len(chance)
    apart = chance - mean
    deviation = math.sqrt(float(apart @ apart) / len(chance))
    similarity[np.isnan(similarity)] = mean
    return VectorScores(similarity, mean, deviation)


class VectorRoute:
    """Searches the vectors of one space."""

    def __init__(self, embedder: Embedder, holder: LiveTables, earlier: Earlier) -> None:
        """``earlier`` makes an embedder again from the name its vectors are stored under."""
        self._embedder = embedder
        self._holder = holder
        self._earlier = earlier
        self._guard = ForkSafeLock()
        self._remade: dict[str, Embedder | None] = {}

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

    def search(self, unit: Unit, query: str) -> VectorMatches | None:
        """None while no record has vectors, or none that can be searched yet."""
        rows = unit.vectors
        embedder, vectors = self._source(rows)
        if embedder is None or vectors is None:
            return None
        # Whether there are vectors at all, before the query is embedded.
        small = not (self._holder.holds or self._holder.always)
        count = rows.count(vectors.number, SCAN_LIMIT + 1) if small else SCAN_LIMIT + 1
        if not count:
            return None
        question = embedder.ask(query) if isinstance(embedder, TrainedReader) else None
        vector = question.whole if question else embedder.embed([query], query=True)[0]
        if not vector.any():
            return None
        if len(vector) != vectors.dimensions:
            raise BadVector(
                f"{vectors.name} answered {len(vector)} dimensions where its vectors here have"
                f" {vectors.dimensions}",
                remedy="Set embedding.dimensions, or name the model that made the others",
            )
        if count <= SCAN_LIMIT:
            scanned = ScannedVectors(rows.scan(vectors.number, vector.tobytes()))
            return scanned.with_question(question, vectors.number)
        tables = self._holder.tables(rows, vectors)
        if tables:
            return IndexedVectors(tables, vector).with_question(question, vectors.number)
        # A scan by the database, unless that too would take seconds; then words answer alone.
        if rows.coverage()[vectors.number].records > SCAN_MEANWHILE:
            return None
        packed = vector.tobytes()
        chance = rows.sample(vectors.number, packed, _SAMPLE)
        nearest = ScannedVectors(rows.scan(vectors.number, packed, _SCANNED), chance)
        return nearest.with_question(question, vectors.number)

    # --- embedders --------------------------------------------------------------------------

    def _source(self, rows: SqlVectors) -> tuple[Embedder | None, VectorSet | None]:
        """The embedder whose vectors cover most records, the present one among equals."""
        covered = rows.coverage()
        if not covered:
            return None, None
        names = {number: coverage.embedder for number, coverage in covered.items()}
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
