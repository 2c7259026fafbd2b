"""OpenAkita: ``memories.json``, its SQLite file, its JSONL history, or the folder with all of them.

Everything it remembers was written down by its model, so it is trusted as the agent's word.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from mnemic.errors import InvalidInput
from mnemic.moving.chats import Chats
from mnemic.moving.json_records import read_records, sample
from mnemic.moving.memory_fields import read_key, read_memory, read_moment, read_share, read_words
from mnemic.moving.pieces import Item, Piece, Record, SentFile, WorkingNotes, make_pieces
from mnemic.moving.record_reader import read_members
from mnemic.moving.source import ImportSource
from mnemic.moving.sqlite_rows import SqliteTables, sqlite_tables
from mnemic.record.attachments import DIRECTIONS
from mnemic.record.messages import UnreadableMessage, describe, read_message, read_object, read_text
from mnemic.store.sqlite.keys import MAGIC
from mnemic.types import OUTCOMES, NewEpisode, NewTurn

FORMAT = "openakita"
_MEMORIES = "memories.json"
_HISTORY = "conversation_history"
_DATABASE = "openakita.db"
_LISTS = ("memories",)
_SIGN = "importance_score"  # of its memories, in JSON and in SQL
_OUTCOMES = {"": "success", "completed": "success"}
_SET_ASIDE = ("legacy_quarantine", "pending_consolidation")  # scopes that it never reads from


class OpenAkitaReader:
    """Reads what OpenAkita keeps in its data folder."""

    formats = (FORMAT,)

    def recognizes(self, source: ImportSource) -> str:
        if source.is_folder:
            ours = (name for name in source.members() if _is_ours(source, name))
            return FORMAT if any(not _is_of_claude(source, name) for name in ours) else ""
        head = source.head
        if head.startswith(MAGIC):
            return FORMAT if _SIGN.encode() in head or source.name == _DATABASE else ""
        return FORMAT if any(_SIGN in fields for fields in sample(source.head, _LISTS)[:1]) else ""

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        if source.is_folder:
            yield from _folder(source)
        elif source.head.startswith(MAGIC):
            with sqlite_tables(source) as tables:
                yield from _tables(tables, _Seen())
        elif b"[" not in source.head:
            raise InvalidInput(
                f"{source.name or 'This'} is neither a database nor a list of memories",
                remedy=f"Give {_DATABASE}, {_MEMORIES} or the data folder",
            )
        else:
            with source.open() as stream:
                yield from _memories(stream, _Seen())


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the database has told already, which its older files repeat."""

    memories: set[str] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)


def _is_ours(source: ImportSource, name: str) -> bool:
    path = PurePosixPath(source.name, name)
    return path.name in (_MEMORIES, _DATABASE) or (
        path.parent.name == _HISTORY and path.suffix == ".jsonl"
    )


def _is_of_claude(source: ImportSource, name: str) -> bool:
    """Claude's export has a file of the same name."""
    mark = b'"conversations_memory"'
    return PurePosixPath(name).name == _MEMORIES and mark in source.head_of(name)


def _folder(source: ImportSource) -> Iterator[Piece]:
    """The database first: where an older file says otherwise, that is what was."""
    named = [PurePosixPath(name) for name in source.members() if _is_ours(source, name)]
    if not named:
        raise InvalidInput(
            f"{source.name} holds neither {_DATABASE} nor {_MEMORIES} nor {_HISTORY}",
            remedy="Give the data folder of OpenAkita, or one of these files",
        )
    named.sort(key=lambda path: (path.suffix == ".jsonl", path.name == _MEMORIES))
    seen = _Seen()
    yield from read_members(
        source,
        map(str, named),
        lambda name, stream: _read_member(source, PurePosixPath(name), stream, seen),
    )


def _read_member(
    source: ImportSource, path: PurePosixPath, stream: BinaryIO, seen: _Seen
) -> Iterator[Piece]:
    if path.name == _DATABASE:
        with sqlite_tables(source, str(path)) as tables:
            yield from _tables(tables, seen)
        source.done += source.member_size(str(path))
    elif path.suffix == ".json":
        yield from _memories(stream, seen)
    elif path.stem not in seen.sessions:
        yield from Chats(stream, session=path.stem, format="turns")


def _memories(stream: BinaryIO, seen: _Seen) -> Iterator[Piece]:
    for record in read_records(stream, _LISTS):
        if not isinstance(record.value, dict) or read_key(record.value) not in seen.memories:
            yield from make_pieces(replace(record, key="memories"), _pieces)


