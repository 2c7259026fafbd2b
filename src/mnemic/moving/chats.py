"""Chat files as turns; JSON lines are read line by line, never as a whole.

The format is detected per object: a turn or message, an object with ``messages``, or a conversation
as ChatGPT (``mapping``) or Claude (``chat_messages``) exports it. A turn without an index gets its
position within its session, so reading a file again gives the same turns at the same places.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple

from mnemic.errors import InvalidInput
from mnemic.moving.json_records import WHOLE, read_records
from mnemic.moving.pieces import Piece
from mnemic.record.messages import (
    SESSION_KEYS,
    SILENT_PARTS,
    Content,
    UnreadableMessage,
    read_calls,
    read_content,
    read_list,
    read_message,
    read_object,
    read_results,
    read_role,
    read_text,
    read_time,
    time_of,
)
from mnemic.types import NewTurn, Role, ToolCall, ToolResult

FORMATS = ("turns", "messages", "chatgpt", "claude")

SIGNS = {"mapping": "chatgpt", "chat_messages": "claude", "messages": "messages"}
_SESSION = re.compile(rb'"(?:session|session_id)"\s*:\s*("(?:[^"\\]|\\.)*")')
# Pictures and sounds, which an export has beside its conversations or not at all.
_ASSETS = {
    "image_asset_pointer": "[image]",
    "audio_asset_pointer": "[audio]",
    "video_container_asset_pointer": "[video]",
    "real_time_user_audio_video_asset_pointer": "[audio]",
}
_UNSPOKEN = frozenset({"token_budget", "flag"})  # Claude's own book-keeping
_HIDDEN_CONTENT = SILENT_PARTS | {
    "model_editable_context",
    "reasoning_recap",
    "user_editable_context",
}


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
        self._positions = Counter[str]()

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
        export, number = _EXPORTS[kind], 0
        try:
            fields = read_object(value, "a conversation")
            session = read_text(fields, *export.ids) or conversation
            topic, messages = read_text(fields, *export.titles), export.messages(fields)
        except UnreadableMessage as reason:
            yield Piece(place, None, str(reason))
            return
        for message in messages:
            item: NewTurn | UnreadableMessage | None
            try:
                item = export.read(message, session)
            except UnreadableMessage as reason:
                item = reason
            if item is not None:
                number += 1
                yield self._place(item, session, f"{place}, message {number}", topic)

    def _read_turn(self, value: Any, place: str) -> Piece:
        session = self._session
        item: NewTurn | UnreadableMessage
        try:
            fields = read_object(value, "a turn")
            session = read_text(fields, *SESSION_KEYS) or session
            item = read_message(fields, session, position=self._positions[session])
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
        index = self._positions[session]
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
            self._positions[session] += 1


def _kind(value: Any, stated: str) -> str:
    """The stated format, else the one its keys show."""
    keys = value if isinstance(value, dict) else {}
    if stated == "messages" and "messages" not in keys:
        return "turns"  # a bare message
    return stated or next((kind for sign, kind in SIGNS.items() if sign in keys), "turns")


# --- whole conversations as other programs export them -------------------------------------------


class _Export(NamedTuple):
    """A conversation as one program exports it: what its id and its title are called, what its
    messages are, and the turn that a message is, if any.
    """

    ids: tuple[str, ...]
    titles: tuple[str, ...]
    messages: Callable[[Mapping[str, Any]], Iterable[Any]]
    read: Callable[[Any, str], NewTurn | None]


def _list_nodes(exported: Mapping[str, Any]) -> list[Any]:
    """The messages of ChatGPT's tree, of which the chosen branch is read."""
    nodes = _branch(read_object(exported.get("mapping"), "mapping"), exported.get("current_node"))
    return [node["message"] for node in nodes if isinstance(node.get("message"), dict)]


