"""The disk fills up in the middle of any call; then somebody frees some space."""

from __future__ import annotations

import contextlib
import json
import random
import resource
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import mnemic
from mnemic import DiskFull, StoreError
from tests.torture import witness
from tests.torture.disk import FillingVFS
from tests.torture.nursery import Nursery, Say
from tests.torture.outcome import Outcome

_DEEP_EVERY = 25
_MOST_CALLS = 40  # within one limit: the log is written over, so it may never be reached


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """How calls behaved without space."""

    limits: int
    refusals: int
    calls: int
    losses: tuple[str, ...]
    errors: tuple[str, ...]


def run(folder: Path, *, limits: int, openings: int, seed: int = 1) -> Report:
    """Fill the disk after ``limits`` different amounts, and while ``openings`` files are made."""
    refusals = calls = 0
    losses: list[str] = []
    errors: list[str] = []
    with Nursery() as nursery:
        for work, times in ((fill, openings), (limit_size, limits // 4)):
            ending = nursery.run(work, str(folder), seed, limits, times, timeout=1200)
            if ending.failure:
                errors.append(f"{work.__name__}: {ending.failure}")
                continue
            told = json.loads(ending.lines[-1])
            refusals += told["refusals"]
            calls += told["calls"]
            losses += told["losses"]
    return Report(limits + openings, refusals, calls, tuple(losses), tuple(errors))


def fill(say: Say, folder: str, seed: int, limits: int, openings: int) -> None:
    """In the child: the whole scenario, on a disk that fills up."""
    rng = random.Random(seed)
    disk = FillingVFS()
    losses, refusals = _fill_while_opening(disk, Path(folder), openings)
    path = Path(folder) / "full.db"
    script = witness.acts(seed, 0)
    done: list[witness.Act] = []
    with mnemic.open(path, worker="none") as mind:
        for number in range(limits):
            disk.left = rng.choice((0, rng.randrange(5_000), rng.randrange(200_000)))
            for act in islice(script, _MOST_CALLS):
                refused = _refused(mind, act, DiskFull)
                if refused is None:
                    done.append(act)
                    continue
                refusals += 1
                if "space" not in refused.remedy:
                    losses.append(f"the remedy says: {refused.remedy}")
                losses += _intact(mind, path, done, act, number)
                disk.left = None
                act.perform(mind)  # the same call, on the same Mind
                done.append(act)
                losses += witness.missing(mind, done[-3:])
                break
        disk.left = 0
        _close(mind)
    disk.left = None
    with mnemic.open(path, worker="none") as mind:
        losses += witness.missing(mind, done, recall_every=5)
    losses += witness.halves(path, integrity=True)
    say(json.dumps({"losses": losses, "refusals": refusals, "calls": len(done)}))


def limit_size(say: Say, folder: str, seed: int, limits: int, times: int) -> None:
    """In a child: the kernel stops files from growing, the log and the database alike."""
    rng = random.Random(seed)
    path = Path(folder) / "limited.db"
    script = witness.acts(seed, 1)
    done: list[witness.Act] = []
    losses: list[str] = []
    refusals = 0
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    mind = mnemic.open(path, worker="none")
    mind.record(session="s", role="user", text="there is a file")
    for number in range(times):
        size = max(path.stat().st_size, Path(f"{path}-wal").stat().st_size)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + rng.randrange(100_000), most))
        for act in islice(script, _MOST_CALLS):
            refused = _refused(mind, act, StoreError)
            if refused is None:
                done.append(act)
                continue
            refusals += 1
            if number % 3 == 0:  # a checkpoint that fails while it closes
                _close(mind)
                mind = mnemic.open(path, worker="none")
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            losses += _intact(mind, path, done, act, number)
            act.perform(mind)
            done.append(act)
            break
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    losses += witness.missing(mind, done, recall_every=5)
    mind.close()
    losses += witness.halves(path, integrity=True)
    say(json.dumps({"losses": losses, "refusals": refusals, "calls": len(done)}))


def _close(mind: mnemic.Mind) -> None:
    """Closing has to live with a full disk too; it may say what it could not write."""
    with contextlib.suppress(StoreError):
        mind.close()


def _refused(mind: mnemic.Mind, act: witness.Act, as_: type[StoreError]) -> StoreError | None:
    try:
        act.perform(mind)
    except as_ as error:
        return error
    return None


def _intact(
    mind: mnemic.Mind, path: Path, done: list[witness.Act], act: witness.Act, number: int
) -> list[str]:
    """Reading goes on while the disk is full; what was there is, and nothing of the last call."""
    deep = number % _DEEP_EVERY == 0
    wrong = witness.missing(mind, done if deep else done[-3:])
    wrong += witness.halves(path, integrity=deep)
    texts = [turn.text for turn in act.turns] or [act.memory]
    if any(mind.recall(text.split()[0], limit=1) for text in texts):
        wrong.append(f"left behind by a call that failed: {texts[0][:30]}")
    return [f"limit {number}: {what}" for what in wrong]


def _fill_while_opening(disk: FillingVFS, folder: Path, openings: int) -> tuple[list[str], int]:
    wrong: list[str] = []
    refusals = 0
    for number in range(openings):
        path = folder / f"new-{number}.db"
        disk.left = number * 200_000 // max(1, openings)
        try:
            mnemic.open(path, worker="none").close()
        except DiskFull:
            refusals += 1
        disk.left = None
        with mnemic.open(path, worker="none") as mind:
            mind.record(session="s", role="user", text="after the space was freed")
        wrong += witness.halves(path, integrity=True)
    return wrong, refusals
