"""One message as a turn.

Known formats are this engine's own turns, OpenAI's messages (``tool_calls``, ``tool_call_id``,
content as parts) and Anthropic's (content as blocks, ``tool_use`` and ``tool_result``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from mnemic.rules.speakers import lower_trust
from mnemic.types import TRUSTS, NewTurn, Role, ToolCall, ToolResult, Trust

ROLE_NAMES: Mapping[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
SESSION_KEYS = ("session", "session_id", "conversation_id", "thread_id")
TIME_KEYS = ("at", "timestamp", "created_at", "create_time", "time")
# A model's inner monologue is not part of the conversation.
SILENT_PARTS = frozenset({"thinking", "redacted_thinking", "reasoning", "thoughts"})
_TOOL_KEYS = frozenset({"tool_calls", "function_call", "tool_results", "tool_call_id"})
_MILLISECONDS_FROM = 1e11  # as seconds this would be the year 5138


class UnreadableMessage(ValueError):
    """Something that is no message; the text says why."""


@dataclass(slots=True)
class Content:
    """What a message holds, sorted by what it is."""

    texts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    results: list[ToolResult] = field(default_factory=list)

    @property
    def text(self) -> str:
        texts = self.texts
        return texts[0] if len(texts) == 1 else "\n".join(filter(None, texts))

    @property
    def is_empty(self) -> bool:
        return not (self.calls or self.results or self.text.strip())


def read_message(message: Any, session: str, *, position: int | None = None) -> NewTurn:
    """The turn for a message, or Unreadable. ``position``: its index when it says none."""
    fields = read_object(message, "a message")
    content = read_content(fields.get("content", fields.get("text")))
    if not fields.keys().isdisjoint(_TOOL_KEYS):
        _add_tools(content, fields)
    if content.is_empty and "content" not in fields and "text" not in fields:
        raise UnreadableMessage("there is no content")
    role = read_role(fields.get("role"))
    if role == "user" and content.results and not content.text:
        role = "tool"  # Anthropic's way of handing back what a tool said
    return NewTurn(
        session=session,
        role=role,
        text=content.text,
        sender=read_text(fields, "sender", "name"),
        channel=read_text(fields, "channel"),
        tool_calls=tuple(content.calls),
        tool_results=tuple(content.results),
        at=read_time(fields),
        index=position if fields.get("index") is None else read_index(fields["index"]),
        trust=read_trust(fields.get("trust")),
        metadata=fields["metadata"] if isinstance(fields.get("metadata"), dict) else {},
    )


def _add_tools(content: Content, fields: Mapping[str, Any]) -> None:
    """What stands beside the content of a message about tools."""
    content.calls += read_calls(read_list(fields, "tool_calls"))
    content.calls += read_calls([fields["function_call"]] if fields.get("function_call") else [])
    content.results += read_results(read_list(fields, "tool_results"))
    answered = read_text(fields, "tool_call_id")
    if answered:
        content.results.append(ToolResult(content.text, answered))
        content.texts = []


def read_object(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UnreadableMessage(f"{name} is {describe(value)}, not an object")
    return value


def read_list(fields: Mapping[str, Any], name: str) -> list[Any]:
    """A list, which may be left out."""
    value = fields.get(name)
    if value is not None and not isinstance(value, list):
        raise UnreadableMessage(f"{name} is {describe(value)}, not a list")
    return value or []


def read_role(value: Any) -> Role:
    role = ROLE_NAMES.get(value) if isinstance(value, str) else None
    if role is None:
        problem = "there is no role" if value is None else f"role {str(value)[:60]!r} is unknown"
        raise UnreadableMessage(f"{problem}; it is user, assistant, tool or system")
    return role


def read_trust(value: Any) -> Trust | None:
    """The trust a file states: it may lower the usual one, never raise it."""
    if value is None:
        return None
    trust = next((trust for trust in TRUSTS if trust == value), None)
    if trust is None:
        raise UnreadableMessage(
            f"trust {str(value)[:60]!r} is unknown; it is one of {', '.join(TRUSTS)}"
        )
    return lower_trust(trust)


def read_text(fields: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that is there, which has to be text."""
    for name in names:
        value = fields.get(name)
        if value is None:
            continue
        if not isinstance(value, str):
            raise UnreadableMessage(f"{name} is {describe(value)}, not text")
        return value
    return ""


def read_index(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise UnreadableMessage(f"index is {describe(value)}, not a whole number")
    return value


def read_time(fields: Mapping[str, Any]) -> datetime | str | None:
    """ISO 8601 text as it is, or seconds or milliseconds since 1970."""
    return time_of(next((fields[k] for k in TIME_KEYS if fields.get(k) is not None), None))


def time_of(value: Any) -> datetime | str | None:
    """A time as it is written in JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnreadableMessage(f"its time is {describe(value)}, not a date")
    seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError) as error:
        raise UnreadableMessage(f"its time {value} is out of range") from error


def read_content(value: Any) -> Content:
    """Text, or a list of parts."""
    content = Content()
    if isinstance(value, str):
        content.texts.append(value)
    elif isinstance(value, list):
        for block in value:
            _add_block(content, block)
    elif value is not None:
        raise UnreadableMessage(f"content is {describe(value)}, neither text nor a list of parts")
    return content


def _add_block(content: Content, block: Any) -> None:
    if isinstance(block, str):
        content.texts.append(block)
        return
    fields = read_object(block, "a part of the content")
    kind = read_text(fields, "type", "content_type")
    if kind in SILENT_PARTS:
        return
    if kind == "tool_use":
        content.calls += read_calls([fields])
    elif kind == "tool_result":
        content.results += read_results([fields])
    elif isinstance(fields.get("text"), str):
        content.texts.append(fields["text"])
    else:
        # A picture or a sound: that it was there is part of the conversation.
        content.texts.append(f"[{kind or 'attachment'}]")


def read_calls(values: list[Any]) -> list[ToolCall]:
    """Tool calls, also in the form ``{"function": {"name": ..., "arguments": "<JSON>"}}``."""
    calls = []
    for value in values:
        fields = read_object(value, "a tool call")
        inner = read_object(fields.get("function", fields), "a tool call's function")
        arguments: Any = next((inner[k] for k in ("input", "arguments", "args") if k in inner), {})
        name = read_text(inner, "name")
        if not name:
            raise UnreadableMessage("a tool call has no name")
        calls.append(ToolCall(name, _arguments(arguments), read_text(fields, "id", "call_id")))
    return calls


def _arguments(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {"arguments": value}  # a model may have broken off in the middle
    if value is None:
        return {}
    return value if isinstance(value, dict) else {"arguments": value}


def read_results(values: list[Any]) -> list[ToolResult]:
    """What tools answered: texts, or objects with content and the call they answer."""
    results = []
    for value in values:
        fields = read_object(
            {"content": value} if isinstance(value, str) else value, "a tool result"
        )
        text = read_content(fields.get("content")).text
        call_id = read_text(fields, "call_id", "tool_use_id", "tool_call_id")
        results.append(ToolResult(text, call_id, fields.get("is_error") is True))
    return results


def describe(value: Any) -> str:
    """What kind of JSON value this is, in words."""
    if value is None or isinstance(value, bool):
        return "empty" if value is None else "true or false"
    names = {str: "text", list: "a list", dict: "an object", int: "a number", float: "a number"}
    return names.get(type(value), type(value).__name__)