def _branch(mapping: Mapping[str, Any], leaf: Any) -> list[Mapping[str, Any]]:
    """Nodes from the root to the current message, without edited and retried branches."""
    nodes = {key: read_object(node, "a node of the mapping") for key, node in mapping.items()}
    if not isinstance(leaf, str) or leaf not in nodes:
        leaf = next((key for key in reversed(nodes) if not nodes[key].get("children")), "")
    branch: dict[str, Mapping[str, Any]] = {}
    while leaf in nodes and leaf not in branch:
        branch[leaf] = nodes[leaf]
        leaf = read_text(branch[leaf], "parent")
    return list(reversed(branch.values()))


def _chatgpt_message(message: Mapping[str, Any], session: str) -> NewTurn | None:
    author = read_object(message.get("author") or {}, "author")
    body = read_object(message.get("content") or {}, "content")
    metadata = read_object(message.get("metadata") or {}, "metadata")
    kind = read_text(body, "content_type")
    if kind in _HIDDEN_CONTENT or metadata.get("is_visually_hidden_from_conversation"):
        return None
    parts = body.get("parts", body.get("text", body.get("result")))
    content = read_content(_name_assets(parts) if kind == "multimodal_text" else parts)
    text = content.text
    if not (content.calls or content.results or text.strip()):
        return None
    role = read_role(author.get("role"))
    recipient = read_text(message, "recipient") or "all"
    if role == "assistant" and recipient != "all":
        content = Content(calls=[ToolCall(recipient, {"input": text})])
    elif role == "tool":
        content = Content(results=[ToolResult(text)])
    turn = _make_turn(session, role, content, "chatgpt", time_of(message.get("create_time")))
    return replace(turn, sender=read_text(author, "name"))


def _name_assets(parts: Any) -> Any:
    """The parts of a message with a word for each picture or sound."""
    if not isinstance(parts, list):
        return parts
    return [
        _ASSETS.get(str(block.get("content_type")), block) if isinstance(block, dict) else block
        for block in parts
    ]


def _claude_message(message: Any, session: str) -> NewTurn | None:
    fields = read_object(message, "a message")
    blocks = fields.get("content") or None
    if isinstance(blocks, list):
        kinds = (str(block.get("type")) if isinstance(block, dict) else "" for block in blocks)
        blocks = [block for block, kind in zip(blocks, kinds, strict=True) if kind not in _UNSPOKEN]
    content = read_content(blocks)
    if content.is_empty:
        content = read_content(fields.get("text"))
    content.texts += _files(fields)
    if content.is_empty:
        return None
    role = read_role(fields.get("sender", fields.get("role")))
    return _make_turn(session, role, content, "claude", read_time(fields))


def _make_turn(
    session: str, role: Role, content: Content, channel: str, at: datetime | str | None
) -> NewTurn:
    calls, results = tuple(content.calls), tuple(content.results)
    return NewTurn(session, role, content.text, "", channel, calls, results, at)


def _files(fields: Mapping[str, Any]) -> Iterator[str]:
    """Files that were sent along, with the text the export has of them."""
    for sent in [*read_list(fields, "attachments"), *read_list(fields, "files")]:
        file = read_object(sent, "an attachment")
        name = read_text(file, "file_name") or "attachment"
        yield f"[{name}]\n{read_text(file, 'extracted_content')}".strip()


def _list_messages(exported: Mapping[str, Any]) -> list[Any]:
    system = exported.get("system")  # Anthropic keeps it beside the messages
    listed = [{"role": "system", "content": system}] if system else []
    return [*listed, *read_list(exported, "messages")]


def _read_listed(message: Any, session: str) -> NewTurn | None:
    """One message of a list; empty ones, which chat APIs allow, are skipped."""
    turn = read_message(message, session)
    # The place in the list counts; an index would be another program's own.
    spoken = turn.text.strip() or turn.tool_calls or turn.tool_results
    return replace(turn, index=None) if spoken else None


_EXPORTS: Mapping[str, _Export] = {
    "messages": _Export(
        (*SESSION_KEYS, "id"), ("title", "name", "topic"), _list_messages, _read_listed
    ),
    "chatgpt": _Export(("conversation_id", "id"), ("title",), _list_nodes, _chatgpt_message),
    "claude": _Export(
        ("uuid", "id"), ("name",), lambda e: read_list(e, "chat_messages"), _claude_message
    ),
}
