"""How records get into a text index, whatever its make, and the numbers they have there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from mnemic.rules import bm25
from mnemic.store.rows import TABLES, first_doc, last_doc
from mnemic.store.sql.connection import SqlConnection
from mnemic.types import RecordType

# What is embedded of each type: who said it, what, and beside which turn and on which day.
_ALONE = "'', '', NULL"
TEXTS: dict[RecordType, str] = {
    "turn": (
        "r.sender, r.content, r.role, ifnull((SELECT CASE p.sender WHEN '' THEN p.role ELSE"
        " p.sender END || ': ' || p.content FROM turns p WHERE p.space = r.space"
        " AND p.session = r.session AND p.idx = r.idx - 1), ''), r.at + r.zone * 60000000"
    ),
    "memory": f"'', r.content, {_ALONE}",
    "episode": f"'', r.summary, {_ALONE}",
    "attachment": (
        "'', r.filename || ' ' || r.description || ' ' || r.transcription || ' ' ||"
        f" r.extracted_text, {_ALONE}"
    ),
}


class TermIndex(Protocol):
    """The writing side of a store's text index."""

    @property
    def insert(self) -> str:
        """What adds one document, to be given ``values``; it may be several statements."""

    def values(self, space: int, doc: int, terms: str, packed: bytes) -> tuple[Any, ...]: ...
    def add_many(
        self,
        conn: Any,
        space: int,
        first: int,
        terms: Sequence[str],
        packed: Sequence[bytes],
    ) -> None:
        """Index documents with numbers in a row by their terms and the same terms packed."""

    def remove(self, conn: Any, space: int, docs: Sequence[int]) -> None: ...


def next_doc(conn: SqlConnection, space: int, type_: RecordType) -> int:
    """The number for the next record of that space and type."""
    first = first_doc(space, type_)
    highest = conn.execute(
        f"SELECT max(doc) FROM {TABLES[type_]} WHERE +space = ? AND doc BETWEEN ? AND ?",
        (space, first, last_doc(space, type_)),
    ).get
    return first if highest is None else int(highest) + 1


def add_terms(index: TermIndex, conn: SqlConnection, space: int, doc: int, terms: str) -> None:
    """Index a document by its terms."""
    conn.execute(index.insert, index.values(space, doc, terms, bm25.pack(terms)))


def set_terms(index: TermIndex, conn: SqlConnection, space: int, doc: int, terms: str) -> None:
    """Index a document anew, and let its vectors follow."""
    conn.execute(
        "INSERT INTO changed_texts VALUES (?, ?, 1)"
        " ON CONFLICT (space, doc) DO UPDATE SET change = changed_texts.change + 1",
        (space, doc),
    )
    replace_terms(index, conn, space, doc, terms)


def replace_terms(index: TermIndex, conn: SqlConnection, space: int, doc: int, terms: str) -> None:
    """Index a document anew."""
    index.remove(conn, space, [doc])
    add_terms(index, conn, space, doc, terms)
