"""Letta: agent files (.af) of either shape, and lists of archival passages."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from mnemic.moving.json_records import read_records, sample
from mnemic.moving.memory_fields import (
    check_text,
    read_moment,
    read_statement,
    short_name,
    short_names,
    small_metadata,
)
from mnemic.moving.pieces import Piece, Record, SentFile, WorkingNotes, make_pieces
from mnemic.moving.source import ImportSource
from mnemic.record.messages import read_content, read_list, read_message, read_object, read_text
from mnemic.types import NewMemory, NewTurn, Role, ToolCall, ToolResult

_LISTS = ("messages", "core_memory", "blocks", "passages", "archival_memory", "files")
_AGENT = re.compile(rb'"(?:agent_type|core_memory|block_ids|in_context_message_ids)"\s*:')
_NAME = re.compile(
    rb'"name"\s*:\s*"((?:[^"\\]|\\.)*)"\s*,\s*"(?:system|memory_blocks|description)"'
)
_PASSAGE = frozenset({"archive_id", "embedding_config"})
_SAY = "send_message"
_ABOUT_USER = re.compile(r"human|user|customer|person(?!a)", re.IGNORECASE)
_NOTES = re.compile(r"scratch|task|todo|plan|notes?|working|current", re.IGNORECASE)
_HIDDEN = frozenset({"heartbeat", "login"})


class LettaReader:
    """Reads blocks as memories, messages as turns, passages as memories."""

    formats = ("letta",)

    def recognizes(self, source: ImportSource) -> str:
        head = source.head
        if head.lstrip()[:1] == b"{" and len(_AGENT.findall(head)) > 1:
            return "letta"
        passages = (
            isinstance(fields.get("text"), str) and not _PASSAGE.isdisjoint(fields)
            for fields in sample(head, _LISTS)
        )
        return "letta" if any(passages) else ""

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        reading = _Reading(source)
        with source.open() as stream:
            for record in read_records(stream, _LISTS):
                yield from make_pieces(record, reading.pieces)
        if reading.notes:
            text = "\n\n".join(f"## {label}\n\n{value}" for label, value in reading.notes)
            yield Piece("blocks", WorkingNotes(text))


class _Reading:
    """What has to be known of an agent file while it is read."""

    def __init__(self, source: ImportSource) -> None:
        named = _NAME.search(source.head)
        file = source.session or PurePosixPath(source.name).stem or "letta"
        self._agent = named[1].decode(errors="replace") if named else file
        # Where an agent speaks by a tool, what stands beside its calls is its inner monologue.
        self._speaks_by_tool = b'"letta_v1_agent"' not in source.head
        self._positions = Counter[str]()
        self._latest: datetime | None = None  # of what was said: what blocks say, they say then
        self.notes: list[tuple[str, str]] = []

    def _session(self, fields: Mapping[str, Any]) -> str:
        """An id such as agent-0 tells agents apart only within their file."""
        agent = short_name(fields.get("agent_id"))
        return f"{self._agent} {agent}" if agent else self._agent

    def pieces(self, record: Record) -> Iterator[Piece]:
        place = record.place
        if record.key == "messages" and not isinstance(record.value, dict):
            self._positions[self._session({})] += (
                1  # it keeps its place, for when the file is corrected
            )
        fields = read_object(record.value, "a record")
        if fields.get("is_deleted"):
            return
        if record.key == "messages" or "role" in fields:
            turn = self._turn(fields)
            if turn is not None:
                yield Piece(place, turn, topic=self._agent)
        elif "label" in fields:
            yield from self._block(place, fields)
        elif "text" in fields:
            yield Piece(place, _passage(fields), key=read_text(fields, "id"))
        else:
            yield _file(place, fields)

    # --- messages -------------------------------------------------------------------------------

    def _turn(self, fields: Mapping[str, Any]) -> NewTurn | None:
        session = self._session(fields)
        index = self._positions[session]
        self._positions[session] += 1
        if fields.get("role") == "system":  # the prompt, written anew with every change of a block
            return None
        turn = read_message(
            {**fields, "role": "tool" if fields.get("role") == "approval" else fields.get("role")},
            session,
            position=index,
        )
        role: Role = turn.role
        content, calls, results = turn.text, list(turn.tool_calls), list(turn.tool_results)
        if role == "user":
            role, content = _unwrap(content)
        elif role == "assistant":
            content, calls = self._split_speech(content, calls)
        elif role == "tool":
            results = _results(fields, results)
            content = ""
        if not (content.strip() or calls or results):
            return None
        at = read_moment(fields, "created_at")
        self._latest = at or self._latest
        return NewTurn(
            session, role, check_text(content), channel="letta", tool_calls=tuple(calls),
            tool_results=tuple(results), at=at, index=index,
        )  # fmt: skip

    def _split_speech(self, content: str, calls: list[ToolCall]) -> tuple[str, list[ToolCall]]:
        speeches = [str(call.input.get("message", "")) for call in calls if call.name == _SAY]
        others = [call for call in calls if call.name != _SAY]
        if speeches or (calls and self._speaks_by_tool):
            return "\n".join(filter(None, speeches)), others
        return content, others

    # --- blocks ---------------------------------------------------------------------------------

    def _block(self, place: str, fields: Mapping[str, Any]) -> Iterator[Piece]:
        label, value = read_text(fields, "label"), read_text(fields, "value").strip()
        if not value or fields.get("is_template"):
            return
        check_text(value)
        at = read_moment(fields, "updated_at", "created_at") or self._latest
        if _NOTES.search(label):
            self.notes.append((label, value))
            return
        if label.casefold() == "persona":
            memory = NewMemory(
                value, "identity", subject=short_name(self._agent), predicate="persona",
                topic="persona", trust="agent", learned_at=at,
            )  # fmt: skip
            yield Piece(place, memory, key=f"{self._agent} persona {value}")
            return
        about_user = _ABOUT_USER.search(label) is not None
        for line in value.splitlines() if about_user else re.split(r"\n\s*\n", value):
            text = line.strip().removeprefix("- ").removeprefix("* ").strip()
            if text and not text.endswith((": ?", ":?")):  # a form's line that nobody filled in
                topic = short_name(label) or None
                memory = NewMemory(text, "fact", topic=topic, trust="agent", learned_at=at)
                yield Piece(place, memory, key=f"{self._agent} {label} {text}")


def _unwrap(content: str) -> tuple[Role, str]:
    """What the user said, of the JSON in which it was wrapped; nothing of a heartbeat."""
    wrapped = _read_wrapped(content)
    if not isinstance(wrapped.get("type"), str):
        return "user", content
    if wrapped["type"] in _HIDDEN:
        return "user", ""
    message = wrapped.get("message")
    role: Role = "user" if wrapped["type"] == "user_message" else "system"
    return role, message if isinstance(message, str) else ""


def _results(fields: Mapping[str, Any], results: list[ToolResult]) -> list[ToolResult]:
    """What tools gave back; that a message was sent is nothing."""
    outputs = [read_object(value, "a tool return") for value in read_list(fields, "tool_returns")]
    returned = [
        ToolResult(
            read_content(output.get("func_response", output.get("tool_return"))).text,
            read_text(output, "tool_call_id"),
            output.get("status") == "error",
        )
        for output in outputs
    ]
    if not any(output.get("func_response") for output in outputs):
        returned += results
    return [result for result in map(_unwrap_result, returned) if result.content.strip()]


def _unwrap_result(result: ToolResult) -> ToolResult:
    """What a tool said, of the JSON in which it was wrapped."""
    wrapped = _read_wrapped(result.content)
    if not wrapped.keys() >= {"status", "message"}:
        return result
    message = "" if wrapped["message"] in (None, "None") else wrapped["message"]
    text = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
    return ToolResult(text, result.call_id, wrapped["status"] not in ("OK", "success"))


def _read_wrapped(content: str) -> dict[str, Any]:
    """The object that a text is; an empty one of any other text."""
    try:
        wrapped = json.loads(content) if content.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return {}
    return wrapped if isinstance(wrapped, dict) else {}


def _passage(fields: Mapping[str, Any]) -> NewMemory:
    metadata = fields.get("metadata", fields.get("metadata_"))
    of_file = fields.get("file_name") or fields.get("file_id") or fields.get("source_id")
    return NewMemory(
        read_statement(fields, "text"),
        "fact",
        tags=short_names(fields.get("tags")),
        metadata=small_metadata(
            {**(metadata if isinstance(metadata, dict) else {}), "file": fields.get("file_name")}
        ),
        trust="tool" if of_file else "agent",
        learned_at=read_moment(fields, "created_at"),
    )


def _file(place: str, fields: Mapping[str, Any]) -> Piece:
    name = short_name(read_statement(fields, "original_file_name", "file_name"))
    return Piece(
        place,
        SentFile(
            read_statement(fields, "file_name"),
            {
                "original_filename": name,
                "mime": short_name(fields.get("file_type")),
                "extracted_text": check_text(read_text(fields, "content")),
            },
        ),
    )


READER = LettaReader()
