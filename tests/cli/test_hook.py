"""`mnemic hook` at the events of a coding agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import mnemic
from mnemic.cli.root import cli


def at(db: Path, event: str | dict[str, Any], *options: str) -> Result:
    text = event if isinstance(event, str) else json.dumps(event)
    result = CliRunner().invoke(cli, ["hook", "--db", str(db), *options], input=text)
    assert result.exit_code == 0, result.output
    return result


def said(name: str, session: str, **more: str) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": session, **more}


def test_the_second_session_is_told_what_the_first_taught(tmp_path: Path) -> None:
    db, transcript = tmp_path / "me.db", tmp_path / "transcript.jsonl"
    lines = [
        {"type": "user", "message": {"role": "user", "content": "…"}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "Noted."}]}},
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "ls"}]}},
    ]
    transcript.write_text("half a li\n" + "\n".join(map(json.dumps, lines)))
    told = "Remember that I am allergic to peanuts."
    at(db, said("UserPromptSubmit", "one", prompt=told))
    at(db, said("Stop", "one", transcript_path=str(transcript)))
    at(db, said("SessionEnd", "one"))
    with mnemic.open(db, worker="none") as mind:
        assert [turn.text for turn in mind.turns(session="one")] == [told, "Noted."]
        mind.drain()
    asked = said("UserPromptSubmit", "two", prompt="What am I allergic to?")
    assert "peanuts" in at(db, asked).output
    assert "peanuts" in json.loads(at(db, asked, "--json").output)["context"]
    at(db, said("Stop", "two", last_assistant_message="Peanuts."))
    with mnemic.open(db, worker="none") as mind:
        assert mind.turns(session="two")[-1].text == "Peanuts."


@pytest.mark.parametrize(
    "event", ["", "[]", "{}", '{"session_id": "s", "hook_event_name": "Stop"}']
)
def test_nothing_stops_the_agent(tmp_path: Path, event: str) -> None:
    assert at(tmp_path / "me.db", event).stdout == ""


def test_a_memory_that_fails_is_told_on_stderr(tmp_path: Path) -> None:
    (tmp_path / "me.db").write_text("this is no database " * 100)
    result = at(tmp_path / "me.db", said("UserPromptSubmit", "s", prompt="Hello"))
    assert result.stdout == ""
    assert result.stderr.startswith("mnemic: ")
