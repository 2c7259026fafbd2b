"""Conversations are taken in once, whatever interrupts it, and what is wrong is said."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import mnemic
from tests.cli.conftest import Shell

pytestmark = pytest.mark.feature("O4")


def write_lines(path: Path, lines: Iterable[Any]) -> str:
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False))
            file.write("\n")
    return str(path)


def turns(count: int, sessions: int = 3) -> Iterable[dict[str, Any]]:
    for number in range(count):
        role = "user" if number // sessions % 2 == 0 else "assistant"
        yield {"session": f"s{number % sessions}", "role": role, "content": f"第 {number} 句话"}


def test_a_file_is_taken_in_once(shell: Shell, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "chat.jsonl", turns(2_500))
    first = shell.json("import", file, "--project", "搬家")
    assert (first["added"], first["known"], first["rejected"]) == (2_500, 0, 0)
    assert first["format"] == "turns"
    again = shell.json("import", file)
    assert (again["added"], again["known"]) == (0, 2_500)
    with mnemic.open(shell.db, worker="none") as mind:
        found = mind.turns(session="s1", limit=10_000)
        assert [turn.index for turn in found] == list(range(833))
        assert found[4].text == "第 13 句话"
        assert {session.project for session in mind.sessions()} == {"搬家"}


def test_a_summary_for_people(shell: Shell, tmp_path: Path) -> None:
    shown = shell("import", write_lines(tmp_path / "a.jsonl", turns(10))).stdout
    assert shown.startswith("10 turns: 10 added, 0 known, 0 rejected; ")


def test_bad_lines_are_named_and_the_rest_goes_on(shell: Shell, tmp_path: Path) -> None:
    lines: list[Any] = list(turns(9, sessions=1))
    lines[2] = '{"session": "s0", "role": "user", "content": "torn'
    lines[4] = {"session": "s0", "role": "wizard", "content": "x"}
    lines[6] = {"session": "s0", "role": "user", "content": "x", "at": "someday"}
    file = write_lines(tmp_path / "chat.jsonl", lines)
    result = shell("import", file, code=1)
    told = result.stderr.splitlines()
    assert [line.partition(":")[0] for line in told[:3]] == ["line 3", "line 5", "line 7"]
    assert told[3].endswith("mnemic worker --once"), "learning follows, and how to run it"
    assert "role 'wizard' is unknown" in told[1]
    assert "someday" in told[2]
    assert "7 turns: 6 added, 0 known, 3 rejected" in result.stdout

    # Put right and repeated: each turn finds its place, nothing is doubled or in conflict.
    write_lines(tmp_path / "chat.jsonl", turns(9, sessions=1))
    again = shell.json("import", file)
    assert (again["added"], again["known"], again["rejected"]) == (3, 6, 0)
    with mnemic.open(shell.db, worker="none") as mind:
        assert [t.text for t in mind.turns(session="s0")] == [f"第 {n} 句话" for n in range(9)]


def test_many_bad_lines_are_counted_not_listed(shell: Shell, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "a.jsonl", ["nonsense"] * 50)
    result = shell("import", file, code=1)
    assert len(result.stderr.splitlines()) == 21
    assert "… and 30 more" in result.stderr
    assert shell.json("import", file, code=1)["rejected"] == 50


def test_a_conflict_with_what_is_there_is_a_rejection(shell: Shell, tmp_path: Path) -> None:
    shell("record", "-s", "s0", "something else")
    found = shell.json("import", write_lines(tmp_path / "a.jsonl", turns(9)), code=1)
    assert (found["added"], found["rejected"]) == (8, 1)
    assert found["problems"][0]["place"] == "line 1"
    assert "another turn at index 0" in found["problems"][0]["reason"]


def test_a_pipe_needs_a_session_and_takes_one(shell: Shell) -> None:
    line = '{"role": "user", "content": "你好"}\n'
    assert "names no session" in shell("import", "-", input=line, code=1).stderr
    assert shell.json("import", "-", "-s", "piped", input=line * 2)["added"] == 2
    assert shell.json("sessions")[0]["id"] == "piped"


def test_own_transcripts_are_understood(told: Shell, tmp_path: Path) -> None:
    jsonl = ("--set", "ledger.jsonl=true")
    told("record", "-s", "dev", "once more", *jsonl)
    told("worker", "--once", *jsonl)
    written = "conversation_history/dev.jsonl"
    assert told.json("import", written)["known"] == 3
    other = ("--db", str(tmp_path / "other.db"))
    assert told.json("import", written, *other)["added"] == 3
    same = [
        [(t["role"], t["text"], t["tool_calls"], t["sender"], t["at"]) for t in found]
        for found in (told.json("turns", "-s", "dev"), told.json("turns", "-s", "dev", *other))
    ]
    assert same[0] == same[1]


def test_titles_become_topics_and_times_are_kept(shell: Shell, tmp_path: Path) -> None:
    message = {"sender": "human", "text": "去年的事", "created_at": "2025-03-01T08:00:00Z"}
    export = [{"uuid": "c-1", "name": "旧聊天", "chat_messages": [message]}]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(export, ensure_ascii=False), encoding="utf-8")
    assert shell.json("import", str(file))["format"] == "claude"
    (session,) = shell.json("sessions")
    assert (session["topic"], session["last_at"][:10]) == ("旧聊天", "2025-03-01")


def test_killed_in_the_middle_and_repeated_gives_no_duplicates(
    shell: Shell, tmp_path: Path
) -> None:
    count = 30_000
    file = write_lines(tmp_path / "big.jsonl", turns(count, sessions=7))
    command = [sys.executable, "-m", "mnemic", "import", file, "--json"]
    with subprocess.Popen(command, env=os.environ.copy(), stdout=subprocess.PIPE) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if shell.db.exists() and shell.json("stats")["turns"]:
                break
        process.send_signal(signal.SIGKILL)
        process.wait()
    before = shell.json("stats")["turns"]
    assert 0 < before < count
    again = shell.json("import", file)
    assert (again["added"], again["known"]) == (count - before, before)
    assert shell.json("stats")["turns"] == count
    with mnemic.open(shell.db, worker="none") as mind:
        found = mind.turns(session="s3", limit=count)
        assert [turn.text for turn in found] == [f"第 {n} 句话" for n in range(3, count, 7)]


def test_an_archive_of_ones_own_comes_back_whole(told: Shell, tmp_path: Path) -> None:
    archive = str(tmp_path / "memory.jsonl")
    assert told.json("export", archive)["format"] == "jsonl"
    other = ("--db", str(tmp_path / "other.db"))
    preview = told.json("import", archive, "--preview", *other)
    assert preview["format"] == "mnemic"
    assert preview["read"]["turns"] == told.json("stats")["turns"]
    assert not (tmp_path / "other.db").exists()
    first = told.json("import", archive, *other)
    assert first["complete"]
    assert first["added"]["turns"] == preview["read"]["turns"]
    again = told.json("import", archive, *other)
    assert sum(again["added"].values()) == 0
    asked = ("recall", "Which Python version?")
    assert told.json(*asked, *other) == told.json(*asked)


def test_a_cut_archive_says_so(told: Shell, tmp_path: Path) -> None:
    archive = tmp_path / "memory.jsonl"
    told("export", str(archive))
    archive.write_bytes(b"".join(archive.read_bytes().splitlines(keepends=True)[:-1]))
    other = ("--db", str(tmp_path / "other.db"))
    result = told("import", str(archive), *other, code=1)
    assert "end" in result.stderr


def test_a_preview_writes_nothing(shell: Shell, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "chat.jsonl", [*turns(9), "torn"])
    seen = shell.json("import", file, "--preview", code=1)
    assert (seen["read"], seen["added"], seen["rejected"]) == ({"turn": 9}, 0, 1)
    assert not shell.db.exists()
    assert "Nothing was written" in shell("import", file, "--preview", code=1).stdout
