"""Backups: how long they take, and what a writer beside them notices.

``python -m bench.backup [--turns N]``: for each size one database, a backup, a restore, and one
writer process that records turns one by one while backups run back to back, and while none does,
in turns.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.corpus import Synthetic
from bench.minds import bench_mind
from bench.timing import MILLI, percentile
from mnemic.engine.mind import Mind
from mnemic.moving.backup import backup, restore

_SIZES = (10_000, 100_000)
_PORTION = 2_000
_SPELLS = 6  # with backups, and as many without
_SPELL = 1.5  # seconds of each


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.backup", description=__doc__)
    parser.add_argument("--turns", type=int, action="append", help="may be repeated")
    parser.add_argument("--write", metavar="FILE", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.write:
        write(chosen.write)
        return 0
    for turns in chosen.turns or _SIZES:
        with tempfile.TemporaryDirectory(prefix="mnemic-bench-") as folder:
            measure(Path(folder), turns)
    return 0


def measure(folder: Path, turns: int) -> None:
    """One size."""
    corpus, path = Synthetic("mixed"), folder / "memory.db"
    with bench_mind(path) as mind:
        for first in range(0, turns, _PORTION):
            mind.record_many(corpus.turns(first, min(_PORTION, turns - first)))
        seconds, size = _backed_up(mind, folder)
    begun = time.perf_counter()
    restore(folder / "copy.db", folder / "restored.db")
    restored = time.perf_counter() - begun
    print(
        f"{turns:,} turns, {size / 1e6:.1f} MB: backup {seconds:.2f} s, restore {restored:.2f} s,"
        " both checked"
    )
    quiet, busy, backups = _beside_a_writer(folder, path)
    for name, spent in (("without", quiet), (f"with {backups} backups", busy)):
        p50, p99 = (percentile(spent, q) * MILLI for q in (50, 99))
        print(f"  a turn {name}: p50 {p50:.2f} ms, p99 {p99:.2f} ms, {len(spent):,} turns")


def _backed_up(mind: Mind, folder: Path) -> tuple[float, int]:
    begun = time.perf_counter()
    made = backup(mind, folder / "copy.db", force=True)
    return time.perf_counter() - begun, made.bytes


def _beside_a_writer(folder: Path, path: Path) -> tuple[list[float], list[float], int]:
    """Seconds of turns recorded while no backup ran, and while one did; how many ran."""
    spells: list[tuple[float, float]] = []
    backups = 0
    with subprocess.Popen([sys.executable, "-m", "bench.backup", "--write", str(path)]) as writer:
        while not (folder / "writes").exists():
            time.sleep(0.01)
        with bench_mind(path) as mind:
            for _ in range(_SPELLS):
                time.sleep(_SPELL)
                begun = time.time()
                while time.time() < begun + _SPELL:
                    _backed_up(mind, folder)
                    backups += 1
                spells.append((begun, time.time()))
        (folder / "stop").touch()
        writer.wait()
    quiet: list[float] = []
    busy: list[float] = []
    for at, seconds in json.loads((folder / "times.json").read_text()):
        (busy if any(begin <= at <= end for begin, end in spells) else quiet).append(seconds)
    return quiet, busy, backups


def write(path: Path) -> None:
    """In the writer: one turn after the other until told to stop."""
    turns, times = Synthetic("mixed").turns(10_000_000, 20_000), []
    with bench_mind(path) as mind:
        (path.parent / "writes").touch()
        for turn in turns:
            if (path.parent / "stop").exists():
                break
            begun = time.perf_counter()
            mind.record(session=turn.session, role=turn.role, text=turn.text, at=turn.at)
            times.append((time.time(), time.perf_counter() - begun))
            time.sleep(0.001)  # somebody who talks, not a load
    (path.parent / "times.json").write_text(json.dumps(times))


if __name__ == "__main__":
    sys.exit(main())
