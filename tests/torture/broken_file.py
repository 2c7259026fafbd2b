"""A closed database is damaged at random, then used as if nothing had happened."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import mnemic
from mnemic import MnemicError
from tests.torture import witness
from tests.torture.nursery import Nursery, Say
from tests.torture.outcome import Outcome

_TIME_LIMIT = 60.0  # everything may have to be read anew
_PAGE = 4096


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """What the damage led to."""

    corruptions: int
    refused: int
    worked: int
    by_error: dict[str, int]
    losses: tuple[str, ...]
    errors: tuple[str, ...]


def run(folder: Path, *, corruptions: int, turns: int, seed: int = 1) -> Report:
    """Damage a fresh copy each time; the engine works or raises its own errors, and no more."""
    rng = random.Random(seed)
    kept = folder / "kept.db"
    counted: Counter[str] = Counter()
    losses: list[str] = []
    errors: list[str] = []
    refused = 0
    with Nursery() as nursery:
        made = nursery.run(build, str(kept), seed, turns)
        if made.failure:
            return Report(0, 0, 0, {}, (), (made.failure,))
        for number in range(corruptions):
            path = folder / "broken.db"
            how = _damage(kept, path, rng)
            before = _digest(path)
            threaded = number % 4 == 0
            ending = nursery.run(use, str(path), threaded, timeout=_TIME_LIMIT)
            told = json.loads(ending.lines[-1]) if ending.lines and not ending.failure else {}
            counted.update(told.get("raised", {}).values())
            if ending.failure:
                errors.append(f"{number} ({how}): {ending.failure}")
            if told.get("raised"):
                refused += 1
                # A worker may have done its work before anybody met the damage.
                if told["after_reading"] != before and not threaded:
                    losses.append(f"{number} ({how}): rewritten although {told['raised']}")
    return Report(
        corruptions,
        refused,
        corruptions - refused - len(errors),
        dict(counted),
        tuple(losses),
        tuple(errors),
    )


def build(say: Say, path: str, seed: int, turns: int) -> None:
    """In a child: a database, its copy with a full log beside it, and the copy's log alone."""
    mind = mnemic.open(path, worker="none")
    script = witness.acts(seed, 0)
    for act in islice(script, turns // 2):
        act.perform(mind)
    mind.attach("notes/plan.md", session="shared", description="the plan")
    mind.close()
    mind = mnemic.open(path, worker="none")
    for act in islice(script, turns // 10):
        act.perform(mind)
    for suffix in ("", "-wal"):
        shutil.copyfile(path + suffix, f"{path}.live{suffix}")
    mind.close()


def use(say: Say, path: str, threaded: bool) -> None:
    """In a child: everything one does with a memory. Another exception than ours ends the child."""
    died: list[str] = []
    threading.excepthook = lambda args: died.append(f"{args.exc_type.__name__}: {args.exc_value}")
    raised: dict[str, str] = {}

    def attempt(name: str, work: Callable[[], object]) -> bool:
        try:
            work()
        except MnemicError as error:
            raised[name] = type(error).__name__
            return False
        return True

    minds: list[mnemic.Mind] = []

    def open_() -> None:
        minds.append(mnemic.open(path, worker="thread" if threaded else "none"))

    if attempt("open", open_):
        mind = minds[0]
        attempt("stats", mind.stats)
        attempt("turns", lambda: mind.turns(limit=1000))
        attempt("sessions", mind.sessions)
        attempt("memories", mind.memories)
        attempt("doctor", mind.doctor)
        attempt("close", mind.close)
    after = _digest(Path(path))
    told = dict(raised)
    if attempt("open again", open_):
        mind = minds[-1]
        # A recall whose route fails leaves an event, so it counts among the writes.
        attempt("recall", lambda: [mind.recall(q) for q in ("Python 数据库", "deploy weekly")])
        attempt("record", lambda: mind.record(session="shared", role="user", text="new"))
        attempt("remember", lambda: mind.remember("a new fact", kind="fact"))
        attempt("drain", lambda: mind.drain(1.0))
        attempt("close again", mind.close)
    if died:
        raise AssertionError(f"the worker died: {died[0]}")
    say(json.dumps({"raised": told, "after_reading": after}))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# --- damage ---------------------------------------------------------------------------------------


def _damage(kept: Path, path: Path, rng: random.Random) -> str:
    """Put a damaged copy at ``path``, and say what was done to it."""
    for suffix in ("-wal", "-shm", "-journal"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    live = rng.random() < 0.3
    source = f"{kept}.live" if live else str(kept)
    data = bytearray(Path(source).read_bytes())
    log = bytearray(Path(f"{source}-wal").read_bytes()) if live else bytearray()
    kind = rng.choice(_KINDS)
    kind(data, rng)
    if log or rng.random() < 0.1:
        log = log or bytearray(Path(f"{kept}.live-wal").read_bytes())  # of another moment
        if rng.random() < 0.7:
            rng.choice((_flip, _cut, _zero, _append))(log, rng)
        Path(f"{path}-wal").write_bytes(log)
    if rng.random() < 0.05:
        Path(f"{path}-journal").write_bytes(rng.randbytes(rng.randrange(1, 5000)))
    path.write_bytes(data)
    return f"{kind.__name__.strip('_')}{', log' if log else ''}"


def _flip(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 3, 30, 300))):
        if data:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _header(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 2, 8))):
        data[rng.randrange(16, 200)] = rng.randrange(256)


def _page_header(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(max(1, len(data) // _PAGE)) * _PAGE
    for _ in range(rng.choice((1, 4))):
        data[start + rng.randrange(100, 140)] = rng.randrange(256)


def _zero(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 5))):
        start = rng.randrange(max(1, len(data) // _PAGE)) * _PAGE
        end = min(len(data), start + _PAGE)
        data[start:end] = bytes(end - start)


def _rubbish(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(max(1, len(data) // _PAGE)) * _PAGE
    end = min(len(data), start + _PAGE)
    data[start:end] = rng.randbytes(end - start)


def _swap(data: bytearray, rng: random.Random) -> None:
    one, other = (rng.randrange(1, len(data) // _PAGE) * _PAGE for _ in range(2))
    first, second = data[one : one + _PAGE], data[other : other + _PAGE]
    data[one : one + _PAGE], data[other : other + _PAGE] = second, first


def _cut(data: bytearray, rng: random.Random) -> None:
    del data[rng.choice((rng.randrange(len(data)), rng.randrange(200))) :]


def _append(data: bytearray, rng: random.Random) -> None:
    data += rng.randbytes(rng.choice((1, 100, _PAGE, 10_000)))


def _text(data: bytearray, rng: random.Random) -> None:
    """Where the words are: bytes that are not UTF-8, or no longer JSON."""
    places = [data.find(mark, rng.randrange(len(data))) for mark in (b"weekly", b'{"', b"found ")]
    for place in places:
        if place >= 0:
            data[place : place + 2] = rng.choice((b"\xff\xfe", b"\x00\x00", b"}}", b"\xe4\xbd"))


_KINDS = (_flip, _header, _page_header, _zero, _rubbish, _swap, _cut, _append, _text)
