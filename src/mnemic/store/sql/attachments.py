"""Attachments: files that were sent or made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mnemic.errors import NotFound
from mnemic.store import codec
from mnemic.store.sql.connection import SqlConnection
from mnemic.store.sql.terms import TermIndex, add_terms, next_doc, set_terms
from mnemic.types import Attachment, Direction, SafeText, file_name

# The column `filename` is the name it was sent under; the one it has follows from where it lies.
_COLUMNS = (
    "id, session, filename, mime, size, path, url, direction, description, transcription,"
    " extracted_text, tags, memories, created_at"
)


class SqlAttachments:
    """The attachments of one space on one connection."""

    index: TermIndex

    def __init__(self, conn: SqlConnection, space: int) -> None:
        self._conn = conn
        self._space = space

    def add(self, attachment: Attachment, terms: SafeText) -> Attachment:
        doc = next_doc(self._conn, self._space, "attachment")
        self._conn.execute(
            f"INSERT INTO attachments (space, doc, {_COLUMNS})"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._space,
                doc,
                attachment.id,
                attachment.session,
                *_values(attachment),
                codec.to_micros(attachment.created_at),
            ),
        )
        add_terms(self.index, self._conn, self._space, doc, terms)
        return self.by_id([attachment.id])[0]

    def replace(self, attachment: Attachment, terms: SafeText) -> Attachment:
        """Fill in what was learnt about a file later."""
        doc = self._conn.execute(
            "UPDATE attachments SET filename = ?, mime = ?, size = ?, path = ?, url = ?,"
            " direction = ?, description = ?, transcription = ?, extracted_text = ?, tags = ?,"
            " memories = ? WHERE space = ? AND id = ? RETURNING doc",
            (*_values(attachment), self._space, attachment.id),
        ).get
        if doc is None:
            raise NotFound(f"No attachment {attachment.id}", remedy="See attachments()")
        set_terms(self.index, self._conn, self._space, doc, terms)
        return self.by_id([attachment.id])[0]

    def by_id(self, ids: Sequence[str]) -> list[Attachment]:
        return self._select(
            "id IN (SELECT value FROM json_each(?)) ORDER BY id", (codec.dump(list(ids)),)
        )

    def by_path(self, session: str, path: str) -> Attachment | None:
        rows = self._select("path = ? AND session = ? LIMIT 1", (path, session))
        return rows[0] if rows else None

    def latest(
        self, *, session: str | None, direction: Direction | None, limit: int
    ) -> list[Attachment]:
        clauses, values = ["put_away IS NULL"], []
        for clause, value in (("session = ?", session), ("direction = ?", direction)):
            if value is not None:
                clauses.append(clause)
                values.append(value)
        rest = " AND ".join(clauses)
        return self._select(f"{rest} ORDER BY doc DESC LIMIT ?", (*values, limit))

    def _select(self, rest: str, values: tuple[Any, ...]) -> list[Attachment]:
        rows = self._conn.execute(
            f"SELECT {_COLUMNS} FROM attachments WHERE space = ? AND {rest}",
            (self._space, *values),
        )
        return [_attachment(row) for row in rows]


def _values(attachment: Attachment) -> tuple[Any, ...]:
    return (
        attachment.original_filename or attachment.filename,
        attachment.mime,
        attachment.size,
        attachment.path,
        attachment.url,
        attachment.direction,
        attachment.description,
        attachment.transcription,
        attachment.extracted_text,
        codec.dump(attachment.tags),
        codec.dump(attachment.memories),
    )


def _attachment(row: tuple[Any, ...]) -> Attachment:
    (id_, session, filename, mime, size, path, url, direction) = row[:8]
    (description, transcription, extracted_text, tags, memories, created_at) = row[8:]
    return Attachment(
        id=id_,
        session=session,
        filename=codec.stored_name(file_name(path or url) or filename),
        original_filename=filename,
        mime=mime,
        size=size,
        path=path,
        url=url,
        direction=direction,
        description=description,
        transcription=transcription,
        extracted_text=extracted_text,
        tags=codec.load_words(tags),
        memories=codec.load_words(memories),
        created_at=codec.from_micros(created_at),
    )
