"""A process is killed in the middle of learning, again and again, on one growing database: every
turn reaches a state in the end, and no fact is there twice.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mnemic import Mind
from mnemic.language.extract import extract
from mnemic.store.rows import MemoryFilter
from mnemic.types import Job
from tests.learning import thinking
from tests.providers.scripted import Asked, Behavior, Line, Scripted
from tests.providers.speaking import says
from tests.torture import witness
from tests.torture.homes import Home, Homes, StoreName
from tests.torture.nursery import Nursery, Say
from tests.torture.outcome import Outcome

_LIFE = 5.0  # seconds after which a child that nobody killed gives up
# A try ends when its process does; the next process takes over at once, and never gives up.
_PATIENT: dict[str, Any] = {
    "jobs": {"lease": 0.02, "max_attempts": 1_000, "backoff_first": 0.001, "backoff_max": 0.001},
    "triggers": {"per_turn": True, "per_turn_min_chars": 1, "per_turn_max": 0, "quiet_gap": 0.001},
    "embedding": {"provider": "none"},
}


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """What the kills did."""

    cycles: int
    asked: int
    turns: int
    facts: int
    losses: tuple[str, ...]
    errors: tuple[str, ...]


def run(folder: Path, *, cycles: int, store: StoreName = "sqlite", seed: int = 1) -> Report:
    """Kill a learner after 1 to 80 ms: every other one learns with a model, the rest with rules."""
    rng = random.Random(seed)
    home = Homes(folder, store).new("learner")
    errors: list[str] = []
    with Scripted() as server, Nursery() as nursery:
        server.always(_slowly(rng))
        for cycle in range(cycles):
            url = server.url if cycle % 2 else ""
            child = nursery.start(learn, home, cycle, url)
            # Some die in their first breath, most of them while they learn.
            if rng.random() < 0.8 and not child.hear("learned", 30):
                errors.append(f"cycle {cycle}: nothing was learned within 30 s")
            time.sleep(rng.uniform(0.001, 0.080))
            child.kill()
            errors += [line for line in child.end(10).lines if line.startswith("!")]
        asked = len(server.asked)
        ending = nursery.run(finish, home, server.url)
        errors += [ending.failure] if ending.failure else []
    losses = witness.halves(home.target, integrity=True)
    with home.open(**_PATIENT) as mind:
        losses += _lost(mind) + _twice(mind) + _current(mind)
        losses += [f"{f.check}: {f.detail}" for f in mind.doctor() if not f.ok]
        stats = mind.stats()
    return Report(cycles, asked, stats.turns, stats.memories, tuple(losses), tuple(errors))


def learn(say: Say, home: Home, cycle: int, url: str) -> None:
    """In the child: talk, compress, end, and learn meanwhile until killed."""
    until = time.monotonic() + _LIFE
    mind = home.open(**_settings(url))
    number = 0
    while time.monotonic() < until:
        session = f"talk-{cycle % 7}"
        mind.record(session=session, role="user", text=statement(cycle, number))
        mind.record(session=session, role="assistant", text="Noted.")
        if number % 4 == 3:
            mind.before_compression(session)
        if number % 6 == 5:
            mind.end_session(session)
        mind.drain(timeout=0.5)
        say("learned")
        number += 1


def finish(say: Say, home: Home, url: str) -> None:
    """In the last child: nobody is killed any more."""
    with home.open(**_settings(url)) as mind:
        until = time.monotonic() + 50
        for session in mind.sessions(limit=1_000):
            mind.end_session(session.id)
        while left := [job for job in mind.jobs(limit=1_000) if _is_awaited(job)]:
            mind.drain(timeout=5)
            assert time.monotonic() < until, left


def _is_awaited(job: Job) -> bool:
    """Whether it will be done at once: the daily line by rules waits minutes for the model's."""
    return job.state in ("ready", "running") and job.kind != "digest"


def statement(cycle: int, number: int) -> str:
    """Something new each time: one of many answers, or another answer where there is one."""
    if number % 3 == 2:
        return f"I upgraded Python to 3.{cycle}.{number}"
    word = witness.word(cycle, number)
    return f"I live in {word.capitalize()}ville" if number % 3 else f"I like {word} tea"


def _settings(url: str) -> dict[str, Any]:
    if not url:
        return {**_PATIENT, "extraction": {"engine": "rules"}}
    return {**_PATIENT, "model": thinking.settings(url)["model"]}


def _slowly(rng: random.Random) -> Behavior:
    """A model that reads by the same rules, and takes its time."""

    def act(line: Line) -> None:
        time.sleep(rng.uniform(0, 0.02))
        data = json.dumps(says("openai", json.dumps(_answer(line.asked)), tokens=10)).encode()
        line.head(200, {"content-length": str(len(data))})
        line.send(data)

    return act


def _answer(asked: Asked) -> dict[str, Any]:
    if thinking.purpose(asked) == "episode":
        return thinking.STORY
    if thinking.purpose(asked) == "reconcile":
        return {"verdict": "new", "memory": 0}
    said = thinking.lines(thinking.shown(asked))
    return {
        "facts": [
            fact for number, role, text in said if role == "user" for fact in _facts(number, text)
        ]
    }


def _facts(number: int, text: str) -> list[thinking.Fact]:
    found = extract(text, said_at=datetime.now(UTC))
    return [
        {
            "kind": one.kind,
            "content": one.text,
            "subject": one.subject,
            "predicate": one.predicate,
            "value": one.value,
            "importance": one.importance,
            "confidence": one.confidence,
            "is_update": one.is_update,
            "turns": [number],
        }
        for one in found
    ]


def _lost(mind: Mind) -> list[str]:
    states = mind.stats().turn_states
    return [
        f"{count} turns are still {state}"
        for state, count in states.items()
        if count and state not in ("extracted", "empty")
    ]


def _twice(mind: Mind) -> list[str]:
    """Every statement is made in one turn only, so there is one memory of it at most."""
    with mind._store.read(mind.space) as unit:
        found = unit.memories.find(MemoryFilter(limit=1_000_000))
    counts = Counter((one.subject, one.predicate, one.value) for one in found)
    return [f"{count} x {what}" for what, count in counts.items() if count > 1]


def _current(mind: Mind) -> list[str]:
    """A question with one answer has one."""
    slots = Counter(
        (one.subject, one.predicate)
        for one in mind.memories(limit=1_000_000)
        if one.predicate in ("version", "lives_in")
    )
    return [f"{count} current answers to {slot}" for slot, count in slots.items() if count > 1]
