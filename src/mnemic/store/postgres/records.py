"""The shared parts that write into the text index, with PostgreSQL's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from mnemic.store.postgres.connection import PostgresConnection
from mnemic.store.postgres.terms import TERMS, list_name
from mnemic.store.postgres.vector_type import PgVector
from mnemic.store.sql.attachments import SqlAttachments
from mnemic.store.sql.episodes import SqlEpisodes
from mnemic.store.sql.erasure import SqlEraser
from mnemic.store.sql.ledger import SqlLedger
from mnemic.store.sql.memories import SqlMemories
from mnemic.types import Memory, MemoryStatus

_START = 200  # characters of a slot that its index has; schema/0001.sql
_STATED = """
SELECT m.doc, m.subject, m.predicate, m.value, m.content, m.trust
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS r (first, last, start, stop)
CROSS JOIN LATERAL (
    SELECT n.* FROM memories n WHERE n.space = $1 AND n.slot != ''
        AND n.slot_start BETWEEN r.start AND r.stop AND n.slot BETWEEN r.first AND r.last
        AND (n.status = 'active' OR (n.status = 'superseded' AND n.valid_to IS NOT NULL))
    ORDER BY n.slot_start DESC, n.slot DESC, n.project DESC, n.doc DESC LIMIT $6
) m ORDER BY m.created_at DESC, m.doc DESC
"""


class PostgresLedger(SqlLedger):
    """The ledger of one space on one connection."""

    index = TERMS


class PostgresMemories(SqlMemories):
    """The memories of one space on one connection."""

    _conn: PostgresConnection
    index = TERMS
    cosine = "1 - (v.vector <=> ?)"
    is_slot = f"slot_start = left(:slot, {_START}) AND slot = :slot"

    def _between(self, ranges: Sequence[tuple[str, str]], each: int) -> Iterable[tuple[Any, ...]]:
        """The bounds are cut here: a column that a function was asked about is not looked up in an
        index behind row-level security.
        """
        bounds = [[ends[n] for ends in ranges] for n in (0, 1)]
        starts = [[text[:_START] for text in texts] for texts in bounds]
        return self._conn.rows(_STATED, [self._space, *bounds, *starts, each])

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
