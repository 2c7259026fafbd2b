"""The JSONL copy of each session: whole, in step with the database, aged out."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mnemic import Mind, ToolCall, ToolResult
from mnemic.clock import ManualClock
from tests.conftest import NOON, OpenMind
from tests.evidence import by_words


@pytest.fixture
def mind(open_mind: OpenMind) -> Mind:
    return open_mind(preset="openakita")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "conversation_history"


def say(mind: Mind, content: str, session: str = "s", **more: Any) -> None:
    mind.record(session=session, role="user", text=content, **more)
    mind.drain()


def file_of(folder: Path, session: str = "s") -> Path:
    (path,) = folder.rglob(f"{session}.jsonl")
    return path


def lines(folder: Path, session: str = "s") -> list[dict[str, Any]]:
    text = file_of(folder, session).read_text(encoding="utf-8")
    assert text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def said(folder: Path, session: str = "s") -> list[str]:
    return [line["text"] for line in lines(folder, session)]


@pytest.mark.feature("L3", preset="openakita")
class TestCopies:
    @pytest.mark.statement("A47")
    def test_every_turn_is_a_line_with_all_it_holds(self, mind: Mind, folder: Path) -> None:
        with mind.session("chat-1") as session:
            session.user("茶？\n两行", sender="小明", channel="wechat")
            session.assistant(
                "看看",
                tool_calls=[ToolCall("read_file", {"path": "茶.md", "n": [1]}, "c1")],
                tool_results=[ToolResult("绿茶", "c1")],
            )
        mind.drain()
        one, two = lines(folder, "chat-1")
        assert (one["session"], one["index"], one["role"]) == ("chat-1", 0, "user")
        assert (one["text"], one["sender"], one["channel"]) == ("茶？\n两行", "小明", "wechat")
        assert one["at"] == NOON.isoformat()
        assert two["tool_calls"] == [
            {"name": "read_file", "input": {"path": "茶.md", "n": [1]}, "id": "c1"}
        ]
        assert two["tool_results"][0]["content"] == "绿茶"
        assert "绿茶" in file_of(folder, "chat-1").read_text(encoding="utf-8"), "readable"
        assert [line["id"] for line in (one, two)] == [turn.id for turn in mind.turns()]

    def test_each_session_has_its_file_and_later_turns_are_appended(
        self, mind: Mind, folder: Path
    ) -> None:
        say(mind, "a0", "a")
        say(mind, "b0", "b")
        first = file_of(folder, "a").read_bytes()
        say(mind, "a1", "a")
        assert said(folder, "a") == ["a0", "a1"]
        assert said(folder, "b") == ["b0"]
        assert file_of(folder, "a").read_bytes().startswith(first)

    def test_a_turn_that_fills_a_gap_later_is_copied_too(self, mind: Mind, folder: Path) -> None:
        say(mind, "zero", index=0)
        say(mind, "two", index=2)
        say(mind, "one", index=1)
        assert sorted(line["index"] for line in lines(folder)) == [0, 1, 2]

    @pytest.mark.statement("A47")
    def test_files_age_out_after_thirty_days_and_the_database_stays(
        self, mind: Mind, folder: Path, clock: ManualClock
    ) -> None:
        say(mind, "old tea", "old")
        clock.advance(days=20)
        say(mind, "new tea", "new")
        path = file_of(folder, "old")
        clock.advance(days=9, hours=23)
        mind.drain()
        assert path.exists(), "29 days and 23 hours are not 30 days"
        clock.advance(days=2)
        mind.drain()
        assert not path.exists()
        assert said(folder, "new") == ["new tea"]
        assert [turn.text for turn in mind.turns(session="old")] == ["old tea"]
        assert {hit.text for hit in by_words(mind, "old")} == {"old tea"}, "the turn and its story"
        clock.advance(days=30)
        mind.drain()
        assert list(folder.rglob("*.jsonl")) == []
        assert mind.stats().turns == 2

    def test_a_session_that_goes_on_keeps_its_file(
        self, mind: Mind, folder: Path, clock: ManualClock
    ) -> None:
        for day in range(5):
            say(mind, f"day {day * 10}")
            clock.advance(days=10)
            mind.drain()
        assert len(said(folder)) == 5

    def test_an_old_turn_told_late_does_not_age_the_file(
        self, mind: Mind, folder: Path, clock: ManualClock
    ) -> None:
        say(mind, "today", index=1)
        say(mind, "long ago", index=0, at=NOON - timedelta(days=90))
        clock.advance(days=2)
        mind.drain()
        assert sorted(said(folder)) == ["long ago", "today"]

    def test_after_ageing_out_a_new_turn_starts_the_file_again(
        self, mind: Mind, folder: Path, clock: ManualClock
    ) -> None:
        say(mind, "before")
        clock.advance(days=40)
        mind.drain()
        assert list(folder.rglob("*.jsonl")) == []
        say(mind, "after")
        assert said(folder)[-1] == "after"
        assert mind.jobs(state="dead") == []


def test_other_presets_write_no_files(open_mind: OpenMind, tmp_path: Path) -> None:
    for preset in ("default", "shiyi", "myclaw", "semibot"):
        mind = open_mind(tmp_path / f"{preset}.db", preset=preset)
        say(mind, "tea")
    assert list(tmp_path.rglob("*.jsonl")) == []


@pytest.mark.setting("ledger.jsonl", "ledger.jsonl_keep")
def test_the_settings_decide(open_mind: OpenMind, tmp_path: Path, clock: ManualClock) -> None:
    mind = open_mind(ledger={"jsonl": True, "jsonl_keep": "2d"})
    say(mind, "tea")
    (path,) = (tmp_path / "conversation_history").rglob("s.jsonl")
    clock.advance(days=3)
    mind.drain()
    assert not path.exists()


class TestTornFiles:
    """Whatever happens to a file, the next append leaves whole lines."""

    def test_a_torn_tail_is_cut_off(self, mind: Mind, folder: Path) -> None:
        say(mind, "one")
        with file_of(folder).open("ab") as file:
            file.write(b'{"text": "half')
        say(mind, "two")
        assert said(folder) == ["one", "two"]

    def test_a_removed_file_starts_again(self, mind: Mind, folder: Path) -> None:
        say(mind, "one")
        file_of(folder).unlink()
        say(mind, "two")
        assert said(folder)[-1] == "two"

    def test_an_emptied_file_starts_again(self, mind: Mind, folder: Path) -> None:
        say(mind, "one")
        file_of(folder).write_bytes(b"")
        say(mind, "two")
        assert said(folder)[-1] == "two"


HOSTILE = [
    "../../etc/passwd",
    "..",
    ".",
    "/etc/passwd",
    "a/b",
    "a\\b",
    "C:\\x",
    "nul\x00byte",
    "con:stream",
    "line\nbreak",
    "~root",
    "x" * 512,
    "中文名字",
    "中文名子",
    "*?<>|",
    "-rf",
    ".hidden",
    "a b",
    "a_b",
]


def test_no_session_name_leaves_the_folder_or_shares_a_file(
    mind: Mind, folder: Path, tmp_path: Path
) -> None:
    for name in HOSTILE:
        mind.record(session=name, role="user", text=name)
    mind.drain()
    assert mind.jobs() == []
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != ".database"]
    assert len(files) == len(HOSTILE)
    stored = {turn.session for name in HOSTILE for turn in mind.turns(session=name)}
    assert {json.loads(path.read_bytes())["session"] for path in files} == stored
    for path in files:
        assert path.suffix == ".jsonl"
        assert path.resolve().is_relative_to(folder.resolve())
        assert len(path.name.encode()) <= 255
    beside = {path.name for path in tmp_path.iterdir()} - {"conversation_history"}
    assert all(name.startswith("memory.db") for name in beside), beside


@pytest.mark.parametrize("space", ["../up", "..", "a/b", "用户", "x" * 512, "nul\x00"])
def test_no_space_name_leaves_the_folder(
    open_mind: OpenMind, folder: Path, space: str, tmp_path: Path
) -> None:
    mind = open_mind(space=space, preset="openakita")
    say(mind, "tea")
    assert mind.jobs() == []
    (path,) = tmp_path.rglob("*.jsonl")
    assert path.resolve().is_relative_to(folder.resolve())


def test_two_spaces_do_not_share_a_file(open_mind: OpenMind, folder: Path) -> None:
    for space in ("default", "ann", "a/b", "a_b"):
        say(open_mind(space=space, preset="openakita"), f"tea of {space}")
    files = list(folder.rglob("s.jsonl"))
    assert len(files) == 4
    assert all(len(path.read_text().splitlines()) == 1 for path in files)


@pytest.mark.setting("ledger.jsonl_folder", "upkeep.report_folder")
def test_two_databases_of_one_folder_can_keep_their_files_apart(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    mind = open_mind(
        ledger={"jsonl": True, "jsonl_folder": "copies/talk"}, upkeep={"report_folder": "nightly"}
    )
    mind.record(session="s", role="user", text="My cat is called Tofu")
    mind.drain()
    mind.upkeep()
    assert [path.name for path in (tmp_path / "copies" / "talk").rglob("*.jsonl")] == ["s.jsonl"]
    assert list((tmp_path / "nightly").glob("*.md"))
    assert not (tmp_path / "conversation_history").exists()
    assert not (tmp_path / "daily_summaries").exists()
