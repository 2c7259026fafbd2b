"""Finding pairs of memories that are near, in about n log n steps.

Candidates are found by sorting, in two ways: by their rarest words, and by the sides of random
planes that their vectors lie on. Only neighbors after sorting are compared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

from mnemic.index.batches import TermTable, distinct
from mnemic.index.segment import (
    CHARACTER_WEIGHT,
    WORD_WEIGHT,
    has_dense_script,
    index_text,
    weights_of,
)
from mnemic.late import NDArray, np
from mnemic.learn.advice import weigh_words
from mnemic.rules.bm25 import number_of
from mnemic.rules.clusters import Pair
from mnemic.rules.likeness import apart
from mnemic.rules.slots import slot_of
from mnemic.types import Memory

Floats: TypeAlias = "NDArray[np.float32]"
Places: TypeAlias = "NDArray[np.int64]"
Weights: TypeAlias = "NDArray[np.float64]"
_RAREST = 3  # words of a memory that bring it together with others
_BESIDE = 4  # further words by which those are sorted
_TINY = 1e-9  # instead of nothing, to divide by
_REACH = 4  # neighbors after sorting that each one is compared with
_TABLES = 16  # ways of sorting by meaning
_PLANES = 32  # of each
_SEED = 20_260_212
_CHUNK = 65_536  # pairs compared at a time
_KEYWORDS = 0.55  # of the shorter statement's keywords, that two share whom a model is to compare
_ABOUT_USER = {"用户": ("用户", "用", "户"), "user": ("user",)}  # the subject of nearly all


def near_pairs(
    memories: Sequence[Memory],
    vectors: Floats | None,
    distance: float,
    fresh: Collection[int] | None = None,
    *,
    judged: bool = False,
    terms: TermTable | None = None,
) -> list[Pair]:
    """Pairs nearer than ``distance``, of which one is among ``fresh`` where that is given. A memory
    without a vector has a row of zeros, and is compared by its words. ``judged``: a model decides,
    so that without vectors keywords in common are enough.
    """
    if len(memories) < 2:
        return []
    least = 1 - distance
    new = np.full(len(memories), fresh is None)
    new[list(fresh or ())] = True
    words = _WordTable(terms or TermTable.of([memory.text for memory in memories]))
    seen = _with_new(words.pairs(), new)
    if vectors is not None:
        # Shared words mean little where the vectors are far apart; planes alone mean nothing.
        seen = _nearer(vectors, seen, least / 2, unknown=True)
        beside = [_with_new(plane, new) for plane in _by_planes(vectors)]
        seen = distinct(seen, _nearer(vectors, distinct(*beside), least, unknown=False))
    slots = _slots(memories)
    seen = distinct(seen, _with_new(_by_slot(slots), new))
    keywords = words.keyword_weights(memories) if judged and vectors is None else None
    pairs: list[Pair] = []
    for start in range(0, len(seen), _CHUNK):
        left, right = np.divmod(seen[start : start + _CHUNK], len(memories))
        shared = words.overlap(left, right, least if keywords is None else 0.0)
        shared[(slots[left] == slots[right]) & (slots[left] >= 0)] = 1.0
        cosine = np.zeros(len(left), np.float32)
        if vectors is not None:
            cosine = np.minimum(np.einsum("ij,ij->i", vectors[left], vectors[right]), 1.0)
        likeness = np.maximum(shared, cosine)
        near = likeness >= least
        if keywords is not None:
            near |= words.share_of_shorter(left, right, keywords) >= _KEYWORDS
        for place in np.flatnonzero(near).tolist():
            a, b = int(left[place]), int(right[place])
            by_meaning = bool(cosine[place] > shared[place])
            apart = _apart(memories[a], memories[b])
            pairs.append(Pair(a, b, float(likeness[place]), by_meaning, apart))
    return pairs


class _WordTable:
    """The words of many statements as ranks, the rarest first, in one array."""

    def __init__(self, terms: TermTable) -> None:
        self._count, self._starts = len(terms.starts) - 1, terms.starts
        words, used = np.unique(terms.numbers, return_inverse=True)
        frequency, self._width = np.bincount(used, minlength=len(words)), max(1, len(words))
        by_rarity = np.argsort(frequency, kind="stable")
        rank = np.empty_like(by_rarity)
        rank[by_rarity] = np.arange(len(by_rarity))
        self._words, self._frequency = words[by_rarity], frequency[by_rarity]
        self._row = np.repeat(np.arange(self._count), np.diff(terms.starts))
        # Of a row and the rank of a word in it, in order.
        self._keys = np.sort(self._row * self._width + rank[used])
        self._rank = self._keys % self._width
        self._weights = weights_of(self._words)[self._rank]
        self._totals = np.bincount(self._row, self._weights, self._count)
        is_word = self._weights >= WORD_WEIGHT
        self._marks = np.zeros(self._count, np.uint64)
        marks = np.uint64(1) << (self._rank[is_word] % 64).astype(np.uint64)
        np.bitwise_or.at(self._marks, self._row[is_word], marks)

    def pairs(self) -> Places:
        """Pairs that share one of their rarest words, sorted by the words beside it."""
        is_shared = self._frequency[self._rank] > 1
        row, rank = self._row[is_shared], self._rank[is_shared]
        first = np.searchsorted(row, np.arange(self._count))
        place = np.arange(len(row)) - first[row]
        few = place < _RAREST + _BESIDE
        table = np.full((self._count, _RAREST + _BESIDE), self._width)
        table[row[few], place[few]] = rank[few]
        keys = np.concatenate(
            [
                np.column_stack((table[:, n], np.delete(table, n, 1), np.arange(self._count)))
                for n in range(_RAREST)
            ]
        )
        keys = keys[keys[:, 0] < self._width]
        keys = keys[np.lexsort(keys.T[::-1])]
        return _neighbors(keys[:, 0], keys[:, -1], self._count)

    def overlap(self, left: Places, right: Places, least: float) -> Weights:
        """Shared words as a share of all, by weight; 0 where it is below ``least`` for certain."""
        totals = self._totals[left] + self._totals[right]
        most = np.minimum(
            self._totals[left] - np.bitwise_count(self._marks[left] & ~self._marks[right]),
            self._totals[right] - np.bitwise_count(self._marks[right] & ~self._marks[left]),
        )
        near = np.flatnonzero(most * (1 + least) >= least * totals - _TINY)
        shared = np.zeros(len(left))
        shared[near] = self._sum_shared(left[near], right[near], self._weights)
        return shared / np.maximum(totals - shared, _TINY)

    def share_of_shorter(self, left: Places, right: Places, weights: Weights) -> Weights:
        """Shared words as a share of the shorter statement, by these weights."""
        totals = np.bincount(self._row, weights, self._count)
        shorter = np.minimum(totals[left], totals[right])
        return self._sum_shared(left, right, weights) / np.maximum(shorter, _TINY)

    def keyword_weights(self, memories: Sequence[Memory]) -> Weights:
        """Without pairs of characters, so that the order of Chinese words does not count, and
        without the owner; the rarer among the statements, the more a word tells.
        """
        telling = np.log1p(self._count / np.maximum(2, self._frequency))
        terms = {term for memory in memories for term in index_text(memory.text).split()}
        pairs = [term for term in terms if len(term) > 1 and has_dense_script(term)]
        weights: Weights = self._weights * telling[self._rank]
        weights[self._holding(pairs)] = 0.0
        for name, parts in _ABOUT_USER.items():
            about = np.isin(np.arange(self._count), self._row[self._holding([name])])
            weights[self._holding(parts) & about[self._row]] = 0.0
        return weights

    def _holding(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Where one of the words stands."""
        is_sought = np.isin(self._words, np.array(list(map(number_of, words)), np.uint32))
        holding: NDArray[np.bool_] = is_sought[self._rank]
        return holding

    def _sum_shared(self, left: Places, right: Places, weights: Weights) -> Weights:
        """The weights of the words that both statements of each pair have."""
        lengths = self._starts[left + 1] - self._starts[left]
        pair = np.repeat(np.arange(len(left)), lengths)
        entry = np.arange(len(pair)) + (self._starts[left] - np.cumsum(lengths) + lengths)[pair]
        sought = right[pair] * self._width + self._rank[entry]
        place = np.minimum(np.searchsorted(self._keys, sought), len(self._keys) - 1)
        is_shared = self._keys[place] == sought
        lighter = np.minimum(weights[entry[is_shared]], weights[place[is_shared]])
        return np.bincount(pair[is_shared], lighter, len(left)).astype(np.float64)


