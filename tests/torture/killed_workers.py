"""Workers on a PostgreSQL queue are killed at random: every job is done once in effect."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mnemic.store.postgres.store import PostgresStore
from mnemic.types import constant, key_of
from tests.postgres.server import new_database
from tests.torture.nursery import Child, Nursery, Say
from tests.torture.outcome import Outcome

_LEASE = timedelta(seconds=2)
_KIND = "torture"
_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """What was done, and by how many that were killed."""

    jobs: int
    kills: int
    runs: int  # of jobs, those included that a killed worker left
    seconds: float
    losses: tuple[str, ...]
    errors: tuple[str, ...]


def run(
    folder: Path, *, jobs: int, workers: int = 4, spaces: int = 5, kills: int = 20, seed: int = 1
) -> Report:
    """Half of the jobs are one space's; the others must not have to wait for it."""
    rng = random.Random(seed)
    url = new_database(f"torture_{os.getpid()}_{seed}")
    queued = _queue(url, jobs, spaces)
    errors: list[str] = []
    killed = runs = 0
    begun = time.monotonic()
    with Nursery() as nursery:
        alive: list[Child] = [nursery.start(work, url) for _ in range(workers)]
        while killed < kills:
            time.sleep(rng.uniform(0.05, 0.4))
            child = alive.pop(0)
            child.kill()
            runs += child.end(_PATIENCE).lines.count("did")
            killed += 1
            alive.append(nursery.start(work, url))
        for child in alive:
            ending = child.end(60 + jobs / 10)
            runs += ending.lines.count("did")
            if ending.failure:
                errors.append(ending.failure)
    seconds = time.monotonic() - begun
    return Report(jobs, killed, runs, seconds, tuple(_missing(url, queued)), tuple(errors))


def work(say: Say, url: str) -> None:
    """In a child: one job after the other, until nothing is left to wait for."""
    store = PostgresStore(url, busy_timeout=_PATIENCE, now=_now)
    owner = f"worker-{os.getpid()}"
    while store.queue.next_due(now := _now()) is not None:
        job = store.queue.claim(owner, now, now + _LEASE)
        if job is None:
            time.sleep(0.02)
            continue
        with store.write(job.space) as unit:
            done = key_of("job", job.id)
            if not unit.journal.operation(done):
                unit.journal.add_event(
                    "done", operation_id=done, subject=job.key, payload={}, at=now
                )
                unit.counters.add(now.date(), {"done": 1})
        say("did")
        store.queue.finish(job, owner)
    store.close()


def _queue(url: str, jobs: int, spaces: int) -> Counter[str]:
    store = PostgresStore(url, busy_timeout=_PATIENCE, now=_now)
    now = _now()
    queued = Counter(
        {"space-0": jobs - jobs // 2 // (spaces - 1) * (spaces - 1)}
        | {f"space-{n}": jobs // 2 // (spaces - 1) for n in range(1, spaces)}
    )
    for space, count in queued.items():
        with store.write(space) as unit:
            unit.tasks.enqueue(
                _KIND,
                {constant(f"key-{n}"): {} for n in range(count)},
                run_at=now,
                now=now,
                max_attempts=1000,
            )
    store.close()
    return queued


def _missing(url: str, queued: Counter[str]) -> list[str]:
    store = PostgresStore(url, busy_timeout=_PATIENCE, now=_now)
    wrong = []
    for space, count in queued.items():
        with store.read(space) as unit:
            left = len(unit.tasks.list_unfinished(None, 1_000_000))
            told = Counter(event.subject for event in unit.journal.events(limit=1_000_000))
            counted = unit.counters.totals(None).get("done", 0)
        twice = [key for key, times in told.items() if times > 1]
        if (left, len(told), counted, twice) != (0, count, count, []):
            wrong.append(
                f"{space}: {len(told)} of {count} done, counted {counted}, {left} left, {twice[:3]}"
            )
    store.close()
    return wrong


def _now() -> datetime:
    return datetime.now(UTC)
