"""BM25 over packed terms: how well a text's words answer a query's.

A packed text is its terms as 32-bit numbers in order. Texts up to ``SHORT`` terms count as equally
long: a short chat line is not better for being shorter.
"""

from __future__ import annotations

import math
from array import array
from binascii import crc32  # half the cost a call of the one in zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from mnemic.late import NDArray, np

K1 = 1.1
SHORT = 40
TERM_BYTES = 4
_STRIDE = 60  # terms; a passage of a long text is two strides
_LONG = 180  # terms beyond which a text is looked at by its passages
_TABLE = 0xFFFF
_MOST_SHARED = 120 * TERM_BYTES  # of a long text, its beginning
_NO_FORMS: Mapping[int, int] = {}


class TermSet(NamedTuple):
    """The numbers of some terms, and a small table that rules out nearly all others."""

    numbers: NDArray[np.uint32]
    likely: NDArray[np.bool_]


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
    text only its best passage counts.
    """

    scores: NDArray[np.float64]
    present: NDArray[np.bool_]
    heft: NDArray[np.float64]


def term_matches(
    packed: Sequence[bytes],
    weights: Mapping[int, float],
    length: float,
    form_of: Mapping[int, int] = _NO_FORMS,
    *,
    telling: Mapping[int, float] | None = None,
) -> TermMatches:
    """The score of each text for weighted term numbers, and the terms it has; ``length`` is that of
    a usual text. A long text is as good as its best passage. Of terms that are forms of one, the
    best counts.

    ``telling`` is what each term is worth by itself, where that is not its weight.
    """
    if not packed or not weights:
        return no_matches(len(packed))
    query_terms = np.array(sorted(weights), np.uint32)
    numbers = query_terms.tolist()
    heft = np.array([weights[term] for term in numbers])
    worth = heft if telling is None else np.array([telling[term] for term in numbers])
    passages = _passages(_lengths(packed))
    counts = passages.counts(*_find(packed, query_terms), len(numbers))
    norms = K1 / max(length, SHORT) * np.maximum(SHORT, passages.lengths)
    shares = (K1 + 1) * (counts / (counts + norms[:, None]))
    if not form_of:
        matches = TermMatches(shares @ heft, counts > 0, worth)
    else:
        words = np.array([form_of.get(term, term) for term in numbers])
        order = np.argsort(words)
        first = np.flatnonzero(np.diff(words[order], prepend=-1))
        matches = TermMatches(
            np.maximum.reduceat((shares * heft)[:, order], first, axis=1).sum(axis=1),
            np.logical_or.reduceat(counts[:, order] > 0, first, axis=1),
            np.maximum.reduceat(worth[order], first),
        )
    return passages.best(matches)


def _lengths(packed: Sequence[bytes]) -> NDArray[np.int64]:
    """How many terms each text has."""
    return np.array(list(map(len, packed)), np.int64) // TERM_BYTES


def _find(
    packed: Sequence[bytes], wanted: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where in all the texts one of the ``wanted`` terms stands, and which of them it is."""
    terms = np.frombuffer(b"".join(packed), np.uint32)
    low = wanted & _TABLE
    # A small table rules out nearly all terms, and says which one the others are.
    table = np.zeros(_TABLE + 1, np.uint16)
    table[low] = np.arange(1, len(wanted) + 1)
    at = table.take(terms & _TABLE)
    spots = np.flatnonzero(at)
    here = terms[spots]
    if len(set(low.tolist())) == len(wanted):
        places = at[spots].astype(np.int64) - 1
    else:  # two terms have one entry
        places = np.searchsorted(wanted, here)
        places[places == len(wanted)] = 0
    matched = wanted[places] == here
    return spots[matched], places[matched]


