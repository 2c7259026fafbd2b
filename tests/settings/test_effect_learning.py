"""Settings of recording and learning: each changes what is kept, when, or what becomes of it."""

from __future__ import annotations

import shutil
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mnemic import Candidate, InvalidInput
from mnemic.types import Job
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Line, Scripted
from tests.remote import meaning, remote, server
from tests.settings.cases import Case, Scene, check

__all__ = ["server"]

LONG = "I moved the nightly build to the new server"
PER_TURN = {"triggers.per_turn": True, "triggers.quiet_gap": "never", "triggers.on_request": False}


def due(scene: Scene, kind: str = "extract") -> int:
    now = scene.clock.now()
    return len([job for job in scene.mind.jobs() if job.kind == kind and job.run_at <= now])


def say(text: str, times: int = 1) -> Any:
    """How many extractions are due after each message of the user."""

    def see(scene: Scene) -> int:
        started = 0
        for _ in range(times):
            scene.mind.record(session="s", role="user", text=text)
            started += due(scene)
            scene.mind.drain()
        return started

    return see


def after_session(messages: int) -> Any:
    def see(scene: Scene) -> int:
        for number in range(messages):
            scene.mind.record(session="s", role="user", text=f"message {number}")
        scene.mind.end_session("s")
        return due(scene, "session_end")

    return see


def refused(scene: Scene) -> bool:
    try:
        scene.mind.record(session="s", role="user", text="x" * 50)
    except InvalidInput:
        return True
    return False


def propose(scene: Scene, text: str, **given: Any) -> Any:
    return scene.mind.propose(Candidate(given.pop("kind", "fact"), text, **given))


def decided(confidence: float) -> Any:
    return lambda scene: propose(scene, "likes tea", confidence=confidence).outcome


def repeated(scene: Scene) -> str:
    propose(scene, "the summer house is painted in green", confidence=1.0)
    return str(propose(scene, "the summer house is painted", confidence=1.0).outcome)


def offered(scene: Scene) -> int:
    for number in range(5):
        propose(scene, f"fact {number} of the garden", confidence=0.7)
    return len(scene.mind.pending(offer=True))


def after_snooze(scene: Scene) -> int:
    waiting = propose(scene, "likes tea", confidence=0.7).memory
    scene.mind.snooze(waiting.id)
    scene.clock.advance(hours=2)
    return len(scene.mind.pending(offer=True))


def lapsed(scene: Scene) -> int:
    propose(scene, "likes tea", confidence=0.7)
    scene.clock.advance(days=8)
    return len(scene.mind.pending())


def failing(tries: int) -> Any:
    """A job that fails: its state and its last wait after so many tries."""

    def see(scene: Scene) -> tuple[str, float]:
        blocked = scene.folder / "conversation_history"
        shutil.rmtree(blocked, ignore_errors=True)  # claimed when the memory was opened
        blocked.write_text("no folder")
        scene.mind.record(session="s", role="user", text="hello")
        job: Job = one_job(scene)
        for number in range(tries):
            if number:
                scene.clock.set(job.run_at)
            scene.mind.drain()
            job = one_job(scene)
        return job.state, (job.run_at - scene.clock.now()).total_seconds()

    return see


def one_job(scene: Scene) -> Job:
    return next(job for job in scene.mind.jobs() if job.kind == "transcript")


def focus(scene: Scene) -> bool:
    scene.mind.record(session="s", role="user", text="Please write a login test for auth.py")
    return "login test" in scene.mind.scratchpad().text


def too_long(scene: Scene) -> bool:
    try:
        scene.mind.write_scratchpad("# Focus\n\n" + "word " * 40)
    except InvalidInput:
        return True
    return False


def lives(duration: str = "", kind: str = "fact") -> Any:
    def see(scene: Scene) -> timedelta | None:
        memory = propose(scene, "likes tea", kind=kind, duration=duration, confidence=1.0).memory
        ends: timedelta | None = memory.expires_at and memory.expires_at - scene.clock.now()
        return ends

    return see


def outsider(scene: Scene) -> str:
    return str(propose(scene, "likes tea", trust="tool", confidence=0.9).outcome)


def days(number: int) -> timedelta:
    return timedelta(days=number)


QUIET = {"triggers.quiet_gap": "never", "triggers.on_request": False}
FAILING: dict[str, Any] = {"ledger.jsonl": True, **QUIET}

