"""Archives that are torn, locked or far larger than they look."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from pathlib import Path

import pytest

import mnemic
from mnemic.errors import InvalidInput
from mnemic.moving import json_records
from mnemic.moving.importer import import_source
from tests.cli.conftest import Shell, db, shell
from tests.moving.archives import chatgpt_conversation, chatgpt_zip, claude_zip, said, write_zip

__all__ = ["db", "shell"]
pytestmark = pytest.mark.feature("O4")


def corrupt(path: Path, name: str) -> None:
    """Other bytes in the middle of a member."""
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo(name)
    data = bytearray(path.read_bytes())
    start = info.header_offset + 30 + len(info.filename) + info.compress_size // 3
    data[start : start + 12] = bytes(12)
    path.write_bytes(data)


def locked(path: Path) -> None:
    """The mark of a password on every member."""
    data = path.read_bytes()
    for sign, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.find(sign)
        while place >= 0:
            marked = bytes([data[place + flags] | 1])
            data = data[: place + flags] + marked + data[place + flags + 1 :]
            place = data.find(sign, place + 4)
    path.write_bytes(data)


def test_a_torn_member_costs_only_itself(shell: Shell, tmp_path: Path) -> None:
    path = chatgpt_zip(tmp_path / "export.zip")
    corrupt(path, "conversations-000.json")
    found = shell.json("import", str(path), code=1)
    assert (found["format"], found["added"]) == ("chatgpt", 2)
    assert {one["place"].split(",")[0] for one in found["problems"]} == {"conversations-000.json"}


def test_torn_projects_leave_the_conversations(shell: Shell, tmp_path: Path) -> None:
    path = claude_zip(tmp_path / "export.zip")
    corrupt(path, "projects.json")
    found = shell.json("import", str(path), code=1)
    assert found["read"]["turn"] == 2
    assert found["read"]["memory"] == 3
    assert [one["place"] for one in found["problems"]] == ["projects.json"]


def test_a_locked_archive_says_what_to_do(shell: Shell, tmp_path: Path) -> None:
    path = chatgpt_zip(tmp_path / "export.zip")
    locked(path)
    told = json.loads(shell("import", str(path), "--json", code=2).stderr)["error"]
    assert told["type"] == "InvalidInput"
    assert "encrypted" in told["message"]
    assert "unpack it" in told["remedy"]


def test_half_an_archive_is_no_archive(tmp_path: Path) -> None:
    path = chatgpt_zip(tmp_path / "export.zip")
    path.write_bytes(path.read_bytes()[:-40])
    with (
        mnemic.open(tmp_path / "m.db", worker="none") as mind,
        pytest.raises(InvalidInput, match="whole ZIP archive"),
    ):
        import_source(mind, str(path))


def test_a_folder_that_was_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(claude_zip(tmp_path / "export.zip")) as archive:
        archive.extractall(tmp_path / "unpacked")
    with mnemic.open(tmp_path / "m.db", worker="none") as mind:
        done, refused = import_source(mind, str(tmp_path / "unpacked"))
    assert (done.format, done.added, refused) == ("claude", 8, [])


def test_an_entry_that_is_too_long_is_refused_after_those_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A conversation of many megabytes that packs into a few bytes."""
    monkeypatch.setattr(json_records, "LONGEST", 1 << 20)
    chats = [
        chatgpt_conversation("before", said("user", "one")),
        chatgpt_conversation("long", said("user", "x" * (24 << 20))),
        chatgpt_conversation("after", said("user", "two")),
    ]
    path = write_zip(tmp_path / "bomb.zip", {"conversations.json": json.dumps(chats)})
    del chats
    assert path.stat().st_size < 100_000
    with mnemic.open(tmp_path / "m.db", worker="none") as mind:
        tracemalloc.start()
        done, refused = import_source(mind, str(path))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        known = [turn.text for turn in mind.turns()]
    assert known == ["one"]
    assert "more than 1,048,576 bytes" in refused[0].reason
    assert done.rejected == 1
    assert most < 16 << 20


def test_entries_are_let_go_as_they_are_read() -> None:
    chat = json.dumps({"id": "chat", "title": "x" * 200, "mapping": {}}).encode()
    stream = io.BytesIO(b"[" + b",".join([chat] * 40_000) + b"]")
    tracemalloc.start()
    entries = sum(not record.reason for record in json_records.read_records(stream))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert entries == 40_000
    assert most < 8 << 20, "it holds a few chunks"
