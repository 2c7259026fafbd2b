"""Backups while other processes record and learn, each restored and compared with what had been
acknowledged when it began; and backups and restores that are killed, and repeated.
"""

from __future__ import annotations

import os
import random
import shutil
import struct
import time
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any

import mnemic
from mnemic.moving.backup import backup, restore
from tests.torture import witness
from tests.torture.homes import Home, Homes, StoreName
from tests.torture.nursery import Nursery, Say
from tests.torture.outcome import Outcome

_WRITERS = 2
_PER_ROUND = 10  # backups of one growing database
_FURTHER = 15  # calls of each writer from one backup to the next
_PAUSE = 0.002  # seconds between two calls of a writer
_COUNT = struct.Struct("!q")
_TALK = 20  # turns of a memory whose copying is killed; each is large
_LARGE = "x" * 200_000
_QUIET: dict[str, Any] = {
    "worker": "none",
    "embedding__provider": "none",
    "triggers__quiet_gap": "1s",
}


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """What the backups held; ``acts`` is the sum of what each was checked for."""

    backups: int
    acts: int
    learned: int
    seconds: float
    slowest: float
    kills: int
    interrupted: int
    losses: tuple[str, ...]
    errors: tuple[str, ...]


def run(
    folder: Path, *, backups: int, kills: int, store: StoreName = "sqlite", seed: int = 1
) -> Report:
    """As many backups under load, and as many killed backups and restores. A backup is a file
    whatever it was made from, and is restored to one.
    """
    homes = Homes(folder, store)
    acts = learned = 0
    times: list[float] = []
    losses: list[str] = []
    errors: list[str] = []
    with Nursery() as nursery:
        for first in range(0, backups, _PER_ROUND):
            home = homes.new(f"round-{first}")
            most = min(_PER_ROUND, backups - first)
            begun = _under_load(nursery, home, most, seed + first, errors)
            for number, (known, seconds) in enumerate(begun):
                times.append(seconds)
                acts += sum(known)
                _check(home.folder, number, known, seed + first, losses)
            learned += _work_on(home.folder, losses)
            homes.remove(home)
        interrupted = _killed(
            nursery, folder, homes, kills, random.Random(seed), losses=losses, errors=errors
        )
    slowest, spent = max(times, default=0), sum(times)
    return Report(
        len(times), acts, learned, spent, slowest, kills, interrupted, tuple(losses), tuple(errors)
    )


# --- under load ---------------------------------------------------------------------------------


def _under_load(
    nursery: Nursery, home: Home, backups: int, seed: int, errors: list[str]
) -> list[tuple[list[int], float]]:
    """Make backups; what each writer had acknowledged when one began, and the time it took."""
    made: list[tuple[list[int], float]] = []
    crowd = [nursery.start(write, home, seed, n) for n in range(_WRITERS)]
    crowd.append(nursery.start(learn, home))
    errors += [f"child {n} did not open" for n, child in enumerate(crowd)
               if not child.hear("open", 60)]  # fmt: skip
    with home.open(**_QUIET) as mind:
        for number in range(backups):
            _wait_for_more(home, made[-1][0] if made else [0] * _WRITERS)
            known = [_acknowledged(home, n) for n in range(_WRITERS)]
            begun = time.monotonic()
            backup(mind, home.folder / f"copy-{number}.db")
            made.append((known, time.monotonic() - begun))
    for child in crowd:
        child.kill()
    endings = [child.end(60) for child in crowd]
    errors += [line for ending in endings for line in ending.lines if line.startswith("!")]
    return made


def write(say: Say, home: Home, seed: int, number: int) -> None:
    """In a child: act after act, each noted when it is acknowledged."""
    noted = os.open(_note(home, number), os.O_RDWR | os.O_CREAT)
    with home.open(**_QUIET) as mind:
        say("open")
        for done, act in enumerate(witness.acts(seed, number), 1):
            act.perform(mind)
            os.pwrite(noted, _COUNT.pack(done), 0)
            time.sleep(_PAUSE)


def learn(say: Say, home: Home) -> None:
    """In a child: statements, and the work that learns them."""
    with home.open(**_QUIET) as mind:
        say("open")
        for number in count():
            with mind.session(f"talk-{number}") as talk:
                talk.user(f"My dog is called Rex{number}. I like hobby{number}.")
            mind.drain()
            time.sleep(_PAUSE)


def _note(home: Home, number: int) -> Path:
    return home.folder / f"acknowledged-{number}"


def _acknowledged(home: Home, number: int) -> int:
    note = _note(home, number)
    data = note.read_bytes() if note.exists() else b""
    return int(_COUNT.unpack(data)[0]) if data else 0


