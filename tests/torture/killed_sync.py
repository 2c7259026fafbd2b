"""Merge and sync are killed in the middle, again and again, and repeated until whole."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import mnemic
from tests.sync.lives import QUICK, TABLES, contents
from tests.torture.nursery import Nursery, Say
from tests.torture.outcome import Outcome

_TURNS = 150
_PATIENCE = 600  # seconds: on a busy machine nobody mistakes slow work for work that hangs


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """What the kills did; ``unfinished`` of them came before the work had ended."""

    kills: int
    unfinished: int
    rows: int
    losses: tuple[str, ...]
    errors: tuple[str, ...]


def run(folder: Path, *, kills: int, seed: int = 1) -> Report:
    """Kill exchanges of two devices and merges of two databases, half of the kills each."""
    rng = random.Random(seed)
    homes = [folder / name for name in "ab"]
    shared = folder / "shared"
    minds = [_open(home) for home in homes]
    minds[0].sync_folder(shared)
    minds[0].sync_folder(shared, add=minds[1].devices().public_key)
    minds[1].sync_folder(shared)
    for mind in minds:
        mind.close()
    losses: list[str] = []
    errors: list[str] = []
    unfinished = said = 0
    with Nursery() as nursery:
        nursery.run(exchange, str(homes[0]), str(shared))  # the nursery has begun
        longest: dict[Callable[..., None], float] = {}
        for kill in range(-4, kills):
            home = homes[kill % 2]
            said += _TURNS
            _live(home, kill)
            work = exchange if kill % 4 < 2 else merge
            other = shared if work is exchange else homes[1 - kill % 2] / "memory.db"
            begun = time.monotonic()
            child = nursery.start(work, str(home), str(other))
            if kill < 0:  # how long it takes when nobody kills it
                errors += [failure] if (failure := child.end(_PATIENCE).failure) else []
                longest[work] = time.monotonic() - begun
                continue
            time.sleep(rng.uniform(0.0, longest[work]))
            child.kill()
            ended = child.end(10)
            errors += [line for line in ended.lines if line.startswith("!")]
            unfinished += "done" not in ended.lines
        for _ in range(3):
            for home in homes:
                ending = nursery.run(exchange, str(home), str(shared), timeout=_PATIENCE)
                errors += [ending.failure] if ending.failure else []
    first, second = (contents(home / "memory.db") for home in homes)
    losses += [f"{table} differs" for table in TABLES if first[table] != second[table]]
    texts = [row[4] for row in first["turns"]]
    losses += [f"{said - len(set(texts))} turns lost"] if len(set(texts)) != said else []
    losses += [f"{len(texts) - len(set(texts))} doubled"] if len(texts) != len(set(texts)) else []
    return Report(kills, unfinished, len(texts), tuple(losses), tuple(errors))


def exchange(say: Say, home: str, folder: str) -> None:
    with _open(Path(home)) as mind:
        mind.sync_folder(folder)
    say("done")


def merge(say: Say, home: str, other: str) -> None:
    with _open(Path(home)) as mind:
        mind.merge(other, mine=True)
    say("done")


def _open(home: Path) -> mnemic.Mind:
    return mnemic.open(home / "memory.db", worker="none", **QUICK)


def _live(home: Path, life: int) -> None:
    with _open(home) as mind:
        mind.record_many(
            mnemic.NewTurn(f"s{number % 5}", "user", f"life {life} turn {number} at {home.name}")
            for number in range(_TURNS)
        )
        mind.remember(f"Fact {life} of {home.name}", kind="fact")
