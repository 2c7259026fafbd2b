"""Transcripts of coding agents: taken in once, and as they grow."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mnemic import Mind, Turn
from mnemic.moving.importer import Refused, import_source
from mnemic.moving.watch import TranscriptWatcher, present_places

AT = "2026-02-03T04:05:06.789Z"


def claude(role: str, content: Any, **more: Any) -> dict[str, Any]:
    common = {"sessionId": "s1", "uuid": "u", "parentUuid": None, "cwd": "/home/ann/claw",
              "version": "2.1.12", "timestamp": AT, "isSidechain": False}  # fmt: skip
    return {"type": role, "message": {"role": role, "content": content}, **common, **more}


CLAUDE = [
    {"type": "summary", "summary": "A session", "leafUuid": "u"},
    claude("user", "We deploy with uv from now on"),
    claude("assistant", [{"type": "thinking", "thinking": "hm"}]),
    claude("assistant", [{"type": "text", "text": "Noted."},
                         {"type": "tool_use", "id": "t1", "name": "Bash",
                          "input": {"command": "ls"}}]),
    claude("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "uv.lock"}]),
    claude("user", "<command-name>/clear</command-name>"),
    claude("user", "what a subagent was told", isSidechain=True),
    claude("user", "Caveat", isMeta=True),
]  # fmt: skip


def codex(type_: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": AT, "type": type_, "payload": payload}


CODEX = [
    codex("session_meta", id="c1", cwd="/home/ann/shop", cli_version="0.65.0"),
    codex("response_item", type="message", role="user",
          content=[{"type": "input_text", "text": "<environment_context>…</environment_context>"}]),
    codex("response_item", type="message", role="user",
          content=[{"type": "input_text", "text": "Which port is it?"}]),
    codex("event_msg", type="user_message", message="Which port is it?"),
    codex("response_item", type="reasoning", summary=[], encrypted_content="x"),
    codex("response_item", type="function_call", name="shell", call_id="k",
          arguments='{"command": ["cat", "port"]}'),
    codex("response_item", type="function_call_output", call_id="k", output="8443"),
    codex("response_item", type="message", role="assistant",
          content=[{"type": "output_text", "text": "It is 8443."}]),
]  # fmt: skip


def write(path: Path, entries: list[dict[str, Any]], *, tail: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in entries)
    path.write_text(lines + tail, encoding="utf-8")
    return path


def cursor(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = {
        "composerData:z": {"composerId": "z", "name": "Ports", "createdAt": 1_770_000_000_000,
                           "fullConversationHeadersOnly": [{"bubbleId": b} for b in "abc"]},
        "bubbleId:z:a": {"type": 1, "text": "把端口改成 8443"},
        "bubbleId:z:b": {"type": 2, "text": ""},
        "bubbleId:z:c": {"type": 2, "text": "改好了", "toolFormerData": {
            "name": "edit_file", "rawArgs": '{"path": "a.toml"}', "result": "ok"}},
    }  # fmt: skip
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")
        connection.executemany(
            "INSERT INTO cursorDiskKV VALUES (?, ?)",
            [(key, json.dumps(value)) for key, value in rows.items()],
        )
        connection.commit()
    return path


def said(turns: list[Turn]) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in turns]


def look(watcher: TranscriptWatcher) -> list[tuple[str, int]]:
    return [(taken.format, taken.added) for taken in watcher.look()]


def test_everything_of_a_machine_is_taken_in_once(mind: Mind, tmp_path: Path) -> None:
    write(tmp_path / ".claude/projects/-home-ann-claw/s1.jsonl", CLAUDE)
    write(tmp_path / ".codex/sessions/2026/02/03/rollout-c1.jsonl", CODEX)
    cursor(tmp_path / ".config/Cursor/User/globalStorage/state.vscdb")
    watcher = TranscriptWatcher(mind, present_places(tmp_path), refuse)
    assert look(watcher) == [("claude-code", 3), ("codex", 4), ("cursor", 2)]
    assert look(watcher) == []
    assert look(TranscriptWatcher(mind, present_places(tmp_path), refuse)) == [], (
        "in another process, too"
    )
    assert said(mind.turns(session="claude-code:s1")) == [
        ("user", "We deploy with uv from now on"), ("assistant", "Noted."), ("tool", "")
    ]  # fmt: skip
    turns = mind.turns(session="codex:c1")
    assert said(turns) == [
        ("user", "Which port is it?"), ("assistant", ""), ("tool", ""), ("assistant", "It is 8443.")
    ]  # fmt: skip
    assert (turns[1].tool_calls[0].name, turns[2].tool_results[0].content) == ("shell", "8443")
    assert said(mind.turns(session="cursor:z")) == [
        ("user", "把端口改成 8443"),
        ("assistant", "改好了"),
    ]
    assert {s.id: s.project for s in mind.sessions()} == {
        "claude-code:s1": "claw", "codex:c1": "shop", "cursor:z": ""
    }  # fmt: skip
    assert turns[0].at.isoformat() == "2026-02-03T04:05:06.789000+00:00"


def refuse(one: Refused) -> None:
    raise AssertionError(one)


def test_a_file_that_grows_gives_what_is_new_and_only_whole_lines(
    mind: Mind, tmp_path: Path
) -> None:
    half = json.dumps(claude("user", "Port 8443 is ours"))
    path = write(tmp_path / "s1.jsonl", CLAUDE[:2], tail=half[:40])
    watcher = TranscriptWatcher(mind, [path], refuse)
    assert look(watcher) == [("claude-code", 1)]
    with path.open("a", encoding="utf-8") as file:
        file.write(half[40:] + "\n")
    assert look(watcher) == [("claude-code", 1)]
    assert [turn.index for turn in mind.turns(session="claude-code:s1")] == [0, 1]
    write(path, CLAUDE[:2])
    assert look(watcher) == [], "a file that was begun anew says nothing new"


def test_a_broken_line_is_named_and_the_rest_is_taken(mind: Mind, tmp_path: Path) -> None:
    path = write(tmp_path / "s1.jsonl", CLAUDE[:2])
    with path.open("a", encoding="utf-8") as file:
        file.write("{torn\n" + json.dumps(claude("user", "and after it")) + "\n")
    refused: list[Refused] = []
    assert look(TranscriptWatcher(mind, [path], refused.append)) == [("claude-code", 2)]
    assert [one.place for one in refused] == ["line 3"]


@pytest.mark.parametrize(("entries", "session"), [(CLAUDE, "claude-code:s1"), (CODEX, "codex:c1")])
def test_import_reads_the_same_files(
    mind: Mind, tmp_path: Path, entries: list[dict[str, Any]], session: str
) -> None:
    write(tmp_path / "folder/one/a.jsonl", entries)
    done, refused = import_source(mind, str(tmp_path / "folder"))
    assert (done.format, refused) == (session.partition(":")[0], [])
    assert len(mind.turns(session=session)) == done.added > 0