CASES = [
    Case("ledger.max_characters", ((40, True), (60, False)), refused),
    Case("triggers.per_turn", ((True, 1), (False, 0)), say(LONG), QUIET),
    Case("triggers.per_turn_min_chars", ((30, 1), (60, 0)), say(LONG), PER_TURN),
    Case("triggers.per_turn_max", ((2, 2), (0, 4)), say(LONG, 4), PER_TURN),
    Case("triggers.session_min_messages", ((2, 1), (3, 0)), after_session(2), QUIET),
    Case("triggers.session_end", ((True, 1), (False, 0)), after_session(4), QUIET),
    Case("reconcile.merge_overlap", ((0.9, "new"), (0.5, "same")), repeated),
    Case("routing.write", ((0.85, "pending"), (0.6, "new")), decided(0.7)),
    Case("routing.pending", ((0.6, "dropped"), (0.3, "pending")), decided(0.4)),
    Case("pending.offer", ((2, 2), (4, 4)), offered),
    Case("pending.cooldown", (("1d", 0), ("1h", 1)), after_snooze),
    Case("pending.expire", (("never", 1), ("7d", 0)), lapsed),
    Case(
        "jobs.max_attempts",
        ((1, ("dead", 0)), (2, ("ready", 30))),
        failing(1),
        FAILING,
        on_disk=True,
    ),
    Case(
        "jobs.backoff_first",
        (("30s", ("ready", 30)), ("90s", ("ready", 90))),
        failing(1),
        FAILING,
        on_disk=True,
    ),
    Case(
        "jobs.backoff_max",
        (("1h", ("ready", 60)), ("40s", ("ready", 40))),
        failing(2),
        FAILING,
        on_disk=True,
    ),
    Case("scratchpad.driver", (("task", True), ("session", False)), focus),
    Case("scratchpad.max_chars", ((100, True), (2000, False)), too_long),
    Case("lifetimes.transient", (("1d", days(1)), ("2d", days(2))), lives("transient")),
    Case("lifetimes.short_term", (("3d", days(3)), ("2d", days(2))), lives("short term")),
    Case("lifetimes.long_term", (("30d", days(30)), ("never", None)), lives("long term")),
    Case(
        "lifetimes.kinds.<name>",
        (({"lesson": "7d"}, days(7)), ({"lesson": "permanent"}, None)),
        lives(kind="lesson"),
    ),
    Case("trust.quarantine", ((("external",), "new"), (("tool", "external"), "pending")), outsider),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.key)
def test_it_changes_what_happens(case: Case, open_mind: OpenMind, tmp_path: Path) -> None:
    check(case, open_mind, tmp_path)


@pytest.mark.setting("reconcile.merge_cosine")
@pytest.mark.parametrize(("cosine", "decision"), [(0.9, "same"), (0.99, "new")])
def test_how_near_two_statements_are_one(
    open_mind: OpenMind, server: Scripted, cosine: float, decision: str
) -> None:
    server.always(meaning({"harbour": (1.0, 0.0, 0.0), "port": (0.95, 0.312, 0.0)}))
    mind = open_mind(":memory:", reconcile__merge_cosine=cosine, **remote(server))
    mind.propose(Candidate("fact", "the harbour is deep", confidence=1.0))
    mind.drain()
    assert mind.propose(Candidate("fact", "a deep port", confidence=1.0)).outcome == decision


@pytest.mark.setting("extraction.engine", "extraction.batch_tokens")
@pytest.mark.parametrize(
    ("engine", "tokens", "calls"), [("auto", 6000, 1), ("auto", 60, 3), ("rules", 6000, 0)]
)
def test_who_extracts_and_how_much_at_once(
    open_mind: OpenMind, server: Scripted, engine: str, tokens: int, calls: int
) -> None:
    server.always(thinking.proposing(lambda shown: []))
    extraction = {"engine": engine, "batch_tokens": [1, tokens]}
    mind = open_mind(":memory:", extraction=extraction, **thinking.settings(server))
    for number in range(3):
        mind.record(session="s", role="user", text=f"{number} " + "word " * 50)
    mind.record(session="s", role="user", text="remember that I use Helix")
    mind.drain()
    assert len([one for one in server.asked if thinking.purpose(one) == "extract"]) >= calls
    assert (calls == 0) == (server.asked == [])
    assert (calls == 1) == (len(server.asked) == 1)


@pytest.mark.setting("jobs.lease")
@pytest.mark.parametrize("minutes", [5, 9])
def test_how_long_a_worker_holds_a_job(open_mind: OpenMind, server: Scripted, minutes: int) -> None:
    held: list[datetime | None] = []
    answer = thinking.proposing(lambda shown: [])

    def look(line: Line) -> None:
        held.extend(job.lease_until for job in mind.jobs() if job.kind == "extract")
        answer(line)

    server.always(look)
    mind = open_mind(jobs__lease=f"{minutes}m", **thinking.settings(server))
    mind.record(session="s", role="user", text="remember that I use Helix")
    mind.drain()
    assert timedelta(minutes=minutes) in [until - mind._clock.now() for until in held if until]


@pytest.mark.setting("jobs.poll")
@pytest.mark.parametrize(("poll", "noticed"), [("20ms", True), ("1h", False)])
def test_how_often_a_worker_looks(open_mind: OpenMind, poll: str, noticed: bool) -> None:
    """Another process leaves work; nobody wakes the worker."""
    worker = open_mind(worker="thread", jobs__poll=poll, embedding__provider="none")
    time.sleep(0.1)
    other = open_mind(embedding__provider="none", triggers__quiet_gap="never")
    other.record(session="s", role="user", text="remember that I use Helix")
    gone, until = False, time.monotonic() + (5 if noticed else 0.4)
    while not gone and time.monotonic() < until:
        gone = not [job for job in other.jobs() if job.kind == "extract"]
        threading.Event().wait(0.02)
    assert gone is noticed
    assert worker.stats().worker_failure == ""
