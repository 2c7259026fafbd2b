"""`mnemic serve` is killed under load, again and again: what it acknowledged is there."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import mnemic
from mnemic import NewTurn
from mnemic.engine.remote.client import open_remote
from mnemic.errors import MnemicError
from tests.torture import witness
from tests.torture.homes import Home, Homes, StoreName
from tests.torture.outcome import Outcome

_SPACES = ("default", "second")


@dataclass(frozen=True, slots=True)
class Report(Outcome):
    """What the kills did; ``unanswered`` requests were in hand when the process died."""

    kills: int
    acknowledged: int
    unanswered: int
    losses: tuple[str, ...]
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Announced:
    """A service in a process of its own."""

    process: subprocess.Popen[str]
    url: str
    token: str


@contextmanager
def server(database: str | Path, *options: str, home: Path | None = None) -> Iterator[Announced]:
    """`mnemic serve` on a free port; killed if it is still there."""
    command = [sys.executable, "-m", "mnemic", "serve", "--db", str(database), "--port", "0"]
    process = subprocess.Popen(
        [*command, "--json", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=None if home is None else {**os.environ, "HOME": str(home)},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    line = process.stdout.readline()
    try:
        assert line, process.stderr.read()
        said = json.loads(line)
        yield Announced(process, said["url"], said["token"] or "")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def run(
    folder: Path, *, kills: int, clients: int = 4, store: StoreName = "sqlite", seed: int = 1
) -> Report:
    """So many kills, each some moments after the clients began."""
    rng = random.Random(seed)
    home = Homes(folder, store).new("served")
    kept: dict[str, set[str]] = {space: set() for space in _SPACES}
    losses: list[str] = []
    errors: list[str] = []
    unanswered = 0
    for kill in range(kills):
        with server(home.enter()) as running:
            threads = [
                threading.Thread(target=_load, args=(running, kill, number, kept, errors))
                for number in range(clients)
            ]
            before = sum(map(len, kept.values()))
            for thread in threads:
                thread.start()
            while sum(map(len, kept.values())) == before and any(t.is_alive() for t in threads):
                time.sleep(0.005)
            time.sleep(rng.uniform(0.0, 1.0))
            running.process.kill()
            for thread in threads:
                thread.join(30)
            unanswered += clients
        losses += [f"kill {kill}: {what}" for what in _lost(home, kept)]
    return Report(kills, sum(map(len, kept.values())), unanswered, tuple(losses), tuple(errors))


def _load(
    running: Announced, kill: int, number: int, kept: dict[str, set[str]], errors: list[str]
) -> None:
    """Records, in bulk now and then, and recalls, until nobody answers."""
    space = _SPACES[number % len(_SPACES)]
    rng = random.Random(f"{kill}:{number}")
    try:
        with open_remote(running.url, token=running.token, space=space) as mind:
            for count in range(1_000_000):
                texts = [
                    f"{witness.word(kill, number, count, part)} tea"
                    for part in range(rng.choice((1, 1, 1, 5)))
                ]
                session = f"talk {number}"
                if len(texts) == 1:
                    mind.record(session=session, role="user", text=texts[0])
                else:
                    mind.record_many([NewTurn(session, "user", text) for text in texts])
                kept[space].update(texts)
                if rng.random() < 0.3 and not mind.recall(texts[0], limit=3):
                    errors.append(f"not found at once: {texts[0]}")
    except mnemic.ServiceUnavailable:
        return  # it was killed
    except MnemicError as error:
        errors.append(f"{type(error).__name__}: {error}")


def _lost(home: Home, kept: dict[str, set[str]]) -> list[str]:
    wrong = witness.halves(home.target, integrity=True)
    for space, texts in kept.items():
        with home.open(space=space) as mind:
            found: list[str] = []
            while page := mind.turns(limit=10_000, offset=len(found)):
                found += [turn.text for turn in page]
        wrong += [f"lost in {space}: {text}" for text in sorted(texts - set(found))]
        twice = len(found) - len(set(found))
        wrong += [f"{twice} turns of {space} are there twice"] if twice else []
    return wrong