class _Passages(NamedTuple):
    """Texts cut into stretches, of which a passage is one, or two in a row of a long text."""

    ends: NDArray[np.int64]  # of each stretch, in terms of all the texts
    first: NDArray[np.int64]  # the stretch that a passage begins with
    second: NDArray[np.int64] | None  # the one it ends with, where there are long texts
    lengths: NDArray[np.int64]  # of each passage, in terms
    starts: NDArray[np.int64] | None  # the first passage of each text

    def counts(
        self, spots: NDArray[np.int64], terms: NDArray[np.int64], width: int
    ) -> NDArray[np.int64]:
        """How often each passage has each term."""
        owners = np.searchsorted(self.ends, spots, "right")
        shape = (len(self.ends), width)
        cells = np.bincount(owners * width + terms, minlength=shape[0] * width).reshape(shape)
        if self.second is None:
            return cells
        counts: NDArray[np.int64] = cells[self.first]
        long = self.second != self.first
        counts[long] += cells[self.second[long]]
        return counts

    def best(self, matches: TermMatches) -> TermMatches:
        """The best passage of each text, the first among equals."""
        if self.starts is None:
            return matches
        best = np.maximum.reduceat(matches.scores, self.starts)
        sizes = np.diff(self.starts, append=len(matches.scores))
        of_text = np.repeat(np.arange(len(self.starts)), sizes)
        first_best = np.zeros(len(self.starts), np.intp)
        is_best = np.flatnonzero(matches.scores == best[of_text])[::-1]
        first_best[of_text[is_best]] = is_best
        return TermMatches(best, matches.present[first_best], matches.heft)


def _passages(lengths: NDArray[np.int64]) -> _Passages:
    """One passage of each text, and overlapping ones of a long text."""
    ends = np.cumsum(lengths)
    is_long = lengths > _LONG
    if not is_long.any():
        return _Passages(ends, np.arange(len(lengths)), None, lengths, None)
    stretches = np.where(is_long, -(-lengths // _STRIDE), 1)
    until = np.cumsum(stretches)
    of_text = np.repeat(np.arange(len(lengths)), stretches)
    place = np.arange(until[-1]) - (until - stretches)[of_text]
    begin = (ends - lengths)[of_text] + place * _STRIDE
    end = np.where(is_long[of_text], np.minimum(begin + _STRIDE, ends[of_text]), ends[of_text])
    # Every stretch begins a passage, but for the last one of a long text.
    first = np.flatnonzero(~is_long[of_text] | (place < stretches[of_text] - 1))
    second = first + is_long[of_text[first]]
    starts = np.searchsorted(of_text[first], np.arange(len(lengths)))
    return _Passages(end, first, second, end[second] - begin[first], starts)


def no_matches(texts: int) -> TermMatches:
    """Texts that have nothing of a query."""
    return TermMatches(np.zeros(texts), np.zeros((texts, 0), bool), np.zeros(0))


def term_set(terms: Iterable[str]) -> TermSet:
    """A set of terms to look for in texts."""
    numbers = np.array(sorted({number_of(term) for term in terms}), np.uint32)
    likely = np.zeros(_TABLE + 1, bool)
    likely[numbers & _TABLE] = True
    return TermSet(numbers, likely)


def measure_shared(
    packed: Sequence[bytes], places: Sequence[int], ignored: Collection[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How much each text shares with the best other one of those at ``places``, beside the
    ``known`` terms: of its terms the share by weight, and the weight of the rarest shared one.

    A term weighs by how few of these texts have it, from 0 to 1.
    """
    packed = [row[:_MOST_SHARED] for row in packed]
    best = memoryview(b"".join(packed[place] for place in places)).cast("I")
    terms = np.array(sorted(set(best).difference(ignored)), np.uint32)
    if not len(terms):
        return np.zeros(len(packed)), np.zeros(len(packed))
    spots, which = _find(packed, terms)
    ends = np.cumsum(_lengths(packed))
    has = np.zeros((len(packed), len(terms)))
    has[np.searchsorted(ends, spots, "right"), which] = 1.0
    rows = has.sum(axis=0)
    # One that no other text has tells nothing about them.
    weights = (rows > 1) * np.log(len(packed) / rows) / max(math.log(len(packed)), 1.0)
    # A row a text to compare with: the weights of its terms.
    hefts = has[places] * weights
    share = has @ hefts.T / np.maximum(hefts.sum(axis=1), 1.0)
    rarest = (has[:, None] * hefts).max(axis=2)
    share[places, range(len(places))] = rarest[places, range(len(places))] = 0.0
    return share.max(axis=1), rarest.max(axis=1)


def having(packed: Sequence[bytes], terms: TermSet) -> NDArray[np.bool_]:
    hits = np.zeros(len(packed), bool)
    numbers = np.frombuffer(b"".join(packed), np.uint32)
    spots = np.flatnonzero(terms.likely.take(numbers & _TABLE))
    exact = spots[np.isin(numbers[spots], terms.numbers)]
    ends = np.cumsum(_lengths(packed))
    hits[np.searchsorted(ends, exact, "right")] = True
    return hits
