"""A process forks while its memory is open and its worker runs; both sides go on."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mnemic
from mnemic.types import constant
from tests.torture import witness
from tests.torture.homes import Home, Homes, StoreName
from tests.torture.nursery import Nursery, Say
from tests.torture.outcome import Outcome

_TURNS = 6
# The siblings have the reader; elsewhere each child would load it once more.
_BY_WORDS: dict[str, Any] = {"embedding": {"provider": "none"}}


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """What both sides of the forks have."""

    forks: int
    turns: int
    losses: tuple[str, ...]
    errors: tuple[str, ...]


def run(folder: Path, *, forks: int, store: StoreName = "sqlite", seed: int = 1) -> Report:
    """Fork ``forks`` times, in different ways, and count what both sides wrote."""
    losses: list[str] = []
    errors: list[str] = []
    turns = 0
    homes = Homes(folder, store)
    with Nursery() as nursery:
        for name, work, times in (
            ("siblings", siblings, forks),
            ("parent leaves first", orphans, forks // 5 + 1),
            ("busy threads", crowd, forks),
            ("pool", pool, 1),
            ("ordinary exit", ordinary_exit, 1),
            ("in a transaction", torn if store == "sqlite" else beside, 1),
        ):
            home = homes.new(work.__name__)
            ending = nursery.run(work, home, seed, times, timeout=60 + forks)
            if ending.failure:
                errors.append(f"{name}: {ending.failure}")
                continue
            expected = json.loads(ending.lines[-1])
            turns += len(expected)
            losses += [f"{name}: {what}" for what in _compare(home, expected)]
    return Report(forks, turns, tuple(losses), tuple(errors))


def siblings(say: Say, home: Home, seed: int, forks: int) -> None:
    """Parent and child write at the same time; the child closes its memory, or just ends."""
    rng = random.Random(seed)
    mind = home.open(worker="thread")
    written = _write(mind, "parent", 0)
    for number in range(1, forks + 1):
        leaving = rng.choice(("close", "end"))
        pid = os.fork()
        if pid == 0:
            _in_child(mind, f"child-{number}", number, leaving)
        written += _write(mind, "parent", forks + number)
        written += _texts(f"child-{number}", number)
        _reap(pid)
        written += _write(mind, "parent", 2 * forks + number)
    mind.close()
    say(json.dumps(written))


def orphans(say: Say, home: Home, seed: int, forks: int) -> None:
    """The parent closes, and would remove the log if it believed itself alone."""
    written: list[str] = []
    for number in range(forks):
        mind = home.open(worker="thread", **_BY_WORDS)
        written += _write(mind, "parent", number)
        here, there = os.pipe()
        pid = os.fork()
        if pid == 0:
            mind.record(session="child", role="user", text=f"first {number}")
            os.read(here, 1)
            _in_child(mind, f"child-{number}", forks + number, "close")
        mind.close()
        os.write(there, b"x")
        _reap(pid)
        os.close(here)
        os.close(there)
        written += [f"first {number}", *_texts(f"child-{number}", forks + number)]
    say(json.dumps(written))


def crowd(say: Say, home: Home, seed: int, forks: int) -> None:
    """Other threads are inside transactions when the process forks."""
    mind = home.open(worker="thread", **_BY_WORDS)
    stop = threading.Event()
    lists: list[list[str]] = [[], []]

    def work(mine: list[str], name: str) -> None:
        number = 0
        while not stop.is_set():
            mine += _write(mind, name, number)
            number += 1

    threads = [
        threading.Thread(target=work, args=(mine, f"thread-{n}")) for n, mine in enumerate(lists)
    ]
    for thread in threads:
        thread.start()
    written: list[str] = []
    for number in range(forks):
        pid = os.fork()
        if pid == 0:
            _in_child(mind, f"child-{number}", number, "close")
        written += _texts(f"child-{number}", number)
        _reap(pid)
    stop.set()
    for thread in threads:
        thread.join()
    mind.close()
    say(json.dumps(written + lists[0] + lists[1]))


def pool(say: Say, home: Home, seed: int, forks: int) -> None:
    """A pool of forked processes, each using the memory its parent had opened."""
    mind = home.open(worker="thread", **_BY_WORDS)
    _inherited.append(mind)
    written = _write(mind, "parent", 0)
    with multiprocessing.get_context("fork").Pool(3) as workers:
        for texts in workers.map(_in_pool, range(12)):
            written += texts
    written += _write(mind, "parent", 1)
    mind.close()
    say(json.dumps(written))


_EXIT = """
import os, sys, mnemic
mind = mnemic.open(sys.argv[1])
mind.record(session="parent", role="user", text="before the fork")
pid = os.fork()
if pid == 0:
    mind.record(session="child", role="user", text="in the child")
    sys.exit(0)
