"""semibot, document E §6.1 and §11.1: what is consolidated, when, and what is a duplicate."""

from __future__ import annotations

from typing import Any

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.providers.scripted import Scripted
from tests.statements.memory_model import answering, fact, model, server

__all__ = ["server"]
RULE = "consolidate_on_session_end"


def talk(mind: Mind, messages: int, *, end: bool = True) -> None:
    session = mind.session(f"{messages} {end}")
    session.user(f"I use Helix as my editor. ({messages})")
    for n in range(1, messages):
        session.assistant("ok") if n % 2 else session.user("thanks")
    if end:
        session.end()


def nights(mind: Mind, clock: ManualClock) -> None:
    for _ in range(2):
        mind.drain()
        clock.advance(days=1)
        mind.upkeep("daily")
    mind.drain()


@pytest.mark.statement("E132")
def test_shorter_sessions_are_never_consolidated(open_mind: OpenMind, clock: ManualClock) -> None:
    mind = open_mind(preset="semibot")
    for messages in (1, 2):
        talk(mind, messages)
    talk(mind, 5, end=False)
    nights(mind, clock)
    assert (mind.memories(), mind.episodes()) == ([], [])
    talk(mind, 3)
    nights(mind, clock)
    assert [memory.value for memory in mind.memories()] == ["Helix"]


@pytest.mark.statement("E145")
@pytest.mark.parametrize(
    ("rule", "learned"),
    [({"enabled": False}, 0), ({"when": ["message_count >= 4"]}, 0), ({"when": []}, 1)],
)
def test_the_rule_is_the_only_switch(
    open_mind: OpenMind, clock: ManualClock, rule: dict[str, Any], learned: int
) -> None:
    mind = open_mind(preset="semibot", events={"rules": {RULE: rule}})
    talk(mind, 3)
    nights(mind, clock)
    assert len(mind.memories()) == learned


@pytest.mark.statement("E135")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("部署流程是先跑 make deploy 再看日志", [("skill", 0.5), ("fact", 0.6), ("skill", 0.9)]),
        (
            "Release by make ship, then read the log",
            [("skill", 0.9), ("skill", 0.5), ("fact", 0.6)],
        ),
    ],
    ids=["the larger last", "the larger first"],
)
def test_duplicates_are_merged_within_a_category(
    open_mind: OpenMind, server: Scripted, text: str, told: list[tuple[str, float]]
) -> None:
    mind = open_mind(preset="semibot", **model(server))
    for n, (kind, importance) in enumerate(told):
        server.always(answering([fact(text, kind=kind, importance=importance)]))
        with mind.session(str(n)) as session:
            session.user(text)
            session.assistant("好")
            session.user("谢谢")
        mind.drain()
    learned = {(memory.kind, memory.importance) for memory in mind.memories()}
    assert learned == {("skill", 0.9), ("fact", 0.6)}
