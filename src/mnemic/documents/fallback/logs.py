"""Dated logs: the turns of one day as Markdown that parses back to the same turns.

A turn is a heading, its words as a quotation, and a mark that completes it: without the mark it
was cut off while being written, and nobody was told that it is kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from mnemic.days import Zone, local_time, noon
from mnemic.patterns import defer
from mnemic.plain import plain
from mnemic.store.codec import as_text
from mnemic.types import EMPTY, ROLES, TRUSTS, SafeName, ToolCall, ToolResult, Turn

_OPEN, _CLOSE = "<!-- mnemic ", " -->"
_HEADING = "## "
_OWN_HEADING = defer(rf"## \d\d:\d\d (?:{'|'.join(ROLES)})\b")
_NOT_MARKED = ("turn", "text", "state")
_NAMES = ("id", "session", "sender", "channel", "project", "topic")


@dataclass(frozen=True, slots=True)
class LoggedTurn:
    """A turn in a log; ``placed`` if the host chose its index."""

    turn: Turn
    project: SafeName = EMPTY
    topic: SafeName = EMPTY
    placed: bool = False

    @property
    def at(self) -> datetime:
        return self.turn.at


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


Entry = LoggedTurn | Ended | Failed


def in_local_time(entry: Entry, zone: Zone) -> Entry:
    """The entry by the clocks of whoever spoke, else of ``zone``: its log is that of their day."""
    at = local_time(entry.at, zone)
    if isinstance(entry, LoggedTurn):
        return replace(entry, turn=replace(entry.turn, at=at))
    return replace(entry, at=at)


def render(entry: Entry) -> str:
    match entry:
        case Ended():
            return f"{mark({'ended': entry.session, 'at': entry.at.isoformat()})}\n\n"
        case Failed():
            return f"{mark({'failed': plain(entry)})}\n\n"
        case LoggedTurn(turn=turn):
            who = f"{turn.role} {turn.sender}".strip().replace("\n", " ")
            quoted = "\n".join(f"> {line}" if line else ">" for line in turn.text.split("\n"))
            fields = {**plain(entry), **plain(turn)}
            payload = {
                key: value
                for key, value in fields.items()
                if value not in ("", [], {}) and value is not False and key not in _NOT_MARKED
            }
            return f"{_HEADING}{turn.at:%H:%M} {who}\n{quoted}\n{mark({'turn': payload})}\n\n"


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
        marked = read_mark(line)
        entry = None if marked is None else _entry(marked[1], _unquote(begun))
        if entry is not None:
            yield [*begun, line], entry
            begun = []
            continue
        yield from (([loose], None) for loose in begun)
        begun = [line] if line.startswith(_HEADING) else []
        if not begun:
            yield [line], None
    yield from (([loose], None) for loose in begun)


def without_marks(text: str) -> str:
    """A log as a person reads it."""
    return "\n".join(line for line in text.split("\n") if read_mark(line) is None).strip()


def free_text(text: str, day: date, now: datetime, zone: Zone) -> list[LoggedTurn]:
    """The paragraphs that a person wrote into a log, as turns of the user."""
    paragraphs: list[list[str]] = [[]]
    for lines, entry in blocks(text):
        if entry is not None or not lines[0].strip():
            paragraphs.append([])
        else:
            paragraphs[-1].append(lines[0])
    at = min(noon(day, zone), now)
    texts = dict.fromkeys("\n".join(lines) for lines in paragraphs if _is_free(lines))
    turns = []
    for index, words in enumerate(texts):
        # The same paragraph has the same id at every reading; it passes the guard like any entry.
        fields: dict[str, Any] = {
            "id": str(uuid5(NAMESPACE_URL, f"mnemic:{day}:{words}")),
            "session": day.isoformat(),
            "index": index,
            "role": "user",
            "at": at,
            "trust": "owner",
        }
        turns.append(LoggedTurn(Turn(text=as_text(words), **fields)))
    return turns


def _is_free(lines: Sequence[str]) -> bool:
    torn = bool(lines) and _OWN_HEADING.match(lines[0]) is not None
    return not torn and any(not line.startswith("#") for line in lines)


def _unquote(lines: Sequence[str]) -> str:
    quoted = (line for line in lines if line.startswith(">"))
    return "\n".join(line[2:] if line.startswith("> ") else line[1:] for line in quoted)


def _entry(payload: Mapping[str, Any], content: str) -> Entry | None:
    """What a mark completes; None when a person has changed it beyond reading."""
    try:
        if "ended" in payload:
            return Ended(payload["ended"], read_time(payload["at"]))
        if "failed" in payload:
            failed = payload["failed"]
            return Failed(failed["id"], failed["where"], failed["error"], read_time(failed["at"]))
        return _read_turn(dict(payload["turn"]), content)
    except (KeyError, TypeError, ValueError):
        return None


def _read_turn(payload: dict[str, Any], content: str) -> LoggedTurn:
    payload["at"] = read_time(payload["at"])
    names = (payload.get(key, "") for key in _NAMES)
    if not all(isinstance(name, str) for name in names) or not isinstance(payload["index"], int):
        raise TypeError
    if payload["role"] not in ROLES or payload["trust"] not in TRUSTS:
        raise ValueError
    around = {key: payload.pop(key) for key in ("project", "topic", "placed") if key in payload}
    payload["tool_calls"] = tuple(ToolCall(**call) for call in payload.get("tool_calls", ()))
    results = payload.get("tool_results", ())
    payload["tool_results"] = tuple(ToolResult(**result) for result in results)
    return LoggedTurn(Turn(text=as_text(content), **payload), **around)


# --- marks: metadata of an entry as JSON in a comment, which readers do not show ------------------


def mark(payload: Mapping[str, Any]) -> str:
    """A comment that holds JSON; no text in it can look like the beginning or the end of one."""
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    safe = text.replace("<", r"\u003c").replace(">", r"\u003e")
    return f"{_OPEN}{safe}{_CLOSE}"


def read_mark(text: str) -> tuple[str, dict[str, Any]] | None:
    """The text before the mark at the end, and its payload; None where there is no whole mark."""
    start = text.rfind(_OPEN)
    if start < 0 or not text.endswith(_CLOSE):
        return None
    try:
        payload = json.loads(text[start + len(_OPEN) : -len(_CLOSE)])
    except ValueError:  # edited by a person
        return None
    return (text[:start], payload) if isinstance(payload, dict) else None


def read_time(text: str) -> datetime:
    """A time of a mark, or ValueError where it has no zone."""
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError(text)
    return time
