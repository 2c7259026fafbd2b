"""Several clients at once, each in a process of its own: throughput and latency of each store."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

import mnemic
from bench.corpus import Synthetic
from bench.figures import Figure, figure
from bench.timing import percentile

SPACES = 8
_START = 0.5  # seconds from the last one's being ready to the common start
KINDS = ("record", "recall")


def measure_clients(
    targets: Mapping[str, str | Path],
    clients: tuple[int, ...],
    *,
    turns: int,
    seconds: float,
    tell: Callable[[str], None],
) -> list[Figure]:
    """``turns`` in each of some spaces first; then each client asks four times for each turn it
    records, in whatever space.
    """
    figures: list[Figure] = []
    for name, target in targets.items():
        tell(f"{name}: {SPACES} spaces of {turns:,} turns")
        fill(str(target), turns)
    for count in clients:
        for name, target in targets.items():
            tell(f"{name}: {count} at once for {seconds:.0f} s")
            with multiprocessing.get_context("spawn").Pool(count) as pool:
                begin = time.time() + 3 + count * _START
                told = pool.starmap(
                    _client, [(str(target), n, begin, seconds) for n in range(count)]
                )
            took: dict[str, list[float]] = {
                kind: [t for one in told for t in one[kind]] for kind in KINDS
            }
            calls = sum(map(len, took.values()))
            figures.append(
                figure(
                    "clients", f"{name}, {count} at once", "calls/s", calls / seconds,
                    details={
                        f"{kind} {word}": round(1e3 * value, 2)
                        for kind in KINDS
                        for word, value in (
                            ("p50 ms", median(took[kind])),
                            ("p99 ms", percentile(took[kind], 99)),
                        )
                    },
                )
            )  # fmt: skip
    return figures


def fill(target: str, turns: int) -> None:
    """So many turns in each of some spaces, and what is due for them done."""
    corpus = Synthetic("mixed")
    texts = corpus.turns(0, turns)
    with mnemic.connect(target, worker="none") as engine:
        for n in range(SPACES):
            mind = engine.mind(f"person {n}")
            mind.record_many(texts)
            mind.drain(due_only=True)


def _client(target: str, number: int, begin: float, seconds: float) -> dict[str, list[float]]:
    """In a process of its own; every client begins at the same moment."""
    took: dict[str, list[float]] = {kind: [] for kind in KINDS}
    queries = Synthetic("mixed").texts(0, 200)
    with mnemic.connect(target, worker="none") as engine:
        minds = [engine.mind(f"person {n}") for n in range(SPACES)]
        for mind in minds:
            mind.recall("warm up")
        time.sleep(max(0.0, begin - time.time()))
        n = number
        while time.time() < begin + seconds:
            mind, n = minds[n % SPACES], n + 1
            started = time.perf_counter()
            if n % 5:
                mind.recall(queries[n % len(queries)][:60])
            else:
                mind.record(
                    session=f"client {number}", role="user", text=queries[-n % len(queries)]
                )
            took["recall" if n % 5 else "record"].append(time.perf_counter() - started)
    return took
