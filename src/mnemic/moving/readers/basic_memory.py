"""basic-memory: a folder of markdown notes with observations and relations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePosixPath

from mnemic.moving.front_matter import split_front_matter
from mnemic.moving.memory_fields import (
    check_text,
    read_moment,
    short_name,
    short_names,
    small_metadata,
)
from mnemic.moving.pieces import Piece
from mnemic.moving.record_reader import read_members
from mnemic.moving.source import ImportSource
from mnemic.record.messages import UnreadableMessage
from mnemic.types import NewMemory

_LOOKED_AT = 50  # notes of a folder that may have been written by hand, before one that was not
_LONGEST = 4 << 20  # bytes of one note
_OBSERVATION = re.compile(r"^\s*[-*+]\s+\[(?P<category>[^\[\]()]+)\]\s+(?P<text>.+)$")
_RELATION = re.compile(
    r"^\s*[-*+]\s+(?P<type>\"[^\"]+\"|'[^']+'|[^\s\[\]]+)\s+\[\[(?P<target>[^\[\]]+)\]\]"
    r"\s*(?:\((?P<context>.*)\))?\s*$"
)
_CLOCK = re.compile(r"\d{1,3}:\d{2}(:\d{2})?([.,]\d{1,3})?(\s+-\s+.*)?")
_TAG = re.compile(r"(?:^|\s)#(\S+)")
_CONTEXT = re.compile(r"\s*\((?P<context>[^()]*)\)\s*$")
_HEADING = re.compile(r"^#{1,6}\s+(?P<title>.+?)\s*#*$")
_PLAIN = ("Observations", "Relations")  # headings that only say what stands below
_KINDS = {
    "preference": "preference", "decision": "decision", "rule": "rule", "requirement": "rule",
    "lesson": "lesson", "insight": "lesson", "tip": "lesson", "technique": "skill",
    "method": "skill", "config": "config", "event": "event",
}  # fmt: skip


class BasicMemoryReader:
    """Notes are written by a person and by models alike, so nothing is the owner's own word."""

    formats = ("basic-memory",)

    def recognizes(self, source: ImportSource) -> str:
        looked_at = source.files(".md")[:_LOOKED_AT]
        return "basic-memory" if any(map(_is_note, map(source.head_of, looked_at))) else ""

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        yield from read_members(
            source,
            source.files(".md"),
            lambda name, stream: _read_note(source, name, stream.read(_LONGEST + 1)),
        )


def _is_note(head: bytes) -> bool:
    """Every note gets a permalink when it is first seen."""
    text = head.removeprefix(b"\xef\xbb\xbf")
    return text.startswith(b"---") and re.search(rb"^permalink:\s*\S", text, re.M) is not None


@dataclass(frozen=True, slots=True)
class _Head:
    """What a note says of itself."""

    title: str
    permalink: str
    folder: str
    tags: tuple[str, ...]
    at: datetime | None


def _read_note(source: ImportSource, name: str, data: bytes) -> Iterator[Piece]:
    if len(data) > _LONGEST:
        raise UnreadableMessage(f"it has more than {_LONGEST:,} bytes")
    try:
        text = check_text(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UnreadableMessage(f"it is not UTF-8 at byte {error.start + 1}") from error
    fields, body = split_front_matter(text.replace("\r\n", "\n"))
    path = PurePosixPath(name or source.name)
    texts = {key: value for key, value in fields.items() if isinstance(value, str)}
    tags = fields.get("tags", [])
    listed = tags if isinstance(tags, list) else re.split(r"[,\s]+", tags)
    head = _Head(
        title=short_name(texts.get("title")) or path.stem,
        permalink=texts.get("permalink") or path.with_suffix("").as_posix(),
        folder="" if path.parent == PurePosixPath() else path.parent.as_posix(),
        tags=short_names(tag.lstrip("#") for tag in listed),
        at=read_moment(texts, "created", "date") or source.read_mtime(name),
    )
    yield from _read_body(head, body, text.count("\n") - body.count("\n"))


def _read_body(head: _Head, body: str, before: int) -> Iterator[Piece]:
    """Observations and relations line by line, and the prose between them by paragraphs."""
    prose: list[str] = []
    section, began, fenced = "", 0, False

    def paragraph() -> Iterator[Piece]:
        text = "\n".join(prose).strip()
        prose.clear()
        if text:
            titled = text if section in ("", head.title, *_PLAIN) else f"{section}: {text}"
            yield _make_piece(f"line {began}", head, NewMemory(titled, "fact"), titled)

    for number, line in enumerate(body.split("\n"), before + 1):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        memory = None if fenced else _read_line(head, line)
        heading = None if fenced else _HEADING.match(line)
        if memory is not None or heading is not None or (not line.strip() and not fenced):
            yield from paragraph()
        if memory is not None:
            yield _make_piece(f"line {number}", head, memory, line.strip())
        elif heading is not None:
            section = short_name(heading["title"])
        elif line.strip() or fenced:
            began = began if prose else number
            prose.append(line.rstrip())
    yield from paragraph()


def _read_line(head: _Head, line: str) -> NewMemory | None:
    """The observation or the relation that a line is."""
    relation = _RELATION.match(line)
    if relation is not None:
        kind = relation["type"].strip("\"'").replace("_", " ").strip()
        target = relation["target"].split("|")[0].strip()
        return NewMemory(
            f"{head.title} {kind} {target}", "fact",
            subject=head.title, predicate=short_name(kind), value=target,
            metadata=small_metadata({"context": relation["context"]}),
        )  # fmt: skip
    observation = _OBSERVATION.match(line)
    if observation is None:
        return None
    category, text = observation["category"].strip(), observation["text"].strip()
    is_task = category in ("x", "X", "") or (len(category) == 1 and not category.isalnum())
    if is_task or _CLOCK.fullmatch(category):  # or a line of a transcript
        return None
    context = _CONTEXT.search(text)
    text = text if context is None else text[: context.start()]
    tags = tuple(tag for words in _TAG.findall(text) for tag in words.split("#") if tag)
    return NewMemory(
        re.sub(r"(?:\s+#\S+)+$", "", text).strip() or text,
        _KINDS.get(category.casefold(), "fact"),
        tags=tags,
        metadata=small_metadata(
            {"category": category, "context": context["context"] if context else ""}
        ),
    )


def _make_piece(place: str, head: _Head, memory: NewMemory, line: str) -> Piece:
    memory = replace(
        memory,
        subject=memory.subject or head.title,
        topic=short_name(head.folder) or None,
        tags=short_names((*memory.tags, *head.tags)),
        metadata=small_metadata({"permalink": head.permalink, **memory.metadata}),
        trust="agent",
        learned_at=head.at,
    )
    return Piece(place, memory, key=f"{head.permalink} {line}")


READER = BasicMemoryReader()
