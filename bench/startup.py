"""How long things take to start: the import, the command, opening a memory, its first answers."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import mnemic
from bench.figures import Figure, at_most, figure
from bench.processes import output_of
from bench.timing import MILLI, Timed

_OPENED, _IMPORTED, _HELPED, _ANSWERED = 50.0, 60.0, 200.0, 350.0
_OPEN = """
import sys, time
import mnemic, mnemic.engine.open
begun, busy = time.perf_counter(), time.process_time()
mind = mnemic.open(sys.argv[1], worker="none")
mind.turns(limit=1, newest_first=True)
print(time.perf_counter() - begun, time.process_time() - busy)
mind.close()
"""
_FIRST = """
import sys, mnemic
mind = mnemic.open(sys.argv[1], worker="none"{settings})
assert mind.{call}
"""
_QUESTION = "What does my sister drink in the morning?"
_RECALL = f"recall({_QUESTION!r})"
_WORDS = ", embedding={'provider': 'none'}"
# What a first recall cannot do without, whoever writes it: the libraries, a tokenizer, a model.
_READER = """
import sys, numpy, onnxruntime, tokenizers
onnxruntime.InferenceSession(sys.argv[1] + "/latin.onnx")
tokenizers.Tokenizer.from_file(sys.argv[1] + "/latin.json")
"""


def measure_start(database: Path, turns: int, rounds: int) -> list[Figure]:
    """Fresh processes, one of each kind in every round, by the time that the processor worked for
    them: what starts waits for nothing else, and cores are shared.
    """
    with TemporaryDirectory() as folder:
        few = _write_few_turns(Path(folder) / "few.db")
        timed, opened = _time_processes(_commands(database, few), database, rounds)
    bare, about = "python -c pass", f"open {turns:,} turns to the first answer"
    figures = [
        _figure("import mnemic", timed, bare, _IMPORTED),
        _figure("mnemic --help", timed, bare, _HELPED),
        _figure("start to the first turns listed", timed, bare, _ANSWERED),
        _figure("start to the first turn recorded", timed, bare, _ANSWERED),
        _figure("start to the first recall by words", timed, "import numpy", None),
        _figure("mnemic recall", timed, "import numpy", None),
        # The process is loaded; opening a database is what is left.
        _figure(about, {about: opened}, "", _OPENED),
    ]
    if "the reader's libraries and files" in timed:
        name = "start to the first recall"
        figures.append(_figure(name, timed, "the reader's libraries and files", None))
    return figures


def _commands(database: Path, few: Path) -> dict[str, Sequence[str]]:
    python = [sys.executable, "-c"]

    def answer(path: Path | str, call: str, settings: str = "") -> Sequence[str]:
        return [*python, _FIRST.format(call=call, settings=settings), str(path)]

    commands = {
        "python -c pass": [*python, "pass"],
        "import numpy": [*python, "import numpy"],
        "import mnemic": [*python, "import mnemic"],
        "mnemic --help": [*_command(), "--help"],
        "mnemic recall": [*_command(), "recall", _QUESTION, "--db", str(few)],
        "start to the first turns listed": answer(database, "turns(limit=1, newest_first=True)"),
        "start to the first turn recorded": answer(
            ":memory:", "session('tea').user('Tea, please.')"
        ),
        "start to the first recall by words": answer(few, _RECALL, _WORDS),
        "start to the first recall": answer(few, _RECALL),
    }
    reader = find_spec("mnemic_reader")
    if reader is not None and reader.submodule_search_locations:
        alone = [*python, _READER, reader.submodule_search_locations[0]]
        commands["the reader's libraries and files"] = alone
    return commands


def _write_few_turns(path: Path) -> Path:
    with mnemic.open(path, worker="none") as mind:
        session = mind.session("morning")
        for number in range(20):
            session.user(f"My sister drinks green tea in the morning, cup {number}.")
        mind.drain()
    return path


def _time_processes(
    commands: dict[str, Sequence[str]], database: Path, rounds: int
) -> tuple[dict[str, Timed], Timed]:
    spent: dict[str, list[float]] = {name: [] for name in commands}
    busy: dict[str, list[float]] = {name: [] for name in commands}
    opened = []
    for _ in range(rounds + 1):
        for name, command in commands.items():
            begun, before = perf_counter(), _processor()
            _run(command)
            spent[name].append(perf_counter() - begun)
            busy[name].append(_processor() - before)
        said = _run([sys.executable, "-c", _OPEN, str(database)]).split()
        opened.append((float(said[0]), float(said[1])))
    # The first round only warms the caches of the disk.
    timed = {name: Timed(tuple(spent[name][1:]), tuple(busy[name][1:])) for name in commands}
    elapsed, worked = zip(*opened[1:], strict=True)
    return timed, Timed(elapsed, worked)


def _processor() -> float:
    """Seconds that the processor worked for the processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _figure(name: str, timed: dict[str, Timed], beside: str, limit: float | None) -> Figure:
    ours = timed[name]
    return figure(
        "start", name, "ms", median(ours.busy) * MILLI,
        beside=beside,
        baseline=median(timed[beside].busy) * MILLI if beside else None,
        target=None if limit is None else at_most(limit),
        details={"best": min(ours.busy) * MILLI, "elapsed": ours.median * MILLI},
    )  # fmt: skip


def _command() -> Sequence[str]:
    script = Path(sys.executable).with_name("mnemic")
    return [str(script)] if script.is_file() else [sys.executable, "-m", "mnemic"]


def _run(command: Sequence[str]) -> str:
    own = {name: value for name, value in os.environ.items() if not name.startswith("MNEMIC_")}
    return output_of(command, env=own)
