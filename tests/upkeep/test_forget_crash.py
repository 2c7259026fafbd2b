"""Forgetting that is killed on its way is whole or has not begun, and is finished later."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import recollect
from recollect.clock import ManualClock
from recollect.errors import StoreBusy
from recollect.types import NewTurn
from tests.conftest import OpenMind
from tests.upkeep.canaries import ENGLISH, leftovers, plant

pytestmark = pytest.mark.feature("N7")
ROOT = Path(__file__).parents[2]
KILLS = 200 if os.environ.get("RECOLLECT_TORTURE") else 10


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory of some size with the canary everywhere; times are long ago."""
    folder = tmp_path_factory.mktemp("planted")
    clock = ManualClock(datetime(2026, 1, 5, 12, tzinfo=UTC))
    with recollect.open(
        folder / "memory.db", preset="openakita", worker="none", clock=clock
    ) as mind:
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
    whole = _run_to_the_end(planted, tmp_path / "first")
    for number in range(KILLS):
        folder = tmp_path / str(number)
        shutil.copytree(planted, folder)
        _kill_after(folder, rng.uniform(0, 1.1 * whole))
        endings[_finish(folder)] += 1
        assert leftovers(folder, ENGLISH) == {}
        shutil.rmtree(folder)
    assert sum(endings.values()) == KILLS


def _run_to_the_end(planted: Path, folder: Path) -> float:
    """How long forgetting takes here."""
    shutil.copytree(planted, folder)
    begun = time.monotonic()
    child = _start(folder)
    assert child.stdout is not None
    assert child.stdout.readline() == "begin\n"
    begun = time.monotonic()
    assert child.communicate()[0] == "done\n"
    assert leftovers(folder, ENGLISH) == {}
    return time.monotonic() - begun


def _kill_after(folder: Path, seconds: float) -> None:
    child = _start(folder)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(seconds)
    child.kill()
    child.communicate()


def _start(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.upkeep.forgetter", str(folder / "memory.db"), ENGLISH],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def _finish(folder: Path) -> str:
    """The next start finishes what was begun; what was not, is asked for again."""
    later = ManualClock(datetime.now(UTC) + timedelta(minutes=10))
    with recollect.open(
        folder / "memory.db", preset="openakita", worker="none", clock=later
    ) as mind:
        begun = not any(ENGLISH in turn.content for turn in mind.turns(limit=10_000))
        waiting = [job for job in mind.jobs(limit=1_000) if job.kind == "forget"]
        if not begun:
            assert len([t for t in mind.turns(session="talk") if ENGLISH in t.content]) == 2
            mind.forget(query=ENGLISH)
        mind.drain()
        assert [f for f in mind.doctor() if not f.ok] == []
        assert mind.stats().turns == 2_002
    return "unfinished" if waiting else "done" if begun else "untouched"


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
        assert all(ENGLISH not in turn.content for turn in mind.turns())
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