def _tables(tables: SqliteTables, seen: _Seen) -> Iterator[Piece]:
    if not tables.names & _READ.keys():
        raise InvalidInput("It has none of the tables of OpenAkita", remedy="Give its openakita.db")
    for table in _READ:
        for row in tables.rows(table):
            if table == "memories" and (key := read_key(row.value)):
                seen.memories.add(key)
            elif table == "conversation_turns":
                seen.sessions.add(str(row.value.get("session_id")))
            elif table == "scratchpad" and row.value.get("content") == "":
                continue  # as it is made, before anything is noted
            yield from make_pieces(row, _pieces)


def _pieces(record: Record) -> Iterator[Piece]:
    fields = read_object(record.value, "a memory")
    kind, read = _READ[record.key]
    key = read_key(fields)
    yield Piece(record.place, read(fields), key=f"{kind}:{key}" if key else "")


def _memory(fields: Mapping[str, Any]) -> Item:
    aside = {"status": "archived"} if fields.get("scope") in _SET_ASIDE else {}
    return read_memory({**fields, **aside}, "agent")


def _turn(fields: Mapping[str, Any]) -> NewTurn:
    session = read_text(fields, "session_id")
    if not session:
        raise UnreadableMessage("it names no session")
    message = {
        "role": fields.get("role"),
        "content": fields.get("content") or "",
        "timestamp": fields.get("timestamp"),
        "index": fields.get("turn_index"),
        "tool_calls": _json(fields, "tool_calls"),
        "tool_results": _json(fields, "tool_results"),
    }
    turn = read_message(message, session)
    if turn.index is None:
        raise UnreadableMessage("it has no turn_index")
    read_moment(fields, "timestamp")
    return turn


def _episode(fields: Mapping[str, Any]) -> NewEpisode:
    began = read_moment(fields, "started_at")
    if began is None:
        raise UnreadableMessage("it has no started_at")
    stated = read_text(fields, "outcome")
    outcome = next((name for name in OUTCOMES if name == _OUTCOMES.get(stated, stated)), None)
    if outcome is None:
        raise UnreadableMessage(f"outcome {stated[:60]!r} is unknown")
    summary, session = read_text(fields, "summary").strip(), read_text(fields, "session_id")
    if not summary or not session:
        raise UnreadableMessage("it has no summary" if session else "it names no session")
    importance = read_share(fields, _SIGN)
    return NewEpisode(
        session,
        summary,
        began,
        read_moment(fields, "ended_at"),
        goal=read_text(fields, "goal"),
        outcome=outcome,
        entities=read_words(fields.get("entities"), "entities"),
        tools=read_words(fields.get("tools_used"), "tools_used"),
        tags=read_words(fields.get("tags"), "tags"),
        importance=0.5 if importance is None else importance,
    )


def _attachment(fields: Mapping[str, Any]) -> SentFile:
    places = (read_text(fields, name).strip() for name in ("local_path", "url", "filename"))
    path = next(filter(None, places), "")
    if not path:
        raise UnreadableMessage("it says nowhere where the file is")
    stated = read_text(fields, "direction") or "inbound"
    direction = next((name for name in DIRECTIONS if name == stated), None)
    if direction is None:
        raise UnreadableMessage(f"direction {stated[:60]!r} is unknown")
    return SentFile(
        path,
        {
            "session": read_text(fields, "session_id"),
            "direction": direction,
            "original_filename": read_text(fields, "original_filename"),
            "mime": read_text(fields, "mime_type"),
            "description": read_text(fields, "description"),
            "transcription": read_text(fields, "transcription"),
            "extracted_text": read_text(fields, "extracted_text"),
            "tags": read_words(fields.get("tags"), "tags"),
        },
    )


def _json(fields: Mapping[str, Any], name: str) -> list[Any] | None:
    value = fields.get(name)
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else None
        except (ValueError, RecursionError) as error:
            raise UnreadableMessage(f"{name} is not JSON: {error}") from error
    if value is not None and not isinstance(value, list):
        raise UnreadableMessage(f"{name} is {describe(value)}, not a list")
    return value


# In this order: turns would begin the scratchpad and the files that they write anew.
_READ: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], Item]]] = {
    "scratchpad": ("scratchpad", lambda fields: WorkingNotes(read_text(fields, "content"))),
    "attachments": ("attachment", _attachment),
    "conversation_turns": ("turn", _turn),
    "episodes": ("episode", _episode),
    "memories": ("memory", _memory),
}
READER = OpenAkitaReader()
