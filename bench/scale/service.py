"""The HTTP service under mixed load on loopback, beside the library in threads of one process."""

from __future__ import annotations

import http.client
import json
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import mnemic
from bench.corpus import Synthetic
from bench.figures import Figure, figure
from bench.scale.clients import KINDS, SPACES, fill
from bench.timing import percentile

_PROCESSES = 2  # that the clients are spread over
_PATIENCE = 120.0  # seconds until all of them are ready


@dataclass(slots=True)
class Load:
    """What clients saw: seconds of each call, and what went wrong."""

    took: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    errors: list[str] = field(default_factory=list)
    cpu: float = 0.0  # processor seconds

    def add(self, other: Load) -> None:
        for kind in KINDS:
            self.took[kind] += other.took[kind]
        self.errors += other.errors


def measure_service(
    folder: Path,
    clients: int,
    *,
    turns: int,
    seconds: float,
    tell: Callable[[str], None],
    workers: tuple[int, ...] = (0,),
    target: str = "",
) -> list[Figure]:
    """``clients`` ask four times for each turn they record, in whatever of some spaces: the library
    in threads, then the service with each number of ``workers``; 0 is one process that learns too.
    """
    target = target or str(folder / "served.db")
    tell(f"{SPACES} spaces of {turns:,} turns")
    fill(target, turns)
    tell(f"the library: {clients} threads for {seconds:.0f} s")
    before = time.process_time()
    library = _library(target, clients, seconds)
    library.cpu = time.process_time() - before
    figures = []
    for count in workers:
        tell(f"the service: {count or 'one'} processes, {clients} clients for {seconds:.0f} s")
        figures += _compare(count, _service(target, clients, seconds, count), library, seconds)
    return figures


def _compare(workers: int, service: Load, library: Load, seconds: float) -> list[Figure]:
    name = f"{workers} workers" if workers else "one process"
    calls, alone = (sum(map(len, load.took.values())) for load in (service, library))
    details = {"errors": len(service.errors), "calls": calls, **_first(service.errors)}
    figures = [
        figure(
            "service", f"{name}, {unit}", unit, calls / ours, beside="library",
            baseline=alone / theirs, details=details,
        )
        for unit, ours, theirs in (
            ("calls/s", seconds, seconds),
            ("calls/processor s", service.cpu, library.cpu),
        )
    ]  # fmt: skip
    for kind in KINDS:
        for word, at in (("p50", median), ("p99", lambda values: percentile(values, 99))):
            ours, theirs = at(service.took[kind]), at(library.took[kind])
            figures.append(
                figure(
                    "service", f"{name}, {kind}, {word}", "ms", 1e3 * ours, beside="library",
                    baseline=1e3 * theirs,
                )
            )  # fmt: skip
    return figures


def _first(errors: list[str]) -> dict[str, float | str]:
    return {"first error": errors[0]} if errors else {}


class _Calls:
    """What the n-th call of a client is: its kind, its space, its text."""

    def __init__(self) -> None:
        self._texts = Synthetic("mixed").texts(0, 200)

    def __call__(self, place: int) -> tuple[str, str, str]:
        texts, kind = self._texts, "recall" if place % 5 else "record"
        text = texts[place % len(texts)][:60] if kind == "recall" else texts[-place % len(texts)]
        return kind, f"person {place % SPACES}", text


def _library(database: str, clients: int, seconds: float) -> Load:
    whole, lock, calls = Load(), threading.Lock(), _Calls()
    with mnemic.connect(database, worker="thread") as engine:
        for n in range(SPACES):
            engine.mind(f"person {n}").recall("warm up")
        ready = threading.Barrier(clients)

        def client(number: int) -> None:
            load, n = Load(), number
            ready.wait(_PATIENCE)
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                kind, space, text = calls(n)
                n += 1
                started = time.perf_counter()
                mind = engine.mind(space)
                if kind == "recall":
                    mind.recall(text)
                else:
                    mind.record(session=f"client {number}", role="user", text=text)
                load.took[kind].append(time.perf_counter() - started)
            with lock:
                whole.add(load)

        _together(client, range(clients))
    return whole


def _together(client: Callable[[int], None], numbers: range) -> None:
    threads = [threading.Thread(target=client, args=(number,)) for number in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _service(database: str, clients: int, seconds: float, workers: int) -> Load:
    command = [sys.executable, "-m", "mnemic", "serve", "--db", database, "--port", "0"]
    command += ["--workers", str(workers)] if workers else []
    with subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        whole = Load()
        try:
            parts = [range(n, clients, _PROCESSES) for n in range(min(clients, _PROCESSES))]
            spawn = multiprocessing.get_context("spawn")
            loads, ready = spawn.Queue(), spawn.Barrier(clients)
            for part in parts:
                asked = (said, part, seconds, ready, loads)
                spawn.Process(target=_clients, args=asked, daemon=True).start()
            for number in range(clients):
                part = loads.get(timeout=seconds + _PATIENCE)
                if not number:
                    whole.cpu = _processor_seconds(process.pid)
                whole.add(part)
        finally:
            process.terminate()
            process.wait()
    return whole


def _processor_seconds(process: int) -> float:
    """Of a process and those that it started, since they began."""
    parts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    listed = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    own = (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(_processor_seconds(int(child)) for child in listed)


def _clients(
    said: dict[str, str], numbers: range, seconds: float, ready: Barrier, loads: Queue[Load]
) -> None:
    """In a process of its own, a thread and a connection each."""
    calls = _Calls()
    _together(lambda number: loads.put(_client(said, calls, number, seconds, ready)), numbers)


def _client(
    said: dict[str, str], calls: _Calls, number: int, seconds: float, ready: Barrier
) -> Load:
    """What one client sees, once all of them are ready."""
    load, n = Load(), number
    headers = {"authorization": f"Bearer {said['token']}", "content-type": "application/json"}
    connection = http.client.HTTPConnection(urlsplit(said["url"]).netloc, timeout=60)
    paths = {"recall": "recall", "record": "turns"}

    def ask(kind: str, space: str, body: dict[str, Any]) -> None:
        path = f"/v1/spaces/{space.replace(' ', '%20')}/{paths[kind]}"
        connection.request("POST", path, json.dumps(body).encode(), headers)
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            load.errors.append(f"{answer.status} {content[:200]!r}")

    ask("recall", f"person {number % SPACES}", {"query": "warm up"})
    ready.wait(_PATIENCE)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        kind, space, text = calls(n)
        n += 1
        turn = {"session": f"client {number}", "role": "user", "text": text}
        started = time.perf_counter()
        try:
            ask(kind, space, {"query": text} if kind == "recall" else turn)
        except (OSError, http.client.HTTPException) as error:
            load.errors.append(repr(error))
            connection.close()
            continue
        load.took[kind].append(time.perf_counter() - started)
    connection.close()
    return load
