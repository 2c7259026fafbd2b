"""PostgreSQL's text index: a row for each term of each document, in the order in which lists are
read, in few round trips. Beside it stand the terms of each document: packed for the scores, and as
words by which its rows are found again when it goes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from mnemic.store.postgres.connection import escape
from mnemic.store.rows import QueryTerm
from mnemic.store.sql.part import read_statements
from mnemic.store.sql.postings import CountedList, TermIndex, Weighed

_LONGEST, _HEAD = 256, 64  # characters
# To call the function for every word would take as long as to write the rows.
_WORDS = (
    f"LATERAL (SELECT CASE WHEN length(w) <= {_LONGEST} THEN w ELSE list_name(w) END"
    " FROM string_to_table({words}, ' ') AS w WHERE w <> '') AS t (term)"
)
_LIST = "p.space = $1 AND p.doc BETWEEN $2 AND $3"
# With its offset a condition is looked up for each document. A join in its place reads a list again
# for every entry of another where the statistics are of a time when both were short.
_HAS = (
    "EXISTS (SELECT 1 FROM text_postings h WHERE h.space = $1 AND h.doc = p.doc"
    " AND h.term = ${number} OFFSET 0)"
)
_SQL = read_statements("postgres/terms")


class PostingTerms(TermIndex):
    """The text index, with the terms of each document beside it."""

    insert = (
        "INSERT INTO text_terms VALUES (?, ?, ?, ?); INSERT INTO text_postings"
        f" SELECT ?, t.term, ? FROM {_WORDS.format(words='?')}"
    )

    def values(self, doc: int, terms: str, packed: bytes) -> tuple[Any, ...]:
        words = _words(terms)
        return self._space, doc, packed, words, self._space, doc, words

    def add_many(self, docs: Sequence[int], terms: Sequence[str], packed: Sequence[bytes]) -> None:
        words = list(map(_words, terms))
        self._conn.native(_SQL["add_lists"], (self._space, list(docs), words))
        self._conn.native(_SQL["add_terms"], (self._space, list(docs), list(packed), words))

    def remove(self, docs: Sequence[int]) -> None:
        self._conn.native(_SQL["remove"], (self._space, list(docs)))

    def holding(self, term: str) -> Iterator[int]:
        statement = "SELECT doc FROM text_postings WHERE space = $1 AND term = $2"
        rows = self._conn.native(statement, (self._space, list_name(term)))
        return (doc for (doc,) in rows)

    def read_all(self, terms: Sequence[Weighed]) -> list[str]:
        return [counted.docs for counted in self.count(terms, None)]

    def count(
        self, terms: Sequence[QueryTerm] | Sequence[Weighed], limit: int | None
    ) -> list[CountedList]:
        """The lists of all terms at once."""
        if not terms:
            return []
        texts = [list_name(term.text) for term in terms]
        others = [list_name(term.form_of) for term in terms]
        rows = self._conn.native(_SQL["count"], (self._space, *self.bounds, texts, others, limit))
        return [CountedList(*row) for row in rows]

    def newest(self, terms: Sequence[Weighed], limit: int) -> str:
        first, *others = terms
        values: list[object] = [self._space, *self.bounds, limit, list_name(first.text)]
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

    def holding_all(self, words: Sequence[Sequence[str]], limit: int) -> list[int]:
        if not words:
            return []
        lists = [
            f"SELECT DISTINCT p.doc FROM text_postings p WHERE {_LIST}"
            f" AND p.term = ANY (${number}::text[])"
            for number in range(5, 5 + len(words))
        ]
        forms = [list(map(list_name, forms)) for forms in words]
        statement = f"{' INTERSECT '.join(lists)} ORDER BY doc DESC LIMIT $4"
        rows = self._conn.native(statement, [self._space, *self.bounds, limit, *forms])
        return [doc for (doc,) in rows]


def list_name(term: str) -> str:
    """What the list of a term is called, as the schema has it."""
    if len(term) <= _LONGEST:
        return term
    return term[:_HEAD] + hashlib.sha256(escape(term).encode()).hexdigest()


def _words(terms: str) -> str:
    return " ".join(dict.fromkeys(terms.split()))
