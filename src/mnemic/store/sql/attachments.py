"""Attachments: files that were sent or made."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from mnemic.errors import NotFound
from mnemic.store import codec
from mnemic.store.sql.part import Fields, Part, narrow, read_statements
from mnemic.types import Attachment, Direction, SafeName, SafeText, file_name

_FIELDS = Fields(
    Attachment,
    "id session mime size path url direction description transcription extracted_text tags:words"
    " memories:words created_at:time",
)
_KEPT = ("id", "session", "created_at")  # of a file that is known already
_FILTERS = {"session": "session = :session", "direction": "direction = :direction"}


class SqlAttachments(Part):
    """Files that were sent or made."""

    statements = read_statements("sql/attachments")

    def add(self, attachment: Attachment, terms: SafeText) -> Attachment:
        doc = self._next_doc("attachment")
        self._insert("attachments", {"doc": doc, **_columns(attachment)})
        self._unit.text.add(doc, terms)
        return self.by_id([attachment.id])[0]

    def replace(self, attachment: Attachment, terms: SafeText) -> Attachment:
        """Fill in what was learned about a file later."""
        values = {n: value for n, value in _columns(attachment).items() if n not in _KEPT}
        doc = self._update("attachments", attachment.id, values).get
        if doc is None:
            raise NotFound(f"No attachment {attachment.id}", remedy="See attachments()")
        self._unit.text.replace({doc: terms})
        return self.by_id([attachment.id])[0]

    def by_id(self, ids: Sequence[str]) -> list[Attachment]:
        return self._select("id IN (SELECT value FROM json_each(:ids)) ORDER BY id", ids=ids)

    def by_path(self, session: SafeName, path: SafeText) -> Attachment | None:
        clause = "path = :path AND session = :session LIMIT 1"
        return next(iter(self._select(clause, path=path, session=session)), None)

    def latest(
        self, *, session: SafeName | None, direction: Direction | None, limit: int
    ) -> list[Attachment]:
        filters = {"session": session, "direction": direction}
        clause = f"put_away IS NULL AND {narrow(_FILTERS, filters)} ORDER BY doc DESC LIMIT :limit"
        return self._select(clause, **filters, limit=limit)

    def unknown(self, before: datetime, limit: int) -> list[Attachment]:
        """Earlier files with no linked memory and no word on what is in them, the oldest first."""
        clause = f"{self.statements['unknown']} ORDER BY doc LIMIT :limit"
        return self._select(clause, before=before, limit=limit)

    def put_away(self, id_: str, at: datetime | None) -> None:
        """Out of every search; without a moment, back into it."""
        self._update("attachments", id_, {"put_away": at})

    def _select(self, clause: str, **values: Any) -> list[Attachment]:
        """``filename`` is the name it was sent under; its present one follows from its path."""
        columns = f"{_FIELDS.columns}, filename, path, url"
        statement = f"SELECT {columns} FROM attachments WHERE space = :space AND {clause}"
        rows = self._run(statement, **values)
        return [
            _FIELDS.read(
                row,
                filename=codec.as_name(file_name(path or url) or sent_as),
                original_filename=sent_as,
            )
            for *row, sent_as, path, url in rows
        ]


def _columns(attachment: Attachment) -> dict[str, Any]:
    sent_as = attachment.original_filename or attachment.filename
    return {**_FIELDS.of(attachment), "filename": sent_as}
