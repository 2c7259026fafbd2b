"""Nearest vectors in memory: exact for a few thousand, then a first pass over sign bits and a
second over 8-bit numbers.

Up to ``EXACT`` vectors are held whole; of more, each takes about ``9/8 x dimensions + 12`` bytes.
Rows are appended in the order of their documents, several rows (passages) for one document side by
side. Appending never moves what is there, so another thread may search meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from mnemic.index.quantized import QuantizedRows, grow, scores_of
from mnemic.late import NDArray, np

Floats: TypeAlias = "NDArray[np.float32]"
Docs: TypeAlias = "NDArray[np.int64]"
Rows: TypeAlias = "NDArray[np.int64]"
EXACT = 4_096  # up to this many vectors a first pass is not worth it
_COMPARED = 16  # rows that go on to the second pass for each wanted one ...
_COMPARED_ROOT = 10  # ... and for the square root of all: the nearest hide among more in many
_PASSAGES = 4  # rows looked at for each wanted document, unless that is too few
_SAMPLE = 256
_SPARE = 4  # times more rows where those that were looked at are of too few documents
_SAMPLED_AGAIN = 16  # when so large a part of the rows is new


class Near(NamedTuple):
    """A document and the cosine of its best passage."""

    doc: int
    cosine: float


def best_documents(
    nearest: Callable[[int], Iterable[tuple[int, float]]], rows: int, limit: int
) -> list[Near]:
    """The best documents by so many nearest rows, of which several may belong to one document."""
    best: dict[int, float] = {}
    count = 0
    while count < rows and len(best) < limit:
        count = min(rows, _SPARE * count or limit)
        for doc, cosine in nearest(count):
            best[doc] = max(cosine, best.get(doc, -1.0))
    near = sorted(best.items(), key=lambda hit: -hit[1])[:limit]
    return [Near(*hit) for hit in near]


class Seen(NamedTuple):
    """How much of the rows is in a table: counted rewrites, and the last record."""

    rewrites: int = 0
    reached: int | None = None


class NearestIndex:
    """The vectors of one record type in memory, and how much of the rows they are."""

    def __init__(self, dimensions: int, rewrites: int = 0) -> None:
        self._dimensions = dimensions
        self.restart(rewrites)

    def restart(self, rewrites: int) -> None:
        """Forget every vector."""
        self.seen = Seen(rewrites)
        self._size = 0
        self._docs = np.empty(0, np.int64)
        self._exact = np.empty((0, self._dimensions), np.float32)
        self._packed: QuantizedRows | None = None
        self._sample = 0, self._exact  # of how many rows, and the rows that were taken

    def __len__(self) -> int:
        return self._size

    @property
    def memory(self) -> int:
        """Bytes held."""
        packed = self._packed.memory if self._packed else 0
        return self._docs.nbytes + self._exact.nbytes + packed

    def add(self, docs: Docs, vectors: Floats, reached: int) -> None:
        """Add vectors of records beyond those seen, up to the record ``reached``."""
        if len(docs):
            self.append(docs, vectors)
        self.seen = Seen(self.seen.rewrites, reached)

    def append(self, docs: Docs, vectors: Floats) -> None:
        """Add rows whose documents come after all that are there."""
        first, size = self._size, self._size + len(docs)
        self._docs = grow(self._docs, first, size)
        self._docs[first:size] = docs
        if self._packed is None:
            # The same first rows whatever the portions they come in: their mean stays.
            count = max(0, min(size, EXACT) - first)
            self._exact = grow(self._exact, first, first + count)
            self._exact[first : first + count] = vectors[:count]
            vectors = vectors[count:]
            if size > EXACT:
                packed = QuantizedRows(self._exact[:EXACT])
                packed.append(vectors)
                self._packed = packed
                self._exact = self._exact[:0].copy()
        else:
            self._packed.append(vectors)
        self._size = size

    def search(self, query: Floats, limit: int) -> list[Near]:
        """The nearest documents, best first."""
        # In this order: what is held whole is given up only after the packed form is there.
        size, exact, packed = self._size, self._exact, self._packed
        if packed is None:
            rows = np.arange(size)
            cosines = scores_of(exact[:size], query)
        else:
            compared = max(_COMPARED * limit, int(_COMPARED_ROOT * math.sqrt(size)))
            rows = packed.alike(query, compared, size)
            cosines = packed.cosines(query, rows)
        best = self._best(rows, cosines, _PASSAGES * limit, limit)
        if len(best) < limit and _PASSAGES * limit < len(rows):
            best = self._best(rows, cosines, len(rows), limit)
        return best

    def cosines(self, query: Floats, docs: Docs) -> Floats:
        """The cosine of each document's best passage; NaN for one that has none."""
        order = np.argsort(docs)
        docs = docs[order]
        starts_at, ends_at = self._docs[: self._size].searchsorted(np.stack([docs, docs + 1]))
        counts = ends_at - starts_at
        best = np.full(len(docs), np.nan, np.float32)
        present = np.flatnonzero(counts)
        if len(present):
            counts = counts[present]
            ends = counts.cumsum()
            starts = ends - counts
            rows = np.arange(ends[-1]) + np.repeat(starts_at[present] - starts, counts)
            best[order[present]] = np.maximum.reduceat(self._cosines(query, rows), starts)
        return best

    def sample(self, query: Floats) -> Floats:
        """Cosines of rows spread evenly over all: the distribution of chance similarity."""
        size, (sampled, rows) = self._size, self._sample
        if not sampled <= size <= sampled + sampled // _SAMPLED_AGAIN:
            exact, packed = self._exact, self._packed
            spread = np.linspace(0, size - 1, min(size, _SAMPLE)).astype(np.int64)
            rows = packed.decode(spread) if packed is not None else exact[spread]
            self._sample = size, rows
        return scores_of(rows, query)

    def _cosines(self, query: Floats, rows: Rows) -> Floats:
        exact, packed = self._exact, self._packed
        return packed.cosines(query, rows) if packed is not None else scores_of(exact[rows], query)

    def _best(self, rows: Rows, cosines: Floats, few: int, limit: int) -> list[Near]:
        """Documents of the ``few`` best rows with their best cosine, best first."""
        if few < len(rows):
            places = np.sort(np.argpartition(-cosines, few - 1)[:few])
            rows, cosines = rows[places], cosines[places]
        order = np.argsort(-cosines, kind="stable")
        docs = self._docs[rows[order]].tolist()
        best: dict[int, float] = {}
        for doc, cosine in zip(docs, cosines[order].tolist(), strict=True):
            if doc not in best:
                best[doc] = cosine
                if len(best) == limit:
                    break
        return [Near(doc, cosine) for doc, cosine in best.items()]
