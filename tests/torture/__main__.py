"""Every scenario in full: ``python -m tests.torture [--only NAME] [--store NAME] [--cycles N]``.

Touches nothing but a temporary folder; ends by itself, with 1 if anything was lost or went wrong.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tests.torture import (
    backups,
    bad_days,
    broken_file,
    disk_full,
    forked_child,
    hostile_queries,
    killed_learner,
    killed_loader,
    killed_mover,
    killed_server,
    killed_sync,
    killed_upkeep,
    killed_workers,
    killed_writer,
    long_year,
    many_spaces,
    many_writers,
    power_cut,
    stopped_server,
    sync_lives,
)
from tests.torture.homes import STORES, StoreName
from tests.torture.outcome import Outcome


class Scenario(NamedTuple):
    """A scenario and its full size; ``counted`` is the size that --cycles replaces."""

    run: Callable[..., Outcome]
    counted: str
    sizes: dict[str, Any]


# What is about the one store, and why; every other scenario runs on both.
ONLY_IN_FILES = {
    "power_cut": "the pages that a disk had not written; a server's are its own affair",
    "disk_full": "the disk of the file; a server says that its own is full (failures.py)",
    "broken_file": "the bytes of the file",
    "killed_sync": "two files and a folder; tests/sync has a server beside a file",
    "sync_lives": "three files, compared by plain SQL",
}
ONLY_ON_A_SERVER = {
    "killed_workers": "workers on several machines; on one file killed_learner has them",
    "one_wall": "many_spaces with row-level security alone, which a file does not have",
    "stopped_server": "the server goes, and the processes that use it stay",
}
SCENARIOS = {
    "killed_writer": Scenario(killed_writer.run, "cycles", {"cycles": 1_000}),
    "killed_loader": Scenario(killed_loader.run, "kills", {"kills": 200}),
    "killed_learner": Scenario(killed_learner.run, "cycles", {"cycles": 300}),
    "many_writers": Scenario(
        many_writers.run, "turns", {"processes": 8, "turns": 5_000, "races": 200}
    ),
    "many_spaces": Scenario(
        many_spaces.run, "operations", {"spaces": 1_000, "operations": 100_000}
    ),
    "one_wall": Scenario(
        partial(many_spaces.run, store="postgres", second_wall_only=True),
        "operations",
        {"spaces": 1_000, "operations": 100_000},
    ),
    "power_cut": Scenario(power_cut.run, "cuts", {"cuts": 600, "calls": 200}),
    "disk_full": Scenario(disk_full.run, "limits", {"limits": 300, "openings": 100}),
    "broken_file": Scenario(broken_file.run, "corruptions", {"corruptions": 1_000, "turns": 400}),
    "hostile_queries": Scenario(hostile_queries.run, "queries", {"queries": 100_000}),
    "forked_child": Scenario(forked_child.run, "forks", {"forks": 200}),
    "killed_mover": Scenario(killed_mover.run, "kills", {"kills": 30}),
    "killed_server": Scenario(killed_server.run, "kills", {"kills": 100}),
    "killed_sync": Scenario(killed_sync.run, "kills", {"kills": 200}),
    "sync_lives": Scenario(sync_lives.run, "histories", {"histories": 2_000}),
    "killed_upkeep": Scenario(killed_upkeep.run, "kills", {"kills": 200}),
    "long_year": Scenario(long_year.run, "days", {"days": 365}),
    "backups": Scenario(backups.run, "backups", {"backups": 100, "kills": 100}),
    "killed_workers": Scenario(killed_workers.run, "jobs", {"jobs": 40_000, "kills": 100}),
    "stopped_server": Scenario(stopped_server.run, "stops", {"stops": 50}),
    "bad_days": Scenario(bad_days.run, "jumps", {"jumps": 100}),
}
_SHOWN = 20


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--only", action="append", choices=SCENARIOS, help="may be repeated")
    parser.add_argument("--store", choices=STORES, help="only the one; else both")
    parser.add_argument("--cycles", type=int, help="another size than the full one")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    table: list[tuple[str, str, str]] = []
    failed = False
    for name in chosen.only or SCENARIOS:
        for store in stores_of(name):
            if chosen.store not in (None, store):
                continue
            title = f"{name} on {store}"
            print(f"{title} ...", flush=True)
            report, seconds = _run(name, store, chosen.cycles, chosen.seed)
            failed |= not report.ok
            table.append((title, f"{seconds:.0f} s", _figures(report)))
            print(f"  {seconds:.0f} s, {_figures(report)}", flush=True)
            for line in [*report.losses, *report.errors][:_SHOWN]:
                print(f"  {line}")
    print()
    for title, took, figures in table:
        print(f"{title:<27} {took:>7}  {figures}")
    return int(failed)


def stores_of(name: str) -> tuple[StoreName, ...]:
    """The stores that a scenario is about."""
    if name in ONLY_IN_FILES:
        return ("sqlite",)
    return ("postgres",) if name in ONLY_ON_A_SERVER else STORES


def _run(name: str, store: StoreName, cycles: int | None, seed: int) -> tuple[Outcome, float]:
    scenario = SCENARIOS[name]
    given = scenario.sizes | ({} if cycles is None else {scenario.counted: cycles})
    if scenario.run not in (many_writers.run, bad_days.run):
        given |= {"seed": seed}
    if stores_of(name) == STORES:
        given |= {"store": store}
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mnemic-torture-") as folder:
        report = scenario.run(Path(folder), **given)
    return report, time.monotonic() - begun


def _figures(report: Any) -> str:
    told = {field.name: getattr(report, field.name) for field in fields(report)}
    told["losses"], told["errors"] = len(report.losses), len(report.errors)
    if isinstance(report, long_year.Report):
        every = max(1, report.days // 12)
        told["course"] = [(d.day, d.memories, round(d.seconds, 2)) for d in report.course[::every]]
    if isinstance(report, many_writers.Report):
        told["commits/s"] = report.commits_per_second
    return ", ".join(
        f"{name} {value:,.3g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in told.items()
    )


if __name__ == "__main__":
    sys.exit(main())
