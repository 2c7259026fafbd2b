"""A PostgreSQL server is stopped at once, again and again, while processes write."""

from __future__ import annotations

import contextlib
import os
import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mnemic.errors import StoreError
from mnemic.store.postgres.store import PostgresStore
from mnemic.store.rows import TurnFilter
from mnemic.types import constant
from tests.contract.rows import turn
from tests.postgres.server import start_server, stop_at_once
from tests.torture.nursery import Nursery, Say
from tests.torture.outcome import Outcome

_PATIENCE = 10.0


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """What was acknowledged, and what came of it."""

    stops: int
    acknowledged: int
    refused: int
    stored: int
    seconds: float
    losses: tuple[str, ...]
    errors: tuple[str, ...]


def run(folder: Path, *, stops: int, writers: int = 3, seed: int = 1) -> Report:
    """Every turn that was acknowledged is there, at its index and once."""
    rng = random.Random(seed)
    server = start_server(f"stopped-{seed}")
    url = str(server.get_uri())
    done = folder / "done"
    PostgresStore(url, busy_timeout=_PATIENCE, now=_now).close()
    begun = time.monotonic()
    with Nursery() as nursery:
        children = [nursery.start(write, url, str(done), n) for n in range(writers)]
        for child in children:
            child.hear("ready", 60)
        for _ in range(stops):
            time.sleep(rng.uniform(0.1, 0.6))
            stop_at_once(server)
            time.sleep(rng.uniform(0, 0.1))
            server.ensure_postgres_running()
        done.touch()
        endings = [child.end(120) for child in children]
    seconds = time.monotonic() - begun
    errors = [ending.failure for ending in endings if ending.failure]
    acknowledged = [[int(s) for s in e.lines if s.isdigit()] for e in endings]
    refused = sum(ending.lines.count("refused") for ending in endings)
    store = PostgresStore(url, busy_timeout=_PATIENCE, now=_now)
    losses, stored = _compare(store, acknowledged)
    store.close()
    server.cleanup()
    total = sum(map(len, acknowledged))
    return Report(stops, total, refused, stored, seconds, tuple(losses), tuple(errors))


def write(say: Say, url: str, done: str, number: int) -> None:
    """In a child: one turn after the other; what was refused is tried again at the same index."""
    store = _open(url)
    say("ready")
    index = 0
    while not Path(done).exists():
        try:
            with store.write(f"space-{number}") as unit:
                unit.ledger.append([turn(f"turn {index}", index=index)])
        except StoreError:
            say("refused")
            time.sleep(0.01)
        else:
            say(str(index))
            index += 1
    store.close()


def _open(url: str) -> PostgresStore:
    until = time.monotonic() + 60
    while True:
        with contextlib.suppress(StoreError):
            return PostgresStore(url, busy_timeout=_PATIENCE, now=_now)
        if time.monotonic() > until:
            raise TimeoutError(f"{os.getpid()} never got in")
        time.sleep(0.05)


def _compare(store: Any, acknowledged: list[list[int]]) -> tuple[list[str], int]:
    losses: list[str] = []
    stored = 0
    for number, said in enumerate(acknowledged):
        with store.read(f"space-{number}") as unit:
            found = unit.ledger.turns(TurnFilter(session=constant("s"), limit=1_000_000))
        stored += len(found)
        there = [(one.index, one.text) for one in found]
        if there != [(n, f"turn {n}") for n in range(len(found))]:
            losses.append(f"space {number} has a gap or a double")
        lost = set(said) - {index for index, _ in there}
        if lost:
            losses.append(f"space {number} lost {len(lost)} turns, such as {min(lost)}")
    return losses, stored


def _now() -> datetime:
    return datetime.now(UTC)
