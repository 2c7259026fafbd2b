"""The text index in PostgreSQL: its lists of documents, read in few round trips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mnemic.rules import bm25
from mnemic.store.postgres.connection import PostgresConnection
from mnemic.store.postgres.terms import TERMS, list_name
from mnemic.store.rows import TABLES, QueryTerm
from mnemic.store.sql.postings import CountedList, TextStats, Weighed
from mnemic.store.sql.text import SqlText
from mnemic.types import RecordType, SafeText

_LIST = "p.space = $1 AND p.doc BETWEEN $2 AND $3"
# Of another form of a term only those documents count that do not have the term itself.
_COUNT = (
    "SELECT coalesce(string_agg((l.doc - $2)::text, ','), ''), count(l.doc),"
    " coalesce(max(l.doc), $2) FROM unnest($4::text[], $5::text[]) WITH ORDINALITY"
    " AS n (term, other, place) LEFT JOIN LATERAL (SELECT p.doc FROM text_postings p"
    f" WHERE {_LIST} AND p.term = n.term COLLATE \"C\" AND (n.other = '' OR NOT EXISTS"
    ' (SELECT 1 FROM text_postings f WHERE f.space = $1 AND f.term = n.other COLLATE "C"'
    "  AND f.doc = p.doc)) ORDER BY p.doc LIMIT $6) l ON true GROUP BY n.place ORDER BY n.place"
)
# With its offset a condition is looked up for each document. A join in its place reads a list again
# for every entry of another where the statistics are of a time when both were short.
_HAS = (
    "EXISTS (SELECT 1 FROM text_postings h WHERE h.space = $1 AND h.doc = p.doc"
    " AND h.term = ${number} OFFSET 0)"
)


class PostgresTermLists:
    """The lists of one range of documents on one connection."""

    def __init__(self, conn: PostgresConnection, space: int, first: int, last: int) -> None:
        self._conn = conn
        self._range = (space, first, last)

    def count(self, terms: Sequence[QueryTerm], limit: int) -> list[CountedList]:
        return self._read(terms, limit)

    def whole(self, terms: Sequence[Weighed]) -> list[str]:
        return [counted.docs for counted in self._read(terms, None)]

    def _read(
        self, terms: Sequence[QueryTerm] | Sequence[Weighed], limit: int | None
    ) -> list[CountedList]:
        """The lists of all terms at once."""
        if not terms:
            return []
        texts = [list_name(term.text) for term in terms]
        others = [list_name(term.form_of) for term in terms]
        rows = self._conn.native(_COUNT, (*self._range, texts, others, limit))
        return [CountedList(*row) for row in rows]

    def newest(self, terms: Sequence[Weighed], limit: int) -> str:
        first, *others = terms
        values: list[object] = [*self._range, limit, list_name(first.text)]
        conditions = [_LIST, "p.term = $5"]
        for term in others:
            values.append(list_name(term.text))
            conditions.append(_HAS.format(number=len(values)))
        for term in terms:
            if term.form_of:
                values.append(list_name(term.form_of))
                conditions.append("NOT " + _HAS.format(number=len(values)))
        row = self._conn.native(
            "SELECT string_agg((n.doc - $2)::text, ',') FROM (SELECT p.doc FROM text_postings p"
            f" WHERE {' AND '.join(conditions)} ORDER BY p.doc DESC LIMIT $4) n",
            values,
        ).fetchone()
        return str(row[0] or "") if row else ""

    def holding(self, words: Sequence[Sequence[str]], limit: int) -> list[int]:
        if not words:
            return []
        lists = [
            f"SELECT DISTINCT p.doc FROM text_postings p WHERE {_LIST}"
            f" AND p.term = ANY (${number}::text[])"
            for number in range(5, 5 + len(words))
        ]
        forms = [list(map(list_name, forms)) for forms in words]
        rows = self._conn.native(
            f"{' INTERSECT '.join(lists)} ORDER BY doc DESC LIMIT $4",
            [*self._range, limit, *forms],
        )
        return [doc for (doc,) in rows]


class PostgresText(SqlText):
    """Searching the text of one space on one connection."""

    index = TERMS

    def __init__(self, conn: PostgresConnection, space: int, stats: TextStats) -> None:
        super().__init__(conn, space, stats)
        self._server = conn

    def lists(self, first: int, last: int) -> PostgresTermLists:
        return PostgresTermLists(self._server, self._space, first, last)

    def put(
        self, type_: RecordType, terms: Mapping[str, SafeText], *, changed: bool = True
    ) -> None:
        """All records at once."""
        rows = self._server.native(
            f"SELECT doc, id FROM {TABLES[type_]} WHERE space = $1 AND id = ANY ($2::text[])",
            (self._space, list(terms)),
        )
        by_doc = {doc: terms[id_] for doc, id_ in rows}
        docs, texts = list(by_doc), list(by_doc.values())
        if changed:
            self._server.native(
                "INSERT INTO changed_texts SELECT $1, unnest($2::bigint[]), 1"
                " ON CONFLICT (space, doc) DO UPDATE SET change = changed_texts.change + 1",
                (self._space, docs),
            )
        TERMS.remove(self._server, self._space, docs)
        TERMS.add(self._server, self._space, docs, texts, [bm25.pack(text) for text in texts])
