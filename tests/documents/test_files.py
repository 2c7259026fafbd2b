"""Files: replaced whole or not at all, read however a person saved them."""

from __future__ import annotations

import os
import resource
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest

from mnemic.clock import ManualClock
from mnemic.errors import DiskFull, StoreReadOnly, StoreUnavailable
from mnemic.store import new_file
from mnemic.store.rows import DocumentRow
from mnemic.types import constant
from tests.conftest import NOON, OpenMind
from tests.documents.conftest import MakeDesk
from tests.documents.desk import Desk

pytestmark = pytest.mark.feature("V6")

NOBODY = 65534


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file of this process can grow beyond ``size`` bytes."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


@contextmanager
def without_permission(folder: Path) -> Iterator[None]:
    """The folder cannot be written, whoever runs the tests."""
    folder.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)


def test_a_full_disk_leaves_the_old_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    new_file.write(path, b"old")
    with largest_file(1000), pytest.raises(DiskFull, match="old file is whole"):
        new_file.write(path, b"x" * 5000)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["MEMORY.md"], "nothing is left behind"


def test_what_a_dead_process_left_is_swept_up(tmp_path: Path) -> None:
    dead = tmp_path / ".MEMORY.md.part"
    dead.write_text("half of what was to be written")
    new_file.write(tmp_path / "MEMORY.md", b"whole")
    assert not dead.exists()
    assert (tmp_path / "MEMORY.md").read_bytes() == b"whole"


def test_a_read_only_folder_leaves_the_old_file_whole() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "MEMORY.md"
        new_file.write(path, b"old")
        with without_permission(folder), pytest.raises(StoreReadOnly, match="permission"):
            new_file.write(path, b"new")
        assert path.read_bytes() == b"old"


def test_a_folder_in_the_place_of_the_file(desk: Desk) -> None:
    desk.remember("likes tea")
    desk.path("memory").mkdir(parents=True)
    with pytest.raises(StoreUnavailable, match="cannot be"):
        desk.sync()
    desk.path("memory").rmdir()
    desk.sync()
    assert desk.bullets("memory") == ["likes tea"]


def test_permissions_are_kept(desk: Desk) -> None:
    desk.remember("likes tea")
    desk.sync()
    assert desk.path("memory").stat().st_mode & 0o777 == 0o600, "a new one is for its owner"
    desk.path("memory").chmod(0o640)
    desk.remember("likes coffee")
    desk.sync()
    assert "likes coffee" in desk.path("memory").read_text()
    assert desk.path("memory").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("bom", ["\ufeff", ""])
def test_line_ends_and_byte_order_marks_are_kept(desk: Desk, newline: str, bom: str) -> None:
    desk.remember("likes tea")
    desk.sync()
    text = desk.text("memory").replace("likes tea", "likes 茶").replace("\n", newline)
    desk.write("memory", bom + text)
    assert [taken.how for taken in desk.of("memory").taken] == ["edited"]
    after = desk.text("memory")
    assert after.startswith(bom + "#")
    assert newline + newline in after
    assert after.replace(newline, "").isprintable() or bom
    assert desk.current() == ["likes 茶"]
    assert not desk.sync().changed


def test_a_file_saved_as_utf_16(desk: Desk) -> None:
    desk.remember("likes tea")
    desk.sync()
    text = desk.text("memory").replace("likes tea", "爱喝茶")
    desk.path("memory").write_bytes(text.encode("utf-16"))
    desk.sync()
    assert desk.current() == ["爱喝茶"]
    assert "爱喝茶" in desk.text("memory"), "it is UTF-8 again"


@pytest.mark.parametrize(
    "junk",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00",
        "## 事实\n- 喜欢茶\n".encode("gb18030"),
        b"# Memory\n\x00\x00\n",
    ],
    ids=["binary", "gb18030", "nul"],
)
def test_what_is_no_text_is_left_alone(desk: Desk, junk: bytes) -> None:
    desk.remember("likes tea")
    desk.sync()
    desk.path("memory").write_bytes(junk)
    report = desk.of("memory")
    assert (report.state, report.taken, report.asked) == ("left alone", (), ())
    assert report.problem
    assert desk.path("memory").read_bytes() == junk
    assert desk.current() == ["likes tea"]
    desk.path("memory").unlink()
    desk.sync()
    assert desk.bullets("memory") == ["likes tea"]


