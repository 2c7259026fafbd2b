"""Every command does its work, for people and for programs."""

from __future__ import annotations

from pathlib import Path

import pytest

import mnemic
from mnemic.cli.root import COMMANDS
from tests.cli.conftest import Shell

pytestmark = pytest.mark.feature("O4")

QUIET = {
    "recall": ["recall", "Python"],
    "search": ["search", "Python"],
    "context": ["context", "which Python?"],
    "episodes": ["episodes"],
    "scratchpad": ["scratchpad"],
    "pending": ["pending"],
    "rollback": ["rollback", "--source", "session:dev", "--dry-run"],
    "end": ["end", "dev"],
    "sessions": ["sessions"],
    "turns": ["turns"],
    "memories": ["memories"],
    "attachments": ["attachments"],
    "events": ["events"],
    "usage": ["usage"],
    "stats": ["stats"],
    "doctor": ["doctor", "--deep"],
    "jobs": ["jobs"],
    "worker": ["worker", "--once"],
    "config": ["config"],
    "record": ["record", "-s", "x", "hello"],
    "add": ["add", "a statement"],
    "attach": ["attach", "https://example.org/a.png"],
}


@pytest.mark.parametrize("name", QUIET)
def test_prints_json_that_parses(told: Shell, name: str) -> None:
    assert told.json(*QUIET[name]) is not None


@pytest.mark.parametrize("name", QUIET)
def test_prints_something_for_people(told: Shell, name: str) -> None:
    assert told(*QUIET[name]).output.strip()


def test_every_command_is_tried_here() -> None:
    elsewhere = {
        *(
            "history",
            "hook",
            "import",
            "mcp",
            "onboard",
            "reveal",
            "show",
            "serve",
            "token",
            "upkeep",
        ),
        *("audit", "chat", "forget", "sync", "edit", "archive", "restore", "delete", "export"),
        *("copy", "backup", "restore-backup", "watch", "merge", "encrypt"),
    }
    assert set(COMMANDS) <= {*QUIET, *elsewhere}


@pytest.mark.parametrize("place", ["before", "after"])
def test_shared_options_stand_before_or_after_the_name(shell: Shell, place: str) -> None:
    shared = ["--db", "other.db", "--space", "mei", "--json", "--set", "triggers.quiet_gap=9m"]
    command = ["record", "-s", "a", "hi"]
    shell(*([*shared, *command] if place == "before" else [*command, *shared]))
    assert not shell.db.exists()
    with mnemic.open("other.db", space="mei", worker="none") as mind:
        assert [turn.text for turn in mind.turns()] == ["hi"]
        (job,) = (job for job in mind.jobs() if job.kind == "digest")
        assert (job.run_at - job.created_at).total_seconds() == 9 * 60


def test_an_option_after_the_name_wins(shell: Shell) -> None:
    shell("--space", "a", "record", "-s", "s", "hi", "--space", "b")
    assert shell.json("stats", "--space", "b")["turns"] == 1
    assert shell.json("stats", "--space", "a")["turns"] == 0


def test_record_takes_text_from_a_pipe_and_repeats_nothing(shell: Shell) -> None:
    for _ in range(2):
        turn = shell.json("record", "-s", "a", "--index", "0", input="第一行\n第二行\n")
        assert turn["text"] == "第一行\n第二行"
    assert shell.json("stats")["turns"] == 1
    call = '{"name": "search"}'
    turn = shell.json("record", "-s", "a", "--tool-call", call, input="with a tool\n")
    assert (turn["index"], turn["text"]) == (1, "with a tool")


def test_record_keeps_tool_traffic(shell: Shell) -> None:
    turn = shell.json(
        "record", "-s", "a", "--role", "assistant", "done",
        "--tool-call", '{"name": "search", "input": {"q": "天气"}, "id": "c1"}',
        "--tool-result", '{"content": "晴", "call_id": "c1"}',
    )  # fmt: skip
    assert turn["tool_calls"] == [{"name": "search", "input": {"q": "天气"}, "id": "c1"}]
    assert turn["tool_results"] == [{"content": "晴", "call_id": "c1", "is_error": False}]
    assert "search" in shell("turns").stdout
    assert '→ search {"q": "天气"}' in shell("turns", "--full").stdout


