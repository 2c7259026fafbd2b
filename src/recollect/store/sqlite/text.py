"""The text index in SQLite: one FTS5 table over every recallable record."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from recollect.store.base import QueryTerm, Scope, TextMatch
from recollect.store.sqlite.documents import TABLES, first_doc, last_doc
from recollect.types import RecordType


class SqliteText:
    """Searching the text of one space on one connection."""

    def __init__(self, conn: apsw.Connection, space: int) -> None:
        self._conn = conn
        self._space = space

    def search(self, terms: Sequence[QueryTerm], scope: Scope, limit: int) -> list[TextMatch]:
        match = " OR ".join('"' + term.text.replace('"', '""') + '"' for term in terms)
        found: list[TextMatch] = []
        for type_ in scope.types:
            rows = self._conn.execute(
                f"SELECT r.id, -bm25(text_index) AS score FROM text_index f"
                f" JOIN {TABLES[type_]} r ON r.doc = f.rowid WHERE text_index MATCH ?"
                " AND f.rowid BETWEEN ? AND ? ORDER BY rank LIMIT ?",
                (match, first_doc(self._space, type_), last_doc(self._space, type_), limit),
            )
            found += [TextMatch(type_, id_, score, ()) for id_, score in rows]
        return sorted(found, key=lambda m: -m.score)[:limit]

    def unindexed(self, type_: RecordType, limit: int) -> list[str]:
        """Records that have no row in the index."""
        rows = self._conn.execute(
            f"SELECT id FROM {TABLES[type_]} r WHERE space = ? AND NOT EXISTS"
            " (SELECT 1 FROM text_index_docsize d WHERE d.id = r.doc) ORDER BY doc LIMIT ?",
            (self._space, limit),
        )
        return [id_ for (id_,) in rows]

    def put(self, type_: RecordType, id_: str, terms: str) -> None:
        doc = self._conn.execute(
            f"SELECT doc FROM {TABLES[type_]} WHERE space = ? AND id = ?", (self._space, id_)
        ).get
        if doc is not None:
            set_terms(self._conn, doc, terms)


def next_doc(conn: apsw.Connection, space: int, type_: RecordType) -> int:
    """The number for the next record of that space and type."""
    first = first_doc(space, type_)
    highest = conn.execute(
        f"SELECT max(doc) FROM {TABLES[type_]} WHERE doc BETWEEN ? AND ?",
        (first, last_doc(space, type_)),
    ).get
    return first if highest is None else int(highest) + 1


def add_terms(conn: apsw.Connection, doc: int, terms: str) -> None:
    conn.execute("INSERT INTO text_index (rowid, terms) VALUES (?, ?)", (doc, terms))


def set_terms(conn: apsw.Connection, doc: int, terms: str) -> None:
    conn.execute("DELETE FROM text_index WHERE rowid = ?", (doc,))
    add_terms(conn, doc, terms)


def recreate(conn: apsw.Connection) -> None:
    definition = conn.execute("SELECT sql FROM sqlite_schema WHERE name = 'text_index'").get
    conn.execute("DROP TABLE text_index")
    conn.execute(definition)
