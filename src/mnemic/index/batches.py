"""The terms of many texts at once, as ``index_terms`` gives them one by one.

A bulk load spends most of its time on words that it has seen before. Here the chunks of all plain
texts of a batch are looked up together, each as two 64-bit numbers that hold its bytes, in a table
of chunks and the terms they are spelled as. Only new chunks are segmented one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias, TypeVar

from mnemic.index.quantized import grow
from mnemic.index.segment import MARKS, IndexTerms, chunk_terms, index_terms, weights_of
from mnemic.late import NDArray, np
from mnemic.locks import ForkSafeLock
from mnemic.rules.bm25 import TERM_BYTES, pack
from mnemic.types import SafeText

FEW = 32  # texts for which it is not worth it
MOST = 1 << 21  # characters that are looked at together: memory grows with them
_PORTION = 2_000  # texts whose words are in memory at a time
_WORD = 8  # bytes that are moved at once
_HALF = 8  # bytes of a chunk in each of its two numbers
_BITS = 17
_SLOTS = 1 << _BITS
_PROBES = 8  # places where a chunk may stand
_MOST_LETTERS = 1 << 23
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)
_MASKS = [(1 << 8 * n) - 1 for n in range(_HALF)] + [(1 << 64) - 1]
Keys: TypeAlias = "NDArray[np.uint64]"
Places: TypeAlias = "NDArray[np.int64]"
Spots: TypeAlias = "NDArray[np.int32]"  # in a pool: half the memory to move
Record = TypeVar("Record")
Numbers = TypeVar("Numbers", "NDArray[np.int64]", "NDArray[np.uint64]")
_MARKS = [chr(byte) in MARKS for byte in range(256)]


def index_many(texts: Sequence[SafeText]) -> list[IndexTerms]:
    """What each of the texts is indexed by."""
    plain = [text for text in texts if text.isascii()]
    if len(plain) < FEW:
        return list(map(index_terms, texts))
    if sum(map(len, texts)) > MOST:
        middle = len(texts) // 2
        return index_many(texts[:middle]) + index_many(texts[middle:])
    terms = iter(_index_plain(plain))
    return [next(terms) if text.isascii() else index_terms(text) for text in texts]


class TermTable(NamedTuple):
    """The distinct terms of many texts, as their numbers."""

    numbers: NDArray[np.uint32]  # of one text after another, in order
    starts: Places  # where those of each text begin, and their end

    @classmethod
    def of(cls, texts: Sequence[SafeText]) -> TermTable:
        return cls.unpack(texts, lambda portion: [terms.packed for terms in index_many(portion)])

    @classmethod
    def unpack(
        cls, records: Sequence[Record], read: Callable[[Sequence[Record]], list[bytes]]
    ) -> TermTable:
        """The terms of records, packed a portion at a time: their words take more memory."""
        tables = [cls(np.empty(0, np.uint32), np.zeros(1, np.int64))]
        for first in range(0, len(records), _PORTION):
            packs = read(records[first : first + _PORTION])
            rows = np.arange(len(packs) + 1, dtype=np.uint64) << np.uint64(32)
            row = np.repeat(rows[:-1], [len(pack) // TERM_BYTES for pack in packs])
            keys = distinct(row + np.frombuffer(b"".join(packs), np.uint32))
            ends = np.searchsorted(keys, rows[1:]) + tables[-1].starts[-1]
            tables.append(cls(keys.astype(np.uint32), ends))
        return cls(*map(np.concatenate, zip(*tables, strict=True)))

    def select(self, places: Sequence[int]) -> TermTable:
        """Those of some of the texts."""
        lengths = np.diff(self.starts)[places]
        starts = np.concatenate(([0], np.cumsum(lengths)))
        shifts = np.repeat(self.starts[places] - starts[:-1], lengths)
        return TermTable(self.numbers[np.arange(len(shifts)) + shifts], starts)

    def weighing(self, least: float) -> Iterator[set[int]]:
        """The terms of each text that weigh at least so much."""
        heavy = np.flatnonzero(weights_of(self.numbers) >= least)
        numbers, starts = self.numbers[heavy].tolist(), np.searchsorted(heavy, self.starts)
        return (set(numbers[start:end]) for start, end in pairwise(starts.tolist()))


def forget_chunks() -> None:
    """Clear the table: forgotten words must not linger in memory."""
    with _guard:
        _table.cache_clear()


def _index_plain(texts: Sequence[SafeText]) -> list[IndexTerms]:
    chunks = _ChunkBatch("\n".join(texts).encode("ascii"))
    with _guard:
        spellings = _table().look_up(chunks)
        letters, numbers = _table().spell(spellings)
    # Where the chunks of each text end, and with them its letters and its terms.
    ends = np.cumsum([len(text) + 1 for text in texts])
    counts = np.concatenate(([0], np.searchsorted(chunks.starts, ends)))
    terms = pairwise((_WORD * _sum_first(spellings.words, counts)).tolist())
    packs = pairwise((TERM_BYTES * _sum_first(spellings.terms, counts)).tolist())
    words = [SafeText(letters[start:end]) for start, end in terms]
    return list(map(IndexTerms, words, [numbers[start:end] for start, end in packs]))


def _sum_first(lengths: Spots, counts: Places) -> Places:
    """The sums of the first ``counts`` lengths."""
    sums: Places = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))[counts]
    return sums


def distinct(*parts: Numbers) -> Numbers:
    """Each number once, in order; by sorting, which is quicker than the table of np.unique."""
    numbers = np.sort(np.concatenate(parts))
    return numbers[np.concatenate(([True], numbers[1:] != numbers[:-1]))[: len(numbers)]]


class _ChunkBatch:
    """The runs without white space in an ASCII text, in lower case where the case tells nothing."""

    def __init__(self, text: bytes) -> None:
        # Room behind the last chunk for the numbers of its bytes.
        data = np.frombuffer(text + bytes(2 * _HALF), np.uint8)
        # No term goes over a control character, so these may stand for spaces.
        spaces = np.concatenate(([True], data[: len(text)] <= ord(" "), [True]))
        edges = np.flatnonzero(spaces[1:] != spaces[:-1])
        self.starts, ends = edges[::2], edges[1::2]
        self._ends = ends - np.array(_MARKS)[data[ends - 1]]
        self._bytes = self._fold_case(data)
        lengths = self._ends - self.starts
        self.keys = self._keys(lengths)
        self.long = np.flatnonzero(lengths > 2 * _HALF)  # those that their keys do not hold whole

    def select(self, places: Places) -> list[str]:
        text = self._bytes.tobytes().decode("ascii")
        starts, ends = self.starts[places].tolist(), self._ends[places].tolist()
        return [text[start:end] for start, end in zip(starts, ends, strict=True)]

    def _fold_case(self, data: NDArray[np.uint8]) -> NDArray[np.uint8]:
        upper = (data >= ord("A")) & (data <= ord("Z"))
        lower = (data >= ord("a")) & (data <= ord("z"))
        folded = data | np.left_shift(upper, 5, dtype=np.uint8)
        # Where one word ends inside a chunk and the next begins, as in fooBar and HTTPServer, also
        # once an apostrophe is taken out.
        begins = upper[1:-1] & (lower[:-2] | upper[:-2] & lower[2:])
        joints = np.flatnonzero(begins | (data[:-2] == ord("'")))
        for place in np.unique(np.searchsorted(self.starts, joints, "right") - 1).tolist():
            chunk = slice(self.starts[place], self._ends[place])
            folded[chunk] = data[chunk]
        return folded

    def _keys(self, lengths: Places) -> Keys:
        """The bytes of each chunk as two numbers, what is behind it as zeros."""
        windows = np.ndarray((len(self._bytes) - _HALF + 1,), "<u8", self._bytes.data, strides=(1,))
        first, second = np.minimum(lengths, _HALF), np.clip(lengths - _HALF, 0, _HALF)
        masks = np.array(_MASKS, np.uint64)
        words = windows[self.starts], windows[self.starts + _HALF]
        return np.stack([words[0] & masks[first], words[1] & masks[second]])


class _Spelling(NamedTuple):
    """For some chunks, where their terms begin in the two pools and how long they are."""

    words_at: Spots
    words: Spots
    terms_at: Spots
    terms: Spots


class _Pool:
    """An array that grows at its end."""

    def __init__(self, dtype: type[np.generic]) -> None:
        self._values: NDArray[Any] = np.empty(0, dtype)
        self.used = 0

    def add(self, values: NDArray[Any]) -> int:
        """Append the values; gives the place of the first."""
        first, end = self.used, self.used + len(values)
        self._values = grow(self._values, first, end)
        self._values[first:end] = values
        self.used = end
        return first

    def take(self, starts: Spots, lengths: Spots) -> bytes:
        """These stretches one after another."""
        places = np.repeat(starts - _before(lengths), lengths)
        places += np.arange(len(places), dtype=np.int32)
        return self._values.take(places, mode="clip").tobytes()


class _ChunkTable:
    """A hash table of chunks and their terms. A chunk has a few slots; when all are taken it
    replaces the one in its first, and a table that is half full is cleared.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self, slots: int = 0) -> None:
        self._keys = np.zeros((2, slots), np.uint64)
        self._spelled = np.zeros((4, slots), np.int32)
        # Letters are kept eight by eight, filled up with spaces: that many fewer to move.
        self._letters, self._numbers = _Pool(np.uint64), _Pool(np.uint32)
        self._count = 0

    def spell(self, spellings: _Spelling) -> tuple[str, bytes]:
        """The terms of chunks one after another, with spaces between them; their numbers."""
        letters = self._letters.take(spellings.words_at, spellings.words)
        return letters.decode("ascii"), self._numbers.take(spellings.terms_at, spellings.terms)

    def look_up(self, chunks: _ChunkBatch) -> _Spelling:
        """The spelling of each chunk; new chunks are added."""
        full = 2 * self._count > _SLOTS or _WORD * self._letters.used > _MOST_LETTERS
        if full or not self._keys.size:
            self.clear(_SLOTS)
        mixed: Keys = np.array(_MULTIPLIERS, np.uint64) @ chunks.keys
        slots = self._find(chunks.keys, mixed)
        slots[chunks.long] = 0
        spellings = self._spelled.take(slots, axis=1, mode="clip")
        new = np.flatnonzero(slots < 0)
        if len(new):
            spellings[:, new] = self._learn(chunks, new, mixed[new])
        if len(chunks.long):
            spellings[:, chunks.long] = self._segment(chunks.select(chunks.long))
        return _Spelling(*spellings)

    def _find(self, keys: Keys, mixed: Keys) -> Places:
        """The place of each chunk; -1 for one that is not there."""
        homes = _homes(mixed)
        places = homes.copy()
        rest = np.flatnonzero(self._differ(homes, keys))
        for probe in range(1, _PROBES):
            slots = (homes[rest] + probe) & (_SLOTS - 1)
            others = self._differ(slots, keys[:, rest])
            places[rest[~others]] = slots[~others]
            rest = rest[others]
        places[rest] = -1
        return places

    def _differ(self, slots: Places, keys: Keys) -> NDArray[np.bool_]:
        stored = self._keys.take(slots, axis=1, mode="clip")
        differ: NDArray[np.bool_] = (stored[0] != keys[0]) | (stored[1] != keys[1])
        return differ

    def _learn(self, chunks: _ChunkBatch, places: Places, mixed: Keys) -> Spots:
        """The spelling of chunks that are not in the table; each is segmented once."""
        _, first, again = np.unique(mixed, return_index=True, return_inverse=True)
        keys = chunks.keys[:, places]
        # A chunk with the hash of another, without being it, stands for itself.
        alone = np.flatnonzero((keys != keys[:, first[again]]).any(axis=0))
        again[alone] = np.arange(len(first), len(first) + len(alone))
        first = np.concatenate([first, alone])
        spellings = self._segment(chunks.select(places[first]))
        self._keep(keys[:, first], _homes(mixed[first]), spellings)
        return spellings[:, again]

    def _segment(self, chunks: list[str]) -> Spots:
        """The terms of chunks, put into the pools."""
        terms = chunk_terms(chunks)
        words = np.array([-(-(len(text) + 1) // _WORD) if text else 0 for text in terms], np.int32)
        counts = np.array([text.count(" ") + 1 if text else 0 for text in terms], np.int32)
        sizes = (_WORD * words).tolist()
        padded = "".join(map(str.ljust, terms, sizes))
        numbers = np.frombuffer(pack(padded), np.uint32)
        letters = np.frombuffer(padded.encode("ascii"), np.uint64)
        words_at = self._letters.add(letters) + _before(words)
        terms_at = self._numbers.add(numbers) + _before(counts)
        return np.stack([words_at, words, terms_at, counts])

    def _keep(self, keys: Keys, homes: Places, spellings: Spots) -> None:
        rest = np.arange(len(homes))
        for probe in range(_PROBES):
            slots = (homes[rest] + probe) & (_SLOTS - 1)
            free = self._keys[0, slots] == 0
            self._put(slots[free], keys[:, rest[free]], spellings[:, rest[free]])
            rest = rest[self._differ(slots, keys[:, rest])]
        self._put(homes[rest], keys[:, rest], spellings[:, rest])
        self._count += len(homes)

    def _put(self, slots: Places, keys: Keys, spellings: Spots) -> None:
        """Of several chunks for one slot, the first is stored."""
        places, first = np.unique(slots, return_index=True)
        self._keys[:, places] = keys[:, first]
        self._spelled[:, places] = spellings[:, first]


def _before(lengths: Spots) -> Spots:
    return np.cumsum(lengths, dtype=np.int32) - lengths


def _homes(mixed: Keys) -> Places:
    return (mixed >> np.uint64(64 - _BITS)).astype(np.int64)


_table = cache(_ChunkTable)
_guard = ForkSafeLock()
