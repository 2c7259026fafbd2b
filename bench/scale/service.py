"""The HTTP service under mixed load on loopback, beside the library in threads of one process.

Every store in turn: a file, a PostgreSQL server, the same server behind PgBouncer. A server and a
pooler of the tests' own are started where no address is given.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import mnemic
from bench.corpus import Synthetic
from bench.timing import percentile
from mnemic.types import NewTurn

KINDS = ("recall", "record")
STORES = ("sqlite", "postgresql", "pgbouncer")
_PROCESSES = 2  # that the clients are spread over
_PATIENCE = 120.0  # seconds until all of them are ready
_POOLED = 20  # connections of the server behind PgBouncer


@dataclass(frozen=True, slots=True)
class ServicePlan:
    """What to measure; 0 ``processes`` are the library alone."""

    stores: tuple[str, ...] = STORES
    processes: tuple[int, ...] = (0, 1, 2, 4)
    learners: int = 1
    clients: int = 64
    seconds: float = 60
    spaces: int = 8
    turns: int = 500  # of each space, before the clients begin
    settled: bool = True  # whether those are learned from first


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
        self.cpu += other.cpu


@dataclass(frozen=True, slots=True)
class ServiceRow:
    """One row of the table; latencies are p50 and p99 in milliseconds."""

    store: str
    processes: int
    calls_a_second: float
    calls_a_processor_second: float
    recall: tuple[float, float]
    record: tuple[float, float]
    errors: int
    first_error: str = ""


def measure_service(
    folder: Path, plan: ServicePlan, *, postgres: str = "", tell: Callable[[str], None]
) -> list[ServiceRow]:
    """``clients`` ask four times for each turn they record, in whatever of some spaces."""
    rows, filled = [], set[str]()
    with contextlib.ExitStack() as held:
        server = postgres
        for store in plan.stores:
            if store != "sqlite" and not server:
                server = held.enter_context(_own_server())
            place = str(folder / "served.db") if store == "sqlite" else server
            if place not in filled:
                filled.add(place)
                tell(f"{store}: {plan.spaces:,} spaces of {plan.turns:,} turns")
                rate = fill(place, plan.spaces, plan.turns, settled=plan.settled)
                tell(f"{store}: {rate:,.0f} turns a second")
            target = held.enter_context(_pooled(place)) if store == "pgbouncer" else place
            for count in plan.processes:
                what = f"{count} processes" if count else "the library"
                tell(f"{store}, {what}: {plan.clients} clients for {plan.seconds:.0f} s")
                load = _serve(target, plan, count) if count else _call_library(target, plan)
                rows.append(_row(store, count, load, plan.seconds))
    return rows


@contextlib.contextmanager
def _own_server() -> Iterator[str]:
    from tests.postgres.server import connect, start_server

    server = start_server("bench")
    try:
        with connect(server.get_uri()) as conn:
            conn.execute("CREATE DATABASE bench")
        yield str(server.get_uri("bench"))
    finally:
        server.cleanup()


def _pooled(url: str) -> contextlib.AbstractContextManager[str]:
    from tests.postgres.pooler import pooled

    return pooled(url, servers=_POOLED)


def _row(store: str, processes: int, load: Load, seconds: float) -> ServiceRow:
    calls = sum(map(len, load.took.values()))
    recall, record = (
        (1e3 * median(took or [0.0]), 1e3 * percentile(took or [0.0], 99))
        for took in (load.took[kind] for kind in KINDS)
    )
    return ServiceRow(
        store, processes, calls / seconds, calls / max(load.cpu, 0.01), recall, record,
        len(load.errors), load.errors[0] if load.errors else "",
    )  # fmt: skip


def table_of(rows: list[ServiceRow]) -> str:
    """The rows as a table in Markdown."""
    head = ("store", "processes", "calls/s", "calls per processor s", "recall p50 / p99 ms",
            "record p50 / p99 ms", "errors")  # fmt: skip
    lines = [head, ("---",) * len(head)]
    for row in rows:
        pairs = (f"{first:.0f} / {last:.0f}" for first, last in (row.recall, row.record))
        rates = f"{row.calls_a_second:.0f}", f"{row.calls_a_processor_second:.0f}"
        name = str(row.processes or "library")
        lines.append((row.store, name, *rates, *pairs, f"{row.errors} {row.first_error}".strip()))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def fill(target: str, spaces: int, turns: int, *, settled: bool = True) -> float:
    """So many turns in each space, learned from where asked; how many were recorded a second."""
    corpus, took = Synthetic("mixed"), 0.0
    with mnemic.connect(target, worker="none") as engine:
        for number in range(spaces):
            mind = engine.mind(f"person {number}")
            texts = corpus.texts(number * turns % 10_000, turns)
            begun = time.perf_counter()
            mind.record_many(
                NewTurn(session=f"s{n // 50}", role="user", text=text)
                for n, text in enumerate(texts)
            )
            took += time.perf_counter() - begun
            if settled:
                mind.drain(due_only=True)
    return spaces * turns / max(took, 1e-9)


class Calls:
    """What the n-th call of a client is: its kind, its space, its text."""

    def __init__(self, spaces: int) -> None:
        self._spaces = spaces
        self._texts = Synthetic("mixed").texts(0, 200)

    def __call__(self, place: int) -> tuple[str, str, str]:
        texts, kind = self._texts, "recall" if place % 5 else "record"
        text = texts[place % len(texts)][:60] if kind == "recall" else texts[-place % len(texts)]
        return kind, f"person {place * 7919 % self._spaces}", text


def _call_library(database: str, plan: ServicePlan) -> Load:
    whole, lock, calls = Load(), threading.Lock(), Calls(plan.spaces)
    before = time.process_time()
    with mnemic.connect(database, worker="thread") as engine:
        for n in range(min(plan.spaces, plan.clients)):
            engine.mind(f"person {n}").recall("warm up")
        ready = threading.Barrier(plan.clients)

        def live(number: int) -> None:
            load, n = Load(), number
            ready.wait(_PATIENCE)
            end = time.monotonic() + plan.seconds
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

        run_together(live, range(plan.clients))
        whole.cpu = time.process_time() - before
    return whole


def run_together(client: Callable[[int], None], numbers: range) -> None:
    threads = [threading.Thread(target=client, args=(number,)) for number in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextlib.contextmanager
def serving(database: str, *options: str) -> Iterator[tuple[int, dict[str, str]]]:
    """`mnemic serve` in a process of its own: its number, its address and its token."""
    command = [sys.executable, "-m", "mnemic", "serve", "--db", database, "--port", "0", "--json"]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.pid, json.loads(process.stdout.readline())
        finally:
            process.terminate()
            process.wait()


def _serve(database: str, plan: ServicePlan, processes: int) -> Load:
    options = ("--workers", str(processes), "--learners", str(plan.learners))
    whole, spawn = Load(), multiprocessing.get_context("spawn")
    with serving(database, *options) as (process, said):
        loads, ready = spawn.Queue(), spawn.Barrier(plan.clients + 1)
        for first in range(min(plan.clients, _PROCESSES)):
            numbers = range(first, plan.clients, _PROCESSES)
            asked = (said, plan, numbers, ready, loads)
            spawn.Process(target=_run_clients, args=asked, daemon=True).start()
        ready.wait(_PATIENCE)
        before = processor_seconds(process)
        for number in range(plan.clients):
            load = loads.get(timeout=plan.seconds + _PATIENCE)
            if not number:
                whole.cpu = processor_seconds(process) - before
            whole.add(load)
    return whole


def processor_seconds(process: int) -> float:
    """Of a process and those that it started, since they began."""
    parts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    listed = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    own = (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(processor_seconds(int(child)) for child in listed)


def _run_clients(
    said: dict[str, str], plan: ServicePlan, numbers: range, ready: Barrier, loads: Queue[Load]
) -> None:
    """In a process of its own, a thread and a connection each."""
    calls, seconds = Calls(plan.spaces), plan.seconds
    run_together(lambda number: loads.put(run_client(said, calls, number, seconds, ready)), numbers)


def run_client(
    said: dict[str, str],
    calls: Calls,
    number: int,
    seconds: float,
    ready: Barrier | threading.Barrier,
    *,
    rest: float = 0,
) -> Load:
    """What one client sees, once all of them are ready; it rests between two calls."""
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

    ask("recall", calls(number)[1], {"query": "warm up"})
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
        time.sleep(rest)
    connection.close()
    return load
