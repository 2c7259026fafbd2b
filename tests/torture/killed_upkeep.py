"""Upkeep is killed between and inside its steps, again and again: it ends where an undisturbed
run ends.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mnemic.clock import ManualClock
from mnemic.store.rows import MemoryFilter
from mnemic.types import Kind, NewTurn
from tests.torture.homes import Home, Homes, StoreName
from tests.torture.nursery import Nursery, Say
from tests.torture.outcome import Outcome

BEGIN = datetime(2026, 2, 1, 9, tzinfo=UTC)
_LATER = timedelta(days=40)
_SETTINGS: dict[str, Any] = {
    "capacity": {"core": 10, "knowledge": 60, "knowledge_max": 80},
    "schedule": {"zone": "UTC"},
    "embedding": {"provider": "none"},
}


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """What the kills did."""

    kills: int
    finished: int
    losses: tuple[str, ...]
    errors: tuple[str, ...]


def run(folder: Path, *, kills: int = 200, store: StoreName = "sqlite", seed: int = 1) -> Report:
    """Begin again and again from one prepared memory, until so many processes were killed."""
    rng = random.Random(seed)
    homes = Homes(folder, store)
    template = homes.new("template")
    prepare(template)
    expected, took = _undisturbed(homes.copy(template, "undisturbed"))
    losses: list[str] = []
    errors: list[str] = []
    done = finished = 0
    with Nursery() as nursery:
        while done < kills:
            home = homes.copy(template, f"run-{finished}")
            minutes = 0
            while True:
                child = nursery.start(keep_up, home, minutes)
                if not child.hear("open", 60):
                    errors.append("it did not open")
                if done < kills:
                    time.sleep(rng.uniform(0, took))
                    child.kill()
                    done += 1
                ending = child.end(120)
                errors += [line for line in ending.lines if line.startswith("!")]
                if "finished" in ending.lines:
                    break
                minutes += 6  # the lease of the dead one has lapsed by then
            losses += _differences(expected, state_of(home), f"run {finished}")
            finished += 1
            homes.remove(home)
    return Report(done, finished, tuple(losses), tuple(errors))


def prepare(home: Home) -> None:
    """Duplicates, faded and expired memories, unread turns, old events: work for every step."""
    clock = ManualClock(BEGIN)
    with home.open(clock=clock, **_SETTINGS) as mind:
        for n in range(60):
            kind: Kind = "skill" if n % 3 else "rule"
            mind.remember(f"note {n} is about tool{n}", kind=kind, importance=0.5 + n / 200)
            clock.advance(minutes=1)
        for n in range(20):
            mind.remember(f"the lamp{n} is blue.", kind="fact", importance=0.3)
            clock.advance(minutes=1)
            mind.remember(f"The lamp{n} is blue", kind="fact", importance=0.6)
            mind.remember(f"shower {n} passes", kind="temp", importance=0.1)
            soon = clock.now() + timedelta(days=2)
            mind.remember(f"guest{n} is here", kind="fact", importance=0.9, expires_at=soon)
        for n in range(6):
            session = f"s{n}"
            said = [
                NewTurn(session, "user", text, at=clock.now())
                for text in (f"I like hobby{n}.", f"could you check the roof{n} today?", "thanks")
            ]
            mind.record_many(said)
            clock.advance(hours=1)
            mind.drain()


def keep_up(say: Say, home: Home, minutes: int) -> None:
    """In the child: the daily and the weekly work of one day."""
    clock = ManualClock(BEGIN + _LATER + timedelta(minutes=minutes))
    mind = home.open(clock=clock, **_SETTINGS)
    say("open")
    works = [mind.upkeep("daily"), mind.upkeep("weekly")]
    mind.close()
    if all(report.finished for report in works):
        say("finished")


def state_of(home: Home) -> dict[str, object]:
    """Everything that matters at the end, without ids and times."""
    with home.open(**_SETTINGS) as mind:
        with mind._store.read(mind.space) as unit:
            memories = unit.memories.find(MemoryFilter(limit=10_000))
            core = {m.text for m in unit.memories.by_id(sorted(unit.tiers.core_ids()))}
        names = {memory.id: memory.text for memory in memories}
        return {
            "memories": sorted(
                (m.text, m.kind, m.status, m.importance, round(m.confidence, 6),
                 m.confirmations, names.get(m.superseded_by, ""), len(m.sources))
                for m in memories
            ),
            "core": core,
            "events": sorted(e.compressed for e in mind.daily_events(limit=1000)),
            "turns": sorted(turn.state for turn in mind.turns(limit=1000)),
            "episodes": len(mind.episodes(limit=1000)),
            "documents": sorted(
                (path.name, _shown(path)) for path in (home.folder / "documents").glob("*.md")
            ),
            "broken": [f"{f.check}: {f.detail}" for f in mind.doctor() if not f.ok],
        }  # fmt: skip


def _shown(path: Path) -> list[str]:
    """The lines of a document without the marks in them, which hold ids."""
    return [line.partition("<!--")[0].rstrip() for line in path.read_text("utf-8").splitlines()]


def _undisturbed(home: Home) -> tuple[dict[str, object], float]:
    with Nursery() as nursery:
        child = nursery.start(keep_up, home, 0)
        child.hear("open", 60)
        begun = time.monotonic()
        ending = child.end(300)
        took = time.monotonic() - begun
    assert "finished" in ending.lines, ending
    return state_of(home), took


def _differences(expected: dict[str, object], found: dict[str, object], where: str) -> list[str]:
    wrong = []
    for name, value in expected.items():
        other = found[name]
        if other == value:
            continue
        if isinstance(value, list) and isinstance(other, list):
            extra = [item for item in other if item not in value]
            missing = [item for item in value if item not in other]
            wrong.append(f"{where}: {name}: {missing[:3]} missing, {extra[:3]} too much")
        else:
            wrong.append(f"{where}: {name}: {other} instead of {value}")
    return wrong
