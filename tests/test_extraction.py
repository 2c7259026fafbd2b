"""From conversation to memories, through the whole engine: with a model, and without one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mnemic import Mind, NewTurn, ToolCall, ToolResult
from mnemic.clock import ManualClock, SystemClock
from mnemic.types import Json
from tests.conftest import NOON, OpenMind
from tests.learning import thinking
from tests.providers.scripted import Scripted, reply, silence, status
from tests.providers.speaking import says
from tests.waiting import wait_for

EVERY: dict[str, Any] = {"triggers": {"quiet_gap": "never", "session_min_messages": 1}}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Scripted() as made:
        yield made


def states(mind: Mind, session: str = "s") -> list[str]:
    return [turn.state for turn in mind.turns(session=session)]


def end(mind: Mind, session: str = "s") -> None:
    mind.end_session(session)
    mind.drain()


def version(value: str, turn: int = 1, **fields: Any) -> thinking.Fact:
    return {
        "kind": "config",
        "content": f"The user's Python is {value}",
        "subject": "Python",
        "predicate": "version",
        "value": value,
        "confidence": 0.95,
        "importance": 0.8,
        "turns": [turn],
        **fields,
    }


# --- the story of the documents ------------------------------------------------------------------


@pytest.mark.statement("A32")
@pytest.mark.feature("M4", "N4", "X5")
@pytest.mark.parametrize("preset", ["default", "openakita", "shiyi", "myclaw", "semibot"])
def test_from_python_3_10_to_3_12(open_mind: OpenMind, clock: ManualClock, preset: str) -> None:
    mind = open_mind(preset=preset)
    with mind.session("talk") as first:
        first.user("我的项目用 Python 3.10")
        first.assistant("好的")
        first.user("先这样")
    learn(mind, clock)
    before = clock.now()
    clock.advance(days=3)
    with mind.session("talk") as second:
        changed = second.user("升级到 3.12 了")
        second.assistant("恭喜")
        second.user("谢谢")
    learn(mind, clock)
    (memory,) = [one for one in mind.memories() if one.predicate == "version"]
    assert (memory.subject, memory.value) == ("Python", "3.12")
    versions = mind.history(memory.id).versions
    assert [one.value for one in versions] == ["3.10", "3.12"]
    assert [one.status for one in versions] == ["superseded", "active"]
    assert versions[0].superseded_by == memory.id
    assert [source.turn_id for source in memory.sources] == [changed.id]
    (known_then,) = [one for one in mind.memories(as_of=before) if one.predicate == "version"]
    assert known_then.value == "3.10"
    now = [hit.id for hit in mind.recall("Python 版本", of=["memory"])]
    then = [hit.id for hit in mind.recall("Python 版本", of=["memory"], as_of=before)]
    assert memory.id in now
    assert known_then.id not in now
    assert known_then.id in then
    assert memory.id not in then


def learn(mind: Mind, clock: ManualClock) -> None:
    """All that the preset's triggers set off by themselves, and what waits for a compression."""
    clock.advance(minutes=3)
    mind.drain()
    for session in mind.sessions():
        if any(state == "new" for state in states(mind, session.id)):
            mind.before_compression(session.id)
    mind.drain()
    assert {turn.state for turn in mind.turns()} <= {"extracted", "empty"}


@pytest.mark.feature("M4", "N4", "X4")
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_the_same_story_with_a_model(
    open_mind: OpenMind, clock: ManualClock, server: Scripted, provider: str
) -> None:
    def propose(shown: str) -> list[thinking.Fact]:
        return [version("3.12", is_update=True) if "3.12" in shown else version("3.10")]

    server.always(thinking.proposing(propose, provider, "update"))
    mind = open_mind(**thinking.settings(server, provider), **EVERY)
    mind.record(session="a", role="user", text="My Python is 3.10")
    end(mind, "a")
    before = clock.now()
    clock.advance(days=1)
    mind.record(session="b", role="user", text="My Python is 3.12 now")
    end(mind, "b")
    (memory,) = mind.memories()
    assert [one.value for one in mind.history(memory.id).versions] == ["3.10", "3.12"]
    assert [one.value for one in mind.memories(as_of=before)] == ["3.10"]


