"""Attachments: files people send, and files the agent's tools write."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect.clock import Clock
from recollect.errors import NotFound
from recollect.ids import new_id
from recollect.index.segment import index_text
from recollect.ingest.accept import Limits
from recollect.ingest.embedding import Ask
from recollect.rules import intake
from recollect.rules.files import file_name, written_files
from recollect.store.base import Store, Unit
from recollect.store.rows import AttachmentRow, TurnRow
from recollect.types import Attachment, Direction

DIRECTIONS: tuple[Direction, ...] = ("inbound", "outbound")
_TEXTS = ("description", "transcription", "extracted_text")


class Files:
    """Adds and describes the attachments of one space."""

    def __init__(self, store: Store, space: str, clock: Clock, limits: Limits, ask: Ask) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._limits = limits
        self._ask_vectors = ask

    def attach(
        self,
        path_or_url: str | Path,
        *,
        session: str = "",
        direction: Direction = "inbound",
        mime: str = "",
        description: str = "",
        transcription: str = "",
        extracted_text: str = "",
        tags: Iterable[str] = (),
        memories: Iterable[str] = (),
    ) -> Attachment:
        """Remember a file: its facts, what is in it, and where it is. The file is not copied."""
        place = intake.check_name(str(path_or_url), "path_or_url")
        row = _describe(place, session, direction, self._clock.now())
        row = replace(
            row,
            mime=intake.check_text(mime or row.mime, "mime", intake.MAX_NAME),
            description=description,
            transcription=transcription,
            extracted_text=extracted_text,
            tags=intake.check_tags(tags, self._limits.tags),
            memories=intake.check_tags(memories, self._limits.tags, "memories"),
        )
        with self._store.write(self._space) as unit:
            self._ask_vectors(unit, row.at)
            return unit.attachments.add(self._checked(row))

    def describe(
        self,
        id_: str,
        description: str | None,
        transcription: str | None,
        extracted_text: str | None,
    ) -> Attachment:
        """Fill in what is in a file; None leaves a text as it is."""
        intake.check_name(id_, "id")
        with self._store.write(self._space) as unit:
            found = unit.attachments.by_id([id_])
            if not found:
                raise NotFound(f"No attachment {id_}", remedy="See attachments()")
            row = _row(found[0])
            row = replace(
                row,
                description=row.description if description is None else description,
                transcription=row.transcription if transcription is None else transcription,
                extracted_text=row.extracted_text if extracted_text is None else extracted_text,
            )
            self._ask_vectors(unit, self._clock.now())
            return unit.attachments.replace(self._checked(row))

    def latest(
        self, *, session: str | None = None, direction: Direction | None = None, limit: int = 100
    ) -> list[Attachment]:
        intake.check_limit(limit)
        intake.check_filter(session, "session")
        if direction is not None:
            intake.check_choice(direction, DIRECTIONS, "direction")
        with self._store.read(self._space) as unit:
            return unit.attachments.latest(session=session, direction=direction, limit=limit)

    def _checked(self, row: AttachmentRow) -> AttachmentRow:
        for name in _TEXTS:
            intake.check_text(getattr(row, name), name, self._limits.characters)
        clean = self._limits.clean
        row = replace(
            row,
            filename=clean(row.filename),
            path=clean(row.path),
            url=clean(row.url),
            description=clean(row.description),
            transcription=clean(row.transcription),
            extracted_text=clean(row.extracted_text),
            tags=self._limits.clean_all(row.tags),
        )
        if row.session != "":
            intake.check_name(row.session, "session")
        intake.check_choice(row.direction, DIRECTIONS, "direction")
        return replace(row, terms=attachment_terms(row))


def note_written_files(unit: Unit, turn: TurnRow, limits: Limits) -> None:
    """Keep an outbound attachment for each file a turn's tool calls wrote, once a session."""
    for path in written_files(turn.tool_calls)[: limits.tags]:
        if unit.attachments.by_path(turn.session, path) is None:
            row = _describe(path, turn.session, "outbound", turn.at)
            unit.attachments.add(replace(row, terms=attachment_terms(row)))


def _describe(place: str, session: str, direction: Direction, at: datetime) -> AttachmentRow:
    is_url = "://" in place
    name = file_name(place)
    file = None if is_url else Path(place)
    return AttachmentRow(
        id=new_id(at),
        session=session,
        filename=name,
        mime=mimetypes.guess_type(name)[0] or "",
        size=file.stat().st_size if file is not None and _is_file(file) else 0,
        path="" if is_url else place,
        url=place if is_url else "",
        direction=direction,
        description="",
        transcription="",
        extracted_text="",
        tags=(),
        memories=(),
        at=at,
        terms="",
    )


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except (OSError, ValueError):  # a path of another system, too long or malformed here
        return False


def _row(found: Attachment) -> AttachmentRow:
    fields: dict[str, Any] = {
        name: getattr(found, name)
        for name in AttachmentRow.__slots__
        if name not in ("at", "terms")
    }
    return AttachmentRow(**fields, at=found.created_at, terms="")


def attachment_terms(about: AttachmentRow | Attachment) -> str:
    """What a file is found by: its name and place, its tags, and what is in it."""
    texts = (about.description, about.transcription, about.extracted_text)
    parts = (about.filename, about.path or about.url, *about.tags, *texts)
    return index_text("\n".join(filter(None, parts)))
