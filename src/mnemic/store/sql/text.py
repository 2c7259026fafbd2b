"""The text index: one index over every recallable record, searched with BM25."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from mnemic.errors import StoreDamaged
from mnemic.late import NDArray, np
from mnemic.rules import bm25
from mnemic.rules.bm25 import TermMatches, TermSet
from mnemic.store.rows import (
    TABLES,
    QueryTerm,
    Scope,
    TextMatch,
    TextMatches,
    type_of,
)
from mnemic.store.sql.part import Part, read_statements
from mnemic.store.sql.postings import Postings, SpaceStats, TermIndex, WeighedTerms, read_names
from mnemic.store.sql.scope import ScopeFilter
from mnemic.types import RecordType, SafeText

_EXHAUST = 2_000  # narrow scopes up to this many documents are looked at whole
_DEPTH = 128  # documents scored exactly; 192 would find 0.2 % more of the best ten of 100,000
_DEEPEST = 20_000
_MOST_HELD = 1_000_000  # records that are counted
_BATCH = 128
_SQL = read_statements("sql/text")


class SqlText(Part):
    """Searching the text of one space on one connection."""

    statements = _SQL

    def search(self, terms: Sequence[QueryTerm], scope: Scope, limit: int) -> TextMatches:
        """The best ``limit`` records of the scope, best first, newer first among equals."""
        return self._unit.once((*terms, scope, limit), partial(self._search, terms, scope, limit))

    def _search(self, terms: Sequence[QueryTerm], scope: Scope, limit: int) -> TextMatches:
        stats = self._unit.text_stats.of(self._conn, self._space)
        if not terms or not stats.rows:
            return TextMatches((), {}, {}, stats.length)
        postings = Postings(self._lists(scope), stats)
        few = self.few(scope)
        if few is not None:
            return self._rank(few, postings.weigh(terms), limit, stats)
        chosen = ScopeFilter(self._conn, self._space, scope)
        depth = max(2 * limit, _DEPTH)
        while True:  # look deeper while the scope leaves too few of the candidates
            candidates, weighed = postings.candidates(terms, depth, limit)
            docs = chosen.keep(candidates)
            if len(docs) >= limit or len(candidates) < depth or depth >= _DEEPEST:
                return self._rank(docs, weighed, limit, stats)
            depth *= 8

    def term_matches(self, matches: TextMatches, docs: Sequence[int]) -> TermMatches:
        """The scores of documents for an earlier query, with the terms they have."""
        scored, row_of = matches.scored, matches.row_of
        packs = self._packs(matches, docs)
        unscored = [doc for doc in docs if doc not in row_of and doc in packs]
        added = bm25.term_matches(
            [packs[doc] for doc in unscored],
            matches.weights,
            matches.length,
            matches.form_of,
            telling=matches.telling,
        )
        if scored is None or not row_of:
            merged = added
        elif not unscored:
            merged = scored
        else:
            merged = TermMatches(
                np.concatenate([scored.scores, added.scores]),
                np.concatenate([scored.present, added.present]),
                added.heft,
            )
        rows = {**row_of, **{doc: n for n, doc in enumerate(unscored, len(row_of))}}
        places = [place for place, doc in enumerate(docs) if doc in rows]
        chosen = [rows[docs[place]] for place in places]
        if len(places) == len(docs):
            return TermMatches(merged.scores[chosen], merged.present[chosen], merged.heft)
        scores = np.zeros(len(docs))
        scores[places] = merged.scores[chosen]
        has = np.zeros((len(docs), merged.present.shape[1]), bool)
        has[places] = merged.present[chosen]
        return TermMatches(scores, has, merged.heft)

    def having(
        self, matches: TextMatches, docs: Sequence[int], terms: TermSet
    ) -> NDArray[np.bool_]:
        """Which of the documents have any of the terms."""
        packs = self._packs(matches, docs)
        return bm25.having([packs.get(doc, b"") for doc in docs], terms)

    def find_shared(
        self, matches: TextMatches, docs: Sequence[int], best: Sequence[int]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How much each document shares with the ``best``, beside the terms of the query."""
        packs = self._packs(matches, docs)
        return bm25.measure_shared([packs.get(doc, b"") for doc in docs], best, matches.words)

    def match(self, matches: TextMatches, docs: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """The words of the query that each document has."""
        packs, matched = self._packs(matches, docs), dict[int, tuple[str, ...]]()
        for doc in filter(packs.__contains__, docs):
            numbers = frozenset(memoryview(packs[doc]).cast("I"))
            words = matches.words.items()
            matched[doc] = tuple(word for number, word in words if number in numbers)
        return matched

    def _packs(self, matches: TextMatches, docs: Sequence[int]) -> Mapping[int, bytes]:
        """The packed terms of the documents that are indexed; what was read is not read again."""
        unread = [doc for doc in docs if doc not in matches.packs]
        if unread:
            matches.packs.update(zip(*self._read_packs(unread), strict=True))
        return matches.packs

    def _rank(
        self, docs: Sequence[int], weighed: WeighedTerms, limit: int, stats: SpaceStats
    ) -> TextMatches:
        """Score documents, the most promising first, until a batch changes nothing."""
        terms, absent = weighed
        weights = {bm25.number_of(term.text): term.impact for term in terms}
        words = {bm25.number_of(term.text): term.text for term in terms}
        telling = {bm25.number_of(term.text): term.telling for term in terms}
        form_of = {
            bm25.number_of(term.text): bm25.number_of(term.form_of)
            for term in terms
            if term.form_of
        }
        best: list[tuple[float, int]] = []
        read: dict[int, bytes] = {}
        scored: TermMatches | None = None
        row_of: dict[int, int] = {}
        for start in range(0, len(docs), _BATCH):
            batch, packs = self._read_packs(docs[start : start + _BATCH])
            read.update(zip(batch, packs, strict=True))
            present = bm25.term_matches(packs, weights, stats.length, form_of, telling=telling)
            if scored is None:
                scored, row_of = present, {doc: row for row, doc in enumerate(batch)}
            scores = present.scores.tolist()
            if len(best) >= limit and max(scores, default=0.0) <= best[-1][0]:
                break
            best += [pair for pair in zip(scores, batch, strict=True) if pair[0] > 0]
            best = sorted(best, reverse=True)[:limit]
        matches = tuple(TextMatch(doc, score) for score, doc in best)
        return TextMatches(
            matches, words, weights, stats.length, telling, absent, form_of, read, scored, row_of
        )

    def _read_packs(self, docs: Sequence[int]) -> tuple[list[int], list[bytes]]:
        """Those of the documents that are indexed, and their packed terms."""
        rows = self._conn.execute(_SQL["packed"], (str(list(docs)), self._space))
        present: list[int] = []
        packs: list[bytes] = []
        for doc, packed in rows:
            present.append(doc)
            packs.append(packed)
        if any(map(bm25.TERM_BYTES.__rmod__, map(len, packs))):
            raise StoreDamaged(
                "The terms of a text in the database are damaged",
                remedy="Build the text index anew with `mnemic doctor --repair`",
            )
        return present, packs

    def read_packed(self, type_: RecordType, ids: Sequence[str]) -> dict[str, bytes]:
        """What records are indexed by; no turn with tool calls, whose words are among its own."""
        among = "r.tool_calls IS NULL" if type_ == "turn" else "true"
        return dict(self._run(self._sql("packed_terms", table=TABLES[type_], among=among), ids=ids))

    def holding(
        self, terms: Sequence[QueryTerm], scope: Scope, limit: int
    ) -> tuple[list[int], int]:
        """The newest records of the scope with all the terms in some form, and their number."""
        words: dict[str, list[str]] = {}
        for term in terms:
            words.setdefault(term.form_of or term.text, []).append(term.text)
        docs = self._lists(scope).holding_all(list(words.values()), _MOST_HELD)
        allowed = ScopeFilter(self._conn, self._space, scope).keep(docs)
        return allowed[:limit], len(allowed)

    def in_scope(self, docs: Sequence[int], scope: Scope) -> list[int]:
        """Those of the documents that the scope allows, in their order."""
        return ScopeFilter(self._conn, self._space, scope).keep(docs)

    def few(self, scope: Scope) -> list[int] | None:
        """Every record of a narrow scope; None where that is too many to look at each."""
        if not scope.narrow:
            return None
        return ScopeFilter(self._conn, self._space, scope).all(_EXHAUST)

    def latest(self, scope: Scope, limit: int) -> list[int]:
        """The newest records of the scope, whatever their words."""
        return ScopeFilter(self._conn, self._space, scope).latest(limit)

    def records(self, docs: Sequence[int]) -> dict[int, tuple[RecordType, str]]:
        """The type and id of each document that there is."""
        by_doc: dict[int, tuple[RecordType, str]] = {}
        for type_ in {type_of(doc) for doc in docs}:
            mine = str([doc for doc in docs if type_of(doc) == type_])
            rows = self._run(self._sql("records", table=TABLES[type_]), docs=mine)
            by_doc.update((doc, (type_, id_)) for doc, id_ in rows)
        return by_doc

    def names(self) -> frozenset[str]:
        """Who speaks here and whom memories are about; of very many records, some."""
        stats = self._unit.text_stats.of(self._conn, self._space)
        if stats.names is None:
            stats.names = read_names(self._conn, self._space, stats.sizes)
        return stats.names

    def list_unindexed(self, type_: RecordType, limit: int) -> list[str]:
        """Records that have no place in the index."""
        return self._column(self._sql("unindexed", table=TABLES[type_]), limit=limit)

    def put(
        self, type_: RecordType, terms: Mapping[str, SafeText], *, changed: bool = True
    ) -> None:
        """Index records anew, by their ids; where texts have ``changed``, vectors follow."""
        rows = self._run(self._sql("docs_of", table=TABLES[type_]), ids=list(terms))
        self.replace({doc: terms[id_] for doc, id_ in rows}, changed=changed)

    def add(self, doc: int, terms: str) -> None:
        """Index a new document by its terms."""
        index = self._unit.index
        self._conn.execute(index.insert, index.values(doc, terms, bm25.pack(terms)))

    def replace(self, terms: Mapping[int, str], *, changed: bool = True) -> None:
        """Index documents anew."""
        docs, texts = list(terms), list(terms.values())
        if changed:
            self._unit.cleanup.ask_again(docs)
        self._unit.index.remove(docs)
        packed = [bm25.pack(text) for text in texts]
        self._unit.index.add_many(docs, texts, packed)

    def _lists(self, scope: Scope) -> TermIndex:
        return self._unit.make_index(self._conn, self._space, scope.types)