# --- what the model sees, and what becomes of its answer -----------------------------------------


@pytest.mark.statement("A52")
@pytest.mark.feature("X4", preset=["openakita", "myclaw"])
@pytest.mark.parametrize("preset", ["openakita", "myclaw"])
def test_it_sees_tools_in_short_and_no_secrets(
    open_mind: OpenMind, server: Scripted, preset: str
) -> None:
    server.always(thinking.proposing(lambda _: []))
    mind = open_mind(preset=preset, **thinking.settings(server), **EVERY)
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    mind.record(session="s", role="user", text=f"deploy with {secret}, and remember how")
    mind.record(
        session="s",
        role="assistant",
        text="done",
        tool_calls=[ToolCall("shell", {"command": "make deploy"}, "a")],
        tool_results=[ToolResult("line\n" * 50_000 + "error: no space left", "a", True)],
    )
    mind.drain()
    asked = [one for one in server.asked if thinking.purpose(one) == "extract"]
    shown = "\n".join(map(thinking.shown, asked))
    assert "called shell" in shown
    assert "make deploy" in shown
    assert "no space left" in shown
    assert len(shown) < 2_000
    assert secret not in "".join(json.dumps(one.json) for one in asked)
    longest = {"openakita": " 300 ", "myclaw": " 100 "}[preset]
    assert longest in thinking.told(asked[0]), "how long a statement may be"


@pytest.mark.statement("A55")
@pytest.mark.feature("X4", preset=["openakita", "myclaw"])
@pytest.mark.parametrize("preset", ["openakita", "myclaw"])
def test_every_field_of_a_candidate_arrives(
    open_mind: OpenMind, clock: ManualClock, server: Scripted, preset: str
) -> None:
    fact = version("3.12", project="lantern", topic="build", duration="permanent")
    server.always(thinking.proposing(lambda _: [fact]))
    mind = open_mind(preset=preset, **thinking.settings(server), **EVERY)
    turn = mind.record(session="s", role="user", text="remember: lantern is on Python 3.12")
    mind.drain()
    (memory,) = mind.memories()
    assert (memory.kind, memory.subject, memory.predicate, memory.value) == (
        "config",
        "Python",
        "version",
        "3.12",
    )
    assert (memory.project, memory.topic) == ("lantern", "build")
    assert (memory.importance, memory.confidence) == (0.8, 0.95)
    assert (memory.trust, memory.expires_at) == ("owner", None)
    assert [source.turn_id for source in memory.sources] == [turn.id]
    (known,) = mind.history(memory.id).versions
    assert known.valid_from == clock.now()


@pytest.mark.statement("A23", "A25", "A27")
@pytest.mark.feature("M3", preset="openakita")
@pytest.mark.parametrize(
    ("duration", "life"),
    [("permanent", None), ("7d", timedelta(days=7)), ("24h", timedelta(days=1))],
)
def test_a_duration_becomes_an_expiry_and_what_expired_is_gone(
    open_mind: OpenMind, clock: ManualClock, server: Scripted, duration: str, life: timedelta | None
) -> None:
    fact = {**version("3.12"), "kind": "fact", "duration": duration}
    server.always(thinking.proposing(lambda _: [fact]))
    mind = open_mind(preset="openakita", **thinking.settings(server), **EVERY)
    mind.record(session="s", role="user", text="remember: my Python is 3.12")
    mind.drain()
    (memory,) = mind.memories()
    assert memory.expires_at == (None if life is None else NOON + life)
    clock.advance(days=7)
    found = mind.recall("Python 3.12", of=["memory"])
    assert bool(mind.memories()) == bool(found) == (life is None)


@pytest.mark.statement("C36")
@pytest.mark.feature("M6", preset="shiyi")
@pytest.mark.parametrize(
    ("confidence", "state", "kept"),
    [(0.85, "extracted", "active"), (0.7, "extracted", "pending"), (0.59, "empty", "")],
)
def test_confidence_decides_where_it_goes(
    open_mind: OpenMind, server: Scripted, confidence: float, state: str, kept: str
) -> None:
    server.always(thinking.proposing(lambda _: [version("3.12", confidence=confidence)]))
    mind = open_mind(preset="shiyi", **thinking.settings(server))
    mind.record(session="s", role="user", text="my Python is 3.12")
    mind.drain()
    (turn,) = mind.turns()
    assert turn.state == state
    assert [one.status for one in (*mind.memories(), *mind.pending())] == ([kept] if kept else [])
    if not kept:
        assert "0.59 is below 0.60" in turn.reason
        assert len(mind.events(type="drop")) == 1


