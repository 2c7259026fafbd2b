"""Nearest vectors in memory: a first pass over sign bits, a second over 8-bit numbers.

Holds about ``9/8 x dimensions + 12`` bytes a vector. Rows are appended in the order of their
documents, several rows (passages) for one document side by side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Docs = NDArray[np.int64]
_WORD = 64
_EXACT = 4_096  # up to this many vectors the first pass is not worth it
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
        self._words = -(-dimensions // _WORD)
        self._size = 0
        self._docs = np.empty(0, np.int64)
        self._bits = np.empty((0, self._words), np.uint64)
        self._small = np.empty((0, dimensions), np.int8)
        self._scale = np.empty(0, np.float32)

    def __len__(self) -> int:
        return self._size

    @property
    def memory(self) -> int:
        """Bytes held."""
        arrays = (self._docs, self._bits, self._small, self._scale)
        return sum(array.nbytes for array in arrays)

    def append(self, docs: Docs, vectors: Floats) -> None:
        """Add rows whose documents come after all that are there."""
        first, size = self._size, self._size + len(docs)
        self._reserve(size)
        largest = np.maximum(np.abs(vectors).max(axis=1, initial=0.0), 1e-9)
        self._docs[first:size] = docs
        self._bits[first:size] = _sign_bits(vectors, self._words)
        self._small[first:size] = np.round(vectors / largest[:, None] * _SCALE)
        self._scale[first:size] = largest / _SCALE
        self._size = size

    def search(self, query: Floats, limit: int) -> list[Near]:
        """The nearest documents, best first."""
        if self._size <= _EXACT:
            rows = np.arange(self._size)
        else:
            rows = self._nearest_bits(query, max(_LEAST_SECOND_PASS, _SECOND_PASS * limit))
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

    def _nearest_bits(self, query: Floats, count: int) -> NDArray[np.int64]:
        wanted = _sign_bits(query[None, :], self._words)[0]
        unlike = np.zeros(self._size, np.uint16)
        for word in range(self._words):
            unlike += np.bitwise_count(self._bits[: self._size, word] ^ wanted[word])
        if count >= self._size:
            return np.arange(self._size)
        return np.argpartition(unlike, count)[:count]

    def _cosines(self, query: Floats, rows: NDArray[np.int64]) -> Floats:
        found: Floats = (self._small[rows].astype(np.float32) @ query) * self._scale[rows]
        return found

    def _reserve(self, size: int) -> None:
        if size <= len(self._docs):
            return
        capacity = max(size, 2 * len(self._docs), _FIRST_CAPACITY)
        for name in ("_docs", "_bits", "_small", "_scale"):
            old = getattr(self, name)
            grown = np.empty((capacity, *old.shape[1:]), old.dtype)
            grown[: self._size] = old[: self._size]
            setattr(self, name, grown)


def _sign_bits(vectors: Floats, words: int) -> NDArray[np.uint64]:
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.zeros((len(vectors), words * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view(np.uint64)
