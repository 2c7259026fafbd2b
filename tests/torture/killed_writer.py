"""A writer is killed in the middle of its work, again and again, on one growing database."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from tests.torture import witness
from tests.torture.homes import Home, Homes, StoreName
from tests.torture.nursery import Nursery, Say
from tests.torture.outcome import Outcome

_LIFE = 5.0  # seconds after which a child that nobody killed gives up


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """What the kills did."""

    cycles: int
    calls: int
    turns: int
    losses: tuple[str, ...]
    errors: tuple[str, ...]


def run(
    folder: Path,
    *,
    cycles: int,
    store: StoreName = "sqlite",
    seed: int = 1,
    integrity_every: int = 50,
) -> Report:
    """Kill a writer after 5 to 60 ms, reopen, compare with what it had acknowledged."""
    rng = random.Random(seed)
    home = Homes(folder, store).new("killed")
    losses: list[str] = []
    errors: list[str] = []
    acknowledged: list[int] = []
    with Nursery() as nursery:
        for cycle in range(cycles):
            child = nursery.start(write, home, seed, cycle, rng.random() < 0.3)
            # Some die while they open or create the file, some in their first call, some later.
            first = rng.choices(("", "open", "ok"), (2, 3, 5))[0]
            if first and not child.hear(first, 30):
                errors.append(f"cycle {cycle}: no {first!r} within 30 s")
            time.sleep(rng.uniform(0.005, 0.060))
            child.kill()
            ending = child.end(10)
            errors += [line for line in ending.lines if line.startswith("!")]
            calls = sum(line == "ok" for line in ending.lines)
            acknowledged.append(calls)
            thorough = cycle % integrity_every == integrity_every - 1 or cycle == cycles - 1
            losses += _compare(home, seed, cycle, calls)
            losses += witness.halves(home.target, integrity=thorough)
            if thorough:
                losses += _compare_all(home, seed, acknowledged)
    with home.open() as mind:
        turns = mind.stats().turns
        losses += [f"{f.check}: {f.detail}" for f in mind.doctor() if not f.ok]
    return Report(cycles, sum(acknowledged), turns, tuple(losses), tuple(errors))


def write(say: Say, home: Home, seed: int, cycle: int, threaded: bool) -> None:
    """In the child: say ok after each call that returned."""
    until = time.monotonic() + _LIFE
    mind = home.open(worker="thread" if threaded else "none")
    say("open")
    for act in witness.acts(seed, cycle):
        act.perform(mind)
        say("ok")
        if time.monotonic() > until:
            return


def _compare(home: Home, seed: int, cycle: int, calls: int) -> list[str]:
    """Every call of this cycle that returned is there; the one after it is there whole or not."""
    with home.open() as mind:
        script = list(islice(witness.acts(seed, cycle), calls + 1))
        wrong = witness.missing(mind, script[:calls]) + witness.whole_acts(mind, script)
    return [f"cycle {cycle}: {what}" for what in wrong]


def _compare_all(home: Home, seed: int, acknowledged: list[int]) -> list[str]:
    done = [
        act
        for cycle, calls in enumerate(acknowledged)
        for act in islice(witness.acts(seed, cycle), calls)
    ]
    with home.open() as mind:
        return [f"later: {what}" for what in witness.missing(mind, done, recall_every=20)]
