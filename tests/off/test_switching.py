"""Off and on again: nothing is lost, nothing comes twice, the database is not touched."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mnemic
from mnemic.clock import ManualClock
from mnemic.documents.fallback.logs import LoggedTurn, parse, render
from mnemic.types import SafeCall, SafeResult, ToolCall, ToolResult, Turn, constant
from tests.conftest import NOON, OpenMind

pytestmark = pytest.mark.feature("O1", preset="myclaw")

AWKWARD = [
    "a\nb",
    "> x",
    "## 10:00 user",
    'says <!-- mnemic {"memory":{}} -->',
    "a\r\nb",
    "- x",
    "a <!-- b",
    "a --> b",
]
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=80) | st.sampled_from(
    [
        "",
        "\n",
        "> x",
        "## 10:00 user",
        '<!-- mnemic {"turn":{}} -->',
        "a\r\nb",
        "- x",
        "  ",
        "\x85",
    ]
)


@pytest.mark.statement("D110")
@pytest.mark.sqlite_file("its bytes and its age are compared")
def test_the_database_is_not_touched_while_off(open_mind: OpenMind, tmp_path: Path) -> None:
    with open_mind(preset="myclaw") as mind:
        mind.record(session="s", role="user", text="before")
    before = (tmp_path / "memory.db").read_bytes()
    changed = (tmp_path / "memory.db").stat().st_mtime_ns
    with open_mind(preset="myclaw", memory__enabled=False) as off:
        off.record(session="s", role="user", text="meanwhile")
        off.remember("User likes tea", kind="preference")
        assert "before" not in [hit.text for hit in off.recall("before")]
        off.context("what did I say before?", session="s")
    assert (tmp_path / "memory.db").read_bytes() == before
    assert (tmp_path / "memory.db").stat().st_mtime_ns == changed
    assert not (tmp_path / "memory.db-wal").exists()


def test_the_environment_throws_the_switch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYCLAW_MEMORY_ENABLED", "false")
    with mnemic.open(tmp_path / "m.db", preset="myclaw", worker="none") as off:
        off.record(session="s", role="user", text="x")
    assert not (tmp_path / "m.db").exists()
    assert list((tmp_path / "memory").glob("*.md"))


def test_what_was_said_meanwhile_is_taken_in_once(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path
) -> None:
    with open_mind() as mind:
        mind.record(session="s", role="user", text="before")
    with open_mind(memory__enabled=False) as off, off.session("s", project="p") as s:
        s.user("My parrot is called Rio", sender="Ann")
        s.assistant("Lovely", tool_calls=[ToolCall("note", {"text": "Rio"}, "c")])
        tea = off.remember("User likes tea", kind="preference", importance=0.9)
        off.remember("User likes water", kind="preference", supersedes=tea.id)
        off.note_failure("openai", "disk full")
    clock.advance(days=40)
    files = {path: path.read_bytes() for path in (tmp_path / "memory").glob("*.md")}
    for _ in range(3):
        with open_mind() as mind:
            turns = mind.turns(session="s")
            assert [turn.text for turn in turns] == [
                "before",
                "My parrot is called Rio",
                "Lovely",
            ]
            assert [turn.index for turn in turns] == [0, 1, 2]
            assert (turns[1].at, turns[1].sender) == (NOON, "Ann")
            assert turns[2].tool_calls[0].input == {"text": "Rio"}
            assert [memory.text for memory in mind.memories()] == ["User likes water"]
            (kept,) = mind.memories()
            assert len(mind.history(kept.id).versions) == 2
            assert mind.sessions()[0].ended_at is not None
            assert len(mind.events(type="host_fail")) == 1
            assert mind.recall("parrot")[0].text == "My parrot is called Rio"
    assert files == {path: path.read_bytes() for path in (tmp_path / "memory").glob("*.md")}


def test_off_and_on_many_times(open_mind: OpenMind, clock: ManualClock) -> None:
    for round_ in range(4):
        with open_mind(memory__enabled=False) as off:
            off.record(session="s", role="user", text=f"off {round_}")
        with open_mind() as mind:
            mind.record(session="s", role="user", text=f"on {round_}")
            clock.advance(hours=13)
    with open_mind() as mind:
        said = [turn.text for turn in mind.turns(session="s")]
    assert said == [f"{where} {round_}" for round_ in range(4) for where in ("off", "on")]


def test_what_was_said_is_learned_from_when_it_is_on(open_mind: OpenMind) -> None:
    with open_mind(memory__enabled=False) as off, off.session("s") as s:
        s.user("Remember that I am allergic to peanuts.")
        s.assistant("I will keep it in mind.")
        s.user("Thanks")
    with open_mind() as mind:
        mind.drain()
        assert any("peanuts" in memory.text for memory in mind.memories())


def test_what_the_long_term_file_says_is_not_learned_from_the_agent(open_mind: OpenMind) -> None:
    with open_mind(memory__enabled=False) as off, off.session("s") as s:
        off.remember("User lives in Hangzhou", kind="identity", importance=1.0)
        s.user("Where is my home?")
        s.assistant("The user lives in Hangzhou.")
        s.user("Right, thanks a lot")
    with open_mind() as mind:
        mind.drain()
        assert [memory.text for memory in mind.memories()] == ["User lives in Hangzhou"]


@pytest.mark.statement("D112")
def test_lines_of_a_person_are_memories(open_mind: OpenMind, tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "MEMORY.md").write_text(
        "# Long-term memory\n\n- 用户叫李雷\nprefers tea\n* lives in Hangzhou\n  since 2019\n",
        "utf-8",
    )
    stated = {"用户叫李雷", "prefers tea", "lives in Hangzhou\nsince 2019"}
    with open_mind(preset="myclaw", memory__enabled=False) as off:
        assert {memory.text for memory in off.memories()} == stated
        assert "prefers tea" in off.context("hello, who am I?", budget=2000).text
    with open_mind(preset="myclaw") as mind:
        mind.remember("drinks coffee", kind="identity")
    with (tmp_path / "memory" / "MEMORY.md").open("a", encoding="utf-8") as file:
        file.write("- drinks coffee\n- runs\n")
    with open_mind(preset="myclaw") as mind:
        known = mind.memories()
    assert sorted(m.text for m in known) == sorted([*stated, "drinks coffee", "runs"])
    theirs = [memory for memory in known if memory.text != "drinks coffee"]
    assert {(m.kind, m.importance, m.project, m.topic) for m in theirs} == {
        ("identity", 1.0, "_global", "_profile")
    }


def test_what_was_forgotten_does_not_come_back(open_mind: OpenMind) -> None:
    with open_mind(memory__enabled=False) as off:
        off.record(session="s", role="user", text="The parrot is called Rio")
        off.remember("User likes oolong", kind="preference")
    with open_mind() as mind:
        mind.forget(session="s")
        mind.forget(id=mind.memories()[0].id)
        mind.drain()
    with open_mind(memory__enabled=False) as off:
        off.record(session="t", role="user", text="another")
        off.remember("User likes milk", kind="preference")
    with open_mind() as mind:
        assert [turn.text for turn in mind.turns()] == ["another"]
        assert [memory.text for memory in mind.memories()] == ["User likes milk"]


def test_an_index_the_host_chose_is_kept(open_mind: OpenMind) -> None:
    with open_mind() as mind:
        mind.record(session="s", role="user", text="zero", index=0)
        mind.record(session="s", role="user", text="one", index=1)
    with open_mind(memory__enabled=False) as off:
        off.record(session="s", role="user", text="one", index=1)
        off.record(session="s", role="user", text="another zero", index=0)
        off.record(session="s", role="user", text="two", index=2)
    with open_mind() as mind:
        contents = [turn.text for turn in mind.turns(session="s")]
        assert contents[:2] == ["zero", "one"]
        assert sorted(contents[2:]) == ["another zero", "two"]
        mind.record(session="s", role="user", text="two", index=contents.index(constant("two")))


def test_spaces_stay_apart(open_mind: OpenMind) -> None:
    for space in ("default", "Ann", "ann"):
        with open_mind(space=space, memory__enabled=False) as off:
            off.record(session="s", role="user", text=f"of {space}")
            off.remember(f"about {space}", kind="fact")
    for space in ("default", "Ann", "ann"):
        with open_mind(space=space) as mind:
            assert [turn.text for turn in mind.turns()] == [f"of {space}"]
            assert [memory.text for memory in mind.memories()] == [f"about {space}"]


def test_a_turn_that_was_cut_off_does_not_hide_the_others(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    with open_mind(memory__enabled=False) as off:
        off.record(session="s", role="user", text="whole 一")
        log = tmp_path / "memory" / "2026-02-12.md"
        whole = log.read_bytes()
        cuts = range(1, len(whole), 2)  # also inside of a letter of three bytes
        for number, cut in enumerate(cuts):
            with log.open("ab") as file:
                file.write(whole[:cut])
            assert off.record(session="t", role="user", text="after").index == number
        contents = [turn.text for turn in off.turns(limit=1000)]
    assert sorted(contents) == ["after"] * len(cuts) + ["whole 一"]
    with open_mind(memory__enabled=False) as off:
        assert [turn.text for turn in off.turns(limit=1000)] == contents


def test_an_acknowledged_turn_survives_a_kill(tmp_path: Path) -> None:
    script = f"""
