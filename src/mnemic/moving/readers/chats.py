"""Conversations: turns and messages by line, and the exports of ChatGPT and Claude, also zipped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from mnemic.errors import InvalidInput
from mnemic.moving.chats import FORMATS, SIGNS, Chats
from mnemic.moving.json_records import read_records
from mnemic.moving.memory_fields import check_text, read_moment, short_name
from mnemic.moving.pieces import Piece, Record, SentFile, make_pieces
from mnemic.moving.record_reader import read_members
from mnemic.moving.source import ImportSource
from mnemic.record.messages import read_list, read_object, read_text
from mnemic.types import NewMemory

_SUFFIXES = (".json", ".jsonl", ".ndjson")
_ANY = "turns"  # what its keys show, object by object
# A large export of ChatGPT comes in several numbered files.
_CONVERSATIONS = re.compile(r"conversations(-\d+)?\.json")


class ChatReader:
    """Reads files of conversations: any JSON that no other reader knows."""

    formats = FORMATS

    def recognizes(self, source: ImportSource) -> str:
        inside = _conversations(source)
        if inside:
            heads = map(source.head_of, inside)  # the first of them that can be read
            return _format_of(next(filter(None, heads), b""))
        if account_members(source):
            return "claude"
        text = source.head.lstrip(b"\xef\xbb\xbf \t\r\n")
        named = PurePosixPath(source.name).suffix in _SUFFIXES
        return _format_of(source.head) if named or text[:1] in (b"{", b"[") else ""

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        stated = "" if format == _ANY else format
        inside = _conversations(source)
        beside = account_members(source) if format == "claude" else []
        if source.is_single:
            with source.open() as stream:
                yield from Chats(stream, session=source.session, format=stated)
            return
        if not inside and not beside:
            raise InvalidInput(
                f"{source.name} holds no conversations.json", remedy="Give the file itself"
            )
        projects: dict[str, str] = {}

        def read(name: str, stream: BinaryIO) -> Iterator[Piece]:
            if name in beside:
                return read_account(name, stream, projects)
            return iter(Chats(stream, session=source.session, format=stated))

        yield from read_members(source, [*inside, *beside], read)


def _format_of(head: bytes) -> str:
    return next((format for sign, format in SIGNS.items() if f'"{sign}"'.encode() in head), _ANY)


def _conversations(source: ImportSource) -> list[str]:
    return [name for name in source.members() if _CONVERSATIONS.fullmatch(PurePosixPath(name).name)]


# --- what Claude's export holds beside the conversations: its memory, and projects with files ----
#
# ``memories.json`` (or ``memories/<account>.json``) is what Claude noted of the person and of each
# project; ``projects.json`` (or ``projects/<project>.json``) what the person wrote there.

_MEMBER = re.compile(r"(?:.*/)?(?P<kind>memories|projects)(?:\.json|/[^/]+\.json)")
_HEADING = re.compile(r"\*\*(?P<bold>[^*\n]{1,100}?):?\*\*|#{1,6}\s+(?P<title>.{1,100})")


def account_members(source: ImportSource) -> list[str]:
    """The files of an export that this reads, projects first: memories name them by their ids."""
    names = (name for name in source.members() if _MEMBER.fullmatch(name))
    return sorted(names, key=lambda name: (_kind(name) == "memories", name))


def read_account(name: str, stream: BinaryIO, projects: dict[str, str]) -> Iterator[Piece]:
    """The memories or projects in one of these files; ``projects`` are the names of those read."""
    read = _read_memories if _kind(name) == "memories" else _read_project
    for record in read_records(stream):
        yield from make_pieces(
            record, lambda row: read(row.place, read_object(row.value, "a record"), projects)
        )


def _kind(name: str) -> str:
    match = _MEMBER.fullmatch(name)
    return match["kind"] if match else ""


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
    for paragraph in map(str.strip, re.split(r"\n\s*\n", check_text(text))):
        heading = _HEADING.fullmatch(paragraph)
        if heading is not None:
            topic = short_name(heading["bold"] or heading["title"])
        elif paragraph:
            yield Piece(
                place,
                NewMemory(paragraph, "fact", project=project, topic=topic or None, trust="agent"),
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
    for field, kind in (("description", "fact"), ("prompt_template", "rule")):
        text = check_text(read_text(fields, field)).strip()
        if text:
            # The person's own words.
            memory = NewMemory(text, kind, project=name or None, trust="owner", learned_at=at)
            yield Piece(f"{place}, {field}", memory, key=f"{uuid} {field} {text}")
    for number, document in enumerate(read_list(fields, "docs"), 1):
        record = Record(f"{place}, document {number}", document)
        yield from make_pieces(record, partial(_read_document, uuid, name))


def _read_document(project: str, name: str, record: Record) -> Iterator[Piece]:
    fields = read_object(record.value, "a document")
    file = short_name(fields.get("filename")) or "document"
    id_ = read_text(fields, "uuid") or file
    yield Piece(
        record.place,
        SentFile(
            f"claude/{project}/{id_}/{file}",
            {
                "original_filename": file,
                "description": f"{name}: {file}" if name else file,
                "extracted_text": check_text(read_text(fields, "content")),
                "tags": (name,) if name else (),
            },
        ),
    )


READER = ChatReader()
