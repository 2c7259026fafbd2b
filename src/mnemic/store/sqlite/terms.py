"""Writing into SQLite's text index: FTS5 for the lists, the packed terms for the scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw


class FtsTerms:
    """The text index of FTS5, with the packed terms of each document beside it."""

    insert = (
        "INSERT INTO text_index (rowid, terms) VALUES (?, ?);"
        " INSERT INTO text_terms VALUES (?, ?, ?)"
    )

    def values(self, space: int, doc: int, terms: str, packed: bytes) -> tuple[Any, ...]:
        return doc, terms, space, doc, packed

    def add_many(
        self,
        conn: apsw.Connection,
        space: int,
        first: int,
        terms: Sequence[str],
        packed: Sequence[bytes],
    ) -> None:
        # An array of texts knows no NUL; between terms it is as good as a space.
        texts = tuple(text.replace("\0", " ") for text in terms)
        # One statement for all: while it runs, another thread prepares what comes next.
        conn.execute(
            "INSERT INTO text_index (rowid, terms) SELECT ? + rowid, value FROM carray(?)",
            (first - 1, apsw.carray(texts, flags=apsw.SQLITE_CARRAY_TEXT)),
        )
        conn.execute(
            "INSERT INTO text_terms SELECT ?, ? + rowid, value FROM carray(?)",
            (space, first - 1, apsw.carray(tuple(packed), flags=apsw.SQLITE_CARRAY_BLOB)),
        )

    def remove(self, conn: apsw.Connection, space: int, docs: Sequence[int]) -> None:
        listed = str(list(docs))
        for table, column in (("text_index", "rowid"), ("text_terms", "doc")):
            conn.execute(
                f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))",
                (listed,),
            )


FTS = FtsTerms()
