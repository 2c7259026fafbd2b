"""Writing into the text index of PostgreSQL: a row for each term of each document, in the order in
which lists are read. Beside it stand the terms of each document: packed for the scores, and as
words by which its rows are found again when it goes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from mnemic.store.postgres.connection import PostgresConnection, escaped

_LONGEST, _HEAD = 256, 64  # characters
# To call the function for every word would take as long as to write the rows.
_WORDS = (
    f"LATERAL (SELECT CASE WHEN length(w) <= {_LONGEST} THEN w ELSE list_name(w) END"
    " FROM string_to_table({words}, ' ') AS w WHERE w <> '') AS t (term)"
)
_ADD_LISTS = (
    "INSERT INTO text_postings SELECT $1, t.term, n.doc FROM unnest($2::bigint[], $3::text[])"
    f" AS n (doc, words), {_WORDS.format(words='n.words')} ORDER BY t.term, n.doc"
)
_ADD_TERMS = (
    "INSERT INTO text_terms SELECT $1, n.doc, n.packed, n.words"
    " FROM unnest($2::bigint[], $3::bytea[], $4::text[]) AS n (doc, packed, words)"
)
_REMOVE = (
    "WITH gone AS (DELETE FROM text_terms WHERE space = $1 AND doc = ANY ($2::bigint[])"
    "  RETURNING doc, words), listed AS (SELECT g.doc, t.term FROM gone g,"
    f"  {_WORDS.format(words='g.words')})"
    " DELETE FROM text_postings p USING listed n"
    " WHERE p.space = $1 AND p.term = n.term AND p.doc = n.doc"
)


class PostingTerms:
    """The text index, with the terms of each document beside it."""

    insert = (
        "INSERT INTO text_terms VALUES (?, ?, ?, ?); INSERT INTO text_postings"
        f" SELECT ?, t.term, ? FROM {_WORDS.format(words='?')}"
    )

    def values(self, space: int, doc: int, terms: str, packed: bytes) -> tuple[Any, ...]:
        words = _words(terms)
        return space, doc, packed, words, space, doc, words

    def add_many(
        self,
        conn: PostgresConnection,
        space: int,
        first: int,
        terms: Sequence[str],
        packed: Sequence[bytes],
    ) -> None:
        self.add(conn, space, range(first, first + len(terms)), terms, packed)

    def add(
        self,
        conn: PostgresConnection,
        space: int,
        docs: Sequence[int],
        terms: Sequence[str],
        packed: Sequence[bytes],
    ) -> None:
        """Index documents that are not in the index."""
        words = list(map(_words, terms))
        conn.native(_ADD_LISTS, (space, list(docs), words))
        conn.native(_ADD_TERMS, (space, list(docs), list(packed), words))

    def remove(self, conn: PostgresConnection, space: int, docs: Sequence[int]) -> None:
        conn.native(_REMOVE, (space, list(docs)))


def list_name(term: str) -> str:
    """What the list of a term is called, as the schema has it."""
    if len(term) <= _LONGEST:
        return term
    return term[:_HEAD] + hashlib.sha256(escaped(term).encode()).hexdigest()


def _words(terms: str) -> str:
    """Each term once."""
    return " ".join(dict.fromkeys(terms.split()))


TERMS = PostingTerms()
