"""Each preset does at night what its own document names, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from mnemic.clock import ManualClock
from tests.conftest import OpenMind

DAILY = {
    "openakita": [
        "queue", "turns", "dedup", "decay", "expiry", "attachments", "documents", "identity",
        "report",
    ],
    "shiyi": ["queue", "documents", "identity"],
    "myclaw": ["queue", "turns", "events", "capacity"],
    "semibot": ["capacity"],
}  # fmt: skip
WORDS: dict[str, Any] = {"embedding": {"provider": "none"}}
WEEKLY = {"myclaw": ["rewrite", "profile", "decay"]}


@pytest.mark.statement("A102", "A107", "D97")
@pytest.mark.parametrize("preset", sorted(DAILY))
def test_the_steps_of_the_document_and_no_others(open_mind: OpenMind, preset: str) -> None:
    mind = open_mind(preset=preset, **WORDS)
    mind.remember("用户叫小林", kind="identity")
    assert [step.name for step in mind.upkeep("daily").steps] == DAILY[preset]
    assert [step.name for step in mind.upkeep("weekly").steps] == WEEKLY.get(preset, [])


@pytest.mark.statement("E132", "E145")
def test_semibot_learns_nothing_at_night(open_mind: OpenMind, clock: ManualClock) -> None:
    mind = open_mind(preset="semibot", **WORDS)
    mind.record(session="short", role="user", text="我叫小林")
    for _ in range(3):
        clock.advance(days=1)
        mind.drain()
        mind.upkeep("daily")
    assert mind.memories() == []
    assert mind.episodes() == []


@pytest.mark.parametrize("preset", ["openakita", "shiyi"])
def test_no_capacity_where_the_document_names_none(
    open_mind: OpenMind, clock: ManualClock, preset: str
) -> None:
    small = {"knowledge": 2, "knowledge_max": 3, "total": 4}
    mind = open_mind(preset=preset, capacity=small, **WORDS)
    for n in range(6):
        mind.remember(f"第 {n} 件不同的事：{'甲乙丙丁戊己'[n]}", kind="skill")
    clock.advance(days=1)
    mind.upkeep("daily")
    mind.upkeep("weekly")
    assert len(mind.memories()) == 6
