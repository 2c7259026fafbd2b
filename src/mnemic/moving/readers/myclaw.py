"""myclaw's workspace: the lines of MEMORY.md are who the user is, dated files what a day was about.

The file is read as it is when memory is switched on in such a workspace, so that both ways in know
each other's statements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import PurePosixPath

from mnemic.documents.fallback.notes import blocks
from mnemic.errors import InvalidInput
from mnemic.language.placeholders import is_placeholder, says_something
from mnemic.moving.pieces import Piece
from mnemic.moving.record_reader import read_members
from mnemic.moving.source import ImportSource
from mnemic.record.messages import UnreadableMessage
from mnemic.types import NewDailyEvent

FORMAT = "myclaw"
_FOLDER = "memory"
_MEMORY = "MEMORY.md"
_CHANNEL = "migration"
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}\.md")


class MyclawReader:
    """Reads a workspace, or the folder ``memory`` in it."""

    formats = (FORMAT,)

    def recognizes(self, source: ImportSource) -> str:
        inside = source.name == _FOLDER or f"{_FOLDER}/" in _prefix(source)
        named = [PurePosixPath(name).name for name in _files(source)] if inside else []
        return FORMAT if any(name == _MEMORY or _DATED.fullmatch(name) for name in named) else ""

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        files = _files(source)
        if not files:
            raise InvalidInput(
                f"{source.name or 'This'} holds no {_MEMORY} and no dated files",
                remedy="Give the folder of the workspace, or its folder memory",
            )
        yield from read_members(
            source, files, lambda name, stream: _read_file(source, name, stream.read())
        )


def _read_file(source: ImportSource, name: str, raw: bytes) -> Iterator[Piece]:
    text = raw.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    if PurePosixPath(name).name == _MEMORY:
        yield from _lines(text, source.read_mtime(name))
    elif "\ufffd" in text and "\ufffd".encode() not in raw:
        raise UnreadableMessage("it is not UTF-8")
    else:
        yield from _day(PurePosixPath(name).stem, text)


def _prefix(source: ImportSource) -> str:
    below = any(name.startswith(f"{_FOLDER}/") for name in source.members())
    return f"{_FOLDER}/" if below and source.is_folder else ""


def _files(source: ImportSource) -> list[str]:
    """The markdown that lies directly in the folder; MEMORY.md first."""
    start = _prefix(source) if source.is_folder else ""
    direct = [
        name
        for name in source.members()
        if name.startswith(start) and "/" not in name[len(start) :] and name.endswith(".md")
    ]
    return sorted(direct, key=lambda name: (not name.endswith(_MEMORY), name))


def _lines(text: str, changed: datetime | None) -> Iterator[Piece]:
    number = 1
    for lines, note in blocks(text):
        place = f"line {number}"
        number += len(lines)
        if note is None or is_placeholder(note.new.text):
            continue
        if "\ufffd" in note.new.text:
            yield Piece(place, None, "it is not UTF-8")
        elif note.new.kind == "credential":
            yield Piece(place, None, "it is a credential, which is kept only on request")
        else:
            memory = replace(
                note.new, valid_from=None, supersedes=None, learned_at=note.at or changed
            )
            yield Piece(place, memory, key=note.new.text)


def _day(stem: str, text: str) -> Iterator[Piece]:
    try:
        day = date.fromisoformat(stem) if _DATED.fullmatch(f"{stem}.md") else None
    except ValueError:
        day = None
    if day is None:
        raise UnreadableMessage("its name is not a day, such as 2026-02-12.md")
    elif says_something(text):
        event = NewDailyEvent(day, text.strip(), _CHANNEL)
        yield Piece("", event, key=f"{stem}\n{text.strip()}")


READER = MyclawReader()
