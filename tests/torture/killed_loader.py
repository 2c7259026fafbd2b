"""A bulk load is killed in the middle, again and again, and repeated until it is whole."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mnemic import NewTurn
from mnemic.record.recorder import BATCH
from tests.torture import witness
from tests.torture.homes import Home, Homes, StoreName
from tests.torture.nursery import Nursery, Say
from tests.torture.outcome import Outcome

_SESSIONS = 7
_LONGEST = 1.5  # seconds until the kill


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """What the kills did; ``unfinished`` of them came before the load had ended."""

    kills: int
    unfinished: int
    turns: int
    losses: tuple[str, ...]
    errors: tuple[str, ...]


def run(
    folder: Path,
    *,
    kills: int,
    store: StoreName = "sqlite",
    turns: int = 5 * BATCH + 300,
    seed: int = 1,
) -> Report:
    """Load, be killed, look, and begin again: in a new place once the load is there whole."""
    rng = random.Random(seed)
    losses: list[str] = []
    errors: list[str] = []
    unfinished, known = 0, 0
    homes = Homes(folder, store)
    home = homes.new("loaded-0")
    with Nursery() as nursery:
        for kill in range(kills):
            child = nursery.start(load, home, turns)
            if not child.hear("open", 30):
                errors.append(f"kill {kill}: not open within 30 s")
            time.sleep(rng.uniform(0.0, _LONGEST))
            child.kill()
            ending = child.end(10)
            errors += [line for line in ending.lines if line.startswith("!")]
            done = "done" in ending.lines
            unfinished += not done
            there, wrong = _look(home, turns, done=done, known=known)
            losses += [f"kill {kill}: {what}" for what in wrong]
            known = there
            if done:
                losses += witness.halves(home.target, integrity=True)
                homes.remove(home)
                home, known = homes.new(f"loaded-{kill + 1}"), 0
        ending = nursery.run(load, home, turns, timeout=60)
        errors += [ending.failure] if ending.failure else []
        _, wrong = _look(home, turns, done=True, known=known)
        losses += [*wrong, *witness.halves(home.target, integrity=True)]
    return Report(kills, unfinished, turns, tuple(losses), tuple(errors))


def load(say: Say, home: Home, turns: int) -> None:
    """In the child: take everything in, whatever of it is there already."""
    with home.open() as mind:
        say("open")
        recorded = mind.record_many(_turns(turns))
        assert recorded.added + recorded.known == turns
        say("done")


def _turns(count: int) -> Iterator[NewTurn]:
    for number in range(count):
        words = f"{witness.word(number)} said on day {number % 97}, 第 {number} 条"
        yield NewTurn(
            f"s{number % _SESSIONS}", "user", words if number % 3 else words * 4,
            index=number // _SESSIONS,
        )  # fmt: skip


def _look(home: Home, turns: int, *, done: bool, known: int) -> tuple[int, list[str]]:
    """How many turns are there, and what is wrong with them."""
    with home.open() as mind:
        there = mind.stats().turns
        wrong = []
        if there < known:
            wrong.append(f"{known} turns were there, now {there}")
        if done and there != turns:
            wrong.append(f"{there} of {turns} turns after the load had ended")
        if there != turns and there % BATCH:
            wrong.append(f"{there} turns are no whole batches")
        kept: dict[tuple[str, int], str] = {
            (t.session, t.index): t.text for t in mind.turns(limit=10 * turns)
        }
        for number, new in enumerate(_turns(there)):  # from the beginning, without a gap
            if kept.get((new.session, new.index or 0)) != new.text:
                wrong.append(f"turn {number} of {there} is not there, or not whole")
                break
        if there and witness.word(there - 1) not in "".join(
            hit.text for hit in mind.recall(witness.word(there - 1), limit=1)
        ):
            wrong.append(f"turn {there - 1} is not findable")
    return there, wrong + witness.halves(home.target, integrity=False)
