"""Attachments: files people send, and files the agent's tools write."""

from __future__ import annotations

import json
import mimetypes
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from mnemic.errors import InvalidInput, NotFound
from mnemic.ids import new_id
from mnemic.index.embedding_job import ask_vectors
from mnemic.index.segment import index_text
from mnemic.language.actions import HasTools, failure, match_calls
from mnemic.language.guard import Guard
from mnemic.record.ledger import files_with_episodes
from mnemic.rules import checks
from mnemic.space import Space
from mnemic.store.contract import Unit
from mnemic.store.rows import TurnFilter, TurnRow
from mnemic.types import (
    EMPTY,
    Attachment,
    AttachmentDetails,
    Direction,
    SafeName,
    SafeText,
    ToolResult,
    file_name,
    lines_of,
)

_TEXTS = ("description", "transcription", "extracted_text")  # what a file holds, in words
DIRECTIONS: tuple[Direction, ...] = ("inbound", "outbound")
_LONGEST = 1024  # characters of a path or an address
_LARGEST = 2**62  # bytes
_DEEPEST = 4  # objects and lists around a path
_MOST_LISTED = 100  # of a list that are looked at
_LONGEST_LIST = 20_000  # characters of a result that is read for paths
_ANSWERED_WITHIN = 20  # turns
_WRITES = re.compile(
    r"(^|[_.\-/])(write|create|save|export|generate|render|download|edit|deliver|send|upload|attach"
    r"|speech|tts|synthesi[sz]e)",
    re.I,
)
_ABOUT_FILES = re.compile(r"file|image|picture|pdf|doc|report|chart|audio|video|csv|sheet", re.I)
_PATH_KEYS = frozenset(
    ("path", "file_path", "filepath", "filename", "file", "output", "output_path", "dest",
     "destination", "target_file", "save_path", "outfile")
)  # fmt: skip
_SENDS = re.compile(r"(^|[_.\-/])(deliver|send|upload|attach)", re.I)
_URL_KEYS = frozenset(("url", "file_url"))
# What a call says of a file, the fullest first; of a text that is written, its heading.
_CAPTION_KEYS = ("caption", "description", "title", "alt", "summary", "prompt", "text")
_HEADING = re.compile(r"\s*#+\s+(.{2,200})")
_CAPTION = 500  # characters


@dataclass(eq=False)
class AttachmentWriter:
    """Adds and describes the attachments of one space."""

    space: Space

    def attach(self, path_or_url: str | Path, details: AttachmentDetails) -> Attachment:
        """Remember a file: its facts, what is in it, and where it is. The file is not copied."""
        guard, now = self.space.guard, self.space.now()
        place = checks.check_name(str(path_or_url), "path_or_url")
        direction = checks.check_choice(
            details.get("direction", "inbound"), DIRECTIONS, "direction"
        )
        session = guard.maybe_name(details.get("session", ""), "session")
        size = details.get("size")
        if size is not None and not 0 <= size <= _LARGEST:
            raise InvalidInput(f"size={checks.brief_value(size)}", remedy="Give the bytes")
        described = _describe(place, session, direction, now, guard, size=size)
        name = details.get("original_filename") or described.filename
        new = replace(
            described,
            original_filename=guard.label(name, "original_filename"),
            mime=guard.label(details.get("mime") or described.mime, "mime"),
            description=guard.text(details.get("description", ""), "description"),
            transcription=guard.text(details.get("transcription", ""), "transcription"),
            extracted_text=guard.text(details.get("extracted_text", ""), "extracted_text"),
            tags=guard.labels(details.get("tags", ())),
            memories=guard.labels(details.get("memories", ()), "memories"),
        )
        with self.space.write() as unit:
            ask_vectors(unit, now)
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
        with self.space.write() as unit:
            stored = unit.attachments.by_id([id_])
            if not stored:
                raise NotFound(f"No attachment {id_}", remedy="See attachments()")
            texts = zip(_TEXTS, (description, transcription, extracted_text), strict=True)
            guard = self.space.guard
            filled: dict[str, Any] = {n: guard.text(t, n) for n, t in texts if t is not None}
            new = replace(stored[0], **filled)
            ask_vectors(unit, self.space.now())
            described = unit.attachments.replace(new, attachment_terms(new))
            return files_with_episodes(unit, [described])[0]

    def latest(
        self, *, session: str | None = None, direction: Direction | None = None, limit: int = 100
    ) -> list[Attachment]:
        checks.check_limit(limit)
        if direction is not None:
            checks.check_choice(direction, DIRECTIONS, "direction")
        with self.space.read() as unit:
            files = unit.attachments.latest(
                session=self.space.guard.filter(session, "session"),
                direction=direction,
                limit=limit,
            )
            return files_with_episodes(unit, files)


