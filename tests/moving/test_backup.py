"""Backups of a database in use, and databases made from them."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import apsw
import pytest

import mnemic
from mnemic import Conflict, InvalidInput, MemoryOff, Mind, NotFound, StoreBusy, StoreDamaged
from mnemic.clock import ManualClock
from mnemic.errors import NotADatabase, SchemaTooNew
from mnemic.moving.backup import backup, restore
from tests.conftest import OpenMind
from tests.durable.test_read_only import as_reader
from tests.torture.witness import halves

# Files in the place of files. Backups of a server: tests/postgres/test_copies.py.
pytestmark = pytest.mark.sqlite_file("backups that are restored to where they came from")

FIXTURES = Path(__file__).parents[1] / "fixtures"
ROOT = Path(__file__).parents[2]


def said(mind: Mind) -> list[str]:
    return [turn.text for turn in mind.turns(limit=1_000)]


def say(mind: Mind, *texts: str) -> None:
    for text in texts:
        mind.record(session="s", role="user", text=text)


def opened(open_mind: OpenMind, path: Path) -> Mind:
    return open_mind(path, embedding__provider="none")


@pytest.mark.feature("O4")
def test_a_backup_is_a_memory_of_its_own(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind()
    say(mind, "the kettle is blue", "茶壶是蓝色的")
    mind.remember("likes tea", kind="preference")
    open_mind(space="other").remember("likes coffee", kind="preference")
    pages: list[tuple[int, int]] = []
    made = backup(mind, tmp_path / "copy.db", progress=lambda done, of: pages.append((done, of)))
    say(mind, "said after the backup")
    assert made.counts["turns"] == 2
    assert made.counts["spaces"] == made.counts["memories"] == 2
    assert made.bytes == (tmp_path / "copy.db").stat().st_size
    assert pages[-1] == (made.pages, made.pages)
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    copy = opened(open_mind, tmp_path / "copy.db")
    assert said(copy) == ["the kettle is blue", "茶壶是蓝色的"]
    assert [hit.text for hit in copy.recall("kettle", limit=1)] == ["the kettle is blue"]
    assert [m.text for m in open_mind(tmp_path / "copy.db", space="other").memories()] == [
        "likes coffee"
    ]


def test_a_memory_in_ram_becomes_a_file(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind(":memory:")
    say(mind, "only in memory")
    backup(mind, tmp_path / "copy.db")
    assert said(opened(open_mind, tmp_path / "copy.db")) == ["only in memory"]
    assert journal_mode(tmp_path / "copy.db") == "wal"


def journal_mode(path: Path) -> str:
    conn = apsw.Connection(str(path))
    try:
        return str(conn.execute("PRAGMA journal_mode").get)
    finally:
        conn.close()


def test_another_journal_mode_does_not_stay(open_mind: OpenMind, tmp_path: Path) -> None:
    opened(open_mind, tmp_path / "m.db").close()
    conn = apsw.Connection(str(tmp_path / "m.db"))
    conn.execute("PRAGMA journal_mode = DELETE")
    conn.close()
    opened(open_mind, tmp_path / "m.db")
    assert journal_mode(tmp_path / "m.db") == "wal"


def test_another_file_is_replaced_only_when_asked(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind()
    say(mind, "one")
    target = tmp_path / "letter.txt"
    target.write_text("dear friend")
    with pytest.raises(Conflict, match="--force"):
        backup(mind, target)
    assert target.read_text() == "dear friend"
    backup(mind, target, force=True)
    assert said(opened(open_mind, target)) == ["one"]
    target.with_name("letter.txt-wal").touch()
    with pytest.raises(Conflict, match="in use"):  # its log would be taken for the copy's
        backup(mind, target, force=True)
    assert sorted(f.name for f in tmp_path.iterdir() if "part" in f.name) == []


def test_the_database_does_not_become_its_own_backup(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind()
    say(mind, "one")
    mind.close()
    mind = open_mind()
    for _ in range(2):  # before and after the first read has made a log
        with pytest.raises((InvalidInput, Conflict)):
            backup(mind, tmp_path / "memory.db", force=True)
        assert said(mind) == ["one"]
    with pytest.raises(InvalidInput, match="itself"):
        restore(tmp_path / "memory.db", tmp_path / "memory.db", force=True)


def test_there_is_no_backup_of_plain_files(open_mind: OpenMind, tmp_path: Path) -> None:
    with pytest.raises(MemoryOff):
        backup(open_mind(memory__enabled=False), tmp_path / "copy.db")


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_a_closed_folder_is_a_typed_refusal(open_mind: OpenMind, tmp_path: Path) -> None:
    say(open_mind(), "one")
    shut = tmp_path / "shut"
    shut.mkdir()
    shut.chmod(0o555)
    arguments = ("--db", str(tmp_path / "memory.db"), "backup", str(shut / "copy.db"))
    ended = as_reader("-m", "mnemic", *arguments, "--json")
    shut.chmod(0o755)
    assert ended.returncode == 1
    assert "StoreReadOnly" in ended.stderr
    assert list(shut.iterdir()) == []


FULL = """
import sys, mnemic
from pathlib import Path
from mnemic.moving.backup import backup, restore
from tests.torture.disk import FillingVFS
disk, folder = FillingVFS(), Path(sys.argv[1])
with mnemic.open(folder / "memory.db", worker="none") as mind:
    mind.record(session="s", role="user", text="before")
    whole = backup(mind, folder / "whole.db")
    for left in (0, 4_096, whole.bytes // 2):
        disk.left = left
        for call in (
            lambda: backup(mind, folder / "copy.db"),
            lambda: restore(folder / "whole.db", folder / "new.db"),
        ):
            try:
                call()
                print("accepted")
            except mnemic.DiskFull as error:
                print("refused" if error.remedy else "no remedy")
    disk.left = None
    backup(mind, folder / "copy.db")
print(sorted(f.name for f in folder.iterdir() if f.suffix != ".key"))
"""


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path) -> None:
    path = os.pathsep.join([str(ROOT), *sys.path])
    ended = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert ended.stdout.splitlines() == [
        *["refused"] * 6,
        "['copy.db', 'memory.db', 'whole.db']",
    ]


# --- restoring ----------------------------------------------------------------------------------


@pytest.mark.feature("O4")
def test_a_restore_says_what_it_brought_back(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind()
    say(mind, "one", "two")
    mind.remember("likes tea", kind="preference")
    made = backup(mind, tmp_path / "copy.db")
    before = (tmp_path / "copy.db").read_bytes()
    restored = restore(tmp_path / "copy.db", tmp_path / "elsewhere" / "m.db")
    assert restored.counts == made.counts
    assert restored.spaces == ("default",)
    assert (restored.aside, restored.documents) == ("", ())
    assert (tmp_path / "copy.db").read_bytes() == before
    again = opened(open_mind, tmp_path / "elsewhere" / "m.db")
    assert said(again) == ["one", "two"]
    assert all(finding.ok for finding in again.doctor())
    assert sorted(p.name for p in (tmp_path / "elsewhere").iterdir())[0] == "m.db"


def test_what_stood_there_is_kept_aside(
    open_mind: OpenMind, tmp_path: Path, clock: ManualClock
) -> None:
    mind = open_mind()
    say(mind, "old")
    backup(mind, tmp_path / "copy.db")
    say(mind, "new")
    with pytest.raises(Conflict, match="--force"):
        restore(tmp_path / "copy.db", tmp_path / "memory.db")
    with pytest.raises(StoreBusy, match="in use"):
        restore(tmp_path / "copy.db", tmp_path / "memory.db", force=True)
    assert said(mind) == ["old", "new"]
    mind.close()
    restored = restore(tmp_path / "copy.db", tmp_path / "memory.db", force=True, clock=clock)
    assert Path(restored.aside).name == "memory.before-restore-20260212-120000.db"
    assert said(open_mind()) == ["old"]
    assert said(opened(open_mind, Path(restored.aside))) == ["old", "new"]
    assert journal_mode(Path(restored.aside)) == "wal"


def test_what_only_the_log_of_a_killed_process_has_is_kept_aside(tmp_path: Path) -> None:
    database, copy = tmp_path / "memory.db", tmp_path / "copy.db"
    with mnemic.open(database, worker="none") as mind:
        backup(mind, copy)
    script = (
        "import os, sys, mnemic; mind = mnemic.open(sys.argv[1], worker='none');"
        "mind.record(session='s', role='user', text='in the log'); os._exit(9)"
    )
    ended = subprocess.run([sys.executable, "-c", script, str(database)], check=False)
    assert ended.returncode == 9
    assert (tmp_path / "memory.db-wal").stat().st_size > 0
    restored = restore(copy, database, force=True)
    with mnemic.open(database, worker="none") as mind:
        assert said(mind) == []
    with mnemic.open(restored.aside, worker="none") as mind:
        assert said(mind) == ["in the log"]


def test_a_damaged_database_is_replaced_and_kept_with_its_log(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    mind = open_mind()
    say(mind, "one")
    backup(mind, tmp_path / "copy.db")
    mind.close()
    (tmp_path / "memory.db").write_bytes(b"rubbish" * 1_000)
    (tmp_path / "memory.db-wal").write_bytes(b"more rubbish")
    restored = restore(tmp_path / "copy.db", tmp_path / "memory.db", force=True)
    assert said(open_mind()) == ["one"]
    assert Path(restored.aside).read_bytes() == b"rubbish" * 1_000
    assert Path(f"{restored.aside}-wal").read_bytes() == b"more rubbish"


def test_a_stray_log_is_not_taken_for_that_of_the_restored(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    mind = open_mind()
    say(mind, "one")
    backup(mind, tmp_path / "copy.db")
    (tmp_path / "new.db-wal").write_bytes((tmp_path / "memory.db-wal").read_bytes())
    with pytest.raises(Conflict):
        restore(tmp_path / "copy.db", tmp_path / "new.db")
    restore(tmp_path / "copy.db", tmp_path / "new.db", force=True)
    assert said(opened(open_mind, tmp_path / "new.db")) == ["one"]


def test_what_is_no_good_backup_is_refused(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind()
    for n in range(300):
        say(mind, f"number {n} of many")
    good = backup(mind, tmp_path / "copy.db")
    target = tmp_path / "new.db"
    with pytest.raises(NotFound):
        restore(tmp_path / "nothing.db", target)
    (tmp_path / "text.db").write_text("dear diary, " * 100)
    with pytest.raises(NotADatabase):
        restore(tmp_path / "text.db", target)
    data = bytearray((tmp_path / "copy.db").read_bytes())
    torn = data[: good.bytes // 2 // 4096 * 4096]
    (tmp_path / "torn.db").write_bytes(torn)
    with pytest.raises(StoreDamaged):
        restore(tmp_path / "torn.db", target)
    data[60:64] = (99).to_bytes(4, "big")
    (tmp_path / "newer.db").write_bytes(data)
    with pytest.raises(SchemaTooNew):
        restore(tmp_path / "newer.db", target)
    assert not [f for f in tmp_path.iterdir() if "new.db" in f.name]


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_a_backup_of_an_older_version_is_restored(
    open_mind: OpenMind, tmp_path: Path, version: int
) -> None:
    restored = restore(FIXTURES / f"schema-{version:04}.db", tmp_path / "m.db")
    assert restored.schema == version
    mind = open_mind(tmp_path / "m.db", space=restored.spaces[0], embedding__provider="none")
    assert mind.stats().turns > 0
    assert halves(tmp_path / "m.db", integrity=True, digests=False) == []


def test_a_job_in_hand_waits_again_and_is_done_once(
    open_mind: OpenMind, tmp_path: Path, clock: ManualClock
) -> None:
    mind = open_mind(triggers__quiet_gap="1s")
    say(mind, "My name is Lin and I live in Oslo.")
    clock.advance(seconds=10)
    now = clock.now()
    taken = mind._store.queue.claim("worker", now, now + timedelta(days=1))
    assert taken is not None
    with mind._store.write("default") as unit:
        run = unit.runs.begin("daily", now.date(), now)
        unit.runs.take("daily", run, "decay", owner="w", now=now, until=now + timedelta(days=1))
    backup(mind, tmp_path / "copy.db")
    restored = restore(tmp_path / "copy.db", tmp_path / "m.db")
    assert restored.released == 1
    again = open_mind(tmp_path / "m.db", triggers__quiet_gap="1s")
    (job,) = [job for job in again.jobs() if job.id == taken.id]
    assert (job.state, job.attempts) == ("ready", 0)
    again.drain()
    assert again.upkeep().finished  # nobody holds a step either
    learned = again.memories()
    assert len({memory.text for memory in learned}) == len(learned) > 0
    writes = [event.subject for event in again.events(type="write", limit=1_000)]
    assert sorted(writes) == sorted(memory.id for memory in learned)
    assert not again.jobs(state="running")


def test_documents_are_written_anew(
    open_mind: OpenMind, tmp_path: Path, clock: ManualClock
) -> None:
    mind = open_mind(ledger__jsonl=True)
    say(mind, "first words")
    mind.remember("likes tea", kind="preference")
    mind.drain()
    mind.sync()
    backup(mind, tmp_path / "copy.db")
    say(mind, "later words")
    mind.remember("likes coffee", kind="preference")
    mind.drain()
    mind.sync()
    mind.close()
    document = tmp_path / "documents" / "MEMORY.md"
    later = document.read_text("utf-8")
    assert "coffee" in later
    restored = restore(tmp_path / "copy.db", tmp_path / "memory.db", force=True, clock=clock)
    kept = tmp_path / "documents" / "MEMORY.before-restore-20260212-120000.md"
    assert str(kept) in restored.documents
    assert kept.read_text("utf-8") == later
    mind = open_mind(ledger__jsonl=True)
    mind.sync()
    assert [memory.text for memory in mind.memories()] == ["likes tea"]
    assert mind.questions() == []
    assert "coffee" not in document.read_text("utf-8")
    say(mind, "other words")
    mind.drain()
    assert mind.transcripts is not None
    (transcript,) = mind.transcripts.glob("*.jsonl")
    text = transcript.read_text("utf-8")
    assert [word in text for word in ("first", "later", "other")] == [True, False, True]
