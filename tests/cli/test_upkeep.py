"""mnemic upkeep and mnemic onboard."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Shell


@pytest.mark.feature("U1")
def test_upkeep_shows_what_it_does_and_takes_it_back(shell: Shell) -> None:
    memory = shell.json("add", "the guest is here", "--expires-at", "2026-01-01")["id"]
    planned = shell("upkeep", "daily", "--dry-run").output
    assert "expire: the guest is here" in planned
    assert "its time ended on 2026-01-01" in planned
    report = shell.json("upkeep", "daily")
    (step,) = [step for step in report["steps"] if step["name"] == "expiry"]
    assert step["counts"] == {"expire": 1}
    assert shell.json("upkeep", "undo", step["operation"])["restored"] == [memory]
    assert "0 memories restored" in shell("upkeep", "undo", step["operation"]).output
    assert "core" in shell("upkeep", "weekly").output
    shell("upkeep", "undo", "upkeep:daily:1999-01-01:decay", code=1)


@pytest.mark.feature("U7")
def test_a_rule_that_asks_is_approved_by_command(shell: Shell, db: Path) -> None:
    (db.parent / "mnemic.toml").write_text(
        '[events.rules.tell]\nevent = "write"\nactions = ["notify"]\nmode = "ask"\n'
    )
    shell("add", "never push to main", "--kind", "rule")
    shell("worker", "--once")
    (waiting,) = shell.json("upkeep", "rules")
    assert waiting["payload"]["rule"] == "tell"
    shell("upkeep", "approve", waiting["id"])
    assert shell.json("upkeep", "rules") == []
    assert len(shell.json("events", "--type", "notice")) == 1


@pytest.mark.feature("V8")
def test_onboarding_by_command(shell: Shell) -> None:
    assert "What should I be for you?" in shell("onboard").output
    assert shell.json("onboard", "a calm partner")["key"] == "tone"
    for _ in range(8):
        shell("onboard", "skip")
    assert "a calm partner" in shell("onboard").output
    assert shell.json("onboard", "confirm")["stage"] == "done"
    assert "not be asked again" in shell("onboard").output
