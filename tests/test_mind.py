"""The mind as a whole: opening, closing, statistics, checks, repair."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

import mnemic
from mnemic import Mind
from tests.conftest import NOON, OpenMind
from tests.evidence import by_words


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_opening_makes_the_file_and_its_folder(open_mind: OpenMind, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "me.db"
    mind = open_mind(path)
    mind.record(session="s", role="user", text="tea")
    assert path.is_file()
    assert repr(mind) == "<Mind space='default' preset='default'>"


def test_a_text_path_a_home_path_and_the_environment(
    open_mind: OpenMind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MNEMIC_DB", str(tmp_path / "env.db"))
    open_mind(str(tmp_path / "text.db"))
    open_mind("~/home.db")
    mnemic.open(worker="none").close()
    assert {"text.db", "home.db", "env.db"} <= names(tmp_path)


def test_a_relative_path_stays_where_it_was(
    open_mind: OpenMind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    mind = open_mind("here.db", preset="openakita")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    mind.record(session="s", role="user", text="tea")
    mind.drain()
    assert names(tmp_path / "elsewhere") == set()
    assert len(mind.turns()) == 1


def test_memory_only_leaves_no_file(
    open_mind: OpenMind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    mind = open_mind(":memory:", preset="openakita")
    mind.record(session="s", role="user", text="green tea")
    assert [hit.text for hit in by_words(mind, "tea")] == ["green tea"]
    mind.drain()
    assert mind.jobs(state="dead") == []
    assert names(tmp_path) == set()


def test_two_memories_in_memory_are_two(open_mind: OpenMind) -> None:
    open_mind(":memory:").record(session="s", role="user", text="tea")
    assert open_mind(":memory:").turns() == []


@pytest.mark.parametrize("target", ["postgresql://x/y", "http://x", "redis://x"])
def test_what_cannot_be_opened_says_so(open_mind: OpenMind, target: str) -> None:
    with pytest.raises(mnemic.MnemicError) as caught:
        open_mind(target)
    assert caught.value.remedy


@pytest.mark.parametrize(
    "wrong",
    [
        {"space": ""},
        {"space": " "},
        {"space": "\ud800"},
        {"space": "x" * 513},
        {"preset": "nobody"},
        {"worker": "process"},
        {"nonsense": 1},
        {"jobs": {"max_attempts": 0}},
    ],
    ids=str,
)
def test_a_wrong_argument_is_a_typed_error(
    open_mind: OpenMind, tmp_path: Path, wrong: dict[str, object]
) -> None:
    with pytest.raises((mnemic.InvalidInput, mnemic.ConfigError)) as caught:
        open_mind(**wrong)  # type: ignore[arg-type]
    assert caught.value.remedy
    assert names(tmp_path) == set(), "nothing was made"


def test_a_folder_is_not_a_memory(open_mind: OpenMind, tmp_path: Path) -> None:
    with pytest.raises(mnemic.StoreUnavailable) as caught:
        open_mind(tmp_path)
    assert caught.value.remedy


def test_the_parent_of_a_memory_must_be_a_folder(open_mind: OpenMind, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(mnemic.StoreError) as caught:
        open_mind(tmp_path / "file" / "me.db")
    assert caught.value.remedy


def test_after_closing_every_door_says_so(mind: Mind) -> None:
    mind.record(session="s", role="user", text="tea")
    mind.close()
    mind.close()
    for call in (
        lambda: mind.record(session="s", role="user", text="tea"),
        mind.turns,
        mind.stats,
        mind.memories,
        mind.drain,
        lambda: mind.recall("tea"),
        lambda: mind.remember("x", kind="fact"),
        lambda: mind.session("s"),
    ):
        with pytest.raises(mnemic.Closed) as caught:
            call()
        assert caught.value.remedy


def test_leaving_the_block_closes(tmp_path: Path) -> None:
    with mnemic.open(tmp_path / "me.db") as mind:
        mind.record(session="s", role="user", text="tea")
    with pytest.raises(mnemic.Closed):
        mind.turns()
    with mnemic.open(tmp_path / "me.db") as mind:
        assert len(mind.turns()) == 1


def test_statistics(mind: Mind) -> None:
    mind.record(session="s", role="user", text="tea", at=NOON - timedelta(days=1))
    mind.record(session="s", role="user", text="coffee")
    mind.remember("likes tea", kind="fact")
    mind.attach("/tmp/x.png")
    stats = mind.stats()
    assert (stats.space, stats.turns, stats.sessions) == ("default", 2, 1)
    assert (stats.memories, stats.attachments, stats.events) == (1, 1, 1)
    assert stats.turn_states["new"] == 2
    assert (stats.first_at, stats.last_at) == (NOON - timedelta(days=1), NOON)
    assert stats.tokens > 0
    assert stats.file_bytes > 0
    assert stats.worker_failure == ""


@pytest.mark.sqlite_file("its size")
def test_the_file_is_as_large_as_is_said(mind: Mind, tmp_path: Path) -> None:
    mind.record(session="s", role="user", text="tea")
    assert mind.stats().file_bytes >= (tmp_path / "memory.db").stat().st_size


def test_a_sound_memory_passes_the_doctor(mind: Mind) -> None:
    mind.record(session="s", role="user", text="tea")
    findings = mind.doctor()
    assert len(findings) > 5
    assert [finding for finding in findings if not finding.ok] == []
    assert len(mind.doctor(deep=False)) < len(findings)


@pytest.mark.feature("R2")
def test_repair_builds_the_text_index_again_for_every_space(open_mind: OpenMind) -> None:
    ann, bob = open_mind(space="ann"), open_mind(space="bob")
    for mind in (ann, bob):
        mind.record(session="s", role="user", text=f"绿茶 of {mind.space}", sender="小明")
        mind.remember("likes oolong", kind="preference", tags=["饮料"])
        mind.attach("/tmp/teapot.png", description="一个茶壶")
    before = {
        query: [hit.id for hit in by_words(ann, query)]
        for query in ("绿茶", "小明", "oolong", "饮料", "teapot", "茶壶")
    }
    assert all(before.values())
    seen: list[int] = []
    assert ann.repair(seen.append) == sum(seen) == 6
    assert {query: [hit.id for hit in by_words(ann, query)] for query in before} == before
    assert [hit.text for hit in by_words(bob, "绿茶", of=["turn"])] == ["绿茶 of bob"]
    assert all(finding.ok for finding in [*ann.doctor(), *bob.doctor()])
