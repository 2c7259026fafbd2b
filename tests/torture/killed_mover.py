"""Export, import and copy are killed in the middle, again and again, and repeated until whole."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import recollect
from recollect import NewTurn
from recollect.moving.archive import export_jsonl, import_jsonl
from recollect.moving.copy import copy_space
from tests.moving.stored import everything
from tests.torture import witness
from tests.torture.nursery import Nursery, Say
from tests.torture.outcome import Outcome

_OLD = b"what was there before\n"
_WORDS = "tea violin invoice 北京 会议 garden 预算 train".split()


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """What the kills did; ``unfinished`` of them came before the work had ended."""

    kills: int
    unfinished: int
    rows: int
    losses: tuple[str, ...]
    errors: tuple[str, ...]


def run(folder: Path, *, kills: int, turns: int = 4_000, seed: int = 1) -> Report:
    """So many kills of each: of a copy, an export and an import."""
    rng = random.Random(seed)
    source, archive = folder / "source.db", folder / "whole.jsonl"
    rows = _build(source, archive, turns)
    before = source.read_bytes()
    losses: list[str] = []
    errors: list[str] = []
    unfinished = 0
    with Nursery() as nursery:
        for work, target, check in (
            (copy, folder / "copied.db", _check_database),
            (export, folder / "out" / "exported.jsonl", _check_file),
            (enter, folder / "entered.db", _check_database),
        ):
            begun = time.monotonic()
            ending = nursery.run(
                work, str(source), str(archive), str(folder / f"first-{target.name}")
            )
            errors += [ending.failure] if ending.failure else []
            longest = time.monotonic() - begun
            round_ = 0
            for kill in range(kills):
                place = target.with_stem(f"{target.stem}-{round_}")
                if work is export and not place.exists():
                    place.parent.mkdir(exist_ok=True)
                    place.write_bytes(_OLD)
                child = nursery.start(work, str(source), str(archive), str(place))
                time.sleep(rng.uniform(0.0, longest))
                child.kill()
                ended = child.end(10)
                errors += [line for line in ended.lines if line.startswith("!")]
                done = "done" in ended.lines
                unfinished += not done
                if done or work is export:
                    wrong = check(source, archive, place, done)
                    losses += [f"{work.__name__} {kill}: {what}" for what in wrong]
                round_ += done
            place = target.with_stem(f"{target.stem}-{round_}")
            ending = nursery.run(work, str(source), str(archive), str(place))
            errors += [ending.failure] if ending.failure else []
            losses += [f"{work.__name__}: {what}" for what in check(source, archive, place, True)]
    if source.read_bytes() != before:
        losses.append("the source was changed")
    return Report(kills, unfinished, rows, tuple(losses), tuple(errors))


def copy(say: Say, source: str, archive: str, place: str) -> None:
    """In the child."""
    report = copy_space(source, place)
    assert report.verified
    assert not report.conflicts
    say("done")


def export(say: Say, source: str, archive: str, place: str) -> None:
    with recollect.open(source, worker="none") as mind:
        export_jsonl(mind, place)
    say("done")


def enter(say: Say, source: str, archive: str, place: str) -> None:
    with recollect.open(place, worker="none") as mind, Path(archive).open("rb") as file:
        entered = import_jsonl(mind, file)
        assert entered.complete
        assert not entered.rejected
    say("done")


Check = Callable[[Path, Path, Path, bool], list[str]]


def _check_file(source: Path, archive: Path, place: Path, done: bool) -> list[str]:
    """Whole or as it was; the first line has the time."""
    data = place.read_bytes()
    if data == _OLD and not done:
        return []
    whole = data.partition(b"\n")[2] == archive.read_bytes().partition(b"\n")[2]
    return [] if whole else [f"{place.name} is neither the old file nor a whole one"]


def _check_database(source: Path, archive: Path, place: Path, done: bool) -> list[str]:
    ours, theirs = everything(source), everything(place)
    # Opened while vectors were still to come, a memory asks for them: the job finds them there.
    asked = [job for job in theirs["jobs"] if "embed" in job and job not in ours["jobs"]]
    theirs["jobs"] = [job for job in theirs["jobs"] if job not in asked]
    wrong = [f"{name} differs" for name in ours if ours[name] != theirs[name]]
    return [*wrong, *witness.halves(place, integrity=True)]


def _build(source: Path, archive: Path, turns: int) -> int:
    rng = random.Random(7)
    with recollect.open(source, worker="none") as mind:
        mind.record_many(
            NewTurn(f"s{n % 5}", "user", " ".join(rng.choices(_WORDS, k=9)), index=n // 5)
            for n in range(turns)
        )
        for n in range(20):
            mind.remember(f"Ana likes {_WORDS[n % 8]} number {n}", kind="preference", subject="Ana")
        mind.drain()
        summary = export_jsonl(mind, archive)
    return sum(summary.rows.values())
