"""The power fails at any moment, and the disk keeps what it likes of what was not synced."""

from __future__ import annotations

import pickle
import random
import shutil
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import apsw

import mnemic
from mnemic.store.sqlite import connection
from tests.torture import witness
from tests.torture.disk import Op, RecordingVFS, after_cut
from tests.torture.nursery import Nursery, Say
from tests.torture.outcome import Outcome

_REOPEN_EVERY = 40  # calls; closing writes the log back into the file
_SMALL_LOG = 60  # pages; so that checkpoints also happen in the middle of the work


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """What the cuts did."""

    cuts: int
    operations: int
    calls: int
    losses: tuple[str, ...]
    errors: tuple[str, ...]


def run(folder: Path, *, cuts: int, calls: int, seed: int = 1, synchronous: str = "FULL") -> Report:
    """Record ``calls`` calls with every disk operation, then rebuild the disk for each cut.

    ``synchronous`` other than FULL is there to show that this scenario can fail.
    """
    rng = random.Random(seed)
    tape = folder / "power.db.tape"
    with Nursery() as nursery:
        ending = nursery.run(
            record, str(folder / "power.db"), seed, calls, synchronous, timeout=300
        )
    if ending.failure:
        return Report(0, 0, 0, (), (ending.failure,))
    ops: list[Op] = pickle.loads(tape.read_bytes())
    losses: list[str] = []
    errors: list[str] = []
    for number in range(cuts):
        cut = _choose(ops, rng)
        done = sum(op.kind == "acknowledge" for op in ops[:cut])
        place = folder / f"cut-{number}"
        place.mkdir()
        for suffix, content in after_cut(ops, cut, rng).items():
            (place / f"power.db{suffix}").write_bytes(content)
        try:
            found = _compare(place / "power.db", seed, done)
            losses += [f"cut {number} at {cut}: {what}" for what in found]
        except (mnemic.MnemicError, apsw.Error) as error:
            errors.append(f"cut {number} at {cut}: {type(error).__name__}: {error}")
        shutil.rmtree(place)
    return Report(cuts, len(ops), calls, tuple(losses), tuple(errors))


def record(say: Say, path: str, seed: int, calls: int, synchronous: str) -> None:
    """In the child: work on the recording disk, then hand over its tape."""
    vfs = RecordingVFS(path)
    apsw.connection_hooks.append(lambda conn: conn.wal_autocheckpoint(_SMALL_LOG))
    connection._PRAGMAS = tuple(
        f"PRAGMA synchronous = {synchronous}" if "synchronous" in pragma else pragma
        for pragma in connection._PRAGMAS
    )
    script = witness.acts(seed, 0)
    left = calls
    while left:
        with mnemic.open(path, worker="none") as mind:
            for act in islice(script, min(left, _REOPEN_EVERY)):
                act.perform(mind)
                vfs.tape.acknowledge()
                left -= 1
                if left % 10 == 0:
                    mind.recall("Python")
    Path(f"{path}.tape").write_bytes(pickle.dumps(vfs.tape.ops))


def _choose(ops: list[Op], rng: random.Random) -> int:
    """Any moment, but often just after an acknowledgement, where a missing sync would show."""
    if rng.random() < 0.5:
        return rng.randrange(1, len(ops) + 1)
    acknowledged = [place for place, op in enumerate(ops) if op.kind == "acknowledge"]
    return min(len(ops), rng.choice(acknowledged) + 1 + rng.randrange(3))


def _compare(path: Path, seed: int, done: int) -> list[str]:
    with mnemic.open(path, worker="none") as mind:
        script = list(islice(witness.acts(seed, 0), done + 1))
        wrong = witness.missing(mind, script[:done], recall_every=15)
        wrong += witness.missing(mind, script[max(0, done - 2) : done])
        wrong += witness.whole_acts(mind, script)
        wrong += [f"{f.check}: {f.detail}" for f in mind.doctor() if not f.ok]
    return wrong + witness.halves(path, integrity=True)
