"""Every list comes as JSON, as one object a line and as a table, and the three say the same."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic.cli import root
from mnemic.types import ToolCall
from tests.cli.conftest import Shell

pytestmark = pytest.mark.feature("O4")

# A command, and where the entries of its list are in its JSON document; "" is the document itself.
LISTS: dict[str, tuple[list[str], str]] = {
    "sessions": (["sessions"], ""),
    "turns": (["turns"], ""),
    "episodes": (["episodes"], ""),
    "attachments": (["attachments"], ""),
    "events": (["events"], ""),
    "daily": (["events", "--daily"], ""),
    "memories": (["memories", "--status", "all"], ""),
    "recall": (["recall", "Python"], ""),
    "search": (["search", "Python"], "memories evidence"),
    "pending": (["pending"], ""),
    "jobs": (["jobs"], ""),
    "usage": (["usage"], ""),
    "rules": (["upkeep", "rules"], ""),
    "presets": (["config", "--presets"], ""),
    "config": (["config", "jobs"], "*"),
    "explained": (["config", "jobs", "--explain"], "*"),
    "doctor": (["doctor"], "findings"),
    "audit": (["audit"], "checks"),
    "sync": (["sync"], "documents"),
    "devices": (["sync", "--devices"], "devices"),
    "forget": (["forget", "--query", "Lisbon", "--dry-run"], "items"),
    "history": (["history", "{id}"], "versions"),
    "archive": (["archive", "{id}"], ""),
    "restore": (["restore", "{id}"], ""),
    "token": (["token", "list"], ""),
}
# These print one thing, which is one line or row; the rest take no part in lists.
SINGLE = ["stats", "scratchpad", "context Python", "show {id}", "record -s x hi --index 0"]


@pytest.fixture(scope="module")
def lived_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Conversations, memories, files, usage and jobs, with texts a spreadsheet would compute."""
    path = tmp_path_factory.mktemp("lived") / "memory.db"
    with mnemic.open(path, worker="none", triggers__session_min_messages=1) as mind:
        with mind.session("dev") as session:
            session.user("我升级到 Python 3.12 了，以后都用 uv", sender="李雷")
            call = ToolCall("write_file", {"path": "/tmp/report.pdf"})
            session.assistant("好的，记住了", tool_calls=[call])
        said = '=HYPERLINK("http://x","y")\n第二行, "quoted" of Lisbon'
        mind.record(session="sums", role="user", text=said, sender="@me", channel="\tx")
        mind.remember("=1+1 is what the Python cell says", kind="fact", subject="+x", tags=["-x"])
        mind.remember("'quoted already", kind="preference")
        mind.remember("＝全角公式", kind="fact")
        mind.attach("https://example.org/a.png", description="-a cat")
        mind.record_usage(purpose="-p", model="=m", input_tokens=1, output_tokens=2)
        mind.drain()
    return path


@pytest.fixture
def lived(shell: Shell, lived_file: Path) -> Shell:
    shutil.copy(lived_file, shell.db)
    shell("token", "add", "=1+1")
    return shell


def one_memory(shell: Shell) -> str:
    return str(shell.json("memories")[0]["id"])


def entries(document: Any, place: str) -> list[Any]:
    """The entries of a list within a document."""
    if place == "*":
        explained = all(isinstance(v, dict) and "from" in v for v in document.values())
        return [{"key": k, **(v if explained else {"value": v})} for k, v in document.items()]
    if place:
        return [entry for name in place.split() for entry in document[name]]
    return list(document)


def from_cell(cell: str, like: Any) -> Any:
    """What a cell says, as docs/export.md tells to read it."""
    if isinstance(like, str):
        return cell[1:] if cell.startswith("'") else cell
    return json.loads(cell) if cell else None