@pytest.mark.feature("U7")
def test_what_is_important_leaves_an_event(mind: Mind) -> None:
    mind.remember("lives in Porto", kind="identity", importance=0.8)
    mind.remember("likes tea", kind="fact", importance=0.79)
    (event,) = mind.events(type="memory.write.important")
    assert event.payload == {"importance": 0.8, "kind": "identity"}


# --- states, and no way for one turn to hold up another ------------------------------------------


@pytest.mark.feature("N3")
def test_every_turn_ends_in_a_state_with_its_reason(open_mind: OpenMind) -> None:
    mind = open_mind(routing={"write": 1.0, "pending": 0.95}, **EVERY)
    mind.record(session="s", role="user", text="I use Helix as my editor")
    mind.record(session="s", role="assistant", text="Noted.")
    end(mind)
    first, second = mind.turns(session="s")
    assert (first.state, second.state, second.reason) == ("empty", "empty", "")
    assert first.reason == "dropped: confidence 0.90 is below 0.95"
    assert mind.stats().turn_states["empty"] == 2
    assert mind.turns(state="new") == []


def big(word: str) -> str:
    """A turn that fills a batch of its own."""
    return f"I keep {word}. " + "so it goes " * 1_500


@pytest.mark.feature("N3", "X3")
@pytest.mark.parametrize("refusal", ["filtered", "400"])
def test_what_a_model_will_not_read_does_not_hold_up_the_rest(
    open_mind: OpenMind, server: Scripted, refusal: str
) -> None:
    declined = {
        "filtered": reply(says("openai", "", "declined")),
        "400": status(400, "this content is not allowed"),
    }[refusal]
    fact = {**version("3.12"), "content": "keeps bees"}
    good = thinking.proposing(lambda _: [fact])

    def picky(line: Any) -> None:
        bad = "wasps" in thinking.shown(line.asked) and thinking.purpose(line.asked) == "extract"
        (declined if bad else good)(line)

    server.always(picky)
    mind = open_mind(**thinking.settings(server), **EVERY)
    for word in ("bees", "wasps", "newts"):
        mind.record(session="s", role="user", text=big(word))
    end(mind)
    assert states(mind) == ["extracted", "dead", "extracted"]
    assert "ModelRefused" in mind.turns(session="s")[1].reason
    (job,) = mind.jobs(state="dead")
    assert job.attempts == 1
    mind.record(session="s", role="user", text="remember that I keep bees")
    mind.drain()
    assert states(mind)[-1] == "extracted"
    server.always(good)
    assert mind.redrive() == 1
    mind.drain()
    assert states(mind) == ["extracted"] * 4
    assert mind.jobs() == []


