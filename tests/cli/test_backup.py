"""mnemic backup and restore-backup."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Shell
from tests.cli.terminal import on_a_terminal

pytestmark = pytest.mark.feature("O4")


def test_a_backup_and_back(told: Shell, tmp_path: Path) -> None:
    shown = told("backup", "copy.db").stdout
    assert str(tmp_path / "copy.db") in shown
    assert "3 turns, 1 memory, 0 episodes" in shown
    assert told("backup", "copy.db", code=1).stderr.startswith("error:")
    made = told.json("backup", "copy.db", "--force")
    assert made["counts"]["turns"] == 3
    told("record", "-s", "dev", "said later")
    restored = told.json("restore-backup", "copy.db", "new.db")
    assert restored["counts"] == made["counts"]
    assert len(told.json("turns", "--db", "new.db")) == 3
    refused = json.loads(told("restore-backup", "copy.db", "new.db", "--json", code=1).stderr)
    assert refused["error"]["type"] == "Conflict"
    said = told("restore-backup", "copy.db", "memory.db", "--force")
    assert "3 turns" in said.stdout
    assert "kept as" in said.stderr
    assert len(told.json("turns")) == 3


def test_the_two_restores_are_not_mixed_up(told: Shell) -> None:
    told("backup", "copy.db")
    assert "restore-backup" in told("restore", "copy.db", "memory.db", code=2).stderr


def test_pages_are_counted_on_a_terminal(told: Shell, tmp_path: Path) -> None:
    shown = on_a_terminal(100, "--db", str(told.db), "backup", str(tmp_path / "copy.db"))
    pages = told.json("backup", "copy.db", "--force")["pages"]
    assert "Copying" in shown
    assert f"{pages:,} pages" in shown
