"""Writing into the text index of PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.store.sql.connection import SqlConnection


class TermRows:
    """The packed terms of each document, in rows."""

    insert = "INSERT INTO text_terms VALUES (?, ?, ?)"

    def values(self, space: int, doc: int, terms: str, packed: bytes) -> tuple[Any, ...]:
        return space, doc, packed

    def add_many(
        self,
        conn: SqlConnection,
        space: int,
        first: int,
        terms: Sequence[str],
        packed: Sequence[bytes],
    ) -> None:
        conn.executemany(
            self.insert, [(space, doc, pack) for doc, pack in enumerate(packed, first)]
        )

    def remove(self, conn: SqlConnection, space: int, docs: Sequence[int]) -> None:
        conn.execute(
            "DELETE FROM text_terms WHERE space = ? AND doc IN (SELECT atom FROM json_each(?))",
            (space, str(list(docs))),
        )


TERMS = TermRows()