def _with_new(seen: Places, new: NDArray[np.bool_]) -> Places:
    first, second = np.divmod(seen, len(new))
    return seen[new[first] | new[second]]


def _nearer(vectors: Floats, seen: Places, least: float, *, unknown: bool) -> Places:
    """The pairs whose vectors are at least so near; ``unknown`` keeps those that lack one."""
    has_vector = np.asarray(vectors.any(axis=1), np.bool_)
    parts = [np.empty(0, np.int64)]
    for first in range(0, len(seen), _CHUNK):
        chunk = seen[first : first + _CHUNK]
        left, right = np.divmod(chunk, len(vectors))
        near = np.einsum("ij,ij->i", vectors[left], vectors[right]) >= least
        if unknown:
            near |= ~(has_vector[left] & has_vector[right])
        parts.append(chunk[near])
    return np.concatenate(parts)


def _apart(left: Memory, right: Memory) -> int:
    """How many content words only one has, apart from those of their slots."""
    about = {
        term
        for memory in (left, right)
        for term in index_text(f"{memory.subject} {memory.predicate} {memory.value}").split()
    }
    words, others = weigh_words(left.text), weigh_words(right.text)
    for word in about:
        words.pop(word, None)
        others.pop(word, None)
    return apart(words, others, CHARACTER_WEIGHT)


