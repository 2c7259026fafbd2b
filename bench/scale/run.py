"""Every measurement of scale in one run, in a folder that is removed at the end."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bench.figures import Figure, figure, surroundings
from bench.scale.clients import measure_clients
from bench.scale.hostile import measure_hostile
from bench.scale.overview import measure_overview
from bench.scale.simulation import simulate_queue, simulate_shards
from bench.scale.spaces import measure_fairness, measure_spaces

_OTHERS = 20
_TURNS = 2_000  # in each space that clients use
_FEW = 30  # where others are watched


@dataclass(frozen=True, slots=True)
class ScalePlan:
    """What to measure, and how much of it."""

    MEASURES: ClassVar[tuple[str, ...]] = (
        "spaces", "fairness", "clients", "hostile", "overview", "simulation"
    )  # fmt: skip
    measures: tuple[str, ...] = MEASURES
    postgres: str | None = None
    spaces: int = 10_000
    jobs: int = 100_000
    clients: tuple[int, ...] = (1, 2, 4, 8)
    seconds: float = 10
    memories: int = 100_000


@dataclass(frozen=True, slots=True)
class ScaleReport:
    """All figures of one run."""

    surroundings: dict[str, str | int]
    plan: ScalePlan
    figures: tuple[Figure, ...]


def measure_scale(plan: ScalePlan, tell: Callable[[str], None]) -> ScaleReport:
    """Run the plan; ``tell`` hears how it goes."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if "spaces" in plan.measures:
            figures += measure_spaces(place / "spaces.db", plan.spaces, tell)
        if "fairness" in plan.measures:
            figures += measure_fairness(place / "fair.db", plan.jobs, _OTHERS, tell)
        if "clients" in plan.measures:
            targets: dict[str, str | Path] = {"SQLite": place / "clients.db"}
            if plan.postgres is not None:
                targets["PostgreSQL"] = plan.postgres
            figures += measure_clients(
                targets, plan.clients, turns=_TURNS, seconds=plan.seconds, tell=tell
            )
        if "hostile" in plan.measures:
            figures += measure_hostile(place, turns=_FEW, seconds=plan.seconds, tell=tell)
        if "overview" in plan.measures:
            for target in filter(None, (str(place / "overview.db"), plan.postgres)):
                figures += measure_overview(target, plan.memories, plan.spaces, tell)
        if "simulation" in plan.measures:
            tell("simulating a skewed load")
            figures += _simulated()
    return ScaleReport(surroundings(), plan, tuple(figures))


def _simulated() -> list[Figure]:
    queues = simulate_queue(people=1_000, jobs=50_000, workers=4, burst=10_000)
    waits = [
        figure(
            "simulated queue", f"{report.order}: wait of people with few jobs", "s",
            report.light_p50,
            details={"p99": report.light_p99, "of the noisy one": report.noisy_p50},
        )
        for report in queues
    ]  # fmt: skip
    shards = [
        figure(
            "simulated shards", f"{report.shards} shards: people on the fullest", "× mean",
            report.people,
            details={"load": report.load, "moved by one more": report.moved},
        )
        for report in simulate_shards(people=100_000, shards=(4, 16, 64))
    ]  # fmt: skip
    return waits + shards
