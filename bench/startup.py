"""How long things take to start: the import, the command's help, and opening a memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from bench.figures import Figure, at_most, figure
from bench.timing import MILLI, Timed

_OPENED, _IMPORTED, _HELPED = 50.0, 60.0, 200.0
_OPEN = """
import sys, time
import mnemic{also}
begun = time.perf_counter()
mind = mnemic.open(sys.argv[1], worker="none")
mind.turns(limit=1, newest_first=True)
print(time.perf_counter() - begun)
mind.close()
"""


def measure_start(database: Path, turns: int, rounds: int) -> list[Figure]:
    """Fresh processes, one of each kind in every round."""
    python = [sys.executable]
    commands = {
        "python -c pass": [*python, "-c", "pass"],
        "import mnemic": [*python, "-c", "import mnemic"],
        "mnemic --help": [*_command(), "--help"],
    }
    opening = {
        "first call": [*python, "-c", _OPEN.format(also=""), str(database)],
        "engine loaded": [*python, "-c", _OPEN.format(also=", mnemic.engine.open"), str(database)],
    }
    spent: dict[str, list[float]] = {name: [] for name in (*commands, *opening)}
    for _ in range(rounds + 1):
        for name, command in commands.items():
            begun = perf_counter()
            _run(command)
            spent[name].append(perf_counter() - begun)
        for name, command in opening.items():
            spent[name].append(float(_run(command)))
    # The first round only warms the caches of the disk.
    timed = {name: Timed(tuple(times[1:])) for name, times in spent.items()}
    bare = timed["python -c pass"]
    about = f"open {turns:,} turns to the first answer"
    return [
        _figure("import mnemic", timed["import mnemic"], bare, _IMPORTED),
        _figure("mnemic --help", timed["mnemic --help"], bare, _HELPED),
        # Opening a database is the second; the first also loads the engine and numpy.
        _figure(f"{about}, with the imports", timed["first call"], None, None),
        _figure(about, timed["engine loaded"], None, _OPENED),
    ]


def _figure(name: str, ours: Timed, bare: Timed | None, limit: float | None) -> Figure:
    return figure(
        "start", name, "ms", ours.median * MILLI,
        beside="python -c pass" if bare else "",
        baseline=bare.median * MILLI if bare else None,
        target=None if limit is None else at_most(limit),
        details={"best": min(ours.seconds) * MILLI},
    )  # fmt: skip


def _command() -> Sequence[str]:
    script = Path(sys.executable).with_name("mnemic")
    return [str(script)] if script.is_file() else [sys.executable, "-m", "mnemic"]


def _run(command: Sequence[str]) -> str:
    own = {name: value for name, value in os.environ.items() if not name.startswith("MNEMIC_")}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=own)
    return done.stdout
