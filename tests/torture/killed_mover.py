"""Export, import and copy are killed in the middle, again and again, and repeated until whole."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from mnemic import NewTurn
from mnemic.moving.archive import export_jsonl, import_jsonl
from mnemic.moving.copy import copy_space
from tests.moving.stored import everything
from tests.torture import witness
from tests.torture.homes import Home, Homes, StoreName
from tests.torture.nursery import Nursery, Say
from tests.torture.outcome import Outcome

_EXPORTED = "exported.jsonl"
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


def run(
    folder: Path, *, kills: int, turns: int = 4_000, store: StoreName = "sqlite", seed: int = 1
) -> Report:
    """So many kills of each: of a copy, an export and an import."""
    rng = random.Random(seed)
    homes = Homes(folder, store)
    source, archive = homes.new("source"), folder / "whole.jsonl"
    rows = _build(source, archive, turns)
    moved = _Moved(_stored(source), archive.read_bytes())
    losses: list[str] = []
    errors: list[str] = []
    unfinished = 0
    with Nursery() as nursery:
        for work, check in (
            (copy, _check_database),
            (export, _check_file),
            (enter, _check_database),
        ):
            begun = time.monotonic()
            first = homes.new(f"{work.__name__}-first")
            ending = nursery.run(work, source, str(archive), first)
            errors += [ending.failure] if ending.failure else []
            longest = time.monotonic() - begun
            place = _prepared(homes.new(f"{work.__name__}-0"))
            for kill in range(kills):
                child = nursery.start(work, source, str(archive), place)
                time.sleep(rng.uniform(0.0, longest))
                child.kill()
                ended = child.end(10)
                errors += [line for line in ended.lines if line.startswith("!")]
                done = "done" in ended.lines
                unfinished += not done
                if done or work is export:
                    losses += [f"{work.__name__} {kill}: {w}" for w in check(moved, place, done)]
                if done:
                    homes.remove(place)
                    place = _prepared(homes.new(f"{work.__name__}-{kill + 1}"))
            ending = nursery.run(work, source, str(archive), place)
            errors += [ending.failure] if ending.failure else []
            losses += [f"{work.__name__}: {what}" for what in check(moved, place, True)]
    if _stored(source) != moved.rows:
        losses.append("the source was changed")
    return Report(kills, unfinished, rows, tuple(losses), tuple(errors))


def copy(say: Say, source: Home, archive: str, place: Home) -> None:
    """In the child."""
    report = copy_space(source.target, place.target)
    assert report.verified
    assert not report.conflicts
    say("done")


def export(say: Say, source: Home, archive: str, place: Home) -> None:
    with source.open() as mind:
        export_jsonl(mind, place.folder / _EXPORTED)
    say("done")


def enter(say: Say, source: Home, archive: str, place: Home) -> None:
    with place.open() as mind, Path(archive).open("rb") as file:
        entered = import_jsonl(mind, file, trust="owner")
        assert entered.complete
        assert not entered.rejected
    say("done")


def _prepared(place: Home) -> Home:
    """With an older export in it."""
    (place.folder / _EXPORTED).write_bytes(_OLD)
    return place


class _Moved(NamedTuple):
    """What a whole copy holds, and a whole export."""

    rows: dict[str, list[tuple[Any, ...]]]
    archive: bytes


def _check_file(moved: _Moved, place: Home, done: bool) -> list[str]:
    """Whole or as it was; the first line has the time."""
    data = (place.folder / _EXPORTED).read_bytes()
    if data == _OLD and not done:
        return []
    whole = data.partition(b"\n")[2] == moved.archive.partition(b"\n")[2]
    return [] if whole else [f"{place.folder.name} has neither the old file nor a whole one"]


def _check_database(moved: _Moved, place: Home, done: bool) -> list[str]:
    ours, theirs = moved.rows, _stored(place)
    # Opened while vectors were still to come, a memory asks for them: the job finds them there.
    asked = [job for job in theirs["jobs"] if "embed" in job and job not in ours["jobs"]]
    theirs["jobs"] = [job for job in theirs["jobs"] if job not in asked]
    wrong = [f"{name} differs" for name in ours if ours[name] != theirs[name]]
    return [*wrong, *witness.halves(place.target, integrity=True)]


def _stored(home: Home) -> dict[str, list[tuple[Any, ...]]]:
    """The rows, whatever holds them: those of a server are looked at in a file."""
    if not home.on_server:
        return everything(Path(home.target))
    file = home.folder / "looked-at.db"
    file.unlink(missing_ok=True)
    assert copy_space(home.target, file).verified
    return everything(file)


def _build(source: Home, archive: Path, turns: int) -> int:
    """Mostly what the assistant said: rows to move, of which nothing has to be learned."""
    rng = random.Random(7)
    with source.open() as mind:
        mind.record_many(
            NewTurn(
                f"s{n % 5}",
                "assistant" if n % 8 else "user",
                " ".join(rng.choices(_WORDS, k=9)),
                index=n // 5,
            )
            for n in range(turns)
        )
        for n in range(20):
            mind.remember(f"Ana likes {_WORDS[n % 8]} number {n}", kind="preference", subject="Ana")
        mind.drain()
        summary = export_jsonl(mind, archive)
    return sum(summary.rows.values())
