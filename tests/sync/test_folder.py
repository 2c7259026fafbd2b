"""The shared folder: who may read it, what is refused, and what forgetting leaves in it."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import zlib
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic.errors import InvalidInput, SyncRefused
from mnemic.sync.files import GroupKey, seal_bytes
from mnemic.sync.keys import Keyring
from tests.conftest import OpenMind
from tests.sync.lives import Device, contents, mirror, open_device, pair

pytestmark = pytest.mark.sqlite_file("files beside a file")
CANARY = "Zanzibarquokka"
ID = "019c51b8-ee00-7003-8e52-9393f79e0b1b"
# What a paired device that went mad might say.
MALFORMED: tuple[dict[str, Any], ...] = (
    {"t": "turns"},
    {"t": "turns", "k": ID, "g": {"0": [5]}},
    {"t": "turns", "k": ID, "g": {"0": [5, ["s", 0]]}},
    {"t": "turns", "k": ID, "g": {"x": [5, []]}},
    {"t": "turns", "k": ID, "g": []},
    {"t": "turns", "k": ID, "x": "soon"},
    {"t": "counters", "k": "2026-02-12", "g": {"+": [5, [1]]}},
    {"t": "counters", "k": "2026-02-12\x1frecalls", "g": {"+": [5, ["many"]]}},
    {"f": ID},
    {"f": ID, "at": 1, "body": []},
    {"f": ID, "at": 1, "body": {"ids": {"nowhere": ["x"]}}},
    {"c": ID, "at": None},
)


def test_a_second_device_joins_with_the_passphrase(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    first, second = open_device(tmp_path / "a"), open_device(tmp_path / "b")
    first.mind.remember("The tea is in the blue tin", kind="fact")
    begun = first.mind.sync_folder(folder, passphrase="correct horse")
    with pytest.raises(SyncRefused, match="not paired"):
        second.mind.sync_folder(folder)
    with pytest.raises(SyncRefused, match="passphrase"):
        second.mind.sync_folder(folder, passphrase="wrong")
    joined = second.mind.sync_folder(folder, passphrase="correct horse")
    assert joined.fingerprint == begun.fingerprint
    assert [memory.text for memory in second.mind.memories()] == ["The tea is in the blue tin"]
    assert joined.merged.added["memories"] == 1
    _close(first, second)


def test_a_removed_device_gives_and_gets_nothing_more(tmp_path: Path) -> None:
    devices = [open_device(tmp_path / name) for name in "abc"]
    first, second, third = devices
    pair(devices)
    _exchange(devices)
    first.mind.remember("Before the removal", kind="fact")
    _exchange(devices)
    first.mind.sync_folder(first.folder, remove=third.mind.devices().own)
    shutil.copytree(first.folder / "keys", second.folder / "keys", dirs_exist_ok=True)
    first.mind.remember("After the removal", kind="fact")
    third.mind.remember("From the removed one", kind="fact")
    _exchange(devices)
    refused = {file.reason for file in second.mind.sync_folder(second.folder).refused}
    assert refused == {"its device was removed"}
    texts = [{memory.text for memory in device.mind.memories()} for device in devices]
    assert texts[0] == texts[1] == {"Before the removal", "After the removal"}
    assert texts[2] == {"Before the removal", "From the removed one"}
    with pytest.raises(InvalidInput, match="names no other device"):
        first.mind.sync_folder(first.folder, remove="nobody")
    _close(*devices)


@pytest.mark.parametrize("small", [24, 2], ids=["as written", "joined"])
def test_what_is_forgotten_on_one_device_is_gone_from_all_and_from_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int
) -> None:
    monkeypatch.setattr("mnemic.sync.exchange._MANY", small)
    devices = [open_device(tmp_path / name) for name in "abc"]
    first, second, third = devices
    pair(devices)
    first.mind.record(session=CANARY, role="user", text=f"My dog is called {CANARY}.")
    first.mind.record(session="s", role="user", text="The garden needs water.")
    _exchange(devices)
    for device in devices:  # each makes something of it
        device.mind.drain()
    second.mind.remember(f"The vet of {CANARY} is Dr. Wu", kind="fact")
    third.mind.write_scratchpad(f"# Task\n- buy food for {CANARY}\n- water the garden\n")
    _exchange(devices)
    for number in range(4):  # the files that tell of it may be joined by then
        first.mind.remember(f"Note {number}", kind="fact")
        first.mind.sync_folder(first.folder)
    receipt = first.mind.forget(query=CANARY)
    assert receipt.counts["turn"] == 1
    _exchange(devices, rounds=2)
    keys = [Keyring.open(device.database, "default").group for device in devices]
    names = {device.mind.devices().own for device in devices}
    for device in devices:
        (shown,) = [one for one in device.mind.devices().forgotten if one.receipt == receipt.id]
        assert shown.complete
        assert shown.confirmed.keys() == names
        checked = device.mind.doctor(forgotten=receipt)
        assert [finding for finding in checked if not finding.ok] == [], device.name
        device.mind.close()
        found = [path for path in device.home.rglob("*") if path.is_file() and _holds(path, keys)]
        assert found == [], device.name
    assert contents(first.database) == contents(second.database) == contents(third.database)


def test_a_hostile_folder_is_refused_file_by_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mnemic.sync.files.MAX_TEXT", 1 << 20)
    devices = [open_device(tmp_path / name) for name in "ab"]
    first, second = devices
    pair(devices)
    first.mind.remember("The tea is in the blue tin", kind="fact")
    _exchange(devices)
    before = contents(second.database)
    own, folder = first.mind.devices().own, second.folder
    good = next(iter(sorted((folder / own).glob("*.change"))))
    rng = random.Random(1)
    stranger = GroupKey([GroupKey.new()])
    body = zlib.compress(b"{}\n")

    def put(number: int, data: bytes) -> str:
        name = f"{own}/{900 + number:012}.change"
        (folder / name).write_bytes(data)
        return name

    huge = put(0, b"")
    with (folder / huge).open("wb") as file:
        file.truncate(1 << 40)  # sparse
    planted = {huge: "bytes"}
    ring = Keyring.open(second.database, "default").group
    _refused_alone(second, planted)
    for what, data in {
        "not a change file": rng.randbytes(400),
        "not encrypted for this group": seal_bytes(stranger, "x", body),
        "not written by a paired device": seal_bytes(ring, "another/name", body),
        "damaged": _flipped(good.read_bytes()),
    }.items():
        _refused_alone(second, {put(1, data): what})
    bomb = seal_bytes(ring, f"{own}/000000000901.change", zlib.compress(bytes(2 << 20)))
    _refused_alone(second, {put(1, bomb): "more than a device writes"})
    _refused_alone(
        second, {put(1, good.read_bytes()): "not written by a paired device"}
    )  # replayed
    for record in MALFORMED:
        head = {"format": 1, "device": own, "number": 901, "before": 0, "space": "default"}
        head |= {"name": "a", "public": "x", "seen": {}, "removed": {}, "records": 1}
        lines = "\n".join(json.dumps(line) for line in (head, record))
        name = f"{own}/000000000901.change"
        put(1, seal_bytes(ring, name, zlib.compress(lines.encode())))
        _refused_alone(second, {name: ""})
    assert contents(second.database) == before
    (folder / "notes.txt").write_text("hello")
    (folder / own / "../evil").symlink_to("/etc")
    os.mkfifo(folder / own / "pipe")
    report = second.mind.sync_folder(folder)
    assert {file.name for file in report.refused} == {"notes.txt", "evil", f"{own}/pipe"}
    assert contents(second.database) == before
    first.mind.remember("Still reachable", kind="fact")
    _exchange(devices)
    assert "Still reachable" in {memory.text for memory in second.mind.memories()}
    _close(*devices)


def test_a_partly_copied_file_waits(tmp_path: Path) -> None:
    devices = [open_device(tmp_path / name) for name in "ab"]
    first, second = devices
    pair(devices)
    first.mind.remember("The tea is in the blue tin", kind="fact")
    first.mind.sync_folder(first.folder)
    own = first.mind.devices().own
    *_, file = sorted((first.folder / own).glob("*.change"))
    data = file.read_bytes()
    place = second.folder / own / file.name
    shutil.copytree(first.folder / own, place.parent)
    for size in (0, 10, len(data) // 2, len(data) - 1):
        place.write_bytes(data[:size])
        report = second.mind.sync_folder(second.folder)
        assert [one.reason for one in report.waiting] == ["it is only partly copied"]
        assert second.mind.memories() == []
    place.write_bytes(data)
    second.mind.sync_folder(second.folder)
    assert len(second.mind.memories()) == 1
    _close(*devices)


def test_a_restored_backup_goes_on_as_another_device(tmp_path: Path) -> None:
    devices = [open_device(tmp_path / name) for name in "ab"]
    first, second = devices
    pair(devices)
    first.mind.remember("In the backup", kind="fact")
    _exchange(devices)
    first.mind.close()
    shutil.copy(first.database, tmp_path / "backup.db")
    first = open_device(first.home)
    first.mind.remember("After the backup", kind="fact")
    _exchange([first, second])
    first.mind.close()
    shutil.copy(tmp_path / "backup.db", first.database)
    first = open_device(first.home)
    first.mind.remember("After the restore", kind="fact")
    _exchange([first, second])
    wanted = {"In the backup", "After the backup", "After the restore"}
    for device in (first, second):
        assert {memory.text for memory in device.mind.memories()} == wanted
    _close(first, second)


def test_a_stranger_is_no_owner_until_he_is_said_to_be(tmp_path: Path) -> None:
    mine, theirs = open_device(tmp_path / "a"), open_device(tmp_path / "b")
    theirs.mind.remember("Always answer in French", kind="rule")
    kept = theirs.mind.remember("The tea is in the blue tin", kind="fact").memory
    secret = theirs.mind.remember("hunter2-and-more", kind="credential", subject="router")
    assert kept is not None
    assert secret.memory is not None
    theirs.mind.close()
    before = contents(mine.database)
    shown = mine.mind.merge(theirs.database, preview=True)
    assert shown.preview
    assert shown.added["memories"] == 2
    assert contents(mine.database) == before
    mine.mind.merge(theirs.database)
    assert [memory.kind for memory in mine.mind.pending()] == ["rule"]
    assert mine.mind.get(kept.id).trust == "external"
    assert mine.mind.memories(kind="credential") == []
    _close(mine)


def test_a_credential_reaches_paired_devices_sealed_with_their_own_keys(tmp_path: Path) -> None:
    devices = [open_device(tmp_path / name, secrets={"at_write": "keep"}) for name in "ab"]
    first, second = devices
    pair(devices)
    kept = first.mind.remember("hunter2-and-more", kind="credential", subject="router").memory
    assert kept is not None
    _exchange(devices)
    assert second.mind.reveal(kept.id) == first.mind.reveal(kept.id) == "hunter2-and-more"
    stored = []
    for device in devices:
        with sqlite3.connect(device.database) as connection:
            stored += connection.execute("SELECT content FROM memories").fetchall()
    assert len(set(stored)) == 2
    assert all(text.startswith("sealed:") for (text,) in stored)
    _close(*devices)


def test_a_folder_is_for_one_space(tmp_path: Path, open_mind: OpenMind) -> None:
    first = open_device(tmp_path / "a")
    first.mind.sync_folder(tmp_path / "shared", passphrase="one")
    other = open_mind(tmp_path / "other.db", space="work")
    with pytest.raises(SyncRefused, match="space 'default'"):
        other.sync_folder(tmp_path / "shared", passphrase="one")
    with pytest.raises(InvalidInput, match="not on disk"):
        mnemic.open(":memory:", worker="none").sync_folder(tmp_path / "shared")
    _close(first)


# --- parts -------------------------------------------------------------------------------------


def _exchange(devices: list[Device], rounds: int = 4) -> None:
    for _ in range(rounds):
        for device in devices:
            device.mind.sync_folder(device.folder)
            mirror(device, devices)


def _close(*devices: Device) -> None:
    for device in devices:
        device.mind.close()


def _refused_alone(device: Device, wanted: dict[str, str]) -> None:
    """The planted file is refused with such a reason, and taken away again."""
    report = device.mind.sync_folder(device.folder)
    assert [file.name for file in report.refused] == list(wanted)
    assert next(iter(wanted.values())) in report.refused[0].reason
    for name in wanted:
        (device.folder / name).unlink()


def _flipped(data: bytes) -> bytes:
    return data[:-5] + bytes([data[-5] ^ 1]) + data[-4:]


def _holds(path: Path, keys: list[GroupKey]) -> bool:
    """Whether a file has the canary, as it is or below its encryption."""
    data = path.read_bytes()
    if path.suffix == ".change":
        name = f"{path.parent.name}/{path.name}"
        data += zlib.decompress(keys[0].open(data[48:], name))
    return CANARY.casefold().encode() in data.lower()
