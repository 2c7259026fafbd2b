"""Very many spaces in one process: what an idle one costs, and whose jobs are done first."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import mnemic
from bench.figures import Figure, figure
from bench.timing import percentile
from mnemic import Engine
from mnemic.types import constant


def measure_spaces(target: str | Path, spaces: int, tell: Callable[[str], None]) -> list[Figure]:
    """Open each once; write to and ask each once; open them all again."""
    with mnemic.connect(target, threads=2) as engine:
        engine.mind("first").record(session="s", role="user", text="I live in Porto")
        before = _memory()
        tell(f"opening {spaces:,} spaces")
        opened, minds = _timed(engine, spaces)
        idle = (_memory() - before) / spaces
        tell(f"recording into {spaces:,} spaces, and asking them")
        recorded, asked = [], []
        for n, mind in enumerate(minds):
            begun = time.perf_counter()
            mind.record(session="s", role="user", text=f"I live in house {n} of the long street")
            between = time.perf_counter()
            mind.recall("which house?")
            recorded.append(between - begun)
            asked.append(time.perf_counter() - between)
        used = (_memory() - before) / spaces
        del minds, mind
        again, _ = _timed(engine, spaces)
        stats = engine.stats()
        threads, files = threading.active_count(), _open_files()
    return [
        figure("spaces", f"opening one of {spaces:,}", "µs", 1e6 * median(opened),
               details={"p99": 1e6 * percentile(opened, 99)}),
        figure("spaces", "opening one again", "µs", 1e6 * median(again)),
        figure("spaces", "memory of an idle one", "KB", idle / 1e3),
        figure("spaces", "memory of one that was used and is held", "KB", used / 1e3),
        figure("spaces", "first turn of one", "ms", 1e3 * median(recorded),
               details={"p99": 1e3 * percentile(recorded, 99)}),
        figure("spaces", "first question to one", "ms", 1e3 * median(asked),
               details={"p99": 1e3 * percentile(asked, 99)}),
        figure("spaces", "threads of the process", "", threads, details={"work": stats.threads}),
        figure("spaces", "open files", "", files),
    ]  # fmt: skip


def measure_fairness(
    target: str | Path, jobs: int, others: int, tell: Callable[[str], None]
) -> list[Figure]:
    """One space has ``jobs`` waiting; how long do the jobs of the others wait?"""
    with mnemic.connect(target, worker="none") as engine:
        noisy = engine.mind("noisy")
        noisy.record(session="s", role="user", text="I live in Porto")
        engine.drain(timeout=60)
        now = engine._clock.now()
        tell(f"one space queues {jobs:,} jobs")
        with engine._store.write("noisy") as unit:
            for start in range(0, jobs, 10_000):
                keys = range(start, min(jobs, start + 10_000))
                unit.tasks.enqueue(
                    "documents", {constant(f"job {n}"): {} for n in keys},
                    run_at=now, now=now, max_attempts=3,
                )  # fmt: skip
        tell(f"{others} others queue one each")
        waits = [_wait(engine, f"quiet {n}") for n in range(others)]
        left = len(noisy.jobs(limit=1_000_000))
    return [
        figure("fairness", f"wait of a job beside {jobs:,} of one space", "ms",
               1e3 * median(waits), details={"slowest": 1e3 * max(waits), "left": left}),
    ]  # fmt: skip


def _wait(engine: Engine, name: str) -> float:
    """From the end of a conversation until it was learned from."""
    mind = engine.mind(name)
    mind.record(session="s", role="user", text="I live in Lisbon")
    mind.end_session("s")
    begun = time.perf_counter()
    worker = engine._background.worker  # type: ignore[union-attr]
    while not mind.memories():
        worker.run_one()
    return time.perf_counter() - begun


def _timed(engine: Engine, spaces: int) -> tuple[list[float], list[mnemic.Mind]]:
    seconds, minds = [], []
    for n in range(spaces):
        begun = time.perf_counter()
        minds.append(engine.mind(f"person {n}"))
        seconds.append(time.perf_counter() - begun)
    return seconds, minds


def _memory() -> int:
    """Bytes of this process that are in memory."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208
