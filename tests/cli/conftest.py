"""The command in this process, on a database of its own."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click import Command
from click.testing import CliRunner, Result

from mnemic.cli.root import cli

# Nothing waits for silence, and a short session has a story too.
AT_ONCE = (
    "--set", "triggers.quiet_gap=1ms", "--set", "triggers.session_min_messages=1",
)  # fmt: skip


class Shell:
    """Runs ``mnemic``, or another command, and checks how it left."""

    def __init__(self, db: Path, command: Command = cli) -> None:
        self.db = db
        self._command = command

    def __call__(self, *args: str, code: int = 0, input: str | bytes | None = None) -> Result:
        result = CliRunner().invoke(self._command, list(args), input=input)
        said = f"{args}\nleft with {result.exit_code}\n{result.output}\n{result.exception!r}"
        assert result.exit_code == code, said
        return result

    def json(self, *args: str, code: int = 0, input: str | bytes | None = None) -> Any:
        return json.loads(self(*args, "--json", code=code, input=input).stdout)


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("MNEMIC_")]:
        monkeypatch.delenv(name)
    path = tmp_path / "memory.db"
    monkeypatch.setenv("MNEMIC_DB", str(path))
    monkeypatch.chdir(tmp_path)
    return path


@pytest.fixture
def shell(db: Path) -> Shell:
    return Shell(db)


@pytest.fixture
def told(shell: Shell) -> Shell:
    """A database with a Chinese and an English conversation and a memory."""
    tell(shell)
    return shell


def tell(shell: Shell) -> None:
    shell("record", "-s", "dev", "我升级到 Python 3.12 了，以后都用 uv", "--sender", "李雷",
          "--at", "2026-02-12T09:30:00+08:00")  # fmt: skip
    call = '{"name": "write_file", "input": {"path": "/tmp/report.pdf"}}'
    shell("record", "-s", "dev", "--role", "assistant", "好的，记住了", "--tool-call", call)
    shell("record", "-s", "trip", "We fly to Lisbon on Friday", "--project", "travel")
    shell("add", "uses Python 3.12", "--kind", "config", "--tag", "python")
