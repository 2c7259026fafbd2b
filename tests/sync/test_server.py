"""A database on a server is a device like a file."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from mnemic import NewTurn
from mnemic.sync.capture import find_changes
from mnemic.sync.registers import MERGED
from tests.postgres.server import connect, database_for
from tests.sync.lives import Life, open_device

pytestmark = pytest.mark.sqlite_file("a file beside a server")


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MNEMIC_FILES", str(tmp_path / "server"))
    return database_for(tmp_path)


@pytest.mark.parametrize("seed", range(4))
def test_a_server_and_two_files_become_equal_whatever_the_road_does(
    tmp_path: Path, url: str, seed: int
) -> None:
    assert Life(tmp_path, 7_000 + seed, steps=16, server=url).run() == []


def test_an_exchange_of_a_server_looks_only_at_what_was_written_since(
    tmp_path: Path, url: str
) -> None:
    device = open_device(tmp_path / "a", server=url)
    mind, folder = device.mind, device.folder
    mind.record(session="s", role="user", text="before there was a device")
    assert _notes(url) == {}
    mind.sync_folder(folder)
    assert _notes(url) == {}
    turn = mind.record(session="s", role="user", text="I live in Berlin.")
    assert _notes(url)["turns"] == {turn.id}
    mind.drain()
    (memory,) = mind.memories()
    noted = _notes(url)
    assert noted["memories"] == {memory.id}
    assert noted["memory_sources"] == {f"{memory.id}\x1f{turn.id}"}
    for _ in range(2):  # one tells of them, the next one finds them as they were told
        mind.sync_folder(folder)
    assert _notes(url) == {}
    mind.edit(memory.id, text="I live in Munich.")
    mind.forget(id=turn.id)
    assert {"turns", "memories", "sessions", "events"} <= _notes(url).keys()
    for _ in range(2):
        mind.sync_folder(folder)
    assert _notes(url) == {}
    mind.close()


def test_a_server_tells_of_turns_in_the_order_they_were_recorded(tmp_path: Path, url: str) -> None:
    """Else each change file holds a little of every session, and the reader settles all of them
    again for each.
    """
    device = open_device(tmp_path / "a", server=url)
    device.mind.sync_folder(device.folder)
    turns = (NewTurn(f"session {n // 20}", "user", f"tea {n}") for n in range(500))
    device.mind.record_many(turns)
    recorded = sorted(turn.id for turn in device.mind.turns(limit=500))
    with device.mind._store.write(device.mind.space) as unit:
        assert find_changes(unit)["turns"] == recorded
    device.mind.close()


def test_every_table_that_is_exchanged_notes_its_changes(tmp_path: Path, url: str) -> None:
    open_device(tmp_path / "a", server=url).mind.close()
    with closing(connect(url)) as conn:
        found = conn.execute("SELECT tgrelid::regclass::text, tgargs FROM pg_trigger"
                             " WHERE tgname = 'note_change'").fetchall()  # fmt: skip
    assert {(name.rpartition(".")[2], bytes(args)) for name, args in found} == {
        (name, name.encode() + b"\0") for name in MERGED
    }


def _notes(url: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    with closing(connect(url)) as conn:
        for table, key in conn.execute("SELECT tbl, key FROM mnemic.sync_changes"):
            found.setdefault(table, set()).add(key)
    return found
