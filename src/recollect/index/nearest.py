"""Nearest vectors in memory: exact for a few thousand, then a first pass over sign bits and a
second over 8-bit numbers.

Up to ``EXACT`` vectors are held whole; of more, each takes about ``9/8 x dimensions + 12`` bytes.
Rows are appended in the order of their documents, several rows (passages) for one document side by
side. Signs and small numbers are taken around the mean of the first rows: the vectors of many
models all point one way, and what they share would drown what tells them apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Docs = NDArray[np.int64]
EXACT = 4_096  # up to this many vectors a first pass is not worth it
_WORD = 64
_SECOND_PASS = 40  # rows that are compared exactly for each wanted one
_LEAST_SECOND_PASS = 1_000
_SAMPLE = 256
_SCALE = 127
_FIRST_CAPACITY = 256


class Near(NamedTuple):
    """A document and the cosine of its best passage."""

    doc: int
    cosine: float


class NearestIndex:
    """The vectors of one record type."""

    def __init__(self, dimensions: int) -> None:
        self._size = 0
        self._docs = np.empty(0, np.int64)
        self._whole = np.empty((0, dimensions), np.float32)
        self._packed: _Packed | None = None

    def __len__(self) -> int:
        return self._size

    @property
    def memory(self) -> int:
        """Bytes held."""
        packed = self._packed.memory if self._packed else 0
        return self._docs.nbytes + self._whole.nbytes + packed

    def append(self, docs: Docs, vectors: Floats) -> None:
        """Add rows whose documents come after all that are there."""
        first, size = self._size, self._size + len(docs)
        self._docs = _grown(self._docs, first, size)
        self._docs[first:size] = docs
        if self._packed is None:
            # The same first rows whatever the portions they come in: their mean stays.
            room = max(0, min(size, EXACT) - first)
            self._whole = _grown(self._whole, first, first + room)
            self._whole[first : first + room] = vectors[:room]
            vectors = vectors[room:]
            if size > EXACT:
                self._packed = _Packed(self._whole[:EXACT])
                self._whole = self._whole[:0].copy()
        if self._packed is not None:
            self._packed.append(vectors)
        self._size = size

    def search(self, query: Floats, limit: int) -> list[Near]:
        """The nearest documents, best first."""
        if self._packed is None:
            rows = np.arange(self._size)
        else:
            rows = self._packed.likely(query, max(_LEAST_SECOND_PASS, _SECOND_PASS * limit))
        cosines = self._cosines(query, rows)
        best: dict[int, float] = {}
        for place in np.argsort(-cosines, kind="stable"):
            best.setdefault(int(self._docs[rows[place]]), float(cosines[place]))
            if len(best) == limit:
                break
        return [Near(doc, cosine) for doc, cosine in best.items()]

    def cosines(self, query: Floats, docs: Docs) -> Floats:
        """The cosine of each document's best passage; NaN for one that has none."""
        known = self._docs[: self._size]
        left = np.searchsorted(known, docs, "left")
        counts = np.searchsorted(known, docs, "right") - left
        found = np.full(len(docs), np.nan, np.float32)
        there = np.flatnonzero(counts)
        if len(there):
            starts = np.concatenate([[0], np.cumsum(counts[there])[:-1]])
            offsets = np.arange(counts[there].sum()) - np.repeat(starts, counts[there])
            rows = np.repeat(left[there], counts[there]) + offsets
            found[there] = np.maximum.reduceat(self._cosines(query, rows), starts)
        return found

    def sample(self, query: Floats) -> Floats:
        """Cosines of rows spread evenly over all: what a chance likeness looks like."""
        rows = np.linspace(0, self._size - 1, min(self._size, _SAMPLE)).astype(np.int64)
        return self._cosines(query, rows)

    def _cosines(self, query: Floats, rows: NDArray[np.int64]) -> Floats:
        if self._packed is not None:
            return self._packed.cosines(query, rows)
        found: Floats = self._whole[rows] @ query
        return found


class _Packed:
    """Rows as sign bits and 8-bit numbers around a mean."""

    def __init__(self, first: Floats) -> None:
        dimensions = first.shape[1]
        self._words = -(-dimensions // _WORD)
        self._size = 0
        self._centre: Floats = first.mean(axis=0)
        self._bits = np.empty((0, self._words), np.uint64)
        self._small = np.empty((0, dimensions), np.int8)
        self._scale = np.empty(0, np.float32)
        self.append(first)

    @property
    def memory(self) -> int:
        arrays = (self._centre, self._bits, self._small, self._scale)
        return sum(array.nbytes for array in arrays)

    def append(self, vectors: Floats) -> None:
        first, size = self._size, self._size + len(vectors)
        self._bits = _grown(self._bits, first, size)
        self._small = _grown(self._small, first, size)
        self._scale = _grown(self._scale, first, size)
        apart = vectors - self._centre
        largest = np.maximum(np.abs(apart).max(axis=1, initial=0.0), 1e-9)
        self._bits[first:size] = _sign_bits(apart, self._words)
        self._small[first:size] = np.round(apart / largest[:, None] * _SCALE)
        self._scale[first:size] = largest / _SCALE
        self._size = size

    def likely(self, query: Floats, count: int) -> NDArray[np.int64]:
        """The rows whose signs agree best with those of the query."""
        if count >= self._size:
            return np.arange(self._size)
        wanted = _sign_bits((query - self._centre)[None, :], self._words)[0]
        unlike = np.zeros(self._size, np.uint16)
        for word in range(self._words):
            unlike += np.bitwise_count(self._bits[: self._size, word] ^ wanted[word])
        return np.argpartition(unlike, count)[:count]

    def cosines(self, query: Floats, rows: NDArray[np.int64]) -> Floats:
        apart = (self._small[rows].astype(np.float32) @ query) * self._scale[rows]
        found: Floats = apart + self._centre @ query
        return found


def _grown(array: np.ndarray, used: int, size: int) -> np.ndarray:
    """The array with room for that many rows, by doubling."""
    if size <= len(array):
        return array
    capacity = max(size, 2 * len(array), _FIRST_CAPACITY)
    grown = np.empty((capacity, *array.shape[1:]), array.dtype)
    grown[:used] = array[:used]
    return grown


def _sign_bits(vectors: Floats, words: int) -> NDArray[np.uint64]:
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.zeros((len(vectors), words * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view(np.uint64)