def _slots(memories: Sequence[Memory]) -> Places:
    """A number for each slot and value; -1 for a memory that has no slot or no value."""
    numbers: dict[tuple[str, str], int] = {}
    slots = [
        numbers.setdefault((slot, memory.value.casefold()), len(numbers))
        if memory.value and (slot := slot_of(memory.subject, memory.predicate))
        else -1
        for memory in memories
    ]
    return np.array(slots, np.int64)


def _by_slot(slots: Places) -> Places:
    """Pairs with the same slot and value."""
    order = np.argsort(slots, kind="stable")
    order = order[slots[order] >= 0]
    return _neighbors(slots[order], order, len(slots))


def _neighbors(keys: Places, places: Places, count: int) -> Places:
    """Pairs of places with the same key at most so far apart, each as one number."""
    parts = [np.empty(0, np.int64)]
    for reach in range(1, _REACH + 1):
        same = keys[:-reach] == keys[reach:]
        parts.append(_as_number(places[:-reach][same], places[reach:][same], count))
    return distinct(*parts)


def _by_planes(vectors: Floats) -> Iterator[Places]:
    """Neighbors after sorting by the sides of random planes they lie on."""
    random = np.random.default_rng(_SEED)
    embedded = np.flatnonzero(vectors.any(axis=1)).astype(np.int64)
    weights = (1 << np.arange(_PLANES, dtype=np.uint64)[::-1]).astype(np.uint64)
    for _ in range(_TABLES):
        planes = random.standard_normal((vectors.shape[1], _PLANES)).astype(np.float32)
        codes = ((vectors[embedded] @ planes) > 0).astype(np.uint64) @ weights
        order = embedded[np.argsort(codes, kind="stable")]
        for reach in range(1, _REACH + 1):
            yield _as_number(order[:-reach], order[reach:], len(vectors))


def _as_number(left: Places, right: Places, count: int) -> Places:
    different = left != right
    low, high = np.minimum(left, right)[different], np.maximum(left, right)[different]
    joined: Places = low * count + high
    return joined