import mnemic
mind = mnemic.open({str(tmp_path / "m.db")!r}, memory__enabled=False, worker="none")
n = 0
while True:
    mind.record(session="s", role="user", text=f"turn {{n}}")
    print(n, flush=True)
    n += 1
"""
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    with child.stdout as lines:
        for line in lines:
            if int(line) >= 30:
                os.kill(child.pid, signal.SIGKILL)
                break
        acknowledged = 30
    child.wait()
    with mnemic.open(tmp_path / "m.db", worker="none") as mind:
        said = [turn.text for turn in mind.turns(session="s", limit=1000)]
    assert said[: acknowledged + 1] == [f"turn {n}" for n in range(acknowledged + 1)]


def test_many_writers_share_a_log(open_mind: OpenMind) -> None:
    from threading import Thread

    minds = [open_mind(memory__enabled=False) for _ in range(4)]

    def speak(mind: mnemic.Mind) -> None:
        for _ in range(10):
            mind.record(session="s", role="user", text="x")

    threads = [Thread(target=speak, args=(mind,)) for mind in minds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [turn.index for turn in minds[0].turns(session="s")] == list(range(40))


def test_files_that_cannot_be_read_do_not_keep_the_memory_shut(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    (tmp_path / "memory" / "2026-02-12.md").mkdir(parents=True)
    with open_mind() as mind:
        assert "2026-02-12.md" in mind.stats().worker_failure


@pytest.mark.setting("memory.fallback_folder")
def test_a_memory_in_ram_needs_a_folder(open_mind: OpenMind, tmp_path: Path) -> None:
    with pytest.raises(mnemic.ConfigError, match="fallback_folder"):
        open_mind(":memory:", memory__enabled=False)
    with open_mind(
        ":memory:", memory__enabled=False, memory__fallback_folder=str(tmp_path / "notes")
    ) as off:
        off.record(session="s", role="user", text="x")
    assert (tmp_path / "notes" / "2026-02-12.md").exists()


@given(content=texts, sender=texts, told=texts, name=texts.filter(bool))
def test_a_log_gives_back_what_was_written(content: str, sender: str, told: str, name: str) -> None:
    turn = Turn(
        id=constant("i"),
        session=constant(name),
        index=3,
        role="assistant",
        text=constant(content),
        at=NOON,
        sender=constant(sender),
        tool_calls=(SafeCall(ToolCall("t", {"x": [told, 1.5, None]}, "c")),),
        tool_results=(SafeResult(ToolResult(told, "c", is_error=True)),),
        trust="external",
        tokens=7,
    )
    said = LoggedTurn(turn, project=constant("p"), placed=True)
    assert list(parse(render(said) + render(said))) == [said, said]


@pytest.mark.parametrize("text", AWKWARD)
def test_a_statement_comes_back_whatever_its_text_looks_like(
    open_mind: OpenMind, text: str
) -> None:
    with open_mind(memory__enabled=False) as off:
        tea = off.remember(
            "User drinks tea", kind="preference", subject="user", tags=["x"], project="p"
        )
        off.remember(text, kind="fact", subject="user", predicate="x", value="y", importance=0.9)
        off.remember("User drinks water", kind="preference", supersedes=tea.id)
    for enabled in (False, True):
        with open_mind(memory__enabled=enabled) as mind:
            stated = {" ".join(memory.text.split()): memory for memory in mind.memories()}
        assert stated.keys() == {" ".join(text.split()), "User drinks water"}
        awkward = stated[" ".join(text.split())]
        assert (awkward.predicate, awkward.value, awkward.importance) == ("x", "y", 0.9)
        assert stated["User drinks water"].project == "p"