def test_recall_in_both_languages_with_reasons(told: Shell) -> None:
    shown = told("recall", "用", "哪个", "Python", "--of", "turn", "--explain").stdout
    assert "我升级到 Python 3.12 了" in shown
    assert "routes: " in shown
    assert "sources: dev #0" in shown
    hits = told.json("recall", "when do we fly to Lisbon?", "--of", "turn", "-n", "1")
    assert hits[0]["session"] == "trip"
    assert set(hits[0]["why"]) == {"routes", "parts", "terms"}
    assert told("recall", "zzzzqqq").stderr == "Nothing was found.\n"


def test_recall_filters(told: Shell) -> None:
    assert told.json("recall", "Lisbon", "--project", "travel", "--of", "turn")
    assert not told.json("recall", "Lisbon", "--session", "dev")
    assert not told.json("recall", "Lisbon", "--until", "2026-01-01")
    assert told.json("recall", "Python", "--of", "turn", "--since", "2026-02-01")


def test_turns_filters(told: Shell) -> None:
    assert len(told.json("turns")) == 3
    assert [t["role"] for t in told.json("turns", "--tool", "write_file")] == ["assistant"]
    assert len(told.json("turns", "-s", "dev", "--role", "user")) == 1
    assert told.json("turns", "--newest", "-n", "1")[0]["session"] == "trip"


def test_sessions_tell_their_project(told: Shell) -> None:
    assert {s["id"]: s["project"] for s in told.json("sessions")} == {"dev": "", "trip": "travel"}


def test_attach_remembers_where_a_file_is(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "图.png").write_bytes(b"12345")
    found = shell.json("attach", "图.png", "--description", "一只猫", "-s", "a")
    assert (found["path"], found["size"]) == (str(tmp_path / "图.png"), 5)
    assert "一只猫" in shell("attachments").stdout
    assert "There is no file" in shell("attach", "missing.png", code=1).stderr


def test_worker_once_runs_what_is_due(told: Shell) -> None:
    options = ("--set", "ledger.jsonl=true")
    told("record", "-s", "dev", "again", *options)
    # Its vectors, its copy, and what is learned from the three sessions that nobody ended.
    assert told.json("worker", "--once", *options)["done"] == 5
    assert told.json("turns", "--state", "new") == []
    written = told.db.parent / "conversation_history" / "dev.jsonl"
    assert "again" in written.read_text(encoding="utf-8")


def test_daily_events_are_shown(told: Shell) -> None:
    at_once = ("--set", "triggers.quiet_gap=1ms")
    told("record", "-s", "now", "今天发布了 1.0", *at_once)
    told("worker", "--once", *at_once)
    assert "今天发布了 1.0" in told("events", "--daily").stdout
    assert told.json("events", "--day", "2001-01-01") == []
    told("events", "--daily", "--type", "write", code=2)


def test_doctor_repairs(told: Shell) -> None:
    assert told.json("doctor", "--repair")["repaired"] == 5
    assert "ok" in told("doctor").stdout


def test_config_says_where_a_value_came_from(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MNEMIC_JOBS__MAX_ATTEMPTS", "7")
    file = tmp_path / "settings.toml"
    file.write_text('preset = "shiyi"\n[jobs]\npoll = "2s"\n', encoding="utf-8")
    monkeypatch.setenv("MNEMIC_CONFIG", str(file))
    found = shell.json("config", "jobs", "--explain", "--set", "jobs.lease=1m")
    assert found["jobs.max_attempts"]["value"] == 7
    assert found["jobs.max_attempts"]["from"]["layer"] == "environment"
    assert found["jobs.poll"]["from"] == {"layer": "file", "source": str(file)}
    assert found["jobs.lease"] == {"value": "1m", "from": {"layer": "arguments", "source": ""}}
    assert shell("config", "preset").stdout == "shiyi\n"
    assert shell("config", "jobs.max_attempts").stdout == "7\n"
    assert "# environment" in shell("config", "--explain", "--changed").stdout
    assert "shiyi" in shell("config", "--presets").stdout
    assert "jobs" in shell("config", "jobbs", code=1).stderr


def test_config_shows_no_secret(shell: Shell) -> None:
    shown = shell("config", "--set", "model.api_key=sk-very-secret").stdout
    assert "very-secret" not in shown
    assert "***" in shown
