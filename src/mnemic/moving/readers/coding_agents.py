"""Transcripts that coding agents leave on this machine: Claude Code, Codex, Cursor.

None of them documents its files; what is read here is what their sources and many people's tools
agree on. Claude Code and Codex append a JSON object a line to one file per session, below
``~/.claude/projects`` and ``~/.codex/sessions``. Cursor keeps its conversations in the table
``cursorDiskKV`` of ``state.vscdb``. A line that is still being written is left for the next time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from mnemic.moving.json_records import parse_json
from mnemic.moving.pieces import Piece
from mnemic.moving.record_reader import read_members
from mnemic.moving.source import ImportSource
from mnemic.moving.sqlite_rows import SqliteTables, sqlite_tables
from mnemic.record.messages import UnreadableMessage, read_message, read_text, time_of
from mnemic.store.sqlite.keys import MAGIC
from mnemic.types import NewTurn

CLAUDE_CODE, CODEX, CURSOR = "claude-code", "codex", "cursor"
_TABLE = "cursorDiskKV"
# What a program puts into the user's mouth: commands, reminders, the surroundings.
_NOT_SPOKEN = ("<command-", "<local-command", "<system-reminder>", "<environment_context>",
               "<user_instructions>", "<turn_aborted>", "# AGENTS.md instructions",
               "Caveat: The messages below")  # fmt: skip
_SIGNS = {CLAUDE_CODE: (b'"sessionId"', b'"uuid"'), CODEX: (b'"payload"', b'"timestamp"')}


class TranscriptFile:
    """One growing file; ``read`` gives what was appended since the last time."""

    def __init__(self, format: str, name: str) -> None:
        self._format = format
        self._session = f"{format}:{PurePosixPath(name).stem}"
        self._index: dict[str, int] = {}
        self.project = ""
        self.offset = self._line = 0

    def read(self, stream: BinaryIO) -> Iterator[Piece]:
        """Complete lines only."""
        for line in stream:
            if not line.endswith(b"\n"):
                return
            self.offset += len(line)
            self._line += 1
            place = f"line {self._line}"
            try:
                turn = self._read_entry(parse_json(line)) if line.strip() else None
            except (UnreadableMessage, ValueError) as reason:
                yield Piece(place, None, str(reason))
                continue
            if turn is not None:
                index = self._index.get(turn.session, 0)
                self._index[turn.session] = index + 1
                yield Piece(place, replace(turn, index=index))

    def _read_entry(self, entry: Any) -> NewTurn | None:
        if not isinstance(entry, dict):
            raise UnreadableMessage("it is not an object")
        session = self._session
        if self._format == CLAUDE_CODE:
            self._set_project(entry)
            message = _claude_code_message(entry)
            session = f"{CLAUDE_CODE}:{read_text(entry, 'sessionId') or session}"
        else:
            payload = entry.get("payload")
            payload = payload if isinstance(payload, dict) else {}
            if entry.get("type") == "session_meta":
                self._session = f"{CODEX}:{read_text(payload, 'id') or session}"
                self._set_project(payload)
            message = _codex_message(payload) if entry.get("type") == "response_item" else None
        turn = None if message is None else _keep_spoken(read_message(message, session))
        return None if turn is None else replace(turn, at=time_of(entry.get("timestamp")))

    def _set_project(self, fields: Mapping[str, Any]) -> None:
        folder = fields.get("cwd")
        if not self.project and isinstance(folder, str):
            self.project = PurePosixPath(folder.replace("\\", "/")).name


def _keep_spoken(turn: NewTurn) -> NewTurn | None:
    """The turn, unless it is empty or a program wrote it in the user's name."""
    empty = not (turn.text.strip() or turn.tool_calls or turn.tool_results)
    foreign = turn.role == "user" and turn.text.lstrip().startswith(_NOT_SPOKEN)
    return None if empty or foreign else turn


