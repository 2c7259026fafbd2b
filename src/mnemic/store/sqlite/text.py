"""The text index in SQLite, by FTS5."""

from __future__ import annotations

import apsw

from mnemic.store.sql.text import SqlText
from mnemic.store.sqlite.term_lists import SqliteTermLists
from mnemic.store.sqlite.terms import FTS


class SqliteText(SqlText):
    """Searching the text of one space on one connection."""

    index = FTS

    def lists(self, first: int, last: int) -> SqliteTermLists:
        return SqliteTermLists(self._conn, first, last)


def recreate(conn: apsw.Connection) -> None:
    """An empty index of the same make."""
    definition = conn.execute("SELECT sql FROM sqlite_schema WHERE name = 'text_index'").get
    conn.execute("DROP TABLE text_index")
    conn.execute(str(definition))
    conn.execute("DELETE FROM text_terms")
