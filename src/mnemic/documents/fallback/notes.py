"""The long-term file: one bullet for each statement, with or without a mark.

A line that a person wrote counts like one of ours: who the user is, always in the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from mnemic.documents.fallback.logs import mark, read_mark, read_time
from mnemic.plain import plain
from mnemic.store.codec import stored_text
from mnemic.types import Memory, Source

PROFILE = "_profile"
_BULLET = re.compile(r"[-*+] +")
_LEFT_OUT = frozenset(
    """text status access_count confirmations offered snoozed_until episode session
    valid_to superseded_at superseded_by""".split()
)
_TIMES = ("created_at", "updated_at", "last_accessed_at", "valid_from", "expires_at")


@dataclass(frozen=True, slots=True)
class Note:
    """A statement of the file. ``ours`` if it was written through ``remember``."""

    memory: Memory
    supersedes: str = ""
    operation: str = ""
    ours: bool = True


def written(note: Note) -> str:
    """A statement as a bullet; its further lines are indented."""
    fields = {k: v for k, v in plain(note.memory).items() if k not in _LEFT_OUT}
    fields |= {"supersedes": note.supersedes, "operation": note.operation}
    payload = {key: value for key, value in fields.items() if value not in ("", [], {}, None)}
    text = note.memory.text.replace("\n", "\n  ")
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
    if marked is not None and "memory" in marked[1]:
        try:
            return _ours(marked[0].rstrip(), dict(marked[1]["memory"]))
        except (KeyError, TypeError, ValueError):
            return _theirs(marked[0].strip())
    return _theirs(statement)


def _ours(text: str, payload: dict[str, Any]) -> Note:
    supersedes, operation = payload.pop("supersedes", ""), payload.pop("operation", "")
    if "created_at" not in payload:
        raise KeyError
    for name in _TIMES:
        payload[name] = read_time(payload[name]) if name in payload else None
    payload["tags"] = tuple(payload.get("tags", ()))
    payload["sources"] = tuple(Source(**source) for source in payload.get("sources", ()))
    return Note(_memory(text, **payload), supersedes, operation)


def _theirs(text: str) -> Note:
    """A line of a person's own: about who they are, and of full weight."""
    epoch = datetime.fromtimestamp(0, UTC)
    return Note(
        _memory(
            text,
            id=str(uuid5(NAMESPACE_URL, f"mnemic:{text}")),
            kind="identity",
            topic=PROFILE,
            importance=1.0,
            **dict.fromkeys(("created_at", "updated_at", "last_accessed_at", "valid_from"), epoch),
        ),
        ours=False,
    )


def _memory(text: str, **fields: Any) -> Memory:
    usual: dict[str, Any] = {
        "subject": "",
        "predicate": "",
        "project": "_global",
        "topic": "_general",
        "tags": (),
        "importance": 0.0,
        "confidence": 1.0,
        "trust": "owner",
        "expires_at": None,
    }
    return Memory(
        text=stored_text(text),
        status="active",
        **(usual | fields),
    )
