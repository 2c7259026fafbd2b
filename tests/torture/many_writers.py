"""Many processes write single turns into one memory at once."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from tests.torture import witness
from tests.torture.homes import Home, Homes, StoreName
from tests.torture.nursery import Nursery, Say
from tests.torture.outcome import Outcome

_START = 60.0
_SLOT = 0.15  # seconds from one new memory to the next
_PER_TURN = 1.0  # seconds; only to end a run that hangs
SHARED = "everyone"


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """How the crowd fared."""

    processes: int
    turns: int
    rows: int
    seconds: float
    slowest: float
    losses: tuple[str, ...]
    errors: tuple[str, ...]

    @property
    def commits_per_second(self) -> float:
        return self.rows / self.seconds


def run(
    folder: Path, *, processes: int, turns: int, races: int, store: StoreName = "sqlite"
) -> Report:
    """Each process records ``turns`` turns, one commit each; nobody may see an error.

    Before that they all create ``races`` new memories at the same moments.
    """
    homes = Homes(folder, store)
    home = homes.new("crowd")
    contested = [homes.new(f"race-{race}") for race in range(races)]
    go = folder / "go"
    with Nursery() as nursery:
        start = time.time() + 1.0
        makers = [nursery.start(create, contested, start) for _ in range(processes)]
        made = [child.end(_START + races) for child in makers]
        crowd = [nursery.start(write, home, str(go), n, turns) for n in range(processes)]
        errors = [f"process {n} did not open" for n, child in enumerate(crowd)
                  if not child.hear("ready", _START)]  # fmt: skip
        go.touch()
        begun = time.monotonic()
        endings = [child.end(_START + turns * processes * _PER_TURN) for child in crowd]
        seconds = time.monotonic() - begun
    errors += [f"process {n}: {e.failure}" for n, e in enumerate(endings) if e.failure]
    errors += [f"creator {n}: {e.failure}" for n, e in enumerate(made) if e.failure]
    slowest = max(
        (float(line) for e in endings for line in e.lines[1:] if not e.failure), default=0
    )
    rows, losses = _compare(home, processes, turns)
    for one in contested:
        losses += _compare(one, processes, 1)[1]
    return Report(processes, turns, rows, seconds, slowest, tuple(losses), tuple(errors))


def create(say: Say, contested: list[Home], start: float) -> None:
    """In a child: be there when a memory comes into being, again and again."""
    for race, home in enumerate(contested):
        time.sleep(max(0.0, start + race * _SLOT - time.time()))
        with home.open() as mind:
            mind.record(session=SHARED, role="user", text=f"from {os.getpid()}")


def write(say: Say, home: Home, go: str, number: int, turns: int) -> None:
    """In a child: a third into the shared session, a third into its own, a third with an index."""
    slowest = 0.0
    with home.open() as mind:
        say("ready")
        while not Path(go).exists():
            time.sleep(0.001)
        for n in range(turns):
            session = (SHARED, f"own-{number}", f"numbered-{number}")[n % 3]
            begun = time.monotonic()
            mind.record(
                session=session,
                role="user",
                text=f"{witness.word(number, n)} from process {number}",
                index=n // 3 if n % 3 == 2 else None,
            )
            slowest = max(slowest, time.monotonic() - begun)
            if n % 20 == 0 and not mind.recall(witness.word(number, n), limit=1):
                raise AssertionError(f"turn {n} is not findable")
    say(json.dumps(slowest))


def _compare(home: Home, processes: int, turns: int) -> tuple[int, list[str]]:
    wrong = witness.halves(home.target, integrity=True)
    with home.open() as mind:
        rows = mind.stats().turns
        if rows != processes * turns:
            wrong.append(f"{rows} rows instead of {processes * turns}")
        texts = set()
        for session in mind.sessions(limit=10_000):
            found = mind.turns(session=session.id, limit=1_000_000)
            if [turn.index for turn in found] != list(range(len(found))):
                wrong.append(f"session {session.id} has a gap or a double")
            texts |= {turn.text for turn in found}
        if len(texts) != rows:
            wrong.append(f"{rows - len(texts)} turns are doubled")
    return rows, wrong
