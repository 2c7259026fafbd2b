"""SQLite's text index: FTS5 for the lists of documents, the packed terms for the scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import apsw

from mnemic.store.rows import QueryTerm
from mnemic.store.sql.postings import CountedList, TermIndex, Weighed

_MATCH = "FROM text_index WHERE text_index MATCH ?1 AND rowid BETWEEN ?2 AND ?3"
_LIST = f"SELECT group_concat(rowid - ?2) {_MATCH}"
_COUNT = (
    "SELECT ifnull(group_concat(rowid - ?2), ''), count(*), ifnull(max(rowid), ?2)"
    f" FROM (SELECT rowid {_MATCH} LIMIT ?4)"
)
_NEWEST = (
    f"SELECT group_concat(rowid - ?2) FROM (SELECT rowid {_MATCH} ORDER BY rowid DESC LIMIT ?4)"
)


class FtsTerms(TermIndex):
    """The text index of FTS5, with the packed terms of each document beside it."""

    insert = (
        "INSERT INTO text_index (rowid, terms) VALUES (?, ?);"
        " INSERT INTO text_terms VALUES (?, ?, ?)"
    )

    def values(self, doc: int, terms: str, packed: bytes) -> tuple[Any, ...]:
        return doc, terms, self._space, doc, packed

    def add_many(self, docs: Sequence[int], terms: Sequence[str], packed: Sequence[bytes]) -> None:
        if not isinstance(docs, range):
            rows = zip(docs, terms, packed, strict=True)
            self._conn.executemany(self.insert, [self.values(*row) for row in rows])
            return
        # An array of texts knows no NUL; between terms it is as good as a space.
        texts = tuple(text.replace("\0", " ") for text in terms)
        # One statement for all: while it runs, another thread prepares what comes next.
        self._conn.execute(
            "INSERT INTO text_index (rowid, terms) SELECT ? + rowid, value FROM carray(?)",
            (docs.start - 1, apsw.carray(texts, flags=apsw.SQLITE_CARRAY_TEXT)),
        )
        blobs = apsw.carray(tuple(packed), flags=apsw.SQLITE_CARRAY_BLOB)
        self._conn.execute(
            "INSERT INTO text_terms SELECT ?, ? + rowid, value FROM carray(?)",
            (self._space, docs.start - 1, blobs),
        )

    def remove(self, docs: Sequence[int]) -> None:
        listed = str(list(docs))
        for table, column in (("text_index", "rowid"), ("text_terms", "doc")):
            statement = f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))"
            self._conn.execute(statement, (listed,))

    def holding(self, term: str) -> Iterator[int]:
        for (doc,) in self._conn.execute(f"SELECT rowid {_MATCH}", (_quote(term), *self.bounds)):
            yield doc

    def count(self, terms: Sequence[QueryTerm], limit: int) -> list[CountedList]:
        counted = []
        for term in terms:
            ((docs, rows, last),) = self._conn.execute(_COUNT, (_match(term), *self.bounds, limit))
            counted.append(CountedList(docs, rows, last))
        return counted

    def read_all(self, terms: Sequence[Weighed]) -> list[str]:
        return [self._conn.execute(_LIST, (_match(term), *self.bounds)).get or "" for term in terms]

    def newest(self, terms: Sequence[Weighed], limit: int) -> str:
        match = " AND ".join(f"({_match(term)})" for term in terms)
        return str(self._conn.execute(_NEWEST, (match, *self.bounds, limit)).get or "")

    def holding_all(self, words: Sequence[Sequence[str]], limit: int) -> list[int]:
        match = " AND ".join(f"({' OR '.join(map(_quote, forms))})" for forms in words)
        rows = self._conn.execute(
            f"SELECT rowid {_MATCH} ORDER BY rowid DESC LIMIT ?4", (match, *self.bounds, limit)
        )
        return [doc for (doc,) in rows]


def _quote(term: str) -> str:
    """A term as an FTS5 string: nothing in it can be syntax."""
    return '"' + term.replace('"', '""') + '"'


def _match(term: QueryTerm | Weighed) -> str:
    """Texts that have a term; of another form only those that do not have the term itself."""
    return _quote(term.text) + (f" NOT {_quote(term.form_of)}" if term.form_of else "")
