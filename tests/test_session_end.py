"""When a session ends: its memories, its story, the scratchpad, and what lived only for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mnemic import Mind, ToolCall, ToolResult
from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Scripted, reply, status
from tests.providers.speaking import says

pytestmark = pytest.mark.feature("X7", preset=["openakita", "semibot"])
PRESETS = pytest.mark.parametrize("preset", ["openakita", "semibot"])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Scripted() as made:
        yield made


def talk(mind: Mind, session: str = "s") -> None:
    with mind.session(session, project="lantern") as talking:
        talking.user("Please fix the login bug in auth.py. I use Helix as my editor.")
        talking.assistant(
            "Fixed: the hash was compared as text.",
            tool_calls=[
                ToolCall("read_file", {"path": "auth.py"}, "a"),
                ToolCall("run_tests", {"suite": "auth"}, "b"),
            ],
            tool_results=[ToolResult("def login(): ...", "a"), ToolResult("12 passed", "b")],
        )
        talking.user("great, that works")


@PRESETS
@pytest.mark.feature("M11", "M12", preset="openakita")
def test_it_leaves_memories_a_story_and_a_scratchpad(open_mind: OpenMind, preset: str) -> None:
    mind = open_mind(preset=preset)
    talk(mind)
    assert mind.episodes() == [], "ending a session waits for nobody"
    mind.drain()
    assert mind.jobs(state="dead") == []
    (memory,) = mind.memories()
    assert memory.value == "Helix"
    (episode,) = mind.episodes()
    assert (episode.session, episode.source, episode.outcome) == ("s", "session_end", "success")
    assert episode.memories == (memory.id,)
    assert episode.tools == ("read_file", "run_tests")
    assert [(node.tool, node.success) for node in episode.actions] == [
        ("read_file", True),
        ("run_tests", True),
    ]
    assert "login" in episode.goal
    assert len(episode.summary) <= 200
    assert "login" in mind.scratchpad().text
    assert {turn.state for turn in mind.turns()} == {"extracted", "empty"}


@PRESETS
def test_ending_twice_adds_nothing_and_going_on_adds_one(
    open_mind: OpenMind, clock: ManualClock, preset: str
) -> None:
    mind = open_mind(preset=preset)
    talk(mind)
    mind.end_session("s")
    mind.drain()
    mind.end_session("s")
    mind.drain()
    first = mind.episodes()
    assert len(first) == 1
    mind.record(session="s", role="user", text="Now write the release notes for 2.0")
    mind.end_session("s")
    mind.drain()
    latest = next(one for one in mind.episodes() if one.id != first[0].id)
    assert "release notes" in latest.summary
    assert "login" not in latest.summary


def test_what_was_only_for_the_session_goes_with_it(open_mind: OpenMind, server: Scripted) -> None:
    facts = [
        {"kind": "rule", "content": "reply in French", "duration": "session"},
        {"kind": "fact", "content": "keeps bees", "duration": "permanent"},
    ]
    told = [{**fact, "turns": [1], "confidence": 0.95} for fact in facts]
    server.always(thinking.proposing(lambda _: told))
    mind = open_mind(preset="openakita", **thinking.settings(server))
    mind.record(session="s", role="user", text="Please reply in French today. I keep bees")
    mind.drain()
    assert {memory.text for memory in mind.memories()} == {"reply in French", "keeps bees"}
    mind.end_session("s")
    mind.drain()
    assert [memory.text for memory in mind.memories()] == ["keeps bees"]
    (ended,) = [e for e in mind.events(type="archive") if "its session ended" in str(e.payload)]
    assert mind.history(ended.subject).versions[0].text == "reply in French"


@pytest.mark.feature("X7")
def test_also_where_it_was_learned_after_the_end(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    """A session that is too short for a story is learned from later, by the quiet gap."""
    fact = {"kind": "rule", "content": "reply in French", "duration": "session", "turns": [1]}
    server.always(thinking.proposing(lambda _: [{**fact, "confidence": 0.95}]))
    mind = open_mind(**thinking.settings(server))
    mind.record(session="s", role="user", text="reply in French")
    mind.end_session("s")
    clock.advance(minutes=3)
    mind.drain()
    assert mind.turns()[0].state == "extracted"
    assert mind.memories() == []


@pytest.mark.statement("A12")
def test_a_model_tells_the_story(open_mind: OpenMind, server: Scripted) -> None:
    server.always(thinking.proposing(lambda _: []))
    mind = open_mind(preset="openakita", **thinking.settings(server))
    talk(mind)
    mind.drain()
    (episode,) = mind.episodes()
    assert episode.summary == thinking.STORY["summary"]
    assert episode.tools == ("read_file", "run_tests"), "action nodes need no model"
    assert {total.purpose for total in mind.usage()} == {"extract", "episode"}


@pytest.mark.parametrize("failure", ["down", "refuses"])
def test_the_rules_tell_it_where_the_model_cannot(
    open_mind: OpenMind, clock: ManualClock, server: Scripted, failure: str
) -> None:
    server.always(
        thinking.by_purpose(
            extract=thinking.proposing(lambda _: []),
            reconcile=status(500),
            episode=status(500) if failure == "down" else status(401),
        )
    )
    mind = open_mind(preset="openakita", **thinking.settings(server))
    talk(mind)
    tries = 0
    while not mind.episodes():
        mind.drain()
        clock.advance(hours=1)
        tries += 1
    assert tries == 2, "it is waited for, and meanwhile there is a story"
    (episode,) = mind.episodes()
    assert "login" in episode.summary
    (event,) = mind.events(type="told_by_rules")
    assert event.subject == episode.id
    assert ("500" if failure == "down" else "401") in str(event.payload["reason"])
    assert mind.jobs(state="dead") == []
    assert {turn.state for turn in mind.turns()} == {"empty"}


def test_a_story_in_the_wrong_shape_is_not_told(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    server.always(
        thinking.by_purpose(
            extract=thinking.proposing(lambda _: []),
            reconcile=status(500),
            episode=reply(says("openai", '{"summary": "half", "outcome": "who knows"}')),
        )
    )
    mind = open_mind(preset="openakita", **thinking.settings(server))
    talk(mind)
    mind.drain()
    assert mind.episodes() == []
    (job,) = [job for job in mind.jobs() if job.kind == "session_end"]
    assert "outcome" in job.error


@pytest.mark.statement("A61")
@PRESETS
def test_the_retry_queue_runs_on(open_mind: OpenMind, clock: ManualClock, preset: str) -> None:
    """What failed before is read again when its session ends, not left behind."""
    model = {"provider": "openai", "name": "m", "base_url": "http://127.0.0.1:9", "timeout": 1}
    off: dict[str, Any] = {"embedding": {"provider": "none"}, "triggers": {"per_turn": False}}
    mind = open_mind(preset=preset, model=model, **off)
    mind.record(session="s", role="user", text="remember that I use Helix as my editor")
    mind.drain()
    assert mind.turns()[0].state == "failed"
    mind.close()
    again = open_mind(preset=preset, **off)
    again.record(session="s", role="user", text="thanks")
    again.record(session="s", role="user", text="bye")
    again.end_session("s")
    again.drain()
    assert [turn.state for turn in again.turns(session="s")] == ["extracted", "empty", "empty"]