@pytest.mark.feature("N3", "X3")
def test_a_dead_job_takes_all_its_turns_along_and_brings_them_back(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    server.always(reply(says("openai", "no idea")))
    mind = open_mind(**thinking.settings(server), **EVERY)
    mind.record_many(NewTurn("s", "assistant", f"word {number}") for number in range(1_200))
    end(mind)
    assert mind.stats().turn_states["failed"] >= 500, "the first batch, which was tried"
    for _ in range(2):
        clock.advance(minutes=1)
        mind.drain()
    assert mind.stats().turn_states["dead"] == 1_200
    assert {turn.reason for turn in mind.turns(state="dead", limit=2_000)} == {
        mind.jobs(state="dead")[0].error
    }
    assert len(server.asked) < 50, "whoever answers nothing of use is not asked about each turn"
    mind.close()
    again = open_mind(extraction={"engine": "rules"}, embedding={"provider": "none"}, **EVERY)
    assert again.redrive() == 1
    again.drain()
    assert again.stats().turn_states["empty"] == 1_200
    assert again.jobs() == []


@pytest.mark.feature("N3")
def test_dead_turns_come_back_also_when_their_job_was_removed(
    open_mind: OpenMind, server: Scripted
) -> None:
    server.always(status(400, "this content is not allowed"))
    mind = open_mind(**thinking.settings(server), **EVERY)
    mind.record(session="s", role="user", text="remember that I keep bees")
    mind.drain()
    assert states(mind) == ["dead"]
    assert mind.discard([job.id for job in mind.jobs(state="dead")]) == 1
    assert mind.redrive([]) == 0
    assert states(mind) == ["dead"]
    server.always(thinking.proposing(lambda _: []))
    assert mind.redrive() == 1
    mind.drain()
    assert states(mind) == ["empty"]
    assert mind.redrive() == 0


@pytest.mark.feature("N3", "X3")
def test_who_died_each_time_is_given_up_and_what_came_later_is_not(
    open_mind: OpenMind, clock: ManualClock
) -> None:
    """The worker's process is killed in every try: the lease runs out, nobody tells why."""
    mind = open_mind(embedding={"provider": "none"}, **EVERY)
    mind.record(session="s", role="user", text="remember that I use Helix as my editor")
    lease = mind.settings.jobs.lease
    for _ in range(3):
        claimed = mind._store.queue.claim("killed", clock.now(), clock.now() + lease)
        assert claimed is not None
        clock.advance(seconds=lease.total_seconds() + 1)
    claimed = mind._store.queue.claim("slow", clock.now(), clock.now() + lease)
    assert claimed is not None
    told = mind._background.worker._handlers()[1][claimed.kind]
    clock.advance(seconds=1)
    mind.record(session="s", role="user", text="I live in Porto")
    for _ in range(2):  # the second time as after a crash between telling and burying
        told(claimed, "its process died each time it ran", dead=True)
        assert states(mind) == ["dead", "new"]
    clock.advance(seconds=lease.total_seconds() + 1)
    drained = mind.drain()
    assert drained.dead == 1
    assert states(mind) == ["dead", "extracted"]
    assert mind.turns(session="s")[0].reason == "its process died each time it ran"
    mind.redrive()
    mind.drain()
    assert states(mind) == ["extracted", "extracted"]
    assert mind.jobs() == []


@pytest.mark.feature("X3")
def test_whoever_failed_is_given_less_at_once(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    server.always(status(500))
    mind = open_mind(**thinking.settings(server), **EVERY)
    for _ in range(4):
        mind.record(session="s", role="assistant", text="word " * 1_200)
    end(mind)
    assert len(thinking.speakers(thinking.shown(server.asked[-1]))) == 4
    server.always(thinking.proposing(lambda _: []))
    clock.advance(seconds=30)
    before = len(server.asked)
    mind.drain()
    sizes = [
        len(thinking.speakers(thinking.shown(asked)))
        for asked in server.asked[before:]
        if thinking.purpose(asked) == "extract"
    ]
    assert sizes == [2, 2]


@pytest.mark.feature("X3")
def test_a_long_backlog_is_shared_out_before_the_lease_runs_out(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    def slow(shown: str) -> list[thinking.Fact]:
        clock.advance(seconds=60)
        return []

    server.always(thinking.proposing(slow))
    mind = open_mind(**thinking.settings(server), **EVERY)
    for _ in range(8):
        mind.record(session="s", role="assistant", text=big("bees"))
    end(mind)
    assert set(states(mind)) == {"empty"}
    assert mind.drain().done == 0
    assert mind.jobs() == []
    assert len(mind.episodes(session="s")) == 1, "the story is told once, at the end"


@pytest.mark.feature("X1")
def test_recall_answers_while_a_model_takes_its_time(open_mind: OpenMind, server: Scripted) -> None:
    server.always(silence)
    given = thinking.settings(server, timeout=1)
    mind = open_mind(worker="thread", clock=SystemClock(), **given, **EVERY)
    mind.record(session="s", role="user", text="remember that I keep bees")
    wait_for(lambda: server.asked)
    mind.record(session="s", role="user", text="and newts")
    assert {hit.text for hit in mind.recall("bees newts", of=["turn"])} == {
        "remember that I keep bees",
        "and newts",
    }
    assert mind.context("what do I keep?", session="s").text
    (job,) = mind.jobs(state="running")
    assert job.kind == "extract"
    wait_for(lambda: mind.turns(state="failed"))


# --- what it costs -------------------------------------------------------------------------------


@pytest.mark.statement("C6")
@pytest.mark.setting("model.prices.<name>.input", "model.prices.<name>.output")
@pytest.mark.feature("L5", preset="shiyi")
def test_every_call_is_on_the_account(open_mind: OpenMind, server: Scripted) -> None:
    words = iter(("The user's Python is 3.12", "Python 3.12 is what the user has"))
    server.always(
        thinking.proposing(lambda _: [version("3.12", content=next(words))], verdict="same")
    )
    prices = {"m": {"input": 1.0, "output": 2.0}}
    mind = open_mind(preset="shiyi", **thinking.settings(server, prices=prices))
    for _ in range(2):
        mind.record(session="s", role="user", text="my Python is 3.12")
        mind.drain()
    used = {total.purpose: total for total in mind.usage()}
    assert set(used) == {"extract", "reconcile"}
    assert (used["extract"].calls, used["extract"].input_tokens) == (2, 200)
    assert used["extract"].cost == pytest.approx(0.0006)
    assert used["reconcile"].model == "m"


@pytest.mark.feature("L5", preset="shiyi")
def test_bad_answers_are_paid_for_too(open_mind: OpenMind, server: Scripted) -> None:
    server.always(reply(says("openai", "no idea", tokens=50)))
    mind = open_mind(preset="shiyi", **thinking.settings(server))
    mind.record(session="s", role="user", text="my Python is 3.12")
    mind.drain()
    (total,) = mind.usage()
    assert (total.purpose, total.calls, total.input_tokens) == ("extract", 2, 100)


@pytest.mark.setting("model.daily_tokens")
@pytest.mark.feature("L5", "X3")
def test_a_spent_budget_pauses_the_work_where_everyone_sees_it(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    server.always(thinking.proposing(lambda _: [version("3.12")]))
    given = thinking.settings(server, daily_tokens=150)
    mind = open_mind(**given, **EVERY, schedule={"zone": "UTC"})
    mind.record(session="a", role="user", text="remember that my Python is 3.12")
    mind.drain()
    mind.record(session="b", role="user", text="remember that my Python is 3.13")
    drained = mind.drain()
    assert (drained.done, drained.retried, drained.dead) == (0, 1, 0)
    (job,) = mind.jobs()
    assert job.run_at == datetime(2026, 2, 13, tzinfo=UTC)
    assert "200 of 150 tokens are used up" in job.error
    assert job.attempts == 0, "a pause is no failure"
    assert states(mind, "b") == ["new"]
    assert mind.stats().jobs_ready == 1
    assert [event.payload["kind"] for event in mind.events(type="put_off")] == ["extract"]
    assert mind.recall("Python", of=["memory"])
    for _ in range(5):
        clock.advance(hours=1)
        assert mind.drain().done == 0
    clock.set(job.run_at)
    assert mind.drain().done == 1
    assert states(mind, "b") == ["extracted"]


@pytest.mark.feature("L4", preset="shiyi")
def test_every_change_is_an_event_of_its_operation(open_mind: OpenMind, server: Scripted) -> None:
    values = iter(["3.10", "3.12", "3.12"])
    server.always(
        thinking.proposing(lambda _: [version(next(values), is_update=True)], "openai", "update")
    )
    mind = open_mind(preset="shiyi", **thinking.settings(server))
    for said in ("3.10", "3.12", "3.12"):
        mind.record(session="s", role="user", text=f"my Python is {said}")
        mind.drain()
    (memory,) = mind.memories()
    changes = [event for event in mind.history(memory.id).events if "settled" in event.payload]
    told: list[Json] = [event.payload["settled"] for event in changes]
    assert [one["decision"] for one in told if isinstance(one, dict)][:2] == ["new", "update"]
    assert len({event.operation_id for event in changes}) == len(changes)
    assert all(event.operation_id.startswith("extract:") for event in changes)
