"""Encryption at rest: no plain byte on the disk, and nothing without the key."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic.errors import ConfigError, InvalidInput, StoreBusy, WrongKey
from mnemic.moving.backup import backup, restore
from mnemic.moving.copy import copy_space
from mnemic.moving.encryption import set_key
from mnemic.store.sqlite import store as sqlite_store
from tests.conftest import OpenMind

KEY = "correct horse battery"
RAW = bytes(range(32))
CANARY = "quagmirecanary"
pytestmark = pytest.mark.sqlite_file("encryption is of the file")


@pytest.fixture(autouse=True)
def _no_key_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MNEMIC_KEY", "MNEMIC_NEW_KEY"):
        monkeypatch.delenv(name, raising=False)


def _record(file: Path, text: str = f"the {CANARY} sings", **options: Any) -> None:
    with mnemic.open(file, worker="none", **options) as mind:
        mind.record(session="s", role="user", text=text)


def _recall(file: Path, **options: Any) -> list[str]:
    with mnemic.open(file, worker="none", **options) as mind:
        return [hit.text for hit in mind.recall(CANARY)]


def _plain_files(folder: Path) -> Iterator[Path]:
    """Files with the canary in their bytes, in the encodings SQLite knows."""
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            content = file.read_bytes()
            if any(CANARY.encode(code) in content for code in ("utf-8", "utf-16-le", "utf-16-be")):
                yield file


def _snapshot(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


@pytest.mark.parametrize("key", [KEY, RAW, "hex:" + RAW.hex()], ids=["phrase", "bytes", "hex"])
def test_no_file_beside_an_encrypted_database_holds_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str | bytes
) -> None:
    folder = tmp_path / "memory"
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    file = folder / "a.db"
    with mnemic.open(file, key=key, worker="none", documents__write=()) as mind:
        for number in range(20):
            mind.record(session="s", role="user", text=f"the {CANARY} sings for {number}")
        mind.remember(f"The {CANARY} lives in Lisbon.", kind="fact")
        assert {"a.db", "a.db-wal"} <= {one.name for one in folder.iterdir()}
        assert list(_plain_files(tmp_path)) == []
        backup(mind, tmp_path / "copy.db")
    assert list(_plain_files(tmp_path)) == []
    assert any(CANARY in text for text in _recall(file, key=key))
    assert any(CANARY in text for text in _recall(tmp_path / "copy.db", key=key))


def test_a_plain_database_is_found_by_the_same_search(tmp_path: Path) -> None:
    _record(tmp_path / "a.db")
    assert list(_plain_files(tmp_path))


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc at files without a name")
def test_rewriting_by_way_of_the_disk_leaves_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_store, "_IN_MEMORY", 0)  # as with a file of 256 MiB
    with mnemic.open(tmp_path / "a.db", key=KEY, worker="none") as mind:
        mind.record_many(
            mnemic.NewTurn(session="s", role="user", text=f"{CANARY} {n} " * 40) for n in range(400)
        )
        store: Any = mind._store
        with store.database.alone() as conn:
            conn.execute("PRAGMA cache_size = 10")
        compacting = threading.Thread(target=store.compact)
        compacting.start()
        seen = b""
        while compacting.is_alive():
            seen = max(seen, *_nameless_files(), key=len)
            time.sleep(0.001)
        compacting.join()
    assert len(seen) > 100_000, "no temporary file was seen"
    assert CANARY.encode() not in seen


def _nameless_files() -> Iterator[bytes]:
    """What this process has open that no folder knows."""
    yield b""
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if str(link.readlink()).endswith(" (deleted)"):
                yield link.read_bytes()


@pytest.mark.parametrize("key", [None, "another", RAW], ids=["none", "phrase", "bytes"])
def test_a_wrong_or_missing_key_is_typed_and_touches_nothing(
    tmp_path: Path, key: str | bytes | None
) -> None:
    file = tmp_path / "a.db"
    _record(file, key=KEY)
    before = _snapshot(tmp_path)
    with pytest.raises(WrongKey) as refused:
        mnemic.open(file, key=key, worker="none")
    assert refused.value.remedy
    assert KEY not in str(refused.value)
    assert _snapshot(tmp_path) == before
    assert _recall(file, key=KEY)


def test_a_plain_database_is_not_opened_with_a_key(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    _record(file)
    before = _snapshot(tmp_path)
    with pytest.raises(WrongKey, match="not encrypted"):
        mnemic.open(file, key=KEY)
    assert _snapshot(tmp_path) == before


@pytest.mark.parametrize("key", ["", b"", b"short", "hex:zz", "hex:" + "ab" * 31])
def test_what_cannot_be_a_key_is_refused(tmp_path: Path, key: str | bytes) -> None:
    with pytest.raises(InvalidInput, match="cannot be the key"):
        mnemic.open(tmp_path / "a.db", key=key)
    assert not (tmp_path / "a.db").exists()


def test_a_key_for_a_server_or_service_is_refused() -> None:
    for target in ("postgresql://127.0.0.1:1/x", "http://127.0.0.1:1"):
        with pytest.raises(ConfigError):
            mnemic.open(target, key=KEY)


@pytest.mark.setting("store.key_file")
def test_the_key_comes_from_the_environment_or_a_key_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.db"
    (tmp_path / "db.key").write_text(KEY + "\n")
    (tmp_path / "db.key").chmod(0o600)
    _record(file, store__key_file="db.key")
    monkeypatch.setenv("MNEMIC_KEY", KEY)
    assert _recall(file)
    monkeypatch.delenv("MNEMIC_KEY")
    with pytest.raises(WrongKey):
        mnemic.open(file)
    if os.name == "posix":
        (tmp_path / "db.key").chmod(0o644)
        with pytest.raises(ConfigError, match="chmod 600"):
            mnemic.open(file, store__key_file="db.key")
    with pytest.raises(ConfigError, match="cannot be read"):
        mnemic.open(file, store__key_file="none.key")


def test_the_key_is_nowhere_in_what_the_engine_shows(tmp_path: Path) -> None:
    with mnemic.open(tmp_path / "a.db", key=KEY, worker="none") as mind:
        mind.record(session="s", role="user", text="hello")
        shown = f"{mind!r} {mind.settings!r} {mind.stats()!r} {mind.events()!r} {mind.doctor()!r}"
        store: Any = mind._store
        exported = repr(vars(store)) + repr(vars(store.database))
    assert KEY not in shown
    assert KEY not in exported


def test_processes_that_create_one_file_at_once_agree_on_it(tmp_path: Path) -> None:
    program = (
        "import sys, mnemic\n"
        f"mind = mnemic.open(sys.argv[1], key={KEY!r}, worker='none')\n"
        f"mind.record(session=sys.argv[2], role='user', text='{CANARY} ' + sys.argv[2])\n"
    )
    file = str(tmp_path / "a.db")
    children = [
        subprocess.Popen([sys.executable, "-c", program, file, f"s{number}"]) for number in range(3)
    ]
    assert [child.wait(120) for child in children] == [0, 0, 0]
    with mnemic.open(file, key=KEY, worker="none") as mind:
        assert {turn.session for turn in mind.turns()} == {"s0", "s1", "s2"}


def test_encrypting_rekeying_and_decrypting_keep_every_row(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    with mnemic.open(file, worker="none") as mind:
        for number in range(30):
            mind.record(session="s", role="user", text=f"{CANARY} number {number}")
        mind.remember("I live in Lisbon.", kind="identity")
    plain = _recall(file)
    made = set_key(file, KEY)
    assert made.counts["turns"] == 30
    assert list(_plain_files(tmp_path)) == []
    assert _recall(file, key=KEY) == plain
    for wrong in (None, "wrong"):
        with pytest.raises(WrongKey):
            set_key(file, RAW, key=wrong)
    set_key(file, RAW, key=KEY)
    with pytest.raises(WrongKey):
        mnemic.open(file, key=KEY)
    assert _recall(file, key=RAW) == plain
    set_key(file, None, key=RAW)
    assert _recall(file) == plain
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_database_in_use_is_not_encrypted(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    with mnemic.open(file, worker="none") as mind:
        mind.record(session="s", role="user", text=f"the {CANARY} sings")
        with pytest.raises(StoreBusy):
            set_key(file, KEY)
        mind.record(session="s", role="user", text="and more")
    assert _recall(file)


@pytest.mark.torture
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")
def test_encryption_that_is_killed_leaves_a_whole_database(tmp_path: Path) -> None:
    """Killed before each file it opens, links or renames, and at moments between: one of the two
    is there, whole.
    """
    folder = tmp_path / "memory"
    file = folder / "a.db"
    with mnemic.open(file, worker="none") as mind:
        mind.record_many(
            mnemic.NewTurn(session="s", role="user", text=f"{CANARY} number {n}")
            for n in range(200)
        )
    kept = _snapshot(folder)
    ends = []
    for step, moment in (*((n, 0.0) for n in range(0, 40, 2)), *((99, 0.02 * n) for n in range(5))):
        for name, content in kept.items():
            (folder / name).write_bytes(content)
        child = os.fork()
        if not child:
            _encrypt_until(file, step)
        if moment:
            time.sleep(moment)
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        encrypted = not file.read_bytes().startswith(b"SQLite format 3")
        ends.append(encrypted)
        with mnemic.open(file, worker="none", key=RAW if encrypted else None) as mind:
            assert mind.stats().turns == 200
    assert set(ends) == {True, False}


def _encrypt_until(file: Path, left: int) -> None:
    def count(event: str, args: tuple[object, ...]) -> None:
        nonlocal left
        if event in ("open", "os.rename", "os.link", "os.remove", "os.truncate"):
            left -= 1
            if left < 0:
                os._exit(9)

    sys.addaudithook(count)
    try:
        set_key(file, RAW)
    finally:
        os._exit(0)


def test_a_restored_backup_has_the_key_of_the_backup(tmp_path: Path) -> None:
    file, copy, to = tmp_path / "a.db", tmp_path / "copy.db", tmp_path / "to.db"
    with mnemic.open(file, key=KEY, worker="none") as mind:
        mind.record(session="s", role="user", text=f"the {CANARY} sings")
        backup(mind, copy)
    with pytest.raises(WrongKey):
        restore(copy, to)
    assert not to.exists()
    restore(copy, to, key=KEY)
    assert _recall(to, key=KEY)
    with pytest.raises(WrongKey):
        restore(copy, to, key="wrong", force=True)
    restore(copy, to, key=KEY, force=True)
    assert list(_plain_files(tmp_path)) == []


def test_a_space_is_copied_between_plain_and_encrypted_files(tmp_path: Path) -> None:
    plain, sealed, back = tmp_path / "a.db", tmp_path / "in" / "b.db", tmp_path / "c.db"
    _record(plain)
    assert copy_space(plain, sealed, key=KEY).verified
    assert list(_plain_files(sealed.parent)) == []
    with pytest.raises(WrongKey):
        copy_space(sealed, back)
    with mnemic.open(back, worker="none") as mind:
        mind.record(session="other", role="user", text="something else")
    assert copy_space(sealed, back, key=KEY, to_space="other").verified
    assert _recall(back, space="other")


def test_daily_backups_of_an_encrypted_database_are_encrypted_and_rotate(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    mind = open_mind(key=KEY, backup__folder=str(tmp_path / "daily"), backup__keep=1)
    mind.record(session="s", role="user", text=f"the {CANARY} sings")
    mind.upkeep()
    mind.upkeep()
    (copy,) = (tmp_path / "daily").glob("*.db")
    assert list(_plain_files(tmp_path / "daily")) == []
    assert _recall(copy, key=KEY)


def test_threads_share_one_derivation_of_the_key(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    _record(file, key=KEY)
    with mnemic.open(file, key=KEY, worker="none") as mind:
        found: list[int] = []

        def look() -> None:
            found.append(len(mind.recall(CANARY)))

        threads = [threading.Thread(target=look) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [1] * 6
