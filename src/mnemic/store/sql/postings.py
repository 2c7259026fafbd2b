"""Candidates for a query from the text index, without walking the lists of common terms.

Lists of rare terms are read whole and added up; common terms only refine what a rare one brought,
or meet in pairs when there is no rare one. In a small space every list is read.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeAlias

from mnemic.late import NDArray, dataclass, np
from mnemic.rules import bm25
from mnemic.store.rows import QueryTerm, first_doc, last_doc, place_of, type_of
from mnemic.store.sql.part import SqlConnection, read_statements
from mnemic.types import RECORD_TYPES, RecordType

SMALL = 3_000  # up to this many documents nothing is estimated
_FREQUENCY_LIMIT = 100_000
_SAMPLE = 400
_SQL = read_statements("sql/text")
_NAMES: tuple[tuple[str, str, RecordType], ...] = (
    ("turns", "sender", "turn"),
    ("memories", "subject", "memory"),
)


@dataclass(slots=True)
class SpaceStats:
    """The figures of one space."""

    sizes: dict[RecordType, int]
    length: float
    frequency: dict[tuple[str, str], int] = field(default_factory=dict)
    names: frozenset[str] | None = None

    @property
    def rows(self) -> int:
        return sum(self.sizes.values())

    def remember(self, term: tuple[str, str], rows: int) -> None:
        """Keep the frequency of a common term, which is dear to count."""
        if self.rows > SMALL:
            if len(self.frequency) >= _FREQUENCY_LIMIT:
                self.frequency.clear()
            self.frequency[term] = rows

    def position(self, doc: int) -> int:
        """How many documents of the space stand before this one."""
        before = 0
        for type_, size in self.sizes.items():
            if type_ == type_of(doc):
                return before + place_of(doc)
            before += size
        return before


class TextStats:
    """The figures of every space of one store, shared by its connections."""

    def __init__(self) -> None:
        self._spaces: dict[int, SpaceStats] = {}

    def forget(self) -> None:
        """Measure anew: terms that are kept here may be of texts that were removed."""
        self._spaces.clear()

    def of(self, conn: SqlConnection, space: int) -> SpaceStats:
        sizes = _sizes(conn, space)
        cached = self._spaces.get(space)
        rows, counted = sum(sizes.values()), 0 if cached is None else cached.rows
        is_near = rows == counted or (counted > SMALL and counted <= rows < counted * 1.1)
        if cached is not None and is_near:
            cached.sizes = sizes
            return cached
        stats = self._spaces[space] = SpaceStats(sizes, _length(conn, space, sizes))
        return stats


def _sizes(conn: SqlConnection, space: int) -> dict[RecordType, int]:
    """Documents of each type, taking their numbers to be nearly gapless."""
    # All are asked for before the first is read: a server answers them at once.
    first = {type_: first_doc(space, type_) for type_ in RECORD_TYPES}
    answers = {
        type_: conn.execute(_SQL["highest"], (space, first[type_], last_doc(space, type_)))
        for type_ in RECORD_TYPES
    }
    highest = {type_: rows.get for type_, rows in answers.items()}
    return {t: 0 if doc is None else int(doc) - first[t] + 1 for t, doc in highest.items()}


def _length(conn: SqlConnection, space: int, sizes: dict[RecordType, int]) -> float:
    """The mean length in terms, short texts counted as ``bm25.SHORT``."""
    lengths: list[int] = []
    for type_, size in sizes.items():
        first = first_doc(space, type_)
        sample = range(first, first + size, max(1, size // _SAMPLE))
        rows = conn.execute(_SQL["lengths"], (str(list(sample)), space))
        lengths += [max(bm25.SHORT, bytes_ // bm25.TERM_BYTES) for (bytes_,) in rows]
    return sum(lengths) / len(lengths) if lengths else float(bm25.SHORT)


def read_names(conn: SqlConnection, space: int, sizes: dict[RecordType, int]) -> frozenset[str]:
    """The names of speakers and of the subjects of memories; of very many, some and the newest."""
    names: set[str] = set()
    for table, column, type_ in _NAMES:
        first, size = first_doc(space, type_), sizes[type_]
        docs = {
            *range(first, first + size, max(1, size // SMALL)),
            *range(first + max(0, size - _SAMPLE), first + size),
        }
        statement = _SQL["names"].format(column=column, table=table)
        rows = conn.execute(statement, (str(list(docs)), space))
        names.update(name for (name,) in rows if name)
    return frozenset(names)


_LIST_LIMIT = 2_000  # documents of a term that are counted before its frequency is extrapolated
_READ_LIMIT = 6_000  # list entries of rare terms that one query reads at least ...
_READ_SHARE = 25  # ... and as a part of a large space's documents
_MEET_LIMIT = 20_000  # list entries of common terms that are walked to find where two meet
_FILL_LIMIT = 4_000  # list entries of stop words that are read when nothing else fills the answer
_ENOUGH_TERMS = 3  # whole terms that make up a query by themselves
_TERM_LIMIT = 32  # terms of a query that count in a large space
_STOP_WEIGHT = 0.1  # lighter terms are stop words
_EQUAL = 1e-9

# Terms that nearly every memory has which is written in scripts without and with spaces.
_USUAL_TERMS = {True: ("的", "我", "了", "是"), False: ("the", "i", "to", "a")}
# Documents that a young memory is taken to have besides: in its first few, what is there seems
# common and what is not there seems telling.
_YOUNG = 50
_DENSE_FROM = "\u0e00"

Docs: TypeAlias = "NDArray[np.int64]"


class CountedList(NamedTuple):
    """The first documents of a term joined by commas, how many those are, and the last of them.

    Documents count from the first of their range: fewer digits are sooner written and read. The
    last is a whole number of a document.
    """

    docs: str
    rows: int
    last: int


class TermIndex(ABC):
    """A database's text index (FTS5 in SQLite, rows of terms in PostgreSQL), for one space. Lists
    are read of the documents of some types. Of another form of a term only those documents count
    that do not have the term itself.
    """

    insert: ClassVar[str]  # what adds one document, to be given ``values``: one or more statements

    def __init__(self, conn: Any, space: int, types: Collection[RecordType] = RECORD_TYPES) -> None:
        self._conn = conn
        self._space = space
        self._types = types

    @cached_property
    def bounds(self) -> tuple[int, int]:
        """The first and the last document that there may be."""
        first = min(first_doc(self._space, type_) for type_ in self._types)
        return first, max(last_doc(self._space, type_) for type_ in self._types)

    @abstractmethod
    def values(self, doc: int, terms: str, packed: bytes) -> tuple[Any, ...]: ...

    @abstractmethod
    def add_many(self, docs: Sequence[int], terms: Sequence[str], packed: Sequence[bytes]) -> None:
        """Index documents by their terms and the same terms packed."""

    @abstractmethod
    def remove(self, docs: Sequence[int]) -> None: ...

    @abstractmethod
    def holding(self, term: str) -> Iterator[int]:
        """The documents that hold a term."""

    @abstractmethod
    def count(self, terms: Sequence[QueryTerm], limit: int) -> list[CountedList]:
        """The first documents of each term, at most ``limit``."""

    @abstractmethod
    def read_all(self, terms: Sequence[Weighed]) -> list[str]:
        """Every document of each term, joined by commas."""

    @abstractmethod
    def newest(self, terms: Sequence[Weighed], limit: int) -> str:
        """The newest documents that have all of the terms, joined by commas."""

    @abstractmethod
    def holding_all(self, words: Sequence[Sequence[str]], limit: int) -> list[int]:
        """The newest documents that have one of the forms of every word."""


class Weighed(NamedTuple):
    """A query term, what it adds to a score (its weight times rarity), its frequency, and its
    documents joined by commas, if known.
    """

    text: str
    impact: float
    rows: int
    docs: str
    telling: float
    form_of: str = ""


class WeighedTerms(NamedTuple):
    """The terms of a query that are there, and what those weigh that no document has."""

    terms: list[Weighed]
    absent: float


class Postings:
    """Reads the lists of one range of documents."""

    def __init__(self, lists: TermIndex, stats: SpaceStats) -> None:
        self._lists = lists
        self._stats = stats
        self._small = stats.rows <= SMALL

    def candidates(
        self, query: Sequence[QueryTerm], depth: int, wanted: int
    ) -> tuple[list[int], WeighedTerms]:
        """At most ``depth`` documents that could be among the best ``wanted``, the most promising
        first, and the terms that brought them.
        """
        telling = [term for term in query if term.weight > _STOP_WEIGHT]
        terms, absent = self.weigh(telling)
        budget = math.inf if self._small else max(_READ_LIMIT, self._stats.rows // _READ_SHARE)
        lists, common = self._read(terms, budget)
        rows = _add_up(lists, depth)
        if common and (
            len(rows) < wanted or sum(term.impact for term in common) > rows[wanted - 1][0]
        ):
            rows = _add_up(lists + self._meet(common, depth), depth)
        if len(rows) < wanted and len(telling) < len(query):
            stop = self.weigh([term for term in query if term.weight <= _STOP_WEIGHT])
            filling, _ = self._read(stop.terms, _FILL_LIMIT)
            rows, terms = _add_up(lists + filling, depth), terms + stop.terms
            absent += stop.absent
        first = self._lists.bounds[0]
        docs = [first + doc for _, doc in rows]
        return docs, WeighedTerms(terms, absent)

    def weigh(self, query: Sequence[QueryTerm]) -> WeighedTerms:
        """The terms that are there, most telling first; in a large space only the best of them."""
        if not self._small:
            # Among many texts single characters and words of asking are too common to tell.
            words = [term for term in query if term.weight >= 1]
            enough = sum(not term.form_of for term in words) >= _ENOUGH_TERMS
            query = words if enough else query
        everything = self._weigh(query)
        here = {term.form_of or term.text for term in everything if term.rows}
        absent = self._weight_of(
            [term for term in everything if not term.form_of and term.text not in here], here
        )
        most = {term.text: term.impact for term in everything}
        weighed = [
            term._replace(impact=min(term.impact, most.get(term.form_of, term.impact)))
            if term.form_of
            else term
            for term in everything
            if term.rows
        ]
        weighed.sort(key=lambda term: -term.impact)
        return WeighedTerms(weighed if self._small else weighed[:_TERM_LIMIT], absent)

    def _weight_of(self, absent: Sequence[Weighed], here: Collection[str]) -> float:
        """The weight of absent terms; none of a script that nothing is written in."""
        weight = 0.0
        for dense, usual in _USUAL_TERMS.items():
            mine = sum(term.telling for term in absent if _counts_as_absent(term.text, dense=dense))
            written = any(_is_dense(text) is dense for text in here)
            if mine and (written or any(self._weigh([QueryTerm(t, 1.0)])[0].rows for t in usual)):
                weight += mine
        return weight

    def _weigh(self, query: Sequence[QueryTerm]) -> list[Weighed]:
        """The terms with how many documents have each: counted, or extrapolated where many do."""
        frequency = self._stats.frequency
        unknown = [term for term in query if _key(term) not in frequency]
        counted = dict(zip(unknown, self._lists.count(unknown, _LIST_LIMIT), strict=True))
        return [self._weigh_one(term, counted.get(term)) for term in query]

    def _weigh_one(self, term: QueryTerm, counted: CountedList | None) -> Weighed:
        rows, docs = self._stats.frequency.get(_key(term), 0), ""
        if counted is not None:
            docs, rows, last = counted
            if rows == _LIST_LIMIT:
                share = rows / max(1, self._stats.position(last))
                rows, docs = min(self._stats.rows, int(share * self._stats.rows)), ""
            if rows >= _LIST_LIMIT // 4:
                self._stats.remember(_key(term), rows)
        impact = term.weight * bm25.rarity(self._stats.rows, rows)
        telling = term.weight * bm25.rarity(self._stats.rows + _YOUNG, rows)
        return Weighed(term.text, impact, rows, docs, telling, term.form_of)

    def _read(self, terms: Sequence[Weighed], budget: float) -> tuple[list[Weighed], list[Weighed]]:
        """The lists of the rarest terms, and the terms that were too common to read."""
        rare: list[Weighed] = []
        common: list[Weighed] = []
        for term in sorted(terms, key=lambda term: term.rows):
            budget -= term.rows
            (rare if budget >= 0 else common).append(term)
        unread = [term for term in rare if not term.docs]
        loaded = dict(zip(unread, self._lists.read_all(unread), strict=True))
        return [t if t.docs else t._replace(docs=loaded[t]) for t in rare], common

    def _meet(self, common: Sequence[Weighed], depth: int) -> list[Weighed]:
        """Where the rarest common term meets each other one, and the newest that hold it at all."""
        first, *others = common
        lists = [first._replace(docs=self._lists.newest([first], depth))]
        budget = _MEET_LIMIT
        for other in sorted(others, key=lambda term: -term.impact):
            budget -= first.rows + other.rows
            if budget < 0 and len(lists) > 1:
                break
            both = self._lists.newest([first, other], _LIST_LIMIT)
            lists.append(other._replace(docs=both))
        return lists


def _counts_as_absent(term: str, *, dense: bool) -> bool:
    """Of a script without spaces only its characters: most pairs of them are no words."""
    return _is_dense(term) is dense and (not dense or len(term) == 1)


def _is_dense(term: str) -> bool:
    """Whether a term is of a script without spaces, such as Chinese."""
    return term[:1] >= _DENSE_FROM


def _key(term: QueryTerm) -> tuple[str, str]:
    """What the frequency of a term, or of another form of it, is kept under."""
    return term.text, term.form_of


def _sums(entries: Docs, weights: NDArray[np.float64]) -> tuple[Docs, NDArray[np.float64]]:
    """Each document once, in order, and the sum of its weights."""
    # The entries are a few lists that are in order, which this way of sorting only has to merge.
    order = np.argsort(entries, kind="stable")
    docs = entries[order]
    first = np.flatnonzero(np.concatenate(([True], docs[1:] != docs[:-1])))
    return docs[first], np.add.reduceat(weights[order], first)


def _add_up(lists: Sequence[Weighed], depth: int) -> list[tuple[float, int]]:
    """The sum of the impacts of each document, best and newest first, cut at a depth."""
    filled = [postings for postings in lists if postings.docs]
    if not filled:
        return []
    entries = np.fromstring(",".join(postings.docs for postings in filled), np.int64, sep=",")
    sizes = [postings.docs.count(",") + 1 for postings in filled]
    weights = np.repeat([postings.impact for postings in filled], sizes)
    docs, totals = _sums(entries, weights)
    if len(docs) > depth:
        least = np.partition(totals, -depth)[-depth]
        kept = np.flatnonzero(totals >= least - _EQUAL)
        docs, totals = docs[kept], totals[kept]
    order = np.lexsort((docs, totals))[::-1][:depth]
    return list(zip(totals[order].tolist(), docs[order].tolist(), strict=True))
