"""The copy of the database that the daily work keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.moving.backup import backup
from mnemic.upkeep.report import Report
from tests.conftest import OpenMind

DAILY: dict[str, Any] = {"schedule__zone": "UTC", "embedding__provider": "none"}


def copies(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir()) if folder.is_dir() else []


def counts(report: Report) -> dict[str, int]:
    (found,) = [step for step in report.steps if step.name == "backup"]
    assert found.state == "done", found
    return dict(found.counts)


@pytest.mark.setting("backup.folder")
def test_a_copy_is_made_once_a_day_where_a_folder_is_named(
    open_mind: OpenMind, tmp_path: Path, clock: ManualClock
) -> None:
    without = open_mind(**DAILY)
    assert "backup" not in [step.name for step in without.upkeep().steps]
    mind = open_mind(backup={"folder": "copies"}, **DAILY)
    other = open_mind(space="other", backup={"folder": "copies"}, **DAILY)
    mind.remember("likes tea", kind="preference")
    assert counts(mind.upkeep()) == {"written": 1}
    assert counts(other.upkeep()) == {}  # the file is the same
    assert copies(tmp_path / "copies") == ["memory-2026-02-12-1200.db"]
    copy = open_mind(tmp_path / "copies" / "memory-2026-02-12-1200.db", **DAILY)
    assert [memory.text for memory in copy.memories()] == ["likes tea"]
    clock.advance(days=1)
    assert counts(other.upkeep()) == {"written": 1}
    assert "memory-2026-02-13-1200.db" in copies(tmp_path / "copies")


@pytest.mark.parametrize("preset", ["openakita", "shiyi", "myclaw", "semibot"])
def test_a_copy_is_made_under_every_preset(
    open_mind: OpenMind, tmp_path: Path, preset: str
) -> None:
    mind = open_mind(preset=preset, backup={"folder": str(tmp_path / "far")}, **DAILY)
    mind.remember("likes tea", kind="preference")
    assert counts(mind.upkeep()) == {"written": 1}
    assert len(copies(tmp_path / "far")) == 1


def test_the_worker_makes_it_although_no_step_is_named(
    open_mind: OpenMind, tmp_path: Path, clock: ManualClock
) -> None:
    mind = open_mind(backup={"folder": "copies"}, upkeep={"daily": []}, **DAILY)
    mind.remember("likes tea", kind="preference")
    mind.drain()
    clock.advance(days=1)
    mind.drain()
    assert len(copies(tmp_path / "copies")) == 1


@pytest.mark.setting("backup.keep")
@pytest.mark.parametrize(("keep", "kept"), [(1, ["15"]), (2, ["14", "15"])])
def test_the_oldest_copies_go(
    open_mind: OpenMind, tmp_path: Path, clock: ManualClock, keep: int, kept: list[str]
) -> None:
    mind = open_mind(backup={"folder": "copies", "keep": keep}, **DAILY)
    mind.remember("likes tea", kind="preference")
    for _ in range(4):
        mind.upkeep()
        clock.advance(days=1)
    assert copies(tmp_path / "copies") == [f"memory-2026-02-{day}-1200.db" for day in kept]


def test_only_copies_of_this_database_are_removed(
    open_mind: OpenMind, tmp_path: Path, clock: ManualClock
) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    (folder / "memory-2020-01-01-0300.db").write_text("a letter")
    (folder / "memory-2020-01-02-0300.db").symlink_to(folder / "memory-2020-01-01-0300.db")
    (folder / "memory-notes.db").write_text("notes")
    clock.advance(seconds=-1)
    stranger = open_mind(tmp_path / "elsewhere" / "memory.db", **DAILY)
    stranger.remember("is another memory", kind="fact")
    backup(stranger, folder / "memory-2020-01-03-0300.db")
    clock.advance(seconds=1)
    before = copies(folder)
    (folder / ".memory-2020-01-04-0300.db.part").write_bytes(b"left by one who was killed")
    mind = open_mind(backup={"folder": "copies", "keep": 1}, **DAILY)
    mind.remember("likes tea", kind="preference")
    for _ in range(3):
        mind.upkeep()
        clock.advance(days=1)
    assert copies(folder) == sorted([*before, "memory-2026-02-14-1200.db"])


def test_the_copy_just_made_stays_when_the_clock_goes_back(
    open_mind: OpenMind, tmp_path: Path, clock: ManualClock
) -> None:
    mind = open_mind(backup={"folder": "copies", "keep": 1}, **DAILY)
    mind.remember("likes tea", kind="preference")
    mind.upkeep()
    clock.advance(days=-3)
    mind.remember("likes coffee", kind="preference")
    mind.upkeep()
    assert copies(tmp_path / "copies") == ["memory-2026-02-09-1200.db"]


def test_a_copy_that_fails_is_reported_and_removes_nothing(
    open_mind: OpenMind, tmp_path: Path, clock: ManualClock
) -> None:
    mind = open_mind(backup={"folder": "copies", "keep": 1}, **DAILY)
    mind.remember("likes tea", kind="preference")
    mind.upkeep()
    clock.advance(days=1)
    (tmp_path / "copies" / "memory-2026-02-13-1200.db").write_text("somebody's")
    (failed,) = [step for step in mind.upkeep().steps if step.name == "backup"]
    assert failed.state == "failed"
    assert "exists already" in failed.error
    assert copies(tmp_path / "copies") == ["memory-2026-02-12-1200.db", "memory-2026-02-13-1200.db"]


def test_a_memory_in_ram_has_no_copies(open_mind: OpenMind) -> None:
    mind: Mind = open_mind(":memory:", backup={"folder": "copies"}, **DAILY)
    assert counts(mind.upkeep()) == {}