mind.record(session="parent", role="user", text="beside the child")
assert os.waitpid(pid, 0)[1] == 0
mind.record(session="parent", role="user", text="after the child")
assert len(mind.recall("child", limit=5)) >= 3
"""


def ordinary_exit(say: Say, home: Home, seed: int, forks: int) -> None:
    """Child and parent end as any program does, with all that Python clears up then."""
    subprocess.run([sys.executable, "-c", _EXIT, home.enter()], check=True, timeout=60)
    places = ("in the child", "before the fork", "beside the child", "after the child")
    say(json.dumps(places))


def torn(say: Say, home: Home, seed: int, forks: int) -> None:
    """Forked inside a transaction, the child may not touch the file, and says so."""
    mind = home.open()
    written = _write(mind, "parent", 0)
    with mind._store.read("default"):
        pid = os.fork()
        if pid == 0:
            for attempt in (
                lambda: mind.record(session="child", role="user", text="no"),
                lambda: home.open().stats(),
            ):
                try:
                    attempt()
                except mnemic.StoreUnavailable as error:
                    if "fork" in str(error):
                        continue
                os._exit(1)
            os._exit(0)
        _reap(pid)
    written += _write(mind, "parent", 1)
    mind.close()
    say(json.dumps(written))


def beside(say: Say, home: Home, seed: int, forks: int) -> None:
    """On a server the child has a connection of its own, and the parent's transaction goes on."""
    mind = home.open()
    written = _write(mind, "parent", 0)
    with mind._store.write("default") as unit:
        pid = os.fork()
        if pid == 0:
            mnemic.open(home.target, space="other", worker="none").record(
                session="child", role="user", text="in the child"
            )
            os._exit(0 if len(mind.turns()) == _TURNS else 1)
        _reap(pid)
        unit.scratchpads.put(constant("kept"), mind._clock.now())
    assert mind.scratchpad().text == "kept"
    written += _write(mind, "parent", 1)
    mind.close()
    say(json.dumps(written))


_inherited: list[mnemic.Mind] = []


def _in_pool(number: int) -> list[str]:
    return _write(_inherited[0], f"pool-{number}", number)


def _in_child(mind: mnemic.Mind, session: str, number: int, leaving: str) -> None:
    """Write, read back, and leave."""
    status = 1
    try:
        _write(mind, session, number)
        if not mind.recall(witness.word(number, 0), limit=1):
            raise AssertionError("what the child wrote is not findable")
        if leaving == "close":
            mind.close()
        status = 0
    finally:
        # A child of a test must not run its parent's exit handlers twice.
        os._exit(status)


def _write(mind: mnemic.Mind, session: str, number: int) -> list[str]:
    texts = _texts(session, number)
    for text in texts:
        mind.record(session=session, role="user", text=text)
    return texts


def _texts(session: str, number: int) -> list[str]:
    return [f"{witness.word(number, n)} in {session} {number}" for n in range(_TURNS)]


def _reap(pid: int) -> None:
    _, status = os.waitpid(pid, 0)
    if status:
        raise AssertionError(f"a forked child ended with {os.waitstatus_to_exitcode(status)}")


def _compare(home: Home, expected: list[str]) -> list[str]:
    wrong = witness.halves(home.target, integrity=True)
    with home.open() as mind:
        kept = {turn.text for turn in mind.turns(limit=1_000_000)}
        wrong += [f"{f.check}: {f.detail}" for f in mind.doctor() if not f.ok]
    return wrong + [f"lost: {text}" for text in expected if text not in kept]
