"""What is known of the documents: fingerprints of what was written, and choices."""

from __future__ import annotations

from datetime import datetime

from mnemic.store import codec
from mnemic.store.document_states import DocumentChoice, DocumentRow, Written
from mnemic.store.sql.connection import SqlConnection


class SqlDocumentStates:
    """The documents of one space on one connection."""

    def __init__(self, conn: SqlConnection, space: int) -> None:
        self._conn = conn
        self._space = space

    def get(self, name: str) -> DocumentRow | None:
        rows = self._conn.execute(
            "SELECT written, writing, rolled_through FROM documents WHERE space = ? AND name = ?",
            (self._space, name),
        )
        rows_read = [
            DocumentRow(codec.stored_name(name), _load(written), _load(writing), rolled)
            for written, writing, rolled in rows
        ]
        return rows_read[0] if rows_read else None

    def put(self, row: DocumentRow, at: datetime) -> None:
        self._conn.execute(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (space, name) DO UPDATE"
            " SET written = excluded.written, writing = excluded.writing,"
            " rolled_through = excluded.rolled_through, updated_at = excluded.updated_at",
            (
                self._space,
                row.name,
                _dump(row.written),
                _dump(row.writing),
                row.rolled_through,
                codec.to_micros(at),
            ),
        )

    def choices(self) -> list[DocumentChoice]:
        rows = self._conn.execute(
            "SELECT document, memory, choice, at FROM document_choices WHERE space = ?"
            " ORDER BY at, document, memory",
            (self._space,),
        )
        return [
            DocumentChoice(document, memory, choice, codec.from_micros(at))
            for document, memory, choice, at in rows
        ]

    def choose(self, choice: DocumentChoice) -> None:
        self._conn.execute(
            "INSERT INTO document_choices VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (space, document, memory)"
            " DO UPDATE SET choice = excluded.choice, at = excluded.at",
            (
                self._space,
                choice.document,
                choice.memory,
                choice.choice,
                codec.to_micros(choice.at),
            ),
        )

    def drop_choices(self, memory: str, document: str | None = None) -> None:
        self._conn.execute(
            "DELETE FROM document_choices WHERE space = ?1 AND memory = ?2"
            " AND (?3 IS NULL OR document = ?3)",
            (self._space, memory, document),
        )


def _dump(state: Written | None) -> str | None:
    return None if state is None else codec.dump([state.file, dict(state.bullets)])


def _load(text: str | None) -> Written | None:
    if text is None:
        return None
    file, bullets = codec.load(text)
    return Written(file, bullets)
