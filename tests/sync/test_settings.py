"""The worker exchanges with the folder of the settings, and a server takes part like a file."""

from __future__ import annotations

from pathlib import Path

import pytest

import mnemic
from tests.postgres.server import database_for
from tests.sync.lives import QUICK, open_device


@pytest.mark.sqlite_file("two files")
@pytest.mark.setting("sync.folder", "sync.every")
def test_the_worker_exchanges_with_the_folder_of_the_settings(tmp_path: Path) -> None:
    folder = str(tmp_path / "shared")
    first = open_device(tmp_path / "a")
    first.mind.sync_folder(folder)
    second = open_device(tmp_path / "b", sync={"folder": folder, "every": "*/5 * * * *"})
    first.mind.sync_folder(folder, add=second.mind.devices().public_key)
    first.mind.remember("The tea is in the blue tin", kind="fact")
    first.mind.sync_folder(folder)
    second.mind.drain()
    assert second.mind.memories() == []
    second.clock.advance(minutes=6)
    second.mind.drain()
    assert [memory.text for memory in second.mind.memories()] == ["The tea is in the blue tin"]
    for device in (first, second):
        device.mind.close()


@pytest.mark.sqlite_file("a file beside a server")
def test_a_server_takes_part_like_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMIC_FILES", str(tmp_path / "server"))
    folder = str(tmp_path / "shared")
    device = open_device(tmp_path / "a")
    with mnemic.open(database_for(tmp_path), clock=device.clock, worker="none", **QUICK) as server:
        device.mind.sync_folder(folder)
        device.mind.sync_folder(folder, add=server.devices().public_key)
        device.mind.record(session="s", role="user", text="My sister is called Ada.")
        device.mind.drain()
        device.mind.sync_folder(folder)
        server.sync_folder(folder)
        server.record(session="s", role="user", text="My brother is called Tim.")
        server.drain()
        turn = server.turns(session="s", limit=1)[0]
        for _ in range(2):
            server.sync_folder(folder)
            device.mind.sync_folder(folder)
        both = [_known(device.mind), _known(server)]
        assert both[0] == both[1]
        assert {"My sister is called Ada.", "My brother is called Tim."} <= set(both[0][0])
        server.forget(id=turn.id)
        server.sync_folder(folder)
        device.mind.sync_folder(folder)
        assert turn.text not in _known(device.mind)[0]
        other = open_device(tmp_path / "b")
        other.mind.remember("The spare key is with Ada", kind="fact")
        other.mind.close()
        server.merge(str(other.database), mine=True)
        assert "The spare key is with Ada" in _known(server)[1]
    device.mind.close()


def _known(mind: mnemic.Mind) -> tuple[list[str], list[str]]:
    turns = sorted(mind.turns(session="s"), key=lambda turn: turn.index)
    return [turn.text for turn in turns], sorted(one.text for one in mind.memories())