def _wait_for_more(home: Home, before: list[int]) -> None:
    """Every writer has written enough since the last backup."""
    until = time.monotonic() + 60
    while any(_acknowledged(home, n) < before[n] + _FURTHER for n in range(_WRITERS)):
        if time.monotonic() > until:
            raise TimeoutError("nobody writes")
        time.sleep(_PAUSE)


def _check(home: Path, number: int, known: list[int], seed: int, losses: list[str]) -> None:
    """Restore a backup and look for everything."""
    place, copy = home / "restored.db", home / f"copy-{number}.db"
    place.unlink(missing_ok=True)
    where = f"backup {number} of {home.name}: "
    restored = restore(copy, place)
    losses += [where + wrong for wrong in witness.halves(place, integrity=False)]
    with mnemic.open(place, **_QUIET) as mind:
        for writer, done in enumerate(known):
            acts = list(islice(witness.acts(seed, writer), done))
            losses += [where + wrong for wrong in witness.missing(mind, acts, recall_every=50)]
        if mind.stats().turns != restored.counts["turns"]:
            losses.append(f"{where}{mind.stats().turns} turns, {restored.counts['turns']} told")
    copy.unlink()


def _work_on(home: Path, losses: list[str]) -> int:
    """The restored memory goes on learning, and nothing twice; the number of its memories."""
    with mnemic.open(home / "restored.db", **_QUIET) as mind:
        mind.drain()
        stats, memories = mind.stats(), [m.text for m in mind.memories(limit=100_000)]
    if len(set(memories)) != len(memories):
        losses.append(f"{home.name}: a job ran twice: {sorted(memories)[:5]}")
    if stats.jobs_running or stats.jobs_dead:
        losses.append(f"{home.name}: jobs are left in somebody's hands, or dead")
    return len(memories)


# --- killed -------------------------------------------------------------------------------------


def _killed(
    nursery: Nursery,
    folder: Path,
    homes: Homes,
    kills: int,
    rng: random.Random,
    *,
    losses: list[str],
    errors: list[str],
) -> int:
    """Kill half of the processes in a backup, half in a restore; how many were not done yet."""
    old, new = Homes(folder, "sqlite").new("old"), homes.new("new")
    saved = folder / "saved.db"
    for made in (old, new):
        with made.open(**_QUIET) as mind:
            for number in range(_TALK):
                said = f"{made.folder.name} {number} {_LARGE}"
                mind.record(session="s", role="user", text=said)
            if made is new:
                backup(mind, saved)
    took: dict[int, float] = {}
    interrupted = 0
    for number in range(-2, kills):  # the first two show how long it takes undisturbed
        home = folder / f"kill-{number}"
        target = home / "there.db"
        restore(old.target, target)
        work = ((copy_over, new), (put_back, saved))[number % 2]
        child = nursery.start(*work, str(target))
        if not child.hear("open", 60):
            errors.append("it did not open")
        begun = time.monotonic()
        if number < 0:
            errors += filter(None, [child.end(60).failure])
            took[number % 2] = time.monotonic() - begun
        else:
            time.sleep(rng.uniform(0, took[number % 2]))
            child.kill()
            interrupted += "done" not in child.end(60).lines
            losses += [f"kill {number}: {wrong}" for wrong in _not_whole(home, "old", "new")]
            again = nursery.run(*work, str(target))
            errors += [f"repeat {number}: {again.failure}"] if again.failure else []
        losses += [f"repeat {number}: {wrong}" for wrong in _not_whole(home, "new")]
        shutil.rmtree(home)
    return interrupted


def copy_over(say: Say, source: Home, target: str) -> None:
    """In a child: a backup in the place of an older one."""
    with source.open(**_QUIET) as mind:
        say("open")
        backup(mind, target, force=True)
    say("done")


def put_back(say: Say, source: Path, target: str) -> None:
    """In a child: a database in the place of an older one."""
    say("open")
    restore(source, target, force=True)
    say("done")


def _not_whole(home: Path, *words: str) -> list[str]:
    """What stands there is one of these memories, whole, and nothing that was put aside is less;
    once the old one is gone from its place, it is among that.
    """
    wrong: list[str] = []
    held = {}
    for file in sorted(home.glob("*.db")):
        wrong += [f"{file.name}: {line}" for line in witness.halves(file, integrity=True)]
        with mnemic.open(file, **_QUIET) as mind:
            said = [turn.text.split()[:2] for turn in mind.turns(limit=1_000)]
        whole = [word for word in ("old", "new") if said == [[word, str(n)] for n in range(_TALK)]]
        held[file.name] = whole[0] if whole else f"{len(said)} turns"
    there = held["there.db"]
    if there not in words or not {*held.values()} <= {"old", "new"}:
        wrong.append(f"{held} in the place of {words}")
    if len(held) > 1 and "old" not in held.values():
        wrong.append(f"the old one is gone: {held}")
    return wrong
