"""Settings of upkeep and events: each changes what ages, goes, or runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import OpenMind
from tests.planting import plant
from tests.settings.cases import Case, Scene, check

ONLY_DECAY = {"upkeep.daily": ["decay"]}
ONLY_CAPACITY = {"upkeep.daily": ["capacity"]}
NEVER_LARGE = {"capacity.knowledge": 2, "capacity.knowledge_max": 2, "capacity.total": 0}


def left(kind: str, importance: float = 1.0, days: int = 60, uses: int = 0, **given: Any) -> Any:
    """Whether a memory is there after so many days and one daily upkeep, and until when."""

    def see(scene: Scene) -> str:
        memory = scene.mind.remember("green tea", kind=kind, importance=importance, **given)
        for _ in range(uses):
            scene.mind.recall("green tea")
        scene.mind.drain()
        scene.clock.advance(days=days)
        scene.mind.upkeep("daily")
        version = scene.mind.history(memory.id).versions[-1] if scene.mind.memories() else None
        if version is None:
            gone = [event.type for event in scene.mind.events() if event.type in ENDS]
            return gone[-1]
        return "kept" if version.expires_at is None else "transient"

    return see


PAINTED = (
    "the summer house is painted green",
    "summer house: painted in a green that is with all of its own",
)
ENDS = ("archive", "delete", "expire")


def facts(scene: Scene, number: int = 6, kind: str = "fact") -> None:
    for n in range(number):
        scene.mind.remember(f"fact {n} of the garden", kind=kind, importance=n / 10)
        scene.clock.advance(minutes=1)


def held(kind: str = "fact") -> Any:
    def see(scene: Scene) -> int:
        facts(scene, kind=kind)
        scene.mind.upkeep("daily")
        return len(scene.mind.memories())

    return see


def ended(scene: Scene) -> set[str]:
    facts(scene)
    scene.mind.upkeep("daily")
    return {event.type for event in scene.mind.events()} & {"archive", "delete"}


def core(importance: float = 0.9) -> Any:
    def see(scene: Scene) -> int:
        for n in range(4):
            scene.mind.remember(f"rule {n} of the house", kind="rule", importance=importance)
        scene.mind.upkeep("weekly")
        return len(scene.mind.events(type="core"))

    return see


def ran(work: str) -> Any:
    return lambda scene: [step.name for step in scene.mind.upkeep(work).steps]


def weekly_done(scene: Scene) -> bool:
    """Whether the worker has done the weekly work by 16:00 of that Thursday, UTC."""
    scene.mind.remember("I am Lin", kind="identity", importance=1.0)
    scene.mind.drain()
    scene.clock.advance(hours=4)
    scene.mind.drain()
    return bool(scene.mind.events(type="core"))


def daily_done(scene: Scene) -> bool:
    memory = scene.mind.remember("a shower", kind="temp", importance=0.1)
    scene.mind.drain()
    scene.clock.advance(days=60, hours=2)
    scene.mind.drain()
    return memory.id not in {one.id for one in scene.mind.memories()}


def after_a_long_gap(scene: Scene) -> set[str]:
    scene.mind.remember("a shower", kind="temp", importance=0.1)
    scene.clock.advance(days=400)
    return {step.state for step in scene.mind.upkeep("daily").steps}


def merged(scene: Scene) -> int:
    for text in PAINTED:
        plant(scene.mind, text)
    scene.mind.upkeep("daily")
    return len(scene.mind.memories())


def old_file(scene: Scene) -> int:
    scene.mind.attach("/photos/cat.png")
    scene.clock.advance(days=40)
    scene.mind.upkeep("daily")
    return len(scene.mind.attachments())


def notices(scene: Scene) -> int:
    scene.mind.remember("never push to main", kind="rule", importance=0.9)
    scene.mind.drain()
    return len(scene.mind.events(type="notice"))


def rule(**given: Any) -> dict[str, Any]:
    usual = {"event": "memory.write.important", "actions": ["notify"]}
    return {"tell": {**usual, **given}}


UTC_ZONE = {"schedule.zone": "UTC"}
FAST = {**ONLY_DECAY, "decay.fast.half_life": "30d"}

CASES = [
    Case("attachments.keep", (("never", 1), ("30d", 0)), old_file),
    *(
        Case(
            f"decay.{name}.archive_below",
            ((0.0, "kept"), (0.5, "archive")),
            left(kind),
            {**ONLY_DECAY, f"decay.{name}.half_life": "30d", f"decay.{name}.floor": 0.0},
        )
        for name, kind in (("slow", "skill"), ("medium", "fact"), ("fast", "temp"))
    ),
    Case(
        "decay.archive_accesses",
        ((0, "archive"), (2, "kept")),
        left("fact", uses=2),
        {**ONLY_DECAY, "decay.medium.archive_below": 0.5},
    ),
    Case("decay.delete_below", ((0.0, "kept"), (0.5, "delete")), left("fact"), ONLY_DECAY),
    Case("decay.demote_below", ((0.0, "kept"), (0.5, "transient")), left("fact"), ONLY_DECAY),
    Case(
        "decay.priorities",
        ((["permanent"], "delete"), (["short_term"], "kept")),
        left("fact"),
        {**ONLY_DECAY, "decay.delete_below": 0.5},
    ),
    Case(
        "capacity.total",
        ((4, 4), (0, 6)),
        held(),
        {**ONLY_CAPACITY, "capacity.knowledge": 9},
    ),
    Case("capacity.knowledge", ((3, 3), (9, 6)), held("event"), ONLY_CAPACITY),
    Case(
        "capacity.knowledge_max",
        ((4, 4), (9, 6)),
        held(),
        {**ONLY_CAPACITY, "capacity.knowledge": 3},
    ),
    Case(
        "capacity.overflow",
        (("archive", {"archive"}), ("delete", {"delete"})),
        ended,
        {**ONLY_CAPACITY, **NEVER_LARGE},
    ),
    Case("capacity.core", ((2, 2), (3, 3)), core()),
    Case("upkeep.core_importance", ((0.7, 4), (0.95, 0)), core()),
    Case("upkeep.daily", ((["queue", "decay"], ["queue", "decay"]), ([], [])), ran("daily")),
    Case("upkeep.weekly", ((["core"], ["core"]), ([], [])), ran("weekly")),
    Case(
        "upkeep.longest_gap",
        (("365d", {"waiting"}), ("never", {"done"})),
        after_a_long_gap,
        ONLY_DECAY,
    ),
    Case(
        "upkeep.cluster_distance",
        ((0.01, 2), (0.15, 1)),
        merged,
        {"upkeep.daily": ["dedup"], "reconcile.merge_overlap": 0.3},
    ),
    Case("schedule.weekly", (("0 14 * * 4", True), ("never", False)), weekly_done, UTC_ZONE),
    Case(
        "schedule.zone",
        (("UTC", True), ("Asia/Shanghai", False)),
        weekly_done,
        {"schedule.weekly": "0 14 * * 4"},
    ),
    Case(
        "schedule.daily",
        (("0 3 * * *", True), ("never", False)),
        daily_done,
        {"schedule.weekly": "never", **UTC_ZONE},
    ),
    Case("events.rules.<name>.enabled", ((rule(), 1), (rule(enabled=False), 0)), notices),
    Case("events.rules.<name>.event", ((rule(), 1), (rule(event="forget"), 0)), notices),
    Case("events.rules.<name>.actions", ((rule(), 1), (rule(actions=["decay"]), 0)), notices),
    Case(
        "events.rules.<name>.when",
        ((rule(when=["importance >= 0.8"]), 1), (rule(when=["importance > 0.95"]), 0)),
        notices,
    ),
    Case("events.rules.<name>.mode", ((rule(), 1), (rule(mode="ask"), 0)), notices),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.key)
def test_it_changes_what_happens(case: Case, open_mind: OpenMind, tmp_path: Path) -> None:
    check(case, open_mind, tmp_path)
