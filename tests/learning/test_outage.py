"""A model that is away: what is said meanwhile is learned afterwards, each once, with few calls."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from tests.conftest import NOON, OpenMind
from tests.learning import thinking
from tests.providers.scripted import Behavior, Line, Scripted, hang_up, reply, silence, status

pytestmark = pytest.mark.feature("X3", "N3")

SESSIONS = {
    "en": ("I keep zebus on the roof", "and yaks in the yard"),
    "zh": ("我在屋顶上养蜜蜂", "院子里还养了乌龟"),
    "late": ("I keep newts as well", "fine"),
}
# Seconds between two calls in an outage: doubling from half a minute, then a quarter of an hour.
FASTEST = 7


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Scripted() as made:
        yield made


def told(shown: str) -> list[thinking.Fact]:
    """A fact of each line of the user, in the words of the line."""
    return [
        {"kind": "fact", "content": text, "confidence": 0.95, "turns": [number]}
        for number, role, text in thinking.lines(shown)
        if role == "user" and text != "fine"
    ]


GOOD = thinking.proposing(told)


def from_nowhere(line: Line) -> None:
    raise AssertionError("a closed port answers nothing")


AWAY: dict[str, Behavior] = {
    "refused": from_nowhere,
    "timeout": silence,
    "hang up": hang_up,
    "429": status(429, "slow down"),
    "429 with a delay": status(429, "slow down", retry_after="120"),
    "500": status(500),
    "503": status(503),
    "login page": reply(b"<html>please log in</html>"),
    "wrong key": status(401, "no such key"),
    "no such model": status(404, "no such model"),
}
LASTS = {
    "1 minute": timedelta(minutes=1),
    "3 hours": timedelta(hours=3),
    "2 days": timedelta(days=2),
}
ROWS = [  # every kind for a while, and the longest for a few
    *((kind, "3 hours") for kind in AWAY if kind != "timeout"),
    *((kind, "1 minute") for kind in ("503", "429", "500", "timeout")),
    *((kind, "2 days") for kind in ("503", "429")),
]


def texts_read(server: Scripted) -> set[str]:
    """The different texts that were to be extracted from, in whatever form of request."""
    mark = re.compile(r"mnemic-memory-\w+")
    asked = [one for one in server.asked if thinking.purpose(one) == "extract"]
    return {mark.sub("", thinking.shown(one)) for one in asked}


def closed_port() -> str:
    """An address where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


def live(mind: Mind, clock: ManualClock, until: Callable[[], bool], most: timedelta) -> None:
    """Time goes by from one due job to the next, as beside a worker."""
    end = clock.now() + most
    while not until() and clock.now() < end:
        due = [job.run_at for job in mind.jobs(state="ready")]
        clock.set(min([*(at for at in due if at > clock.now()), end]))
        mind.drain()


@pytest.mark.parametrize(("kind", "lasts"), ROWS)
def test_what_was_said_meanwhile_is_learned_afterwards(
    open_mind: OpenMind, clock: ManualClock, server: Scripted, kind: str, lasts: str
) -> None:
    server.always(AWAY[kind])
    address = closed_port() if kind == "refused" else server.url
    # One night of upkeep in the outage is part of it; its other steps are not.
    upkeep = {"daily": ("queue", "turns"), "weekly": ()}
    model = thinking.settings(address, timeout=0.15 if kind == "timeout" else 5)
    mind = open_mind(":memory:", **model, upkeep=upkeep, schedule={"zone": "UTC"})
    for session, texts in SESSIONS.items():
        if session == "late":  # while it is away
            mind.drain()
        for text in texts:
            mind.record(session=session, role="user", text=text)
        mind.end_session(session)
    mind.drain()
    waiting = mind.stats().model_wait
    assert waiting is not None
    assert (waiting.turns, waiting.since) == (6, NOON)
    assert NOON < waiting.next_try <= NOON + timedelta(hours=1)
    assert waiting.reason
    live(mind, clock, lambda: False, LASTS[lasts])
    calls = len(server.asked)
    quarters = LASTS[lasts] / timedelta(minutes=15)
    assert calls <= FASTEST + len(SESSIONS) + quarters, "the server is left alone"
    assert mind.jobs(state="dead") == []
    assert {turn.state for turn in mind.turns()} <= {"new", "failed"}
    assert mind.memories() == []
    assert mind.recall("zebus", of=["turn"]), "and found all the while"
    if kind == "refused":
        return  # nobody ever comes to that address
    server.always(GOOD)
    live(mind, clock, lambda: not mind.jobs(state="ready"), timedelta(hours=2))
    assert sorted(memory.text for memory in mind.memories()) == sorted(
        text for texts in SESSIONS.values() for text in texts if text != "fine"
    )
    assert {turn.state for turn in mind.turns()} == {"extracted", "empty"}
    assert len(mind.episodes()) == len(SESSIONS)
    assert {one.summary for one in mind.episodes()} == {thinking.STORY["summary"]}
    assert mind.stats().model_wait is None
    assert mind.jobs() == []


def test_every_night_it_is_tried_again_and_reported(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    server.always(status(503))
    mind = open_mind(":memory:", **thinking.settings(server), jobs={"backoff_max": "30d"})
    for session, texts in SESSIONS.items():
        for text in texts:
            mind.record(session=session, role="user", text=text)
    for night in range(1, 4):
        clock.set(NOON + timedelta(days=night))
        before = len(server.asked)
        steps = {step.name: step for step in mind.upkeep("daily").steps}
        assert len(server.asked) == before + 1
        assert steps["queue"].state == "waiting"
        assert steps["queue"].error.startswith("6 turns wait for the model since 2026-02-13 12:00")
        assert steps["queue"].counts == {"waiting": 3}
    server.always(GOOD)
    clock.set(NOON + timedelta(days=4))
    mind.upkeep("daily")
    assert len(mind.memories()) == 5
    assert mind.jobs(state="dead") == []


def test_a_text_that_is_refused_is_made_smaller_before_it_is_dead(
    open_mind: OpenMind, server: Scripted
) -> None:
    def picky(line: Line) -> None:
        shown = thinking.shown(line.asked)
        bad = thinking.purpose(line.asked) == "extract" and "wasps" in shown.split("[1]", 1)[-1]
        (status(400, "this content is not allowed") if bad else GOOD)(line)

    server.always(picky)
    mind = open_mind(":memory:", **thinking.settings(server))
    said = [f"I keep {word} here" for word in ("bees", "newts", "wasps", "yaks", "zebus")]
    for text in said:
        mind.record(session="s", role="user", text=text)
    mind.end_session("s")
    assert mind.drain().dead == 1
    turns = {str(turn.text): turn for turn in mind.turns()}
    assert [turns[text].state for text in said] == [
        "extracted", "extracted", "dead", "extracted", "extracted",
    ]  # fmt: skip
    assert "not allowed" in turns[said[2]].reason
    assert len(texts_read(server)) <= 8


def test_who_refuses_everything_is_waited_for(open_mind: OpenMind, server: Scripted) -> None:
    server.always(status(400, "unknown parameter"))
    mind = open_mind(":memory:", **thinking.settings(server))
    for number in range(20):
        mind.record(session="s", role="user", text=f"I keep zebu number {number}")
    mind.end_session("s")
    assert mind.drain().dead == 0
    assert mind.turns(state="dead") == []
    assert len(texts_read(server)) <= 8
    (job,) = [job for job in mind.jobs() if job.kind == "session_end"]
    assert "Whatever it is given is refused" in job.error
    server.always(GOOD)
    assert mind.redrive()
    mind.drain()
    assert len(mind.turns(state="extracted")) == 20
