"""Attachments: files people send, and files the agent's tools write."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from recollect.clock import Clock
from recollect.errors import NotFound
from recollect.ids import new_id
from recollect.index.embedding_job import Ask
from recollect.index.segment import index_text
from recollect.language.guard import Guard
from recollect.rules import checks
from recollect.store.contract import Store, Unit
from recollect.store.rows import TurnRow
from recollect.types import EMPTY, Attachment, Direction, SafeName, SafeText, ToolCall, lines_of

DIRECTIONS: tuple[Direction, ...] = ("inbound", "outbound")
_LONGEST = 1024  # characters of a path or an address


_WRITES = re.compile(r"(^|[_.\-/])(write|create|save|export|generate|render|download|edit)", re.I)
_ABOUT_FILES = re.compile(r"file|image|picture|pdf|doc|report|chart|audio|video|csv|sheet", re.I)
_PATH_KEYS = frozenset(
    ("path", "file_path", "filepath", "filename", "file", "output", "output_path", "dest",
     "destination", "target_file", "save_path", "outfile")
)  # fmt: skip


class AttachmentWriter:
    """Adds and describes the attachments of one space."""

    def __init__(self, store: Store, space: str, clock: Clock, guard: Guard, ask: Ask) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._guard = guard
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
        guard, now = self._guard, self._clock.now()
        place = checks.check_name(str(path_or_url), "path_or_url")
        checks.check_choice(direction, DIRECTIONS, "direction")
        described = _describe(place, guard.maybe_name(session, "session"), direction, now, guard)
        new = replace(
            described,
            mime=guard.label(mime or described.mime, "mime"),
            description=guard.text(description, "description"),
            transcription=guard.text(transcription, "transcription"),
            extracted_text=guard.text(extracted_text, "extracted_text"),
            tags=guard.labels(tags),
            memories=guard.labels(memories, "memories"),
        )
        with self._store.write(self._space) as unit:
            self._ask_vectors(unit, now)
            return unit.attachments.add(new, attachment_terms(new))

    def describe(
        self,
        id_: str,
        description: str | None,
        transcription: str | None,
        extracted_text: str | None,
    ) -> Attachment:
        """Fill in what is in a file; None leaves a text as it is."""
        checks.check_name(id_, "id")
        with self._store.write(self._space) as unit:
            stored = unit.attachments.by_id([id_])
            if not stored:
                raise NotFound(f"No attachment {id_}", remedy="See attachments()")
            old = stored[0]
            new = replace(
                old,
                description=self._given(description, "description", old.description),
                transcription=self._given(transcription, "transcription", old.transcription),
                extracted_text=self._given(extracted_text, "extracted_text", old.extracted_text),
            )
            self._ask_vectors(unit, self._clock.now())
            return unit.attachments.replace(new, attachment_terms(new))

    def _given(self, text: str | None, what: str, before: SafeText) -> SafeText:
        return before if text is None else self._guard.text(text, what)

    def latest(
        self, *, session: str | None = None, direction: Direction | None = None, limit: int = 100
    ) -> list[Attachment]:
        checks.check_limit(limit)
        if direction is not None:
            checks.check_choice(direction, DIRECTIONS, "direction")
        with self._store.read(self._space) as unit:
            return unit.attachments.latest(
                session=self._guard.filter(session, "session"), direction=direction, limit=limit
            )


def note_written_files(unit: Unit, turn: TurnRow, guard: Guard) -> None:
    """Keep an outbound attachment for each file a turn's tool calls wrote, once a session."""
    for path in written_files(turn.tool_calls)[: guard.tags]:
        if unit.attachments.by_path(turn.session, guard.label(path, "path", _LONGEST)) is None:
            new = _describe(path, turn.session, "outbound", turn.at, guard)
            unit.attachments.add(new, attachment_terms(new))


def _describe(
    place: str, session: SafeName, direction: Direction, at: datetime, guard: Guard
) -> Attachment:
    shown = guard.label(place, "path", _LONGEST)
    is_url = "://" in place
    name = file_name(place)
    file = None if is_url else Path(place)
    return Attachment(
        id=new_id(at),
        session=session,
        filename=guard.short(name),
        mime=guard.short(mimetypes.guess_type(name)[0] or ""),
        size=file.stat().st_size if file is not None and _is_file(file) else 0,
        path=EMPTY if is_url else shown,
        url=shown if is_url else EMPTY,
        direction=direction,
        created_at=at,
    )


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except (OSError, ValueError):  # a path of another system, too long or malformed here
        return False


def attachment_terms(about: Attachment) -> SafeText:
    """What a file is found by: its name and place, its tags, and what is in it."""
    texts = (about.description, about.transcription, about.extracted_text)
    parts = (about.filename, about.path or about.url, *about.tags, *texts)
    return index_text(lines_of(parts))


def written_files(calls: Iterable[ToolCall]) -> list[str]:
    """The paths that file-writing calls name, each once, in order."""
    paths: dict[str, None] = {}
    for call in calls:
        if not _WRITES.search(call.name):
            continue
        for key, value in call.input.items():
            if key.lower() in _PATH_KEYS and isinstance(value, str) and _is_path(value, call.name):
                paths[value.strip()] = None
    return list(paths)


def _is_path(value: str, tool: str) -> bool:
    text = value.strip()
    if not text or len(text) > 1024 or "\n" in text or "\x00" in text:
        return False
    return bool(_ABOUT_FILES.search(tool) or re.search(r"[\\/]|\.\w{1,8}$", text))


def file_name(path: str) -> str:
    """The last part of a Windows or POSIX path or of a URL."""
    return re.split(r"[\\/]", path.split("?", 1)[0].rstrip("\\/"))[-1]
