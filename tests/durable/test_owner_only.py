"""Whatever is created belongs to its owner alone; what was there keeps its mode."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import OpenMind


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): oct(path.stat().st_mode & 0o777)
        for path in sorted(folder.rglob("*"))
    }


def test_files_and_folders_are_for_their_owner(open_mind: OpenMind, tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"
    mind = open_mind(home / "memory.db", ledger__jsonl=True)
    with mind.session("s") as talk:
        talk.user("My name is Kim and I live in Bergen. Please always answer briefly.")
    mind.remember("token ghp_" + "a1B2" * 9, kind="credential", subject="GitHub")
    mind.drain()
    mind.upkeep("daily")
    mind.sync()
    found = modes(tmp_path)
    names = {Path(name).suffix for name in found}
    assert {".db", ".jsonl", ".md", ".key"} <= names
    assert {"deep/home/memory.db-wal", "deep/home/memory.db-shm"} <= set(found)
    wrong = {
        name: mode
        for name, mode in found.items()
        if mode != ("0o700" if (tmp_path / name).is_dir() else "0o600")
    }
    assert wrong == {}


def test_plain_files_while_memory_is_off(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind(tmp_path / "home" / "memory.db", memory__enabled=False)
    mind.record(session="s", role="user", text="hello")
    found = modes(tmp_path)
    assert len(found) > 1
    assert all(mode in ("0o600", "0o700") for mode in found.values()), found


def test_what_was_there_keeps_its_mode(open_mind: OpenMind, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    (home / "memory.db").touch(mode=0o640)
    mind = open_mind(home / "memory.db")
    mind.record(session="s", role="user", text="hello")
    assert modes(tmp_path)["home"] == "0o755"
    assert modes(tmp_path)["home/memory.db"] == "0o640"
