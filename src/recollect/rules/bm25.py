"""BM25 over packed terms: how well a text's words answer a query's.

A packed text is its terms as 32-bit numbers in order. Texts up to ``SHORT`` terms count as equally
long: a short chat line is not better for being shorter.
"""

from __future__ import annotations

import math
from array import array
from binascii import crc32  # half the cost a call of the one in zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

K1 = 1.1
SHORT = 40
TERM_BYTES = 4
_PASSAGE = 120 * TERM_BYTES
_STRIDE = _PASSAGE // 2
_LONG = _PASSAGE * 3 // 2
_TABLE = 0xFFFF
_NO_FORMS: Mapping[int, int] = {}


class TermSet(NamedTuple):
    """The numbers of some terms, and a small table that rules out nearly all others."""

    numbers: NDArray[np.uint32]
    likely: NDArray[np.bool_]


_NO_MARKS = np.zeros((0, 0), bool)


def number_of(term: str) -> int:
    """A term as a number, the same in every process."""
    return crc32(term.encode("utf-8", "surrogatepass"))


def pack(terms: str) -> bytes:
    """Terms with white space between them, as their numbers in order."""
    # Encoded and split as one text, and a list before the array: three times as fast as one by one.
    numbers = list(map(crc32, terms.encode("utf-8", "surrogatepass").split()))
    return array("I", numbers).tobytes()


def rarity(total: int, rows: int) -> float:
    """The weight of a term that is in ``rows`` of ``total`` texts."""
    return math.log(1 + (max(total, rows) - rows + 0.5) / (rows + 0.5))


class TermMatches(NamedTuple):
    """How texts answer a query: their scores, and which of its terms each has.

    ``present`` has a row a text and a column a term; ``heft`` is the weight of each term. Of a long
    text only its best passage counts. ``marked`` has a row a text and a column a set of terms of
    which it may have any.
    """

    scores: NDArray[np.float64]
    present: NDArray[np.bool_]
    heft: NDArray[np.float64]
    marked: NDArray[np.bool_]


def scores(
    packed: Sequence[bytes],
    weights: Mapping[int, float],
    length: float,
    form_of: Mapping[int, int] = _NO_FORMS,
) -> NDArray[np.float64]:
    """The score of each text for weighted term numbers; ``length`` is that of a usual text.

    A long text is as good as its best passage. Of terms that are forms of one, the best counts.
    """
    return term_matches(packed, weights, length, form_of).scores


def term_matches(
    packed: Sequence[bytes],
    weights: Mapping[int, float],
    length: float,
    form_of: Mapping[int, int] = _NO_FORMS,
    *,
    marks: Sequence[TermSet] = (),
    telling: Mapping[int, float] | None = None,
) -> TermMatches:
    """The score of each text, and the terms it has; forms of one term count as that term.

    ``telling`` is what each term is worth by itself, where that is not its weight.
    """
    marked = _marked(packed, marks)
    if not packed or not weights:
        return no_matches(len(packed))._replace(marked=marked)
    if max(map(len, packed)) <= _LONG:
        return _matches(packed, weights, length, form_of, telling)._replace(marked=marked)
    passages = [_passages(row) if len(row) > _LONG else [row] for row in packed]
    starts = np.cumsum([0, *(len(rows) for rows in passages[:-1])])
    every = _matches([row for rows in passages for row in rows], weights, length, form_of, telling)
    best = np.maximum.reduceat(every.scores, starts)
    of_text = np.repeat(np.arange(len(packed)), [len(rows) for rows in passages])
    first_best = np.zeros(len(packed), np.intp)
    is_best = np.flatnonzero(every.scores == best[of_text])[::-1]
    first_best[of_text[is_best]] = is_best
    return TermMatches(best, every.present[first_best], every.heft, marked)


def no_matches(texts: int, marks: int = 0) -> TermMatches:
    """Texts that have nothing of a query."""
    return TermMatches(
        np.zeros(texts), np.zeros((texts, 0), bool), np.zeros(0), np.zeros((texts, marks), bool)
    )


def term_set(terms: Iterable[str]) -> TermSet:
    """A set of terms to look for in texts."""
    numbers = np.array(sorted({number_of(term) for term in terms}), np.uint32)
    likely = np.zeros(_TABLE + 1, bool)
    likely[numbers & _TABLE] = True
    return TermSet(numbers, likely)


def _marked(packed: Sequence[bytes], marks: Sequence[TermSet]) -> NDArray[np.bool_]:
    """Which texts have any of the terms of each set."""
    found = np.zeros((len(packed), len(marks)), bool)
    if not marks or not packed:
        return found
    terms = np.frombuffer(b"".join(packed), np.uint32)
    ends = np.cumsum([len(row) // TERM_BYTES for row in packed])
    low = terms & _TABLE
    for column, mark in enumerate(marks):
        spots = np.flatnonzero(mark.likely[low])
        exact = spots[np.isin(terms[spots], mark.numbers)]
        found[np.searchsorted(ends, exact, "right"), column] = True
    return found


def _passages(row: bytes) -> list[bytes]:
    """Overlapping stretches of a long text."""
    return [row[start : start + _PASSAGE] for start in range(0, len(row) - _PASSAGE // 2, _STRIDE)]


def _matches(
    packed: Sequence[bytes],
    weights: Mapping[int, float],
    length: float,
    form_of: Mapping[int, int],
    telling: Mapping[int, float] | None,
) -> TermMatches:
    query_terms = np.array(sorted(weights), np.uint32)
    numbers = query_terms.tolist()
    heft = np.array([weights[term] for term in numbers])
    worth = heft if telling is None else np.array([telling[term] for term in numbers])
    lengths = np.array([len(row) for row in packed]) // TERM_BYTES
    terms = np.frombuffer(b"".join(packed), np.uint32)
    # A small table rules out nearly all terms before the exact look-up.
    likely = np.zeros(_TABLE + 1, bool)
    likely[query_terms & _TABLE] = True
    spots = np.flatnonzero(likely[terms & _TABLE])
    places = np.searchsorted(query_terms, terms[spots])
    places[places == len(query_terms)] = 0
    matched = query_terms[places] == terms[spots]
    owners = np.searchsorted(np.cumsum(lengths), spots[matched], "right")
    cells = owners * len(query_terms) + places[matched]
    shape = (len(packed), len(query_terms))
    counts = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
    norms = K1 / max(length, SHORT) * np.maximum(SHORT, lengths)
    shares = (K1 + 1) * (counts / (counts + norms[:, None]))
    if not form_of:
        return TermMatches(shares @ heft, counts > 0, worth, _NO_MARKS)
    words = np.array([form_of.get(term, term) for term in numbers])
    order = np.argsort(words)
    first = np.flatnonzero(np.diff(words[order], prepend=-1))
    return TermMatches(
        np.maximum.reduceat((shares * heft)[:, order], first, axis=1).sum(axis=1),
        np.logical_or.reduceat(counts[:, order] > 0, first, axis=1),
        np.maximum.reduceat(worth[order], first),
        _NO_MARKS,
    )
