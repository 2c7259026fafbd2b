"""Dated logs: what was said on one day, as markdown that gives every turn back as it was.

A turn is a heading, its words as a quotation, and a mark that completes it: without the mark it
was cut off while being written, and nobody was told that it is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.documents.fallback.marks import mark, read_mark, read_time
from recollect.plain import plain
from recollect.store.codec import stored_text
from recollect.types import EMPTY, ROLES, TRUSTS, SafeName, ToolCall, ToolResult, Turn

_HEADING = "## "
_NAMES = ("id", "session", "sender", "channel", "project", "topic")


@dataclass(frozen=True, slots=True)
class Said:
    """A turn in a log; ``placed`` if the host chose its index."""

    turn: Turn
    project: SafeName = EMPTY
    topic: SafeName = EMPTY
    placed: bool = False


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a session."""

    session: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Failed:
    """Something the host could not do with memory."""

    id: SafeName
    where: SafeName
    error: str
    at: datetime


Entry = Said | Ended | Failed


def written(entry: Entry) -> str:
    """An entry as markdown."""
    match entry:
        case Ended():
            return f"{mark({'ended': entry.session, 'at': entry.at.isoformat()})}\n\n"
        case Failed():
            return f"{mark({'failed': plain(entry)})}\n\n"
        case Said(turn=turn):
            who = f"{turn.role} {turn.sender}".strip().replace("\n", " ")
            quoted = "\n".join(f"> {line}" if line else ">" for line in turn.content.split("\n"))
            told = {key: value for key, value in plain(turn).items() if value not in ("", [])}
            told.pop("content", None)
            del told["state"]
            told |= {"project": entry.project} if entry.project else {}
            told |= {"topic": entry.topic} if entry.topic else {}
            told |= {"placed": True} if entry.placed else {}
            return f"{_HEADING}{turn.at:%H:%M} {who}\n{quoted}\n{mark({'turn': told})}\n\n"


def parse(text: str) -> Iterator[Entry]:
    """The entries of a log; what else a person wrote between them is theirs."""
    return (entry for _, entry in blocks(text) if entry is not None)


def blocks(text: str) -> Iterator[tuple[list[str], Entry | None]]:
    """A log in pieces: the lines of each entry with it, and the lines between them one by one."""
    begun: list[str] = []
    for line in text.split("\n"):
        if line.startswith(">"):
            begun.append(line)
            continue
        found = read_mark(line)
        entry = None if found is None else _entry(found[1], _unquoted(begun))
        if entry is not None:
            yield [*begun, line], entry
            begun = []
            continue
        yield from (([loose], None) for loose in begun)
        begun = [line] if line.startswith(_HEADING) else []
        if not begun:
            yield [line], None
    yield from (([loose], None) for loose in begun)


def _unquoted(lines: Sequence[str]) -> str:
    quoted = (line for line in lines if line.startswith(">"))
    return "\n".join(line[2:] if line.startswith("> ") else line[1:] for line in quoted)


def _entry(told: Mapping[str, Any], content: str) -> Entry | None:
    """What a mark completes; None when a person has changed it beyond reading."""
    try:
        if "ended" in told:
            return Ended(told["ended"], read_time(told["at"]))
        if "failed" in told:
            failed = told["failed"]
            at = read_time(failed["at"])
            return Failed(failed["id"], failed["where"], failed["error"], at)
        return _said(dict(told["turn"]), content)
    except (KeyError, TypeError, ValueError):
        return None


def _said(told: dict[str, Any], content: str) -> Said:
    told["at"] = read_time(told["at"])
    names = (told.get(key, "") for key in _NAMES)
    if not all(isinstance(name, str) for name in names) or not isinstance(told["index"], int):
        raise TypeError
    if told["role"] not in ROLES or told["trust"] not in TRUSTS:
        raise ValueError
    around = {key: told.pop(key) for key in ("project", "topic", "placed") if key in told}
    told["tool_calls"] = tuple(ToolCall(**call) for call in told.get("tool_calls", ()))
    told["tool_results"] = tuple(ToolResult(**one) for one in told.get("tool_results", ()))
    return Said(Turn(content=stored_text(content), **told), **around)