def note_written_files(unit: Unit, turn: TurnRow, guard: Guard) -> None:
    """Keep an outbound attachment for each file a turn's tool calls wrote, once a session."""
    for path, caption in list(find_written_files([turn]).items())[: guard.tags]:
        file = unit.attachments.by_path(turn.session, guard.label(path, "path", _LONGEST))
        description = guard.text(caption, "description")
        if file is None:
            new = _describe(path, turn.session, "outbound", turn.at, guard)
            new = replace(new, description=description)
            unit.attachments.add(new, attachment_terms(new))
            continue
        unit.attachments.put_away(file.id, None)  # it was written after all
        if description and not file.description:
            new = replace(file, description=description)
            unit.attachments.replace(new, attachment_terms(new))


def drop_unwritten_files(unit: Unit, turn: TurnRow, guard: Guard) -> None:
    """Put away what was kept of calls whose failure is heard of in a later turn."""
    latest = TurnFilter(session=turn.session, newest_first=True, limit=_ANSWERED_WITHIN)
    turns = unit.ledger.turns(latest)[::-1]
    ends = len(turns) - 1
    for called in match_calls(turns):
        if called.answered != ends or called.turn == ends or not called.result:
            continue
        if called.result.is_error and _WRITES.search(called.call.name):
            for path, _ in _paths_in(called.call.input, called.call.name):
                label = guard.label(path, "path", _LONGEST)
                file = unit.attachments.by_path(turn.session, label)
                if file is not None and file.created_at == turns[called.turn].at:
                    unit.attachments.put_away(file.id, turn.at)


def _describe(
    place: str,
    session: SafeName,
    direction: Direction,
    at: datetime,
    guard: Guard,
    *,
    size: int | None = None,
) -> Attachment:
    shown = guard.label(place, "path", _LONGEST)
    is_url = "://" in place
    name = file_name(place)
    file = None if is_url or size is not None else Path(place)
    return Attachment(
        id=new_id(at),
        session=session,
        filename=guard.short(name),
        mime=guard.short(mimetypes.guess_type(name)[0] or ""),
        size=file.stat().st_size if file is not None and _is_file(file) else size or 0,
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
    """What a file is found by: its names and place, its tags, and what is in it."""
    texts = (about.description, about.transcription, about.extracted_text)
    names = dict.fromkeys((about.filename, about.original_filename))
    parts = (*names, about.path or about.url, *about.tags, *texts)
    return index_text(lines_of(parts))


def find_written_files(turns: Sequence[HasTools]) -> dict[str, str]:
    """The paths that file-writing calls or their results name, with what is said of them."""
    paths: dict[str, str] = {}
    for called in match_calls(turns):
        call, result = called.call, called.result
        if _WRITES.search(call.name) and not (result and failure(result)):
            for value in (call.input, _json(result)):
                for path, caption in _paths_in(value, call.name):
                    paths[path] = paths.get(path) or caption
    return paths


def _json(result: ToolResult | None) -> Any:
    """A result that lists what was written: {"artifacts": [{"path": …}]}."""
    if result is None or len(result.content) > _LONGEST_LIST or result.content[:1] not in "{[":
        return None
    try:
        return json.loads(result.content)
    except (ValueError, RecursionError):
        return None


def _paths_in(
    value: Any, tool: str, key: str = "", depth: int = 0, caption: str = ""
) -> Iterator[tuple[str, str]]:
    """The paths under keys that name files, at any depth, with what is beside them."""
    if isinstance(value, str):
        if (key in _PATH_KEYS or (key in _URL_KEYS and _SENDS.search(tool))) and _is_path(
            value, tool
        ):
            yield value.strip(), caption
    elif depth < _DEEPEST and isinstance(value, Mapping):
        beside = _caption(value) or caption
        for name, field in value.items():
            yield from _paths_in(field, tool, str(name).lower(), depth + 1, beside)
    elif depth < _DEEPEST and isinstance(value, list | tuple):
        for entry in value[:_MOST_LISTED]:
            yield from _paths_in(entry, tool, key.removesuffix("s"), depth + 1, caption)


def _caption(beside: Mapping[str, Any]) -> str:
    for key in _CAPTION_KEYS:
        if isinstance(text := beside.get(key), str) and text.strip():
            return text.strip()[:_CAPTION]
    content = beside.get("content")
    heading = _HEADING.match(content) if isinstance(content, str) else None
    return heading[1].strip() if heading else ""


def _is_path(value: str, tool: str) -> bool:
    text = value.strip()
    if not text or len(text) > 1024 or "\n" in text or "\x00" in text:
        return False
    return bool(_ABOUT_FILES.search(tool) or re.search(r"[\\/]|\.\w{1,8}$", text))
