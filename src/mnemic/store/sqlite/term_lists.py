"""The lists of documents of each term in SQLite's full-text index."""

from __future__ import annotations

from collections.abc import Sequence

from mnemic.store.rows import QueryTerm
from mnemic.store.sql.connection import SqlConnection
from mnemic.store.sql.postings import CountedList, Weighed

_MATCH = "FROM text_index WHERE text_index MATCH ?1 AND rowid BETWEEN ?2 AND ?3"
_LIST = f"SELECT group_concat(rowid - ?2) {_MATCH}"
_COUNT = (
    "SELECT ifnull(group_concat(rowid - ?2), ''), count(*), ifnull(max(rowid), ?2)"
    f" FROM (SELECT rowid {_MATCH} LIMIT ?4)"
)
_NEWEST = (
    f"SELECT group_concat(rowid - ?2) FROM (SELECT rowid {_MATCH} ORDER BY rowid DESC LIMIT ?4)"
)


class SqliteTermLists:
    """The lists of one range of documents on one connection."""

    def __init__(self, conn: SqlConnection, first: int, last: int) -> None:
        self._conn = conn
        self._range = (first, last)

    def count(self, terms: Sequence[QueryTerm], limit: int) -> list[CountedList]:
        counted = []
        for term in terms:
            ((docs, rows, last),) = self._conn.execute(_COUNT, (_match(term), *self._range, limit))
            counted.append(CountedList(docs, rows, last))
        return counted

    def whole(self, terms: Sequence[Weighed]) -> list[str]:
        return [self._one(_LIST, (_match(term), *self._range)) for term in terms]

    def newest(self, terms: Sequence[Weighed], limit: int) -> str:
        match = " AND ".join(f"({_match(term)})" for term in terms)
        return self._one(_NEWEST, (match, *self._range, limit))

    def holding(self, words: Sequence[Sequence[str]], limit: int) -> list[int]:
        match = " AND ".join(f"({' OR '.join(map(quoted, forms))})" for forms in words)
        rows = self._conn.execute(
            f"SELECT rowid {_MATCH} ORDER BY rowid DESC LIMIT ?4", (match, *self._range, limit)
        )
        return [doc for (doc,) in rows]

    def _one(self, query: str, values: tuple[str | int, ...]) -> str:
        return str(self._conn.execute(query, values).get or "")


def quoted(term: str) -> str:
    """A term as an FTS5 string: nothing in it can be syntax."""
    return '"' + term.replace('"', '""') + '"'


def _match(term: QueryTerm | Weighed) -> str:
    """Texts that have a term; of another form only those that do not have the term itself."""
    return quoted(term.text) + (f" NOT {quoted(term.form_of)}" if term.form_of else "")
