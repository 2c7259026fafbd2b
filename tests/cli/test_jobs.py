"""Dead jobs are seen, run again or thrown away; a worker stops when it is told to."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Shell

pytestmark = pytest.mark.feature("O4")

JSONL = ("--set", "ledger.jsonl=true", "--set", "jobs.max_attempts=1")


@pytest.fixture
def dead(shell: Shell) -> Shell:
    """A job that died because a file stands where its folder should be."""
    (shell.db.parent / "conversation_history").write_text("in the way")
    shell("record", "-s", "a", "hi", *JSONL)
    shell("worker", "--once", *JSONL, code=1)
    return shell


def test_a_dead_job_is_shown_with_its_error(dead: Shell) -> None:
    (job,) = dead.json("jobs", "--state", "dead")
    assert "conversation_history" in job["error"]
    assert dead.json("jobs", "show", job["id"])["id"] == job["id"]
    assert "conversation_history" in dead("jobs", "show", job["id"]).stdout
    assert "dead" in dead("jobs").stdout
    assert "No unfinished job" in dead("jobs", "show", "nope", code=1).stderr
    assert dead.json("doctor", code=1)["ok"] is False
    assert "jobs --state dead" in dead("stats").stdout


def test_redrive_runs_it_again(dead: Shell) -> None:
    (dead.db.parent / "conversation_history").unlink()
    assert dead.json("jobs", "redrive") == {"redriven": 1}
    assert dead.json("worker", "--once", *JSONL)["done"] == 1


def test_discard_removes_only_what_is_named(dead: Shell) -> None:
    (job,) = dead.json("jobs", "--state", "dead")
    assert "named no dead job" in dead("jobs", "discard", "nope", code=1).stderr
    assert dead.json("jobs", "discard", job["id"]) == {"discarded": 1}
    assert dead.json("jobs", "--state", "dead") == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_works_until_it_is_told_to_stop(shell: Shell, number: signal.Signals) -> None:
    jsonl = ("--set", "ledger.jsonl=true")
    shell("record", "-s", "a", "hi", *jsonl)
    command = [sys.executable, "-m", "recollect", "worker", "--json", *jsonl]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ.copy()) as worker:
        assert worker.stdout is not None
        assert json.loads(worker.stdout.readline())["done"] == 2  # its vectors, and its copy
        worker.send_signal(number)
        assert worker.wait(timeout=30) == 0
    assert Path("conversation_history/a.jsonl").exists()
