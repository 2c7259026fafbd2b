"""Whole conversations as other programs export them: ChatGPT, Claude, plain message lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from mnemic.record.messages import (
    SESSION_KEYS,
    SILENT_PARTS,
    Content,
    UnreadableMessage,
    read_content,
    read_list,
    read_message,
    read_object,
    read_role,
    read_text,
    read_time,
    time_of,
)
from mnemic.types import NewTurn, Role, ToolCall, ToolResult

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


@dataclass(frozen=True, slots=True)
class ExportedConversation:
    """One exported conversation; an unreadable message is represented by its error."""

    session: str
    topic: str
    items: Iterable[NewTurn | UnreadableMessage]


def chatgpt(exported: Mapping[str, Any], fallback: str) -> ExportedConversation:
    """One entry of ChatGPT's conversations.json: a tree, of which the chosen branch is read."""
    session = read_text(exported, "conversation_id", "id") or fallback
    mapping = read_object(exported.get("mapping"), "mapping")
    nodes = _branch(mapping, exported.get("current_node"))
    messages = (node["message"] for node in nodes if isinstance(node.get("message"), dict))
    return ExportedConversation(
        session, read_text(exported, "title"), _each(messages, session, _chatgpt_message)
    )


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
        _ASSETS.get(str(part.get("content_type")), part) if isinstance(part, dict) else part
        for part in parts
    ]


def claude(exported: Mapping[str, Any], fallback: str) -> ExportedConversation:
    """One entry of Claude's conversations.json."""
    session = read_text(exported, "uuid", "id") or fallback
    return ExportedConversation(
        session,
        read_text(exported, "name"),
        _each(read_list(exported, "chat_messages"), session, _claude_message),
    )


def _claude_message(message: Any, session: str) -> NewTurn | None:
    fields = read_object(message, "a message")
    parts = fields.get("content") or None
    if isinstance(parts, list):
        kinds = [part.get("type") if isinstance(part, dict) else "" for part in parts]
        parts = [p for p, kind in zip(parts, kinds, strict=True) if str(kind) not in _UNSPOKEN]
    content = read_content(parts)
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


def messages(exported: Mapping[str, Any], fallback: str) -> ExportedConversation:
    """An object with a list of messages, as chat APIs take them."""
    session = read_text(exported, *SESSION_KEYS, "id") or fallback
    system = exported.get("system")  # Anthropic keeps it beside the messages
    listed = [{"role": "system", "content": system}] if system else []
    listed += read_list(exported, "messages")
    items = _each(listed, session, _read_listed)
    return ExportedConversation(session, read_text(exported, "title", "name", "topic"), items)


def _read_listed(message: Any, session: str) -> NewTurn | None:
    """One message of a list; empty ones, which chat APIs allow, are skipped."""
    turn = read_message(message, session)
    # The place in the list counts; an index would be another program's own.
    spoken = turn.text.strip() or turn.tool_calls or turn.tool_results
    return replace(turn, index=None) if spoken else None


def _each(
    messages: Iterable[Any], session: str, read: Callable[[Any, str], NewTurn | None]
) -> Iterator[NewTurn | UnreadableMessage]:
    """The turns of messages without their places, and why a message is none."""
    for message in messages:
        try:
            turn = read(message, session)
        except UnreadableMessage as reason:
            yield reason
        else:
            if turn is not None:
                yield turn