def _claude_code_message(entry: Mapping[str, Any]) -> dict[str, Any] | None:
    """User and assistant; not what subagents say to each other, nor the program's own notes."""
    message, role = entry.get("message"), entry.get("type")
    skipped = entry.get("isSidechain") or entry.get("isMeta") or entry.get("isCompactSummary")
    if skipped or role not in ("user", "assistant") or not isinstance(message, dict):
        return None
    return {**message, "role": role}


def _codex_message(payload: Mapping[str, Any]) -> dict[str, Any] | None:
    kind, role = str(payload.get("type")), payload.get("role")
    if kind == "message" and role in ("user", "assistant"):
        return {"role": role, "content": payload.get("content")}
    if kind in ("function_call", "custom_tool_call"):
        return {"role": "assistant", "content": "", "tool_calls": [dict(payload)]}
    if kind in ("function_call_output", "custom_tool_call_output"):
        output = payload.get("output")
        text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
        result = {"content": text, "call_id": read_text(payload, "call_id")}
        return {"role": "tool", "content": "", "tool_results": [result]}
    return None


class CodingAgentReader:
    """Reads one transcript, or every one in a folder."""

    formats = (CLAUDE_CODE, CODEX, CURSOR)

    def recognizes(self, source: ImportSource) -> str:
        if source.head.startswith(MAGIC):
            return CURSOR if source.name == "state.vscdb" else ""
        if source.is_folder or source.name.endswith(".jsonl"):
            return next(map(_sign, map(source.head_of, source.files(".jsonl"))), "")
        return ""

    def read(self, source: ImportSource, format: str) -> Iterator[Piece]:
        if format == CURSOR:
            with sqlite_tables(source) as tables:
                yield from read_cursor(tables)
            return
        yield from read_members(
            source,
            source.files(".jsonl"),
            lambda name, stream: TranscriptFile(format, name or source.name).read(stream),
        )


def read_cursor(tables: SqliteTables) -> Iterator[Piece]:
    """Conversations with their messages in the order of their headers."""
    values: dict[str, Any] = {}
    for row in tables.rows(_TABLE):
        key, value = str(row.value.get("key", "")), row.value.get("value")
        if row.reason or value is None or not key.startswith(("composerData:", "bubbleId:")):
            continue
        try:
            values[key] = parse_json(value.encode() if isinstance(value, str) else value)
        except ValueError as reason:
            yield Piece(f"{_TABLE}, {key}", None, str(reason))
    for key, composer in sorted(values.items()):
        kind, _, id_ = key.partition(":")
        if kind == "composerData" and isinstance(composer, dict):
            for index, header in enumerate(composer.get("fullConversationHeadersOnly") or ()):
                bubble = values.get(f"bubbleId:{id_}:{header.get('bubbleId')}")
                if not isinstance(bubble, dict):
                    continue
                try:
                    turn = _read_bubble(bubble, f"{CURSOR}:{id_}", composer.get("createdAt"))
                except UnreadableMessage as reason:
                    yield Piece(f"{id_}, message {index + 1}", None, str(reason))
                    continue
                if turn is not None:
                    topic = str(composer.get("name") or "")
                    placed = replace(turn, index=index)
                    yield Piece(f"{id_}, message {index + 1}", placed, topic=topic)


def _read_bubble(bubble: Mapping[str, Any], session: str, begun: Any) -> NewTurn | None:
    role = {1: "user", 2: "assistant"}.get(bubble.get("type", 0))
    if role is None:
        return None
    tool = bubble.get("toolFormerData")
    fields: dict[str, Any] = {"role": role, "content": bubble.get("text") or ""}
    if isinstance(tool, dict) and tool.get("name"):
        fields["tool_calls"] = [{"name": tool["name"], "arguments": tool.get("rawArgs") or "{}"}]
        fields["tool_results"] = [str(tool["result"])] if tool.get("result") else []
    turn = _keep_spoken(read_message(fields, session))
    return None if turn is None else replace(turn, at=time_of(bubble.get("createdAt") or begun))


def _sign(head: bytes) -> str:
    return next((format for format, signs in _SIGNS.items() if all(s in head for s in signs)), "")


READER = CodingAgentReader()
