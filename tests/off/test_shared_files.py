"""The plain files belong to several processes and to people: what any of them changes is seen."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

import mnemic
from mnemic.clock import ManualClock
from mnemic.types import NewTurn
from tests.conftest import OpenMind

pytestmark = pytest.mark.feature("O1", preset="myclaw")


@pytest.fixture
def off(open_mind: OpenMind) -> mnemic.Mind:
    return open_mind(preset="myclaw", memory__enabled=False)


@pytest.fixture
def other(open_mind: OpenMind) -> mnemic.Mind:
    """The same folder, as another process has it."""
    return open_mind(preset="myclaw", memory__enabled=False)


def contents(mind: mnemic.Mind) -> list[str]:
    return [turn.text for turn in mind.turns(limit=1000)]


def test_what_another_adds_is_seen(off: mnemic.Mind, other: mnemic.Mind) -> None:
    assert off.record(session="s", role="user", text="一").index == 0
    assert other.record(session="s", role="user", text="two").index == 1
    assert off.record(session="s", role="user", text="three").index == 2
    assert contents(off) == contents(other) == ["一", "two", "three"]
    assert other.recall("three")[0].text == "three"
    again = other.record(session="s", role="user", text="three", index=2)
    assert again == off.turns(session="s")[2]
    with pytest.raises(mnemic.Conflict, match="index 2"):
        other.record(session="s", role="user", text="another", index=2)
    off.end_session("s")
    assert other.sessions()[0].ended_at == off.sessions()[0].ended_at is not None
    off.note_failure("openai", "disk full")
    assert [event.payload for event in other.events(type="host_fail")] == [{"error": "disk full"}]


def test_a_statement_has_one_id_everywhere(
    off: mnemic.Mind, other: mnemic.Mind, open_mind: OpenMind
) -> None:
    tea = off.remember("User likes tea", kind="preference", operation_id="once", importance=0.1)
    assert other.remember("anything", kind="fact", operation_id="once").id == tea.id
    water = other.remember("User likes water", kind="preference", supersedes=tea.id)
    third = open_mind(preset="myclaw", memory__enabled=False)
    for mind in (off, other, third):
        assert [memory.id for memory in mind.memories()] == [water.id]
        assert [version.id for version in mind.history(tea.id).versions] == [tea.id, water.id]
        assert mind.memories()[0] == other.get(water.id)
    with pytest.raises(mnemic.MemoryOff):
        third.remember("User likes milk", kind="preference", supersedes=tea.id)


def test_every_statement_is_in_the_context(off: mnemic.Mind) -> None:
    off.remember("User collects stamps", kind="fact", importance=0.1)
    off.remember("用户会弹钢琴", kind="skill", importance=0.0)
    text = off.context("What is the weather in Paris?", budget=2000).text
    assert "User collects stamps" in text
    assert "用户会弹钢琴" in text


def test_what_a_person_changes_in_the_files_is_seen(off: mnemic.Mind, tmp_path: Path) -> None:
    off.record(session="s", role="user", text="The parrot is called Rio")
    off.record(session="s", role="user", text="The cat is called Kit")
    off.remember("User likes tea", kind="preference")
    off.remember("User likes milk", kind="preference")
    log, notes = tmp_path / "memory" / "2026-02-12.md", tmp_path / "memory" / "MEMORY.md"
    log.write_text(log.read_text("utf-8").replace("called Rio", "called Leo"), "utf-8")
    assert contents(off) == ["The parrot is called Leo", "The cat is called Kit"]
    assert "Rio" not in off.recall("parrot")[0].text
    notes.write_text("".join(notes.read_text("utf-8").splitlines(keepends=True)[1:]), "utf-8")
    assert [memory.text for memory in off.memories()] == ["User likes milk"]
    with notes.open("a", encoding="utf-8") as file:
        file.write("- 用户喜欢跑步")
    assert {memory.text for memory in off.memories()} == {"User likes milk", "用户喜欢跑步"}
    with notes.open("a", encoding="utf-8") as file:
        file.write("和游泳\n  since 2019\n")
    stated = {"User likes milk", "用户喜欢跑步和游泳\nsince 2019"}
    assert {memory.text for memory in off.memories()} == stated
    off.remember("User likes rain", kind="preference")
    log.unlink()
    assert contents(off) == []
    assert {memory.text for memory in off.memories()} == {*stated, "User likes rain"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"role":"user"', '"role":"robot"'),
        ('"sender":"Ann"', '"sender":7'),
        ('"index":0', '"index":"first"'),
        ("+00:00", ""),
        ('"kind":"preference"', '"kind":"whim"'),
        ('"importance":0.5', '"importance":"very"'),
    ],
)
def test_a_mark_that_was_changed_beyond_reading_hides_nothing_else(
    off: mnemic.Mind, open_mind: OpenMind, tmp_path: Path, before: str, after: str
) -> None:
    off.record(session="s", role="user", text="The parrot is called Rio", sender="Ann")
    off.remember("User likes tea", kind="preference")
    changed = 0
    for path in (tmp_path / "memory").glob("*.md"):
        text = path.read_text("utf-8")
        changed += text.count(before)
        path.write_text(text.replace(before, after), "utf-8")
    assert changed
    off.record(session="t", role="user", text="Good morning")
    off.remember("User likes rain", kind="preference")
    for mind in (off, open_mind(preset="myclaw")):
        assert "Good morning" in contents(mind)
        assert "User likes rain" in [memory.text for memory in mind.memories()]


def test_what_is_forgotten_elsewhere_is_gone(off: mnemic.Mind, open_mind: OpenMind) -> None:
    off.record(session="s", role="user", text="The parrot is called Rio")
    off.record(session="t", role="user", text="Good morning")
    assert len(contents(off)) == 2
    with open_mind(preset="myclaw") as mind:
        mind.forget(session="s")
    assert contents(off) == ["Good morning"]


def test_a_second_person_lowers_the_trust_of_a_session(
    off: mnemic.Mind, other: mnemic.Mind, open_mind: OpenMind
) -> None:
    off.record(session="s", role="user", text="I am Ann", sender="Ann")
    assert other.turns()[0].trust == "owner"
    assert other.record(session="s", role="user", text="I am Ben", sender="Ben").trust == (
        "external"
    )
    for mind in (off, other, open_mind(preset="myclaw", memory__enabled=False)):
        assert [turn.trust for turn in mind.turns(session="s")] == ["external", "external"]
    with open_mind(preset="myclaw") as mind:
        assert [turn.trust for turn in mind.turns(session="s")] == ["external", "external"]


def test_a_session_goes_on_behind_its_turns_in_old_logs(
    off: mnemic.Mind, clock: ManualClock, open_mind: OpenMind
) -> None:
    off.record(session="s", role="user", text="zero")
    off.record(session="s", role="user", text="one")
    clock.advance(days=30)
    assert contents(off) == []
    added = off.record_many([NewTurn("s", "user", "two"), NewTurn("s", "user", "three")])
    assert added.added == 2
    assert [(turn.index, turn.text) for turn in off.turns(session="s")] == [
        (2, "two"),
        (3, "three"),
    ]
    off.record(session="s", role="user", text="zero", index=0)  # it has been there before
    with open_mind(preset="myclaw") as mind:
        assert contents(mind) == ["zero", "one", "two", "three"]


def test_a_project_outlives_a_change_of_the_files(off: mnemic.Mind, clock: ManualClock) -> None:
    session = off.session("s", project="house")
    clock.advance(days=1)
    session.user("We paint the door")
    assert [turn.text for turn in off.turns(project="house")] == ["We paint the door"]


def test_what_could_not_be_written_is_not_there(off: mnemic.Mind, tmp_path: Path) -> None:
    off.record(session="s", role="user", text="first")
    size = (tmp_path / "memory" / "2026-02-12.md").stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, before[1]))
    try:
        with pytest.raises(mnemic.StoreError):
            off.record(session="s", role="user", text="lost")
        assert contents(off) == ["first"]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert off.record(session="s", role="user", text="second").index == 1
    assert contents(off) == ["first", "second"]


def test_threads_share_one_mind(off: mnemic.Mind) -> None:
    def speak(name: str) -> None:
        for n in range(10):
            off.record(session=name, role="user", text=f"{name} {n}")
            off.recall(name)

    threads = [Thread(target=speak, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in "abcd":
        assert [turn.index for turn in off.turns(session=name)] == list(range(10))


def _child(work: Callable[[], object]) -> int:
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return child


def _end_of(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_forked_child_goes_on(off: mnemic.Mind) -> None:
    off.record(session="s", role="user", text="parent")
    child = _child(lambda: off.record(session="s", role="user", text="child"))
    assert _end_of(child) == 0
    assert [(turn.index, turn.text) for turn in off.turns()] == [(0, "parent"), (1, "child")]


def test_processes_share_a_log(tmp_path: Path) -> None:
    def speak() -> None:
        with mnemic.open(tmp_path / "m.db", memory__enabled=False, worker="none") as mind:
            for _ in range(20):
                mind.record(session="s", role="user", text="x")

    children = [_child(speak) for _ in range(3)]
    assert [_end_of(child) for child in children] == [0, 0, 0]
    with mnemic.open(tmp_path / "m.db", memory__enabled=False, worker="none") as off:
        assert [turn.index for turn in off.turns(session="s")] == list(range(60))
    assert not (tmp_path / "m.db").exists()


def test_reading_makes_no_folder(off: mnemic.Mind, tmp_path: Path) -> None:
    assert not off.recall("anything")
    assert not off.turns()
    assert not off.memories()
    off.context("anything")
    off.close()
    assert list(tmp_path.iterdir()) == []
