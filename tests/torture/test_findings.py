"""What the scenarios found, each as small as it can be told."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path

import apsw
import pytest

import mnemic
import mnemic.clock
import mnemic.ids
from mnemic import StoreDamaged
from mnemic.store.sqlite.store import SqliteStore
from tests.torture.nursery import Nursery, Say


def make(path: Path) -> None:
    with mnemic.open(path, worker="none") as mind:
        mind.record(
            session="s",
            role="assistant",
            text="remarkable 内容",
            tool_calls=[mnemic.ToolCall("search", {"q": "uv"})],
        )


def change(path: Path, statement: str) -> None:
    conn = apsw.Connection(str(path))
    conn.execute(statement)
    conn.close()


def test_stored_json_that_is_broken_is_damage(tmp_path: Path) -> None:
    make(tmp_path / "m.db")
    change(tmp_path / "m.db", "UPDATE turns SET tool_calls = '[{'")
    with mnemic.open(tmp_path / "m.db", worker="none") as mind, pytest.raises(StoreDamaged):
        mind.turns()


@pytest.mark.parametrize("fields", ['[{"surprise": 1}]', "[1]", "7"])
def test_stored_json_that_does_not_fit_is_damage(tmp_path: Path, fields: str) -> None:
    make(tmp_path / "m.db")
    change(tmp_path / "m.db", f"UPDATE turns SET tool_calls = '{fields}'")
    with mnemic.open(tmp_path / "m.db", worker="none") as mind, pytest.raises(StoreDamaged):
        mind.turns()


def test_text_that_is_not_utf8_is_damage(tmp_path: Path) -> None:
    make(tmp_path / "m.db")
    change(tmp_path / "m.db", "UPDATE turns SET content = CAST(x'fffe41' AS TEXT)")
    with mnemic.open(tmp_path / "m.db", worker="none") as mind, pytest.raises(StoreDamaged):
        mind.turns()


def test_a_time_that_is_none_is_damage(tmp_path: Path) -> None:
    make(tmp_path / "m.db")
    change(tmp_path / "m.db", f"UPDATE turns SET at = {2**62}")
    with mnemic.open(tmp_path / "m.db", worker="none") as mind, pytest.raises(StoreDamaged):
        mind.turns()


def test_a_mistake_of_ours_is_not_called_damage(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "m.db"), busy_timeout=1, now=mnemic.clock.SystemClock().now)
    with pytest.raises(ZeroDivisionError), store.read("default"):
        _ = 1 // 0
    with pytest.raises(KeyError), store.write("default"):
        raise KeyError("no such row")
    store.close()


@pytest.mark.parametrize("version", [0, -3])
def test_tables_without_a_version_are_damage_and_left_alone(tmp_path: Path, version: int) -> None:
    make(tmp_path / "m.db")
    change(tmp_path / "m.db", f"PRAGMA user_version = {version}")
    before = (tmp_path / "m.db").read_bytes()
    with pytest.raises(StoreDamaged):
        mnemic.open(tmp_path / "m.db", worker="none")
    assert (tmp_path / "m.db").read_bytes() == before


def test_closing_does_not_write_the_log_into_a_damaged_file(tmp_path: Path) -> None:
    live, left = tmp_path / "live.db", tmp_path / "left.db"
    with mnemic.open(live, worker="none") as mind:
        mind.record(session="s", role="user", text="in the log")
        conn = apsw.Connection(str(live))
        conn.execute("UPDATE turns SET tool_calls = '[{'")
        shutil.copyfile(live, left)
        shutil.copyfile(f"{live}-wal", f"{left}-wal")
        conn.close()
    before = left.read_bytes()
    with mnemic.open(left, worker="none") as mind, pytest.raises(StoreDamaged):
        mind.turns()
    assert left.read_bytes() == before


def stumble(conn: apsw.Connection) -> None:
    rows = conn.execute("SELECT * FROM spaces")
    for _ in rows:
        raise RuntimeError("in the middle")


@pytest.mark.parametrize("door", ["read", "write"])
def test_a_failure_half_way_through_rows_leaves_no_old_snapshot(tmp_path: Path, door: str) -> None:
    """A cursor that an exception keeps alive would hold its connection in the past."""
    store = SqliteStore(str(tmp_path / "m.db"), busy_timeout=1, now=mnemic.clock.SystemClock().now)
    for name in ("one", "two"):
        with store.write(name):
            pass
    opened = store.database.read if door == "read" else store.database.write
    with pytest.raises(RuntimeError) as kept, opened() as conn:
        stumble(conn)
    with mnemic.open(tmp_path / "m.db", worker="none") as other:
        other.record(session="s", role="user", text="from elsewhere")
    with store.write("three"):
        pass
    assert store.spaces() == ["one", "two", "default", "three"]
    assert kept.value.__traceback__ is not None
    store.close()


def test_every_commit_reaches_the_platter_on_a_mac_too(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "m.db"), busy_timeout=1, now=mnemic.clock.SystemClock().now)
    with store.database.read() as conn:
        found = [
            conn.execute(f"PRAGMA {name}").get
            for name in ("synchronous", "fullfsync", "checkpoint_fullfsync")
        ]
    store.close()
    assert found == [2, 1, 1]


def locks_held_elsewhere(say: Say, path: str) -> None:
    """Fork while other threads hold every lock a child would need to write."""
    mind = mnemic.open(path)
    worker = mind._background.worker
    name = worker._owner
    with mnemic.ids._guard, worker._wake._cond, worker._stop._cond:  # type: ignore[attr-defined]
        pid = os.fork()
        if pid == 0:
            signal.alarm(20)
            mind.record(session="s", role="user", text="in the child")
            mind.close()
            os._exit(int(worker._owner == name))
    _, status = os.waitpid(pid, 0)
    say(str(os.waitstatus_to_exitcode(status)))
    mind.close()


def test_a_forked_child_waits_for_no_lock_of_its_parent(tmp_path: Path) -> None:
    with Nursery() as nursery:
        ending = nursery.run(locks_held_elsewhere, str(tmp_path / "m.db"))
    assert not ending.failure
    assert ending.lines == ["0"]


def in_memory(say: Say) -> None:
    mind = mnemic.open(":memory:", worker="none")
    mind.record(session="s", role="user", text="before")
    here, there = os.pipe()
    if os.fork() == 0:
        mind.record(session="s", role="user", text="in the child")
        os.write(there, json.dumps([turn.text for turn in mind.turns()]).encode())
        os._exit(0)
    say(os.read(here, 1000).decode())
    say(json.dumps([turn.text for turn in mind.turns()]))


def test_a_forked_child_has_its_own_copy_of_a_memory_without_a_file() -> None:
    with Nursery() as nursery:
        ending = nursery.run(in_memory)
    assert not ending.failure
    assert [json.loads(line) for line in ending.lines] == [["before", "in the child"], ["before"]]


@pytest.mark.parametrize("left", [bytes(512), b"x" * 512, bytes(4096)])
def test_a_first_page_torn_by_a_power_cut_is_still_in_the_log(tmp_path: Path, left: bytes) -> None:
    whole, cut = tmp_path / "whole.db", tmp_path / "cut.db"
    with mnemic.open(whole, worker="none") as mind:
        mind.record(session="s", role="user", text="kept")
        for end in ("", "-wal"):
            shutil.copy(f"{whole}{end}", f"{cut}{end}")
    cut.write_bytes(left + cut.read_bytes()[len(left) :])
    with mnemic.open(cut, worker="none") as mind:
        assert [turn.text for turn in mind.turns()] == ["kept"]
        assert all(finding.ok for finding in mind.doctor())


def test_a_text_with_a_log_beside_it_is_still_no_database(tmp_path: Path) -> None:
    with mnemic.open(tmp_path / "m.db", worker="none") as mind:
        mind.record(session="s", role="user", text="kept")
        log = (tmp_path / "m.db-wal").read_bytes()
    (tmp_path / "letter.txt").write_text("Dear Ann, " * 200)
    (tmp_path / "letter.txt-wal").write_bytes(log[:32])
    with pytest.raises(mnemic.NotADatabase):
        mnemic.open(tmp_path / "letter.txt")
    assert (tmp_path / "letter.txt").read_text().startswith("Dear Ann")