def from_csv(text: str, like: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(rows) == len(like)
    return [
        {k: from_cell(row[k], v) for k, v in entry.items()}
        for row, entry in zip(rows, like, strict=True)
    ]


@pytest.mark.parametrize("name", LISTS)
def test_the_three_outputs_agree(lived: Shell, name: str) -> None:
    command, place = LISTS[name]
    args = [one_memory(lived) if arg == "{id}" else arg for arg in command]
    whole = lived.json(*args)
    listed = entries(whole, place)
    lines = lived(*args, "--ndjson").stdout
    table = lived(*args, "--csv").stdout
    # What a look itself changes.
    changing = {"access_count", "last_accessed_at", "updated_at", "score", "why", "state"}
    parsed = [json.loads(line) for line in lines.splitlines()]
    assert lines.count("\n") == len(parsed) == len(listed)

    def steady(rows: list[Any]) -> list[Any]:
        # What time it is, and how much of the disk is free, changes by itself.
        told = [row for row in rows if row.get("check") not in ("clock", "disk")]
        return [{k: v for k, v in row.items() if k not in changing} for row in told]

    assert steady(parsed) == steady(listed)
    assert steady(from_csv(table, listed)) == steady(listed)
    if listed:
        assert len(table.splitlines()) > len(listed)  # a head, and at least a line each
    for cell in (cell for row in csv.reader(io.StringIO(table, newline="")) for cell in row):
        assert not cell.startswith(tuple("=+@\t\r＝＋－＠"))
        assert not cell.startswith("-") or float(cell) < 0


@pytest.mark.parametrize("command", SINGLE)
def test_one_thing_is_one_line_and_one_row(lived: Shell, command: str) -> None:
    args = command.format(id=one_memory(lived)).split()
    whole = lived.json(*args)
    line = lived(*args, "--ndjson").stdout
    assert line.count("\n") == 1
    assert json.loads(line).keys() == whole.keys()
    (row,) = csv.DictReader(io.StringIO(lived(*args, "--csv").stdout, newline=""))
    assert list(row) == list(whole)


def test_every_command_with_a_list_is_walked() -> None:
    walked = {args[0] for args, _ in LISTS.values()} | {command.split()[0] for command in SINGLE}
    # Reports of one thing that was done, and what is not for programs.
    acts = {"import", "end", "add", "attach", "edit", "delete", "rollback", "reveal", "export"}
    acts |= {"backup", "restore-backup", "copy", "onboard", "worker", "hook", "serve"}
    acts |= {"chat", "mcp", "merge", "encrypt", "watch"}
    assert set(root.COMMANDS) == walked | acts, "add its list to LISTS"


def test_columns_are_those_of_all_rows(lived: Shell) -> None:
    rows = csv.DictReader(io.StringIO(lived("search", "Python", "--csv").stdout, newline=""))
    assert {row["type"] for row in rows} >= {"memory", "turn"}


def test_the_last_format_wins_and_errors_are_json(lived: Shell) -> None:
    assert lived("--csv", "sessions", "--json").stdout.startswith("[")
    assert lived("sessions", "--json", "--ndjson").stdout.startswith("{")
    for flag in ("--json", "--ndjson", "--csv"):
        said = lived("memories", "--kind", "nonsense", flag, code=2)
        assert json.loads(said.stderr)["error"]["type"] == "InvalidInput"


def test_an_empty_list_prints_no_line(shell: Shell) -> None:
    shell("record", "-s", "a", "hi")
    for flag in ("--ndjson", "--csv"):
        assert shell("attachments", flag).stdout == ""


def test_csv_is_utf8_whatever_the_terminal(lived: Shell) -> None:
    env = {**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "mnemic", "turns", "--csv"]
    done = subprocess.run(command, env=env, capture_output=True, check=True)
    assert "我升级到" in done.stdout.decode("utf-8")


def test_a_closed_pipe_is_silent_and_gets_whole_lines(lived: Shell) -> None:
    with mnemic.open(lived.db, worker="none") as mind:
        for number in range(3):
            mind.record(session=f"long-{number}", role="user", text="x" * 200_000)
    lines = {}
    for flag in ("--ndjson", "--csv"):
        command = f"{sys.executable} -m mnemic turns {flag} | head -n 1"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
        assert done.stderr == ""
        (lines[flag],) = done.stdout.splitlines()
    assert lines["--csv"].split(",") == list(json.loads(lines["--ndjson"]))