def test_a_huge_file_is_left_alone(desk: Desk) -> None:
    desk.remember("likes tea")
    desk.write("memory", "x" * 1_000_001)
    report = desk.of("memory")
    assert report.state == "left alone"
    assert "1,000,000 bytes" in report.problem
    assert desk.text("memory") == "x" * 1_000_001


def test_a_large_file_of_awkward_lines_is_read_quickly(desk: Desk) -> None:
    lines = ["<!--", "````", "- <!--m:" + " " * 50, "```", "# " + "#" * 200, "  - x", "~~~"]
    text = "\n".join(lines * 3000)
    desk.write("memory", text)
    report = desk.of("memory")
    assert report.over > 0
    assert desk.text("memory").count("````") >= 3000


class Interrupting(ManualClock):
    """A clock that lets something happen while the engine is at work."""

    def __init__(self, start: datetime) -> None:
        super().__init__(start)
        self.happens: Callable[[], None] | None = None

    def now(self) -> datetime:
        happens, self.happens = self.happens, None
        if happens is not None:
            happens()
        return super().now()


def test_a_failed_write_is_made_up_for(open_mind: OpenMind, tmp_path: Path) -> None:
    clock = Interrupting(NOON)
    desk = Desk(open_mind(clock=clock), clock, tmp_path)
    desk.remember("likes tea")
    desk.sync()
    desk.replace("memory", "likes tea", "likes coffee")
    folder, aside = desk.folders.documents, tmp_path / "aside"

    def block() -> None:
        folder.rename(aside)
        folder.write_text("in the way")

    clock.happens = block
    with pytest.raises(StoreUnavailable, match="cannot be"):
        desk.documents.sync(NOON)
    folder.unlink()
    aside.rename(folder)
    assert "likes coffee" in desk.text("memory")
    desk.sync()
    assert [memory.text for memory in desk.all()] == ["likes coffee", "likes tea"]
    assert desk.bullets("memory") == ["likes coffee"]


def test_a_file_saved_while_we_write_is_not_lost(open_mind: OpenMind, tmp_path: Path) -> None:
    clock = Interrupting(NOON)
    desk = Desk(open_mind(clock=clock), clock, tmp_path)
    desk.remember("likes tea")
    desk.sync()

    def save() -> None:
        desk.replace("memory", "## Facts\n", "## Facts\n\n- written at the last moment\n")

    desk.replace("memory", "likes tea", "likes coffee")
    clock.happens = save  # when the edit is taken in, after the file was read
    report = desk.documents.sync(NOON)
    (memory,) = [document for document in report.documents if document.name == "memory"]
    assert [taken.how for taken in memory.taken] == ["edited", "added"]
    assert set(desk.current()) == {"likes coffee", "written at the last moment"}
    assert sorted(desk.bullets("memory")) == ["likes coffee", "written at the last moment"]


def test_a_file_that_never_rests_is_left_for_the_next_time(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    clock = Interrupting(NOON)
    desk = Desk(open_mind(clock=clock), clock, tmp_path)
    desk.remember("likes tea")
    desk.sync()
    count = 0

    def save() -> None:
        nonlocal count
        count += 1
        desk.replace("memory", "## Facts\n", f"## Facts\n\n- restless {count}\n")
        clock.happens = save

    save()
    report = desk.documents.sync(NOON)
    clock.happens = None
    (memory,) = [document for document in report.documents if document.name == "memory"]
    assert memory.state == "left alone"
    assert "next time" in memory.problem
    desk.sync()
    assert {f"restless {number + 1}" for number in range(count)} <= set(desk.current())


@pytest.mark.parametrize("edited", [False, True])
def test_a_crash_after_the_file_was_replaced_asks_nothing(
    make_desk: MakeDesk, edited: bool
) -> None:
    """The file is the new one, what is noted is the old one: what left it was not removed."""
    desk = make_desk(documents={"memory_per_kind": 1})
    desk.remember("likes tea", importance=0.5)
    desk.sync()
    with desk.mind._store.read("default") as unit:
        old = unit.document_states.get("memory")
    desk.remember("likes coffee", importance=0.9)
    desk.sync()
    assert desk.bullets("memory") == ["likes coffee"]
    with desk.mind._store.write("default") as unit:
        new = unit.document_states.get("memory")
        assert old is not None
        assert new is not None
        unit.document_states.put(DocumentRow(constant("memory"), old.written, new.written), NOON)
    if edited:
        desk.replace("memory", "likes coffee", "likes cocoa")
    report = desk.of("memory")
    assert report.asked == ()
    assert len(report.taken) == edited
    assert len(desk.current()) == 2
