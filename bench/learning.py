"""What is known after several sessions, learned without a model, on labeled conversations."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import product

from bench.conversations import (
    HALVES,
    LANGUAGES,
    MANNERS,
    Conversation,
    Outcome,
    conversations,
    score,
)
from bench.figures import surroundings
from bench.minds import bench_mind
from mnemic.clock import ManualClock
from mnemic.types import Memory, SafeName


@dataclass(frozen=True, slots=True)
class Shares:
    """``precision``: memories that are right. ``recall``: labels that are met. ``traps``: messages
    that taught something wrong and should have taught nothing.
    """

    conversations: int
    memories: int
    labels: int
    precision: float
    recall: float
    trap_messages: int
    traps: int


@dataclass(frozen=True, slots=True)
class Slip:
    """A conversation of the tuning half whose memories differ from its labels."""

    id: str
    wrong: tuple[str, ...]
    missed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LearningReport:
    """The figures by manner, half and language; only slips of the tuning halves are listed."""

    shares: Mapping[str, Shares]
    turns_per_second: float
    slips: tuple[Slip, ...]
    surroundings: dict[str, str | int]


def measure_learning() -> LearningReport:
    """Live through every conversation and score what is current at its end."""
    shares: dict[str, Shares] = {}
    slips: list[Slip] = []
    turns, begun = 0, time.perf_counter()
    for manner, half in product(MANNERS, HALVES):
        outcomes: list[Outcome] = []
        for language in LANGUAGES:
            some = conversations(manner, language, half)
            scored = [live(one) for one in some]
            turns += sum(len(talk.turns) for one in some for talk in one.sessions)
            shares[f"{manner}, {half}, {language}"] = _shares(scored)
            outcomes += scored
            if half == "tuning":
                slips += [_slip(one, o) for one, o in zip(some, scored, strict=True)]
        shares[f"{manner}, {half}"] = _shares(outcomes)
    spent = time.perf_counter() - begun
    return LearningReport(shares, turns / spent, tuple(slips), surroundings())


def live(one: Conversation) -> Outcome:
    """Record the sessions on their days, end each, and look at what is current after the last."""
    clock = ManualClock(one.sessions[0].at)
    traps: set[str] = set()
    dated: dict[SafeName, Memory] = {}
    with bench_mind(":memory:", {}, clock=clock) as mind:  # the reader takes part
        for number, talk in enumerate(one.sessions):
            session = mind.session(f"{one.id}-{number}", project=talk.project or None)
            for minute, message in enumerate(talk.turns):
                at = talk.at + timedelta(minutes=minute)
                clock.set(at)
                turn = mind.record(session=session.id, role=message.role, text=message.text, at=at)
                if message.trap:
                    traps.add(turn.id)
            mind.end_session(session.id)
            mind.drain()
            dated |= {memory.id: memory for memory in mind.memories(limit=1_000) if memory.valid_to}
        known = {memory.id: memory for memory in mind.memories(limit=1_000)}
        for id_, memory in dated.items():  # over by its own date is not wrong
            if not any(version.superseded_at for version in mind.history(id_).versions):
                known.setdefault(id_, memory)
    return score(one, list(known.values()), frozenset(traps))


def _shares(outcomes: Sequence[Outcome]) -> Shares:
    memories = sum(one.memories for one in outcomes)
    labels = sum(one.labels for one in outcomes)
    return Shares(
        conversations=len(outcomes),
        memories=memories,
        labels=labels,
        precision=sum(one.right for one in outcomes) / max(memories, 1),
        recall=sum(one.matched for one in outcomes) / max(labels, 1),
        trap_messages=sum(one.trap_messages for one in outcomes),
        traps=sum(one.traps for one in outcomes),
    )


def _slip(one: Conversation, outcome: Outcome) -> Slip:
    return Slip(
        one.id,
        tuple(_memory_line(memory) for memory in outcome.wrong),
        tuple(f"{label.about}/{label.relation}={label.value}" for label in outcome.missed),
    )


def _memory_line(memory: Memory) -> str:
    return f"{memory.subject}/{memory.predicate}={memory.value} | {memory.text}"
