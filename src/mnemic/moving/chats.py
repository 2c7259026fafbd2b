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
from mnemic.moving.exports import ExportedConversation, Next
from mnemic.moving.json_list import LONGEST, JsonList, parsed
from mnemic.moving.pieces import Piece
from mnemic.moving.source import bounded_lines, rejoined
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

_EXPORTS: Mapping[str, Callable[[Mapping[str, Any], str, Next], ExportedConversation]] = {
    "messages": exports.messages,
    "chatgpt": exports.chatgpt,
    "claude": exports.claude,
}
SIGNS = {"mapping": "chatgpt", "chat_messages": "claude", "messages": "messages"}
_HEAD = 1 << 16
_BOM = b"\xef\xbb\xbf"
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
        self.detected_format = format
        self._positions: dict[str, int] = {}

    def __iter__(self) -> Iterator[Piece]:
        blank, first = self._first_line()
        if first.strip().startswith(b"["):
            yield from self._list(first)
        elif first.strip() == b"{":
            yield from self._document(first + self._stream.read(LONGEST))
        elif first:
            for number, line in enumerate(bounded_lines(self._stream, LONGEST, first), blank + 1):
                if line is None:
                    yield Piece(f"line {number}", None, f"it has more than {LONGEST:,} bytes")
                else:
                    yield from self._line(f"line {number}", line)

    def _first_line(self) -> tuple[int, bytes]:
        """How many blank lines there are, and the beginning of what follows them."""
        for number, line in enumerate(iter(lambda: self._stream.readline(_HEAD), b"")):
            text = line.removeprefix(_BOM) if number == 0 else line
            if text.strip():
                return number, text
        return 0, b""

    # --- parsing ----------------------------------------------------------------------------------

    def _line(self, place: str, line: bytes) -> Iterator[Piece]:
        if not line.strip():
            return
        try:
            value = parsed(line)
        except ValueError as reason:
            self._skip_broken(line)
            yield Piece(place, None, str(reason))
            return
        yield from self._object(value, place, self._named(place))

    def _document(self, data: bytes) -> Iterator[Piece]:
        if self._stream.read(1):
            raise InvalidInput(
                f"One conversation has more than {LONGEST:,} bytes", remedy="Give JSON lines"
            )
        try:
            value = parsed(data)
        except ValueError as reason:
            raise InvalidInput(str(reason), remedy="Give JSON lines or a whole JSON file") from None
        yield from self._object(value, "the file", self._session)

    def _list(self, first: bytes) -> Iterator[Piece]:
        """One entry after the other; a damaged one is a piece that cannot be read."""
        for entry in JsonList(rejoined(first, self._stream)):
            place = f"entry {entry.number}"
            if entry.reason:
                yield Piece(place, None, entry.reason)
            else:
                yield from self._object(entry.value, place, self._named(place))

    def _named(self, place: str) -> str:
        return f"{self._session}-{place.rpartition(' ')[2]}" if self._session else ""

    def _object(self, value: Any, place: str, conversation: str) -> Iterator[Piece]:
        """``conversation``: the session of a conversation that has no id of its own."""
        kind = _kind(value, self._format)
        self.detected_format = self.detected_format or kind
        if kind == "turns":
            yield self._turn(value, place)
            return
        try:
            exported = _EXPORTS[kind](
                read_object(value, "a conversation"), conversation, self._following
            )
        except UnreadableMessage as reason:
            yield Piece(place, None, str(reason))
            return
        for number, item in enumerate(exported.items, 1):
            yield self._placed(item, exported.session, f"{place}, message {number}", exported.topic)

    def _turn(self, value: Any, place: str) -> Piece:
        session = self._session
        item: NewTurn | UnreadableMessage
        try:
            fields = read_object(value, "a turn")
            session = read_text(fields, *SESSION_KEYS) or session
            item = read_message(fields, session, position=self._positions.get(session, 0))
        except UnreadableMessage as reason:
            item = reason
        return self._placed(item, session, place)

    def _following(self, session: str) -> int:
        return self._positions.get(session, 0)

    # --- places within a session ------------------------------------------------------------------

    def _placed(
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
