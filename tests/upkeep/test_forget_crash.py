"""Forgetting that is killed on its way is whole or has not begun, and is finished later."""

from __future__ import annotations

import os
import random
import shutil
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import mnemic
from mnemic.clock import ManualClock
from mnemic.errors import StoreBusy
from mnemic.types import NewTurn
from tests.conftest import OpenMind
from tests.torture.nursery import Child, Nursery
from tests.upkeep.canaries import ENGLISH, leftovers, plant
from tests.upkeep.forgetter import forget

pytestmark = pytest.mark.feature("N7")
KILLS = 200 if os.environ.get("MNEMIC_TORTURE") else 4
_PATIENCE = 60  # seconds


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory of some size with the canary everywhere; times are long ago."""
    folder = tmp_path_factory.mktemp("planted")
    clock = ManualClock(datetime(2026, 1, 5, 12, tzinfo=UTC))
    with mnemic.open(folder / "memory.db", preset="openakita", worker="none", clock=clock) as mind:
        mind.record_many(
            NewTurn(f"s{n % 20}", "user", f"remark {n} on the weather of day {n * 7}")
            for n in range(2_000)
        )
        plant(mind, clock, ENGLISH, "talk")
        mind.drain()
    return folder


@pytest.mark.torture
def test_killed_at_any_moment(planted: Path, tmp_path: Path) -> None:
    rng = random.Random(7)
    endings = {"untouched": 0, "unfinished": 0, "done": 0}
    with Nursery() as nursery:
        whole = _run_to_the_end(nursery, planted, tmp_path / "first")
        for number in range(KILLS):
            folder = tmp_path / str(number)
            shutil.copytree(planted, folder)
            _kill_after(nursery, folder, rng.uniform(0, 1.1 * whole))
            endings[_finish(folder)] += 1
            assert leftovers(folder, ENGLISH) == {}
            shutil.rmtree(folder)
    assert sum(endings.values()) == KILLS


def _run_to_the_end(nursery: Nursery, planted: Path, folder: Path) -> float:
    """How long forgetting takes here."""
    shutil.copytree(planted, folder)
    child = _start(nursery, folder)
    begun = time.monotonic()
    ending = child.end(_PATIENCE)
    took = time.monotonic() - begun
    assert ending.failure == ""
    assert ending.lines == ["begin", "done"]
    assert leftovers(folder, ENGLISH) == {}
    return took


def _kill_after(nursery: Nursery, folder: Path, seconds: float) -> None:
    child = _start(nursery, folder)
    time.sleep(seconds)
    child.kill()
    child.end(_PATIENCE)


def _start(nursery: Nursery, folder: Path) -> Child:
    child = nursery.start(forget, str(folder / "memory.db"), ENGLISH)
    assert child.hear("begin", _PATIENCE)
    return child


def _finish(folder: Path) -> str:
    """The next start finishes what was begun; what was not, is asked for again."""
    later = ManualClock(datetime.now(UTC) + timedelta(minutes=10))
    with mnemic.open(folder / "memory.db", preset="openakita", worker="none", clock=later) as mind:
        begun = not any(ENGLISH in turn.text for turn in mind.turns(limit=10_000))
        waiting = [job for job in mind.jobs(limit=1_000) if job.kind == "forget"]
        if not begun:
            assert len([t for t in mind.turns(session="talk") if ENGLISH in t.text]) == 2
            mind.forget(query=ENGLISH)
        mind.drain()
        assert [f for f in mind.doctor() if not f.ok] == []
        assert mind.stats().turns == 2_002
    return "unfinished" if waiting else "done" if begun else "untouched"


@pytest.mark.sqlite_file("the pages that a reader keeps in its log")
def test_asking_again_finishes_it_and_gives_the_receipt(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path
) -> None:
    mind = open_mind(store__busy_timeout="200ms")
    plant(mind, clock, ENGLISH, "talk")
    reader = open_mind()
    with reader._store.read("default") as unit:  # keeps the old pages in the log
        unit.ledger.sessions(1, 0)
        with pytest.raises(StoreBusy, match="forgotten"):
            mind.forget(query=ENGLISH)
        assert all(ENGLISH not in turn.text for turn in mind.turns())
    assert leftovers(tmp_path, ENGLISH)
    (finding,) = [f for f in mind.doctor() if f.check == "forgetting"]
    assert not finding.ok
    receipt = mind.forget(query=ENGLISH)
    assert receipt.counts["turn"] == 3
    assert leftovers(tmp_path, ENGLISH) == {}
    assert [f for f in mind.doctor(forgotten=receipt) if not f.ok] == []
    (told,) = mind.events(type="forget")
    assert told.payload["counts"] == receipt.counts


def test_the_doctor_finishes_it_too(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path
) -> None:
    mind = open_mind(store__busy_timeout="200ms")
    plant(mind, clock, ENGLISH, "talk")
    reader = open_mind()
    with reader._store.read("default") as unit:
        unit.ledger.sessions(1, 0)
        with pytest.raises(StoreBusy):
            mind.forget(query=ENGLISH)
    mind.repair()
    assert leftovers(tmp_path, ENGLISH) == {}
    assert mind.jobs() == [job for job in mind.jobs() if job.kind != "forget"]
