"""A file that is deleted or replaced while it is open: nothing written to it is acknowledged."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import mnemic
from mnemic import NewTurn
from tests.conftest import OpenMind

pytestmark = pytest.mark.sqlite_file("the file itself")


def delete(file: Path) -> None:
    file.unlink()


def rename(file: Path) -> None:
    file.rename(file.with_name("elsewhere.db"))


def restore(file: Path) -> None:
    """As a backup is put back: a copy beside it takes its place."""
    copy = file.with_name("backup.db")
    shutil.copy(file, copy)
    copy.replace(file)


WRITES: dict[str, Callable[[mnemic.Mind], object]] = {
    "record": lambda mind: mind.record(session="s", role="user", text="lost"),
    "record_many": lambda mind: mind.record_many([NewTurn("s", "user", "lost")]),
    "remember": lambda mind: mind.remember("lost", kind="fact"),
    "end_session": lambda mind: mind.end_session("s"),
    "write_scratchpad": lambda mind: mind.write_scratchpad("lost"),
}


@pytest.mark.parametrize("change", [delete, rename, restore])
def test_no_write_is_acknowledged(
    open_mind: OpenMind, tmp_path: Path, change: Callable[[Path], None]
) -> None:
    file = tmp_path / "memory.db"
    mind = open_mind()
    mind.record(session="s", role="user", text="kept")
    change(file)
    for name, write in WRITES.items():
        with pytest.raises(mnemic.StoreReplaced) as caught:
            write(mind)
        assert "open it again" in caught.value.remedy, name
    mind.close()
    again = open_mind()
    again.record(session="s", role="user", text="new")
    assert "lost" not in {turn.text for turn in again.turns()}


def test_background_work_notices_too(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind()
    mind.record(session="s", role="user", text="kept")
    assert mind.jobs()
    (tmp_path / "memory.db").unlink()
    with pytest.raises(mnemic.StoreReplaced):
        mind.drain()


def test_a_mind_in_ram_has_no_file_to_lose(open_mind: OpenMind) -> None:
    mind = open_mind(":memory:")
    assert mind.record(session="s", role="user", text="kept").text == "kept"
