"""The doors of a mind behave alike on a database and, switched off, on plain files."""

from __future__ import annotations

import asyncio
import inspect
from datetime import timedelta
from pathlib import Path

import pytest

import mnemic
from mnemic.clock import ManualClock
from mnemic.engine.aio import AsyncMind
from mnemic.engine.mind import Mind
from mnemic.engine.off import SERVED
from mnemic.types import NewTurn, RecordType, ToolCall, ToolResult, Turn
from tests.conftest import NOON, OpenMind

pytestmark = pytest.mark.feature("O1", preset="myclaw")


@pytest.fixture(params=["database", "plain files"])
def either(request: pytest.FixtureRequest, open_mind: OpenMind) -> mnemic.Mind:
    return open_mind(preset="myclaw", memory__enabled=request.param == "database")


def bare(turn: Turn) -> tuple[object, ...]:
    return (turn.session, turn.index, turn.role, turn.text, turn.tool_calls, turn.tool_results)


def test_a_conversation_comes_back_as_it_was(either: mnemic.Mind) -> None:
    with either.session("work", project="myclaw", topic="setup") as s:
        s.user(
            "我升级到 Python 3.12 了\n\n> 以后都用 uv\n## 标题\n- x <!-- mnemic {} -->",
            sender="李雷",
        )
        s.assistant("好", tool_calls=[ToolCall("run", {"command": "a > b --> c"}, "c1")])
        s.tool(tool_results=[ToolResult("line 1\r\nline 2\n", "c1", is_error=True)])
    turns = either.turns(session="work")
    assert [turn.index for turn in turns] == [0, 1, 2]
    assert turns[0].text.splitlines()[2] == "> 以后都用 uv"
    assert (turns[0].sender, turns[0].trust, turns[1].trust) == ("李雷", "owner", "agent")
    assert turns[1].tool_calls == (ToolCall("run", {"command": "a > b --> c"}, "c1"),)
    assert turns[2].tool_results == (ToolResult("line 1\r\nline 2\n", "c1", is_error=True),)
    (info,) = either.sessions()
    assert (info.id, info.project, info.topic, info.turns) == ("work", "myclaw", "setup", 3)
    assert info.ended_at is not None
    assert [t.index for t in either.turns(session="work", newest_first=True, limit=2)] == [2, 1]
    assert [t.index for t in either.turns(tool="run")] == [1]
    assert [t.index for t in either.turns(project="myclaw", role="user")] == [0]
    assert either.turns(project="another") == []


def test_the_same_turn_twice_is_one(either: mnemic.Mind) -> None:
    first = either.record(session="s", role="user", text="tea", index=4)
    assert either.record(session="s", role="user", text="tea", index=4) == first
    with pytest.raises(mnemic.Conflict, match="index 4"):
        either.record(session="s", role="user", text="coffee", index=4)
    assert either.record(session="s", role="user", text="next").index == 5
    many = [NewTurn("s", "user", "tea", index=4), NewTurn("s", "user", "new", index=6)]
    done = either.record_many(many)
    assert (done.added, done.known) == (1, 1)
    assert [turn.text for turn in either.turns(session="s")] == ["tea", "next", "new"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"session": "", "role": "user", "text": "x"},
        {"session": "s", "role": "robot", "text": "x"},
        {"session": "s", "role": "user", "text": "\ud800"},
        {"session": "s", "role": "user", "text": "x", "index": -1},
        {"session": "s", "role": "user", "text": "x", "at": "yesterday"},
    ],
)
def test_what_cannot_be_kept_is_refused(either: mnemic.Mind, wrong: dict[str, object]) -> None:
    with pytest.raises(mnemic.InvalidInput):
        either.record(**wrong)  # type: ignore[arg-type]
    assert either.turns() == []


def test_a_secret_is_not_written_down(either: mnemic.Mind, tmp_path: Path) -> None:
    key = "ghp_" + "R7mK2pXw9LqZ4vTn8BcYd3HsJf6GaEu1QyNo"
    either.record(session="s", role="user", text=f"my key is {key}")
    assert key not in either.turns(session="s")[0].text
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or key.encode() not in path.read_bytes()


def test_words_are_found_in_both_languages(either: mnemic.Mind) -> None:
    either.record(session="s", role="user", text="The parrot is called Rio")
    either.record(session="s", role="user", text="我们的猫叫小橘")
    either.remember("用户住在杭州", kind="identity")
    both: tuple[RecordType, ...] = ("turn", "memory")  # this preset's own search has no turns
    (best, *_) = either.recall("parrot", of=both)
    assert (best.type, best.text, best.session, best.index) == (
        "turn",
        "The parrot is called Rio",
        "s",
        0,
    )
    assert best.sources[0].turn_id == best.id
    assert best.why.routes
    assert either.recall("猫叫什么", of=both)[0].text == "我们的猫叫小橘"
    assert either.recall("杭州", of=("memory",))[0].text == "用户住在杭州"
    assert {hit.type for hit in either.recall("杭州 parrot", of=("turn",))} == {"turn"}
    assert either.recall("parrot", session="another", of=("turn",)) == []
    with pytest.raises(mnemic.InvalidInput):
        either.recall("x", limit=0)


