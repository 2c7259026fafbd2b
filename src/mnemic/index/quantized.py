"""Vectors as sign bits and 8-bit numbers, in blocks that are never moved.

Signs and small numbers are taken around the mean of the first rows: the vectors of many models all
point one way, and what they share would drown what distinguishes them. A first pass over all rows
counts unlike signs; of the most alike ones a second multiplies the small numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

from mnemic.late import NDArray, np

_FIRST_CAPACITY = 256


def grow(array: np.ndarray, used: int, size: int) -> np.ndarray:
    """The array with room for that many rows, and a quarter more for those to come."""
    if size <= len(array):
        return array
    capacity = max(size, len(array) * 5 // 4, _FIRST_CAPACITY)
    larger = np.empty((capacity, *array.shape[1:]), array.dtype)
    larger[:used] = array[:used]
    return larger


Floats: TypeAlias = "NDArray[np.float32]"
Rows: TypeAlias = "NDArray[np.int64]"
Counts: TypeAlias = "NDArray[np.uint8] | NDArray[np.uint16]"
BLOCK = 32_768  # rows; one word of the signs of all of them stays in the processor's cache
_WORD = 64
_SCALE = 127
_ELEMENTS = 1 << 16  # multiplied at once: they stay in the cache, and wake no threads
_WEAK = 0.45  # of the usual size: a smaller part of the query decides nothing but by chance
_GUESS = 32  # every so-manieth count tells where the most alike begin


class QuantizedRows:
    """Rows around the mean of the first ones."""

    def __init__(self, first: Floats) -> None:
        self._centre: Floats = first.mean(axis=0)
        self._blocks: list[_Block] = []
        self._size = 0
        self.append(first)

    @property
    def memory(self) -> int:
        return self._centre.nbytes + sum(block.memory for block in self._blocks)

    def append(self, vectors: Floats) -> None:
        while len(vectors):
            used = self._size % BLOCK
            if not used:
                self._blocks.append(_Block(vectors.shape[1]))
            rows = vectors[: BLOCK - used]
            self._blocks[-1].fill(used, rows - self._centre)
            self._size += len(rows)
            vectors = vectors[len(rows) :]

    def alike(self, query: Floats, count: int, size: int) -> Rows:
        """About ``count`` of the first ``size`` rows whose signs differ least from the query's."""
        if count >= size:
            return np.arange(size)
        strong = np.abs(query) > _WEAK * np.sqrt(np.mean(query * query))
        signs = _pack_bits(np.stack([query > 0, strong]))
        fits = np.count_nonzero(strong) < 1 << 8  # into a byte, which adds up three times as fast
        unlike: Counts = np.empty(size, np.uint8) if fits else np.empty(size, np.uint16)
        scratch = _Scratch()
        for number, start in enumerate(range(0, size, BLOCK)):
            self._blocks[number].count_unlike(signs, unlike[start : start + BLOCK], scratch)
        last = count // _GUESS
        most = np.partition(unlike[::_GUESS], last)[last]
        rows: Rows = np.flatnonzero(unlike <= most)
        return rows

    def decode(self, rows: Rows) -> Floats:
        """These rows, in order, as they were appended but for the rounding."""
        parts = [self._blocks[number].decode(mine) for number, mine in _by_block(rows)]
        vectors: Floats = np.concatenate(parts) + self._centre
        return vectors

    def cosines(self, query: Floats, rows: Rows) -> Floats:
        """Nearly exact: the 8-bit numbers of these rows, which are in order, times the query."""
        cosines = np.empty(len(rows), np.float32)
        at = 0
        for number, mine in _by_block(rows):
            self._blocks[number].multiply(mine, query, cosines[at : at + len(mine)])
            at += len(mine)
        cosines += self._centre @ query
        return cosines


def _by_block(rows: Rows) -> Iterator[tuple[int, Rows]]:
    """Rows that are in order, as places in each block that has some of them."""
    if not len(rows):
        return
    first, last = int(rows[0]) // BLOCK, int(rows[-1]) // BLOCK
    ends = np.searchsorted(rows, np.arange(first, last + 2) * BLOCK).tolist()
    for number, (start, end) in enumerate(pairwise(ends), first):
        if start < end:
            yield number, rows[start:end] - number * BLOCK


class _Scratch:
    """Buffers for a pass over one block, reused for the next."""

    def __init__(self) -> None:
        self.apart = np.empty(BLOCK, np.uint64)
        self.counted = np.empty(BLOCK, np.uint8)


class _Block:
    """Up to ``BLOCK`` rows."""

    def __init__(self, dimensions: int) -> None:
        words = -(-dimensions // _WORD)
        self._bits = np.empty((words, BLOCK), np.uint64)  # each word of all rows side by side
        self._small = np.empty((BLOCK, dimensions), np.int8)
        self._scale = np.empty(BLOCK, np.float32)

    @property
    def memory(self) -> int:
        return self._bits.nbytes + self._small.nbytes + self._scale.nbytes

    def fill(self, first: int, apart: Floats) -> None:
        """Store rows from which the mean was subtracted."""
        here = slice(first, first + len(apart))
        self._bits[:, here] = _pack_bits(apart > 0)
        largest = np.maximum(np.abs(apart).max(axis=1), 1e-9)
        small = apart * (_SCALE / largest)[:, None]
        self._small[here] = np.rint(small, out=small)
        self._scale[here] = largest / _SCALE

    def count_unlike(self, signs: NDArray[np.uint64], total: Counts, scratch: _Scratch) -> None:
        """Put into ``total`` in how many signs that count each of the first rows differs."""
        size = len(total)
        apart, counted = scratch.apart[:size], scratch.counted[:size]
        for word, (sign, strong) in enumerate(signs):
            np.bitwise_xor(self._bits[word, :size], sign, out=apart)
            np.bitwise_and(apart, strong, out=apart)
            if word:
                total += np.bitwise_count(apart, out=counted)
            else:
                np.bitwise_count(apart, out=total)

    def decode(self, places: Rows) -> Floats:
        vectors: Floats = self._small[places] * self._scale[places, None]
        return vectors

    def multiply(self, places: Rows, query: Floats, result: Floats) -> None:
        """Put the product of each of these rows with the query into ``result``."""
        step = min(len(places), max(1, _ELEMENTS // len(query)))
        small = np.empty((step, len(query)), np.int8)
        wide = np.empty((step, len(query)), np.float32)
        for start in range(0, len(places), step):
            chunk = places[start : start + step]
            # To take without a check of the places is several times as fast as to index.
            self._small.take(chunk, axis=0, mode="clip", out=small[: len(chunk)])
            wide[: len(chunk)] = small[: len(chunk)]
            np.dot(wide[: len(chunk)], query, out=result[start : start + len(chunk)])
        result *= self._scale.take(places, mode="clip")


def scores_of(rows: Floats, query: Floats) -> Floats:
    """Rows times the query, in portions that one thread does fastest."""
    step = max(1, 4 * _ELEMENTS // max(1, len(query)))
    parts = [rows[at : at + step] @ query for at in range(0, len(rows), step)]
    return np.concatenate(parts) if parts else np.empty(0, np.float32)


def _pack_bits(on: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Rows of truths as columns of 64-bit words."""
    bits = np.packbits(on, axis=1)
    words = -(-on.shape[1] // _WORD)
    padded = np.zeros((len(on), words * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)
