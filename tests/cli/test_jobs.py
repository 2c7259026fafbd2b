"""Dead jobs are seen, run again or thrown away; a worker stops when it is told to."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import mnemic
from tests.cli.conftest import Shell
from tests.providers.scripted import Scripted, status

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


@pytest.mark.feature("N3")
class TestTurnsThatWereNotLearned:
    """A model that cannot be reached: what waits, why, and how it is run again."""

    MODEL = (
        "--set", "model.provider=openai", "--set", "model.name=none", "--set", "model.api_key=k",
        "--set", "model.timeout=2s",
    )  # fmt: skip

    def failing(self, shell: Shell, *, tries: int) -> None:
        # An address of its own: who failed a moment ago is not asked again in the same process.
        address = f"model.base_url=http://127.0.0.1:9/{tries}/v1"
        options = (*self.MODEL, "--set", address, "--set", f"jobs.max_attempts={tries}")
        shell("record", "-s", "dev", "记住我用的是 Python 3.10", *options)
        shell("worker", "--once", *options)

    def test_a_failed_turn_says_why_and_when_it_is_tried_again(self, shell: Shell) -> None:
        self.failing(shell, tries=3)
        (turn,) = shell.json("turns", "--state", "failed")
        assert "ModelUnavailable" in turn["reason"]
        shown = shell("turns", "--state", "failed").stdout
        assert "failed: ModelUnavailable" in shown
        assert "it is tried again" in shown
        listed = shell("jobs")
        assert "waiting for the model since" in listed.stdout
        assert "1 failed" in listed.stderr
        assert "1 turn waits for the model since" in listed.stderr
        assert "1 turn waits for the model since" in shell("stats").stdout
        (found,) = [one for one in shell.json("doctor", code=1)["findings"] if not one["ok"]]
        assert found["check"] == "model"
        assert found["detail"].startswith("1 turn waits for the model since")

    def test_a_waiting_turn_is_explained_and_redriven(self, shell: Shell) -> None:
        self.failing(shell, tries=1)
        (job,) = [one for one in shell.json("jobs", "--state", "ready") if one["error"]]
        found = shell.json("jobs", "show", job["id"])
        assert [turn["state"] for turn in found["turns"]] == ["failed"]
        assert found["explained"].startswith("waiting for the model since")
        shown = shell("jobs", "show", job["id"]).stdout
        assert "Turns that depend on it" in shown
        assert "记住我用的是 Python 3.10" in shown
        assert shell.json("jobs", "redrive", job["id"]) == {"redriven": 1}
        shell("worker", "--once")
        assert [turn["state"] for turn in shell.json("turns")] == ["extracted"]
        assert [memory["value"] for memory in shell.json("memories")] == ["3.10"]

    def test_a_refused_turn_is_dead_and_explained(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        with Scripted() as server:
            server.always(status(400, "this content is not allowed"))
            options = (*self.MODEL, "--set", f"model.base_url={server.url}")
            shell("record", "-s", "dev", "记住我用的是 Python 3.10", *options)
            shell("worker", "--once", *options, code=1)
        (job,) = shell.json("jobs", "--state", "dead")
        found = shell.json("jobs", "show", job["id"])
        assert [turn["state"] for turn in found["turns"]] == ["dead"]
        assert found["explained"].startswith("gave up after 1 of 3 tries")
        assert "see mnemic jobs --state dead" in shell("turns", "--state", "dead").stdout

    def test_a_used_up_budget_puts_a_job_off(self, shell: Shell) -> None:
        with mnemic.open(shell.db, worker="none") as mind:
            mind.record_usage(purpose="extract", model="none", input_tokens=99, output_tokens=1)
        assert "extract" in shell("usage").stdout
        address = "model.base_url=http://127.0.0.1:9/budget/v1"
        options = (*self.MODEL, "--set", address, "--set", "model.daily_tokens=50")
        shell("record", "-s", "dev", "记住我用的是 Python 3.10", *options)
        shell("worker", "--once", *options)
        assert "put off until" in shell("jobs").stdout
        assert "BudgetExhausted" in shell("jobs").stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_works_until_it_is_told_to_stop(shell: Shell, number: signal.Signals) -> None:
    jsonl = ("--set", "ledger.jsonl=true")
    shell("record", "-s", "a", "hi", *jsonl)
    command = [sys.executable, "-m", "mnemic", "worker", "--json", *jsonl]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ.copy()) as worker:
        assert worker.stdout is not None
        done = 0
        while done < 2:  # its vectors, and its copy
            done += json.loads(worker.stdout.readline())["done"]
        worker.send_signal(number)
        assert worker.wait(timeout=30) == 0
    assert Path("conversation_history/a.jsonl").exists()
