"""The text index in SQLite: one index over every recallable record, searched with BM25."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import apsw

from recollect.rules import bm25
from recollect.store.base import QueryTerm, Scope, TextMatch
from recollect.store.sqlite.documents import TABLES, first_doc, last_doc, type_of
from recollect.store.sqlite.postings import Postings, Weighed
from recollect.store.sqlite.scope import ScopeFilter
from recollect.store.sqlite.textstats import SMALL, SpaceStats, TextStats
from recollect.types import RecordType

_EXHAUST = 2_000  # scopes up to this many documents are scored whole
_DEPTH = 512  # documents scored exactly in a large space ...
_SMALL_DEPTH = 128  # ... and in a small one
_DEEPEST = 20_000
_BATCH = 128


class _Scored(NamedTuple):
    doc: int
    packed: bytes
    score: float


class SqliteText:
    """Searching the text of one space on one connection."""

    def __init__(self, conn: apsw.Connection, space: int, stats: TextStats) -> None:
        self._conn = conn
        self._space = space
        self._all_stats = stats

    def search(self, terms: Sequence[QueryTerm], scope: Scope, limit: int) -> list[TextMatch]:
        """The best ``limit`` records of the scope, best first, newer first among equals."""
        stats = self._all_stats.of(self._conn, self._space)
        if not terms or not stats.rows:
            return []
        chosen = ScopeFilter(self._conn, self._space, scope)
        few = chosen.all(_EXHAUST) if chosen.narrow else None
        first = min(first_doc(self._space, type_) for type_ in scope.types)
        last = max(last_doc(self._space, type_) for type_ in scope.types)
        postings = Postings(self._conn, first, last, stats)
        if few is not None:
            weighed = postings.weigh(terms)
            return self._matches(self._rank(few, weighed, limit, stats), weighed)
        return self._search_wide(terms, chosen, limit, postings, stats)

    def _search_wide(
        self,
        terms: Sequence[QueryTerm],
        chosen: ScopeFilter,
        limit: int,
        postings: Postings,
        stats: SpaceStats,
    ) -> list[TextMatch]:
        """Look deeper while the scope leaves too few of the candidates."""
        depth = max(4 * limit, _SMALL_DEPTH if stats.rows <= SMALL else _DEPTH)
        while True:
            found = postings.candidates(terms, depth, limit)
            docs = chosen.keep(found.docs)
            if len(docs) >= limit or len(found.docs) < depth or depth >= _DEEPEST:
                return self._matches(self._rank(docs, found.terms, limit, stats), found.terms)
            depth *= 8

    def _rank(
        self, docs: Sequence[int], terms: Sequence[Weighed], limit: int, stats: SpaceStats
    ) -> list[_Scored]:
        """Score documents exactly, the most promising first, until a batch changes nothing."""
        weights = {bm25.number_of(term.text): term.impact for term in terms}
        best: list[_Scored] = []
        for start in range(0, len(docs), _BATCH):
            rows = self._packed(docs[start : start + _BATCH])
            scores = bm25.scores([packed for _, packed in rows], weights, stats.length).tolist()
            if len(best) >= limit and max(scores, default=0.0) <= best[-1].score:
                break
            best += [_Scored(*row, score) for row, score in zip(rows, scores, strict=True) if score]
            best = sorted(best, key=lambda row: (-row.score, -row.doc))[:limit]
        return best

    def _packed(self, docs: Sequence[int]) -> list[tuple[int, bytes]]:
        rows = self._conn.execute(
            "SELECT t.doc, t.packed FROM json_each(?) d CROSS JOIN text_terms t ON t.doc = d.value",
            (str(list(docs)),),
        )
        return [(doc, packed) for doc, packed in rows]

    def _matches(self, best: Sequence[_Scored], terms: Sequence[Weighed]) -> list[TextMatch]:
        ids = self._ids([row.doc for row in best])
        matches = []
        for row in best:
            numbers = frozenset(memoryview(row.packed).cast("I"))
            words = tuple(t.text for t in terms if bm25.number_of(t.text) in numbers)
            matches.append(TextMatch(type_of(row.doc), ids[row.doc], row.score, words))
        return matches

    def _ids(self, docs: Sequence[int]) -> dict[int, str]:
        ids: dict[int, str] = {}
        for type_ in {type_of(doc) for doc in docs}:
            rows = self._conn.execute(
                f"SELECT r.doc, r.id FROM json_each(?) d CROSS JOIN {TABLES[type_]} r"
                " ON r.doc = d.value",
                (str([doc for doc in docs if type_of(doc) == type_]),),
            )
            ids.update(rows)
        return ids

    def unindexed(self, type_: RecordType, limit: int) -> list[str]:
        """Records that have no place in the index."""
        rows = self._conn.execute(
            f"SELECT id FROM {TABLES[type_]} r WHERE space = ? AND NOT EXISTS"
            " (SELECT 1 FROM text_terms t WHERE t.doc = r.doc) ORDER BY doc LIMIT ?",
            (self._space, limit),
        )
        return [id_ for (id_,) in rows]

    def put(self, type_: RecordType, id_: str, terms: str) -> None:
        doc = self._conn.execute(
            f"SELECT doc FROM {TABLES[type_]} WHERE space = ? AND id = ?", (self._space, id_)
        ).get
        if doc is not None:
            set_terms(self._conn, self._space, doc, terms)


def next_doc(conn: apsw.Connection, space: int, type_: RecordType) -> int:
    """The number for the next record of that space and type."""
    first = first_doc(space, type_)
    highest = conn.execute(
        f"SELECT max(doc) FROM {TABLES[type_]} WHERE doc BETWEEN ? AND ?",
        (first, last_doc(space, type_)),
    ).get
    return first if highest is None else int(highest) + 1


def add_terms(conn: apsw.Connection, space: int, rows: Sequence[tuple[int, str]]) -> None:
    """Index documents by their terms."""
    conn.executemany("INSERT INTO text_index (rowid, terms) VALUES (?, ?)", rows)
    conn.executemany(
        "INSERT INTO text_terms VALUES (?, ?, ?)",
        [(space, doc, bm25.pack(terms.split())) for doc, terms in rows],
    )


def set_terms(conn: apsw.Connection, space: int, doc: int, terms: str) -> None:
    """Index a document anew."""
    conn.execute("DELETE FROM text_index WHERE rowid = ?", (doc,))
    conn.execute("DELETE FROM text_terms WHERE doc = ?", (doc,))
    add_terms(conn, space, [(doc, terms)])


def recreate(conn: apsw.Connection) -> None:
    """An empty index of the same make."""
    definition = conn.execute("SELECT sql FROM sqlite_schema WHERE name = 'text_index'").get
    conn.execute("DROP TABLE text_index")
    conn.execute(str(definition))
    conn.execute("DELETE FROM text_terms")
