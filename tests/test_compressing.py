"""Before a host drops messages: what they say is kept, quickly and without a model."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import mnemic
from mnemic import InvalidInput, Mind, NewTurn, NotFound, ToolCall, ToolResult
from mnemic.clock import ManualClock
from tests.conftest import OpenMind

pytestmark = pytest.mark.feature("X6", preset="openakita")


@pytest.fixture
def mind(open_mind: OpenMind) -> Mind:
    return open_mind(preset="openakita")


def talk(mind: Mind, session: str = "s") -> None:
    mind.record(session=session, role="user", text="我升级到 Python 3.12 了，帮我改一下 CI")
    mind.record(
        session=session,
        role="assistant",
        text="改好了。",
        tool_calls=[ToolCall("edit_file", {"path": "ci.yml"}, "a")],
        tool_results=[ToolResult("ok", "a")],
    )
    mind.record(session=session, role="user", text="谢谢")


@pytest.mark.statement("A1", "A117")
def test_rules_an_episode_and_a_whole_extraction_later(mind: Mind) -> None:
    talk(mind)
    episode = mind.before_compression("s")
    assert (episode.source, episode.session, episode.tools) == (
        "context_compress",
        "s",
        ("edit_file",),
    )
    (memory,) = mind.memories()
    assert (memory.subject, memory.value, memory.status) == ("Python", "3.12", "active")
    assert episode.memories == (memory.id,)
    assert "3.12" in episode.summary
    assert {turn.state for turn in mind.turns()} == {"new"}, "the model has not read them yet"
    assert [job.kind for job in mind.jobs() if job.kind == "extract"] == ["extract"]
    mind.drain()
    assert {turn.state for turn in mind.turns()} == {"extracted", "empty"}


def test_reading_again_is_not_saying_again(mind: Mind) -> None:
    talk(mind)
    mind.before_compression("s")
    (before,) = mind.memories()
    mind.drain()
    (after,) = mind.memories()
    assert after == before
    assert after.confirmations == 0
    assert mind.turns(session="s")[0].state == "extracted"
    mind.record(session="t", role="user", text="I use Python 3.12")
    mind.before_compression("t")
    (said_again,) = mind.memories()
    assert (said_again.id, said_again.confirmations) == (before.id, 1)


def test_what_changed_within_the_stretch_is_not_brought_back(mind: Mind) -> None:
    mind.record(session="s", role="user", text="I use Python 3.10")
    mind.record(session="s", role="user", text="升级到 Python 3.12 了")
    mind.before_compression("s")
    mind.drain()
    (memory,) = mind.memories()
    assert memory.value == "3.12"
    versions = mind.history(memory.id).versions
    assert [one.value for one in versions] == ["3.10", "3.12"]
    assert mind.events(type="reject") == [], "no third one for the old value"


def test_two_statements_of_one_message_are_two(mind: Mind) -> None:
    mind.record(session="s", role="user", text="I no longer use Vim. I use Helix as my editor.")
    mind.before_compression("s")
    assert [memory.value for memory in mind.memories()] == ["Helix"]


def test_it_can_be_repeated(mind: Mind) -> None:
    talk(mind)
    messages = [NewTurn("s", turn.role, turn.text) for turn in mind.turns(session="s")[:1]]
    first = mind.before_compression("s", messages)
    assert mind.before_compression("s", messages) == first
    assert len(mind.episodes()) == 1
    assert mind.memories()[0].confirmations == 0


def test_without_messages_it_is_what_no_episode_tells_of(mind: Mind) -> None:
    """Also where the clock has not moved between them."""
    talk(mind)
    first = mind.before_compression("s")
    with pytest.raises(NotFound):
        mind.before_compression("s")
    mind.record(session="s", role="user", text="Now write the release notes for 2.0")
    second = mind.before_compression("s")
    assert second.id != first.id
    assert "release notes" in second.summary
    assert "3.12" not in second.summary


def test_messages_that_nobody_recorded_are_recorded(mind: Mind) -> None:
    said = [
        NewTurn("s", "user", "I use Helix as my editor"),
        NewTurn("s", "assistant", "Noted."),
        NewTurn("s", "tool", "", tool_results=(ToolResult("saved"),)),
    ]
    mind.before_compression("s", said)
    assert [turn.text for turn in mind.turns(session="s")] == [one.text for one in said]
    mind.before_compression("s", said)
    assert mind.stats().turns == 3
    mind.before_compression("s", [NewTurn("s", "assistant", "Noted.", index=1)])
    assert mind.stats().turns == 3


def test_a_message_with_a_secret_is_known_again(mind: Mind) -> None:
    secret = "my key is ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    turn = mind.record(session="s", role="user", text=secret)
    assert turn.text != secret
    mind.before_compression("s", [NewTurn("s", "user", secret)])
    assert mind.stats().turns == 1


@pytest.mark.statement("A3")
def test_the_hosts_summary_comes_later(mind: Mind, clock: ManualClock) -> None:
    talk(mind)
    episode = mind.before_compression("s")
    clock.advance(minutes=1)
    told = mind.after_compression(episode.id, "CI moved to Python 3.12 for project Lantern")
    assert (told.id, told.summary) == (episode.id, "CI moved to Python 3.12 for project Lantern")
    assert told.actions == episode.actions
    assert any(hit.id == episode.id for hit in mind.recall("Lantern", of=["episode"]))
    assert mind.after_compression(episode.id, told.summary) == told


def test_what_cannot_be_compressed_is_said(mind: Mind) -> None:
    with pytest.raises(NotFound, match="nothing to compress"):
        mind.before_compression("nobody")
    with pytest.raises(NotFound):
        mind.before_compression("s", [])
    with pytest.raises(InvalidInput, match="belongs to session 't'"):
        mind.before_compression("s", [NewTurn("t", "user", "x")])
    with pytest.raises(InvalidInput):
        mind.before_compression(" ")
    talk(mind)
    episode = mind.before_compression("s")
    with pytest.raises(NotFound):
        mind.after_compression("nothing", "x")
    with pytest.raises(InvalidInput):
        mind.after_compression(episode.id, "  ")


@pytest.mark.statement("A5")
def test_no_model_is_asked(open_mind: OpenMind) -> None:
    model = {"provider": "openai", "name": "m", "base_url": "http://192.0.2.1:9", "timeout": 600}
    mind = open_mind(preset="openakita", model=model)
    talk(mind)
    mind.before_compression("s")
    assert [memory.value for memory in mind.memories()] == ["3.12"]
    assert mind.usage() == []


@pytest.mark.statement("A113")
def test_the_doors_can_be_awaited(tmp_path: Path) -> None:
    async def run() -> str:
        path = tmp_path / "a.db"
        async with await mnemic.open_async(path, preset="openakita", worker="none") as mind:
            await mind.record(session="s", role="user", text="I use Helix as my editor")
            episode = await mind.before_compression("s")
            told = await mind.after_compression(episode.id, "the editor")
            await mind.end_session("s")
            await mind.drain()
            assert [memory.value for memory in await mind.memories()] == ["Helix"]
            assert len(await mind.episodes(session="s")) == 2
            return told.summary

    assert asyncio.run(run()) == "the editor"
