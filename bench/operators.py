"""Services and workers on one database, under 80 % recall and 20 % record on loopback.

    python -m bench.operators postgresql://… --name direct --services 1 --services 2

The database is filled once; each run starts as many ``mnemic serve`` as asked for, and workers
beside them, spreads the clients over them, and prints one row of a table.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import click

import mnemic
from bench.corpus import Synthetic
from bench.scale.service import Load, _client
from bench.timing import percentile
from mnemic.types import NewTurn

_TICKS = os.sysconf("SC_CLK_TCK")


class _Calls:
    """What the n-th call of a client is: its kind, its space, its text."""

    def __init__(self, spaces: int) -> None:
        self._spaces = spaces
        self._texts = Synthetic("mixed").texts(0, 200)

    def __call__(self, place: int) -> tuple[str, str, str]:
        texts, kind = self._texts, "recall" if place % 5 else "record"
        text = texts[place % len(texts)][:60] if kind == "recall" else texts[-place % len(texts)]
        return kind, f"person {place * 7919 % self._spaces}", text


def fill(target: str, spaces: int, turns: int) -> float:
    """Turns a second."""
    corpus, begun = Synthetic("mixed"), time.perf_counter()
    with mnemic.connect(target, worker="none") as engine:
        for number in range(spaces):
            texts = corpus.texts(number * turns % 10_000, turns)
            engine.mind(f"person {number}").record_many(
                NewTurn(session=f"s{n // 50}", role="user", text=text)
                for n, text in enumerate(texts)
            )
    return spaces * turns / (time.perf_counter() - begun)


@contextlib.contextmanager
def _running(
    target: str, services: int, workers: int
) -> Iterator[tuple[list[int], list[dict[str, str]]]]:
    command = [sys.executable, "-m", "mnemic"]
    places = [*command, "serve", "--db", target, "--port", "0", "--json"]
    started = [subprocess.Popen(places, stdout=subprocess.PIPE, text=True) for _ in range(services)]
    beside = [
        subprocess.Popen([*command, "worker", "--db", target], stdout=subprocess.DEVNULL, text=True)
        for _ in range(workers)
    ]
    try:
        said = [json.loads(one.stdout.readline()) for one in started if one.stdout]
        yield [one.pid for one in started], said
    finally:
        for one in (*started, *beside):
            one.terminate()
        for one in (*started, *beside):
            try:
                one.wait(3)
            except subprocess.TimeoutExpired:  # it still learns what was recorded
                one.kill()
                one.wait()


def _processor(pids: list[int]) -> float:
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(one[11]) + int(one[12]) for one in fields) / _TICKS


def measure(target: str, name: str, *, services: int, workers: int, clients: int, spaces: int,
            seconds: float) -> None:  # fmt: skip
    whole, lock, calls = Load(), threading.Lock(), _Calls(spaces)
    with _running(target, services, workers) as (pids, said):
        ready = threading.Barrier(clients + 1)

        def live(number: int) -> None:
            load = _client(said[number % services], calls, number, seconds, ready)  # type: ignore[arg-type]
            with lock:
                whole.add(load)

        threads = [threading.Thread(target=live, args=(number,)) for number in range(clients)]
        for thread in threads:
            thread.start()
        ready.wait(120)
        before = _processor(pids)
        for thread in threads:
            thread.join()
        used = _processor(pids) - before
    count = sum(map(len, whole.took.values()))
    cells = [name, str(services), f"{count / seconds:.0f}", f"{count / max(used, 0.01):.0f}"]
    for kind in ("recall", "record"):
        took = whole.took[kind]
        cells.append(f"{1e3 * median(took):.0f} / {1e3 * percentile(took, 99):.0f} ms")
    click.echo(f"| {' | '.join(cells)} | {len(whole.errors)} |")
    for error in whole.errors[:3]:
        click.echo(error, err=True)


@click.command()
@click.argument("target")
@click.option("--name", default="")
@click.option("--services", multiple=True, type=int, default=(1,))
@click.option("--workers", default=0)
@click.option("--clients", default=64)
@click.option("--spaces", default=8)
@click.option("--turns", default=0, help="Fill each space with so many first.")
@click.option("--seconds", default=15.0)
def main(target: str, *, name: str, services: tuple[int, ...], workers: int, clients: int,
         spaces: int, turns: int, seconds: float) -> None:  # fmt: skip
    if turns:
        click.echo(f"{spaces:,} × {turns:,} turns, {fill(target, spaces, turns):,.0f}/s")
    for number in services:
        measure(target, name, services=number, workers=workers, clients=clients, spaces=spaces,
                seconds=seconds)  # fmt: skip


if __name__ == "__main__":
    main()