def test_what_is_remembered_is_known(either: mnemic.Mind) -> None:
    told = either.remember(
        "User prefers tea\n\nand black coffee",
        kind="preference",
        subject="user",
        predicate="drink",
        value="tea",
        tags=["taste"],
        importance=0.9,
        confidence=0.0,
        operation_id="once",
    )
    again = either.remember("something else", kind="fact", operation_id="once")
    assert again.id == told.id
    either.remember("Gone soon", kind="temp", expires_at=NOON - timedelta(seconds=1))
    either.remember("myclaw is written in Go", kind="fact", project="myclaw")
    known = either.memories()
    assert {memory.text for memory in known} == {
        "User prefers tea\n\nand black coffee",
        "myclaw is written in Go",
    }
    assert either.projects() == ["myclaw"]
    (kept,) = either.memories(kind="preference")
    assert (kept.id, kept.tags, kept.importance, kept.value) == (told.id, ("taste",), 0.9, "tea")
    assert kept.confidence == 0
    newer = either.remember("User prefers water", kind="preference", supersedes=told.id)
    assert [memory.id for memory in either.memories(kind="preference")] == [newer.id]
    history = either.history(newer.id)
    assert [version.id for version in history.versions] == [told.id, newer.id]
    assert [event.type for event in history.events if event.type != "memory.write.important"] == [
        "write",
        "supersede",
        "write",
    ]
    with pytest.raises(mnemic.InvalidInput):
        either.remember("  ", kind="fact")


def test_a_context_has_what_is_known_and_what_was_said(either: mnemic.Mind) -> None:
    either.remember("用户叫韩梅梅", kind="identity", importance=1.0)
    either.remember("My favourite editor is Helix", kind="fact")
    either.record(session="now", role="user", text="Good morning")
    built = either.context("Which editor is my favourite?", session="now", budget=2000)
    assert "用户叫韩梅梅" in built.text
    assert "Helix" in built.text
    assert "Good morning" in built.text
    assert built.tokens <= built.budget <= 2000
    assert "<mnemic-memory" in built.text


def test_a_failure_of_the_host_is_recorded(either: mnemic.Mind) -> None:
    either.note_failure("openai", "disk full")
    (event,) = either.events(type="host_fail")
    assert (event.subject, event.payload) == ("openai", {"error": "disk full"})


def test_the_rest_of_the_doors_stand(either: mnemic.Mind) -> None:
    either.record(session="s", role="user", text="hello there")
    assert either.stats().turns == 1
    assert either.gate("which editor do I prefer?").wants
    assert either.pending(offer=True) == either.pending() == []
    either.drain()
    assert either.jobs(state="dead") == []
    if not either.settings.memory.enabled:
        assert either.jobs() == []
        assert either.stats().file_bytes > 0
    assert either.doctor()


@pytest.mark.setting("memory.enabled")
@pytest.mark.parametrize("days", [0, 6, 7, 8])
def test_logs_of_the_last_seven_days_are_read(
    open_mind: OpenMind, clock: ManualClock, days: int, tmp_path: Path
) -> None:
    mind = open_mind(preset="myclaw", memory__enabled=False)
    mind.record(session="s", role="user", text="The parrot is called Rio")
    clock.advance(days=days)
    assert bool(mind.turns()) == bool(mind.recall("parrot")) == (days < 7)
    assert mind.record(session="s", role="user", text="and then").index == 1
    assert (tmp_path / "memory" / "2026-02-12.md").exists(), "nothing is deleted"


def test_a_door_that_needs_the_database_names_the_switch(open_mind: OpenMind) -> None:
    mind = open_mind(memory__enabled=False)
    for door in (
        mind.episodes,
        lambda: mind.before_compression("s"),
        mind.scratchpad,
        lambda: mind.confirm("x"),
        lambda: mind.rollback("session:s"),
        mind.usage,
        lambda: mind.remember("hunter2", kind="credential", subject="mail"),
        lambda: mind.remember("x", kind="fact", supersedes="of the database"),
        lambda: mind.memories(as_of=NOON),
        mind.repair,
    ):
        with pytest.raises(mnemic.MemoryOff, match=r"memory\.enabled"):
            door()


def test_a_call_that_nobody_listed_is_refused(open_mind: OpenMind) -> None:
    off = open_mind(memory__enabled=False)
    public = {name for name, call in inspect.getmembers(Mind, inspect.isfunction) if name[0] != "_"}
    assert public > SERVED, "a call was renamed"
    for name in public - SERVED:
        with pytest.raises(mnemic.MemoryOff, match=name):
            getattr(off, name)()
        with pytest.raises(mnemic.MemoryOff, match=name):
            asyncio.run(getattr(AsyncMind(off), name)())
    with pytest.raises(mnemic.MemoryOff, match="turns"):
        off.remember("x", kind="fact", sources=["of the database"])


async def _awaited(path: Path) -> list[Turn]:
    async with await mnemic.open_async(path, memory__enabled=False, worker="none") as mind:
        session = await mind.session("s")
        await session.user("hello")
        return await mind.turns(session="s")


def test_the_awaitable_doors_lead_there_too(tmp_path: Path) -> None:
    assert [turn.text for turn in asyncio.run(_awaited(tmp_path / "a.db"))] == ["hello"]
    assert not (tmp_path / "a.db").exists()
