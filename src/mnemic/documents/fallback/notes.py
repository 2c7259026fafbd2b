"""The long-term file: one bullet for each statement, with or without a mark.

A line that a person wrote counts like one of ours: who the user is, always in the prompt.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from mnemic.documents.fallback.logs import mark, read_mark, read_time
from mnemic.late import dataclass
from mnemic.patterns import defer
from mnemic.plain import plain
from mnemic.types import GLOBAL_PROJECT, Memory, NewMemory

PROFILE = "_profile"
_FOR_GOOD = "permanent"
_BULLET = defer(r"[-*+] +")
_KEPT = tuple(
    """kind subject predicate value project topic tags metadata importance confidence trust
    valid_from expires_at origin""".split()
)


@dataclass(frozen=True, slots=True)
class Note:
    """A statement of the file; ``at`` is when it was written through ``remember``."""

    id: str
    new: NewMemory
    at: datetime | None = None
    operation: str = ""

    @property
    def ours(self) -> bool:
        return self.at is not None


def note_of(memory: Memory, supersedes: str, operation: str) -> Note:
    """The note of a memory that was just written."""
    kept = {name: getattr(memory, name) for name in _KEPT}
    new = NewMemory(memory.text, **kept, supersedes=supersedes)
    return Note(memory.id, new, memory.created_at, operation)


def render(note: Note) -> str:
    """A statement as a bullet; its further lines are indented."""
    fields = {name: getattr(note.new, name) for name in (*_KEPT, "supersedes")}
    fields |= {"id": note.id, "created_at": note.at, "operation": note.operation}
    payload = {k: v for k, v in plain(fields).items() if v not in ("", [], {}, None)}
    text = note.new.text.replace("\n", "\n  ")
    return f"- {text} {mark({'memory': payload})}\n"


def parse(text: str) -> Iterator[Note]:
    """The statements of a file."""
    return (note for _, note in blocks(text) if note is not None)


def blocks(text: str) -> Iterator[tuple[list[str], Note | None]]:
    """A file in pieces: the lines of each statement with it, and every other line by itself."""
    begun: list[str] = []
    for line in text.split("\n"):
        if begun and (line.startswith("  ") or not line.strip()):
            begun.append(line)
            continue
        if begun:
            yield begun, _note(_statement(begun))
        bare = line.startswith("#") or not line.strip()
        begun = [] if bare else [line]
        if bare:
            yield [line], None
    if begun:
        yield begun, _note(_statement(begun))


def _statement(lines: list[str]) -> str:
    first, *rest = lines
    return "\n".join([_BULLET.sub("", first, count=1), *(line[2:] for line in rest)]).strip()


def _note(statement: str) -> Note | None:
    if not statement:
        return None
    marked = read_mark(statement)
    if marked is None or "memory" not in marked[1]:
        return _theirs(statement)
    try:
        return _ours(marked[0].rstrip(), dict(marked[1]["memory"]))
    except (KeyError, TypeError, ValueError):
        return _theirs(marked[0].strip())


def _ours(text: str, payload: dict[str, Any]) -> Note:
    for name in ("created_at", "valid_from", "expires_at"):
        payload[name] = read_time(payload[name]) if name in payload else None
    kept = {name: payload[name] for name in (*_KEPT, "supersedes") if name in payload}
    duration = "" if payload["expires_at"] else _FOR_GOOD
    new = NewMemory(text, duration=duration, **kept)
    if payload["created_at"] is None:
        raise KeyError("created_at")
    return Note(payload["id"], new, payload["created_at"], payload.get("operation", ""))


def _theirs(text: str) -> Note:
    """A line of a person's own: about who they are, and of full weight."""
    new = NewMemory(
        text,
        "identity",
        project=GLOBAL_PROJECT,
        topic=PROFILE,
        importance=1.0,
        duration=_FOR_GOOD,
        origin="migration",
    )
    return Note(str(uuid5(NAMESPACE_URL, f"mnemic:{text}")), new)
