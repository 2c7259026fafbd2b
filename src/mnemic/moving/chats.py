"""Chat files as turns; JSON lines are read line by line, never as a whole.

The format is detected per object: a turn or message, an object with ``messages``, or a conversation
as ChatGPT (``mapping``) or Claude (``chat_messages``) exports it. A turn without an index gets its
position within its session, so reading a file again gives the same turns at the same places.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from mnemic.errors import InvalidInput
from mnemic.moving import exports
from mnemic.moving.exports import ExportedConversation
from mnemic.moving.json_records import WHOLE, read_records
from mnemic.moving.pieces import Piece
from mnemic.record.messages import (
    SESSION_KEYS,
    UnreadableMessage,
    read_calls,
    read_message,
    read_object,
    read_results,
    read_text,
)
from mnemic.types import NewTurn, ToolCall, ToolResult

FORMATS = ("turns", "messages", "chatgpt", "claude")

_EXPORTS: Mapping[str, Callable[[Mapping[str, Any], str], ExportedConversation]] = {
    "messages": exports.messages,
    "chatgpt": exports.chatgpt,
    "claude": exports.claude,
}
SIGNS = {"mapping": "chatgpt", "chat_messages": "claude", "messages": "messages"}
_SESSION = re.compile(rb'"(?:session|session_id)"\s*:\s*("(?:[^"\\]|\\.)*")')


def read_tools(
    calls: Iterable[Any], results: Iterable[Any]
) -> tuple[list[ToolCall], list[ToolResult]]:
    """Tool calls and results that a person wrote as JSON."""
    try:
        return read_calls(list(calls)), read_results(list(results))
    except UnreadableMessage as error:
        raise InvalidInput(
            str(error)[0].upper() + str(error)[1:],
            remedy='Write {"name": "search", "input": {"q": "..."}} or {"content": "..."}',
        ) from error


class Chats:
    """Iterates the pieces of a chat file. ``session`` is for messages that name none."""

    def __init__(self, stream: BinaryIO, *, session: str = "", format: str = "") -> None:
        self._stream = stream
        self._session = session
        self._format = format
        self._positions: dict[str, int] = {}

    def __iter__(self) -> Iterator[Piece]:
        for record in read_records(self._stream):
            if record.reason:
                self._skip_broken(record.value or b"")
                yield Piece(record.place, None, record.reason)
                continue
            conversation = self._session
            if conversation and record.place != WHOLE:
                conversation += f"-{record.place.rpartition(' ')[2]}"
            yield from self._read_object(record.value, record.place, conversation)

    def _read_object(self, value: Any, place: str, conversation: str) -> Iterator[Piece]:
        """``conversation``: the session of a conversation that has no id of its own."""
        kind = _kind(value, self._format)
        if kind == "turns":
            yield self._read_turn(value, place)
            return
        try:
            exported = _EXPORTS[kind](read_object(value, "a conversation"), conversation)
        except UnreadableMessage as reason:
            yield Piece(place, None, str(reason))
            return
        for number, item in enumerate(exported.items, 1):
            yield self._place(item, exported.session, f"{place}, message {number}", exported.topic)

    def _read_turn(self, value: Any, place: str) -> Piece:
        session = self._session
        item: NewTurn | UnreadableMessage
        try:
            fields = read_object(value, "a turn")
            session = read_text(fields, *SESSION_KEYS) or session
            item = read_message(fields, session, position=self._positions.get(session, 0))
        except UnreadableMessage as reason:
            item = reason
        return self._place(item, session, place)

    # --- places within a session ------------------------------------------------------------------

    def _place(
        self, item: NewTurn | UnreadableMessage, session: str, place: str, topic: str = ""
    ) -> Piece:
        """An unreadable message keeps its index too, for when the file is corrected."""
        if not session and isinstance(item, NewTurn):
            return Piece(place, None, "it names no session")
        index = self._positions.get(session, 0)
        if isinstance(item, NewTurn) and item.index is not None:
            index = item.index
        self._positions[session] = index + 1
        if isinstance(item, UnreadableMessage):
            return Piece(place, None, str(item))
        turn = item if item.index is not None else replace(item, index=index)
        return Piece(place, turn, topic=topic)

    def _skip_broken(self, line: bytes) -> None:
        """Reserve the index of a broken line, whose session can mostly still be read."""
        match = _SESSION.search(line)
        try:
            session = json.loads(match[1]) if match else self._session
        except ValueError:
            return
        if session:
            self._positions[session] = self._positions.get(session, 0) + 1


def _kind(value: Any, stated: str) -> str:
    """The stated format, else the one its keys show."""
    keys = value if isinstance(value, dict) else {}
    if stated == "messages" and "messages" not in keys:
        return "turns"  # a bare message
    return stated or next((kind for sign, kind in SIGNS.items() if sign in keys), "turns")
