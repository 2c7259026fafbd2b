"""The shared parts that write into the text index, with SQLite's."""

from __future__ import annotations

from collections.abc import Iterator

from mnemic.store.rows import first_doc, last_doc
from mnemic.store.sql.attachments import SqlAttachments
from mnemic.store.sql.episodes import SqlEpisodes
from mnemic.store.sql.erasure import SqlEraser
from mnemic.store.sql.ledger import SqlLedger
from mnemic.store.sql.memories import SqlMemories
from mnemic.store.sqlite.term_lists import quoted
from mnemic.store.sqlite.terms import FTS

_HOLDING = "SELECT rowid FROM text_index WHERE text_index MATCH ? AND rowid BETWEEN ? AND ?"


class SqliteLedger(SqlLedger):
    """The ledger of one space on one connection."""

    index = FTS


class SqliteMemories(SqlMemories):
    """The memories of one space on one connection."""

    index = FTS
    cosine = "1 - vec_distance_cosine(v.vector, ?)"


class SqliteEpisodes(SqlEpisodes):
    """The episodes of one space on one connection."""

    index = FTS


class SqliteAttachments(SqlAttachments):
    """The attachments of one space on one connection."""

    index = FTS


class SqliteEraser(SqlEraser):
    """Forgetting in one space on one connection."""

    index = FTS

    def overwrite(self) -> None:
        self._conn.execute("PRAGMA secure_delete = ON")

    def holding(self, term: str) -> Iterator[int]:
        bounds = (first_doc(self._space, "turn"), last_doc(self._space, "attachment"))
        for (doc,) in self._conn.execute(_HOLDING, (quoted(term), *bounds)):
            yield doc
