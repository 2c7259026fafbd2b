"""What goes wrong is said with a remedy and an exit code, never as a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Shell
from tests.waiting import wait_for

pytestmark = pytest.mark.feature("O4")


def test_an_error_is_two_lines(shell: Shell) -> None:
    result = shell("stats", code=1)
    message, remedy = result.stderr.splitlines()
    assert message.startswith("error: There is no memory at")
    assert "--db" in remedy
    assert result.stdout == ""
    assert not shell.db.exists()


def test_an_error_as_json(shell: Shell) -> None:
    error = json.loads(shell("history", "nope", "--json", code=1).stderr)["error"]
    assert error["type"] == "NotFound"
    assert error["message"]
    assert error["remedy"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["recal", "x"], "Did you mean recall?"),
        (["remember", "x"], "Did you mean add?"),  # the name of the call in Python
        (["drian"], "Did you mean worker?"),
        (["record", "text"], "--session"),
        (["recall"], "QUERY"),
        (["turns", "--since", "someday"], "is not a time"),
        (["turns", "--set", "novalue"], "KEY=VALUE"),
        (["record", "-s", "a", "x", "--tool-call", "{"], "not JSON"),
    ],
)
def test_wrong_usage_leaves_with_2(shell: Shell, args: list[str], said: str) -> None:
    assert said in shell(*args, code=2).stderr
    assert json.loads(shell(*args, "--json", code=2).stderr)["error"]["type"] == "UsageError"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["stats", "--set", "jobs.max_attempts=x"], "jobs.max_attempts"),
        (["stats", "--preset", "nope"], "There is no preset 'nope'"),
        (["stats", "--db", "mysql://x"], "mysql:// cannot be opened"),
        (["record", "-s", "a", "x", "--tool-call", "{}"], "A tool call has no name"),
        (["record", "-s", " ", "x"], "session is empty"),
        (["record", "-s", "a"], "nothing to record"),
        (["import", "missing.jsonl"], "missing.jsonl cannot be read"),
    ],
)
def test_a_wrong_value_leaves_with_2(told: Shell, args: list[str], said: str) -> None:
    assert said in told(*args, code=2).stderr


def test_a_file_that_is_something_else_is_left_alone(shell: Shell) -> None:
    shell.db.write_bytes(b"dear diary, " * 1000)
    assert "error:" in shell("stats", code=1).stderr
    assert shell.db.read_bytes() == b"dear diary, " * 1000


def test_a_pipe_that_is_not_utf8(shell: Shell) -> None:
    said = shell("record", "-s", "a", input="中文".encode("gb18030"), code=2).stderr
    assert "not UTF-8" in said


def test_a_closed_pipe_is_silent(told: Shell) -> None:
    for number in range(3):
        told("record", "-s", f"long-{number}", "x" * 200_000)
    command = f"{sys.executable} -m mnemic turns --full | head -1"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env=os.environ.copy(), check=False
    )
    assert done.returncode == 0
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


def test_ctrl_c_leaves_with_130(shell: Shell, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mnemic", "import", "-", "-s", "a"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=os.environ.copy(), **pipes) as process:  # type: ignore[call-overload]
        line = b'{"role": "user", "content": "hi"}\n'
        process.stdin.write(line * 5_000)
        process.stdin.flush()
        wait_for(lambda: shell.db.exists() and shell.json("stats")["turns"] > 0)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert b"Traceback" not in process.stderr.read()
