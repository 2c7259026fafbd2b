"""The shared parts that write into the text index, with PostgreSQL's."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from recollect.store.postgres.terms import TERMS, list_name
from recollect.store.postgres.vector_type import PgVector
from recollect.store.sql.attachments import SqlAttachments
from recollect.store.sql.episodes import SqlEpisodes
from recollect.store.sql.erasure import SqlEraser
from recollect.store.sql.ledger import SqlLedger
from recollect.store.sql.memories import SqlMemories
from recollect.types import Memory, MemoryStatus


class PostgresLedger(SqlLedger):
    """The ledger of one space on one connection."""

    index = TERMS


class PostgresMemories(SqlMemories):
    """The memories of one space on one connection."""

    index = TERMS
    cosine = "1 - (v.vector <=> ?)"

    def nearest(
        self, embedder: int, vector: bytes, *, status: MemoryStatus, now: datetime, limit: int
    ) -> list[tuple[Memory, float]]:
        return super().nearest(embedder, PgVector(vector), status=status, now=now, limit=limit)


class PostgresEpisodes(SqlEpisodes):
    """The episodes of one space on one connection."""

    index = TERMS


class PostgresAttachments(SqlAttachments):
    """The attachments of one space on one connection."""

    index = TERMS


class PostgresEraser(SqlEraser):
    """Forgetting in one space on one connection."""

    index = TERMS

    def holding(self, term: str) -> Iterator[int]:
        rows = self._conn.execute(
            "SELECT doc FROM text_postings WHERE space = ? AND term = ?",
            (self._space, list_name(term)),
        )
        return (doc for (doc,) in rows)
