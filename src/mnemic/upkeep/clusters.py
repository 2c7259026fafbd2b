"""Finding pairs of memories that are near, in about n log n steps.

Candidates are found by sorting, in two ways: by their rarest words, and by the sides of random
planes that their vectors lie on. Only neighbours after sorting are compared.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mnemic.index.segment import CHARACTER_WEIGHT, has_dense_script, query_terms
from mnemic.learn.advice import weighed_words
from mnemic.rules.clusters import Pair
from mnemic.rules.likeness import apart, overlap
from mnemic.rules.slots import slot_of
from mnemic.types import Memory

Floats = NDArray[np.float32]
Places = NDArray[np.int64]
_RAREST = 3  # words of a memory that bring it together with others
_REACH = 4  # neighbours after sorting that each one is compared with
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
    words = [weighed_words(memory.content) for memory in memories]
    seen = _with_new(_by_words(words), new)
    if vectors is not None:
        # Shared words mean little where the vectors are far apart; planes alone mean nothing.
        seen = _nearer(vectors, seen, least / 2, unknown=True)
        beside = [_with_new(some, new) for some in _by_planes(vectors)]
        near = _nearer(vectors, np.unique(np.concatenate(beside)), least, unknown=False)
        seen = np.union1d(seen, near)
    seen = np.union1d(seen, _with_new(_by_slot(memories), new))
    keywords = _keywords(words) if judged and vectors is None else None
    compared = _Compared(memories, words, vectors, keywords)
    pairs = (_pair_of(compared, pair, least) for pair in _split(seen, len(memories)))
    return [pair for pair in pairs if pair is not None]


def _with_new(seen: Places, new: NDArray[np.bool_]) -> Places:
    first, second = np.divmod(seen, len(new))
    return seen[new[first] | new[second]]


class _Compared(NamedTuple):
    """Memories by their places, with what they are compared by."""

    memories: Sequence[Memory]
    words: Sequence[dict[str, float]]
    vectors: Floats | None
    keywords: Sequence[dict[str, float]] | None


def _pair_of(compared: _Compared, places: tuple[int, int], least: float) -> Pair | None:
    memories, words, vectors, keywords = compared
    a, b = places
    one, other = memories[a], memories[b]
    shared = 1.0 if _same_slot(one, other) else overlap(words[a], words[b])
    cosine = 0.0 if vectors is None else min(1.0, float(vectors[a] @ vectors[b]))
    if max(shared, cosine) < least and (
        keywords is None or _share_of_shorter(keywords[a], keywords[b]) < _KEYWORDS
    ):
        return None
    apart = _apart(one, other, words[a], words[b])
    return Pair(a, b, max(shared, cosine), cosine > shared, apart)


def _keywords(words: Sequence[dict[str, float]]) -> list[dict[str, float]]:
    """The words of each statement without pairs of characters, so that the order of Chinese words
    does not count; the rarer among the statements, the more a word tells.
    """
    frequency = Counter(word for some in words for word in some)
    return [
        {
            word: weight * math.log1p(len(words) / max(2, frequency[word]))
            for word, weight in some.items()
            if not (len(word) > 1 and has_dense_script(word)) and word not in _subject(some)
        }
        for some in words
    ]


def _subject(words: Collection[str]) -> set[str]:
    return {part for name, parts in _ABOUT_USER.items() if name in words for part in parts}


def _share_of_shorter(one: dict[str, float], other: dict[str, float]) -> float:
    shorter = min(sum(one.values()), sum(other.values()))
    shared = sum(weight for word, weight in one.items() if word in other)
    return shared / shorter if shorter else 0.0


def _nearer(vectors: Floats, seen: Places, least: float, *, unknown: bool) -> Places:
    """The pairs whose vectors are at least so near; ``unknown`` keeps those that lack one."""
    has_vector = np.asarray(vectors.any(axis=1), np.bool_)
    parts = [np.empty(0, np.int64)]
    for first in range(0, len(seen), _CHUNK):
        part = seen[first : first + _CHUNK]
        one, other = np.divmod(part, len(vectors))
        near = np.einsum("ij,ij->i", vectors[one], vectors[other]) >= least
        if unknown:
            near |= ~(has_vector[one] & has_vector[other])
        parts.append(part[near])
    return np.concatenate(parts)


def _split(seen: Places, count: int) -> Iterator[tuple[int, int]]:
    first, second = np.divmod(seen, count)
    return zip(first.tolist(), second.tolist(), strict=True)


def _apart(one: Memory, other: Memory, words: dict[str, float], others: dict[str, float]) -> int:
    """How many content words only one has, apart from those of their slots."""
    about = {
        term.text
        for memory in (one, other)
        for term in query_terms(f"{memory.subject} {memory.predicate} {memory.value}")
    }
    return apart(
        {word: weight for word, weight in words.items() if word not in about},
        {word: weight for word, weight in others.items() if word not in about},
        CHARACTER_WEIGHT,
    )


def _same_slot(one: Memory, other: Memory) -> bool:
    slot = slot_of(one.subject, one.predicate)
    return bool(
        slot
        and one.value
        and one.value.casefold() == other.value.casefold()
        and slot == slot_of(other.subject, other.predicate)
    )


def _by_words(words: Sequence[dict[str, float]]) -> Places:
    """Pairs that share one of their rarest words, sorted by the words beside it."""
    frequency = Counter(word for some in words for word in some)
    keys: list[tuple[str, tuple[str, ...], int]] = []
    for place, some in enumerate(words):
        rare = sorted(
            (word for word in some if frequency[word] > 1), key=lambda w: (frequency[w], w)
        )
        keys += [
            (word, (*rare[:n], *rare[n + 1 :]), place) for n, word in enumerate(rare[:_RAREST])
        ]
    keys.sort()
    return _neighbours(
        [key[0] for key in keys], np.array([key[2] for key in keys], np.int64), len(words)
    )


def _by_slot(memories: Sequence[Memory]) -> Places:
    """Pairs with the same slot and value."""
    keys = sorted(
        (f"{slot}\x1f{memory.value.casefold()}", place)
        for place, memory in enumerate(memories)
        if memory.value and (slot := slot_of(memory.subject, memory.predicate))
    )
    return _neighbours(
        [key for key, _ in keys], np.array([place for _, place in keys], np.int64), len(memories)
    )


def _neighbours(keys: Sequence[str], places: Places, count: int) -> Places:
    """Pairs of places with the same key at most so far apart, each as one number."""
    names = {key: n for n, key in enumerate(dict.fromkeys(keys))}
    numbers = np.array([names[key] for key in keys], np.int64)
    parts = [np.empty(0, np.int64)]
    for reach in range(1, _REACH + 1):
        same = numbers[:-reach] == numbers[reach:]
        parts.append(_as_number(places[:-reach][same], places[reach:][same], count))
    return np.unique(np.concatenate(parts))


def _by_planes(vectors: Floats) -> Iterator[Places]:
    """Neighbours after sorting by the sides of random planes they lie on."""
    random = np.random.default_rng(_SEED)
    embedded = np.flatnonzero(vectors.any(axis=1)).astype(np.int64)
    weights = (1 << np.arange(_PLANES, dtype=np.uint64)[::-1]).astype(np.uint64)
    for _ in range(_TABLES):
        planes = random.standard_normal((vectors.shape[1], _PLANES)).astype(np.float32)
        codes = ((vectors[embedded] @ planes) > 0).astype(np.uint64) @ weights
        order = embedded[np.argsort(codes, kind="stable")]
        for reach in range(1, _REACH + 1):
            yield _as_number(order[:-reach], order[reach:], len(vectors))


def _as_number(one: Places, other: Places, count: int) -> Places:
    different = one != other
    low, high = np.minimum(one, other)[different], np.maximum(one, other)[different]
    joined: Places = low * count + high
    return joined
