"""What Claude's export holds beside the conversations: its memory, and projects with their files.

``memories.json`` (or ``memories/<account>.json``) is what Claude noted of the person and of each
project; ``projects.json`` (or ``projects/<project>.json``) what the person wrote there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO

from mnemic.moving.json_records import read_records
from mnemic.moving.memory_fields import checked_text, read_moment, short_name
from mnemic.moving.pieces import Piece, Record, SentFile, make_pieces
from mnemic.moving.source import ImportSource
from mnemic.record.messages import read_list, read_object, read_text
from mnemic.types import NewMemory

_MEMBER = re.compile(r"(?:.*/)?(?P<kind>memories|projects)(?:\.json|/[^/]+\.json)")
_HEADING = re.compile(r"\*\*(?P<bold>[^*\n]{1,100}?):?\*\*|#{1,6}\s+(?P<title>.{1,100})")


def account_members(source: ImportSource) -> list[str]:
    """The files of an export that this reads, projects first: memories name them by their ids."""
    found = (name for name in source.members() if _MEMBER.fullmatch(name))
    return sorted(found, key=lambda name: (_kind(name) == "memories", name))


def read_account(name: str, stream: BinaryIO, projects: dict[str, str]) -> Iterator[Piece]:
    """The memories or projects in one of these files; ``projects`` are the names of those read."""
    read = _read_memories if _kind(name) == "memories" else _read_project
    for record in read_records(stream):
        yield from make_pieces(
            record, lambda one: read(one.place, read_object(one.value, "a record"), projects)
        )


def _kind(name: str) -> str:
    found = _MEMBER.fullmatch(name)
    return found["kind"] if found else ""


# --- memories -------------------------------------------------------------------------------------


def _read_memories(
    place: str, fields: Mapping[str, Any], projects: dict[str, str]
) -> Iterator[Piece]:
    yield from _read_notes(place, read_text(fields, "conversations_memory"), None)
    for project, text in read_object(fields.get("project_memories") or {}, "projects").items():
        if isinstance(text, str):
            yield from _read_notes(
                f"{place}, project {project}", text, projects.get(project) or project
            )
        else:
            yield Piece(f"{place}, project {project}", None, "its memory is not text")


def _read_notes(place: str, text: str, project: str | None) -> Iterator[Piece]:
    """Paragraph by paragraph, under their headings; a model wrote them."""
    topic = ""
    for paragraph in re.split(r"\n\s*\n", checked_text(text)):
        heading = _HEADING.fullmatch(paragraph.strip())
        if heading is not None:
            topic = short_name(heading["bold"] or heading["title"])
        elif paragraph.strip():
            yield Piece(
                place,
                NewMemory(
                    paragraph.strip(), "fact", project=project, topic=topic or None, trust="agent"
                ),
            )


# --- projects -------------------------------------------------------------------------------------


def _read_project(
    place: str, fields: Mapping[str, Any], projects: dict[str, str]
) -> Iterator[Piece]:
    uuid, name = read_text(fields, "uuid"), short_name(fields.get("name"))
    projects[uuid] = name
    if fields.get("is_starter_project"):  # comes with every account
        return
    at = read_moment(fields, "created_at")
    for told, kind in (("description", "fact"), ("prompt_template", "rule")):
        text = checked_text(read_text(fields, told)).strip()
        if text:
            # The person's own words.
            memory = NewMemory(text, kind, project=name or None, trust="owner", learned_at=at)
            yield Piece(f"{place}, {told}", memory, key=f"{uuid} {told} {text}")
    for number, one in enumerate(read_list(fields, "docs"), 1):
        record = Record(f"{place}, document {number}", one)
        yield from make_pieces(record, partial(_read_document, uuid, name))


def _read_document(project: str, name: str, record: Record) -> Iterator[Piece]:
    fields = read_object(record.value, "a document")
    file = short_name(fields.get("filename")) or "document"
    own = read_text(fields, "uuid") or file
    yield Piece(
        record.place,
        SentFile(
            f"claude/{project}/{own}/{file}",
            {
                "original_filename": file,
                "description": f"{name}: {file}" if name else file,
                "extracted_text": checked_text(read_text(fields, "content")),
                "tags": (name,) if name else (),
            },
        ),
    )
