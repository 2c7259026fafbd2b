"""Clients that are slow, endless or greedy beside polite ones: what the polite ones notice.

Each class of hostile clients runs in a process of its own at a low priority, since on real machines
they would not share the cores of the service. Before each class the polite clients are measured
alone, so that other work on the machine strikes both alike.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import mnemic
from bench.figures import Figure, figure, ratio_at_most
from bench.scale.service import (
    Calls,
    Load,
    fill,
    processor_seconds,
    run_client,
    run_together,
    serving,
)
from bench.timing import percentile

_SPACES = 8
_POLITE = 2
_ROUNDS = 3
_REST = 0.1  # seconds between two calls of a polite client
_TOKENS = 32  # that hostile clients have, each for the streams that one token may hold
_STREAMS = 8
_HEAD = b"POST /v1/spaces/person%200/turns HTTP/1.1\r\nhost: localhost\r\n"
_JSON = b"content-type: application/json\r\n"
_TICK = 0.1
_START = 0.5  # seconds until they are all there

Server = dict[str, Any]  # host, port, and tokens to ask with
Hostile = Callable[[Server, int], Awaitable[None]]


async def _connect(server: Server) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection(server["host"], server["port"])


def _bearer(server: Server, number: int) -> bytes:
    return f"authorization: Bearer {server['tokens'][number % _TOKENS]}\r\n".encode()


async def _open_halfway(server: Server, number: int) -> None:
    """Connect and send nothing."""
    reader, _ = await _connect(server)
    await reader.read()


async def _drip_head(server: Server, number: int) -> None:
    _, writer = await _connect(server)
    writer.write(_HEAD)
    while True:
        writer.write(b"x: y\r\n")
        await writer.drain()
        await asyncio.sleep(_TICK)


async def _drip_body(server: Server, number: int) -> None:
    _, writer = await _connect(server)
    writer.write(_HEAD + _bearer(server, number) + _JSON + b"content-length: 100000\r\n\r\n{")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(_TICK)


async def _send_endless_head(server: Server, number: int) -> None:
    _, writer = await _connect(server)
    writer.write(_HEAD + b"x: ")
    while True:
        writer.write(b"y" * 65_536)
        await writer.drain()


async def _send_endless_body(server: Server, number: int) -> None:
    _, writer = await _connect(server)
    head = b"transfer-encoding: chunked\r\n\r\n"
    writer.write(_HEAD + _bearer(server, number) + _JSON + head)
    while True:
        writer.write(b"10000\r\n" + b" " * 65_536 + b"\r\n")
        await writer.drain()


async def _send_large_body(server: Server, number: int) -> None:
    """As large as is taken, and wrong."""
    reader, writer = await _connect(server)
    body = json.dumps({"text": ["word"] * 1_000_000}).encode()
    size = f"content-length: {len(body)}\r\n\r\n".encode()
    while True:
        writer.write(_HEAD + _bearer(server, number) + _JSON + size + body)
        await writer.drain()
        await reader.readuntil(b"\r\n\r\n")
        await reader.read(65_536)


async def _leave_answers(server: Server, number: int) -> None:
    """Ask for documents and read none."""
    reader, writer = await _connect(server)
    writer.transport.set_write_buffer_limits(1)
    reader._transport.pause_reading()  # type: ignore[attr-defined]
    for _ in range(1_000):
        writer.write(b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n")
        await writer.drain()
    await asyncio.sleep(3_600)


async def _hold_stream(server: Server, number: int) -> None:
    reader, writer = await _connect(server)
    path = f"/v1/spaces/person%20{number % _SPACES}/events/stream"
    head = f"GET {path} HTTP/1.1\r\nhost: localhost\r\n".encode()
    writer.write(head + _bearer(server, number // _STREAMS) + b"\r\n")
    await reader.read()


async def _guess_tokens(server: Server, number: int) -> None:
    reader, writer = await _connect(server)
    while True:
        token = f"authorization: Bearer mnm_{os.urandom(16).hex()}\r\n\r\n".encode()
        writer.write(b"GET /v1/spaces HTTP/1.1\r\nhost: localhost\r\n" + token)
        await reader.readuntil(b"\r\n\r\n")
        await reader.read(65_536)
        await asyncio.sleep(_TICK)


CLASSES: dict[str, tuple[int, Hostile]] = {
    "1,000 connections without a request": (1_000, _open_halfway),
    "200 heads that drip": (200, _drip_head),
    "64 bodies that drip": (64, _drip_body),
    "8 heads without end": (8, _send_endless_head),
    "8 bodies without end": (8, _send_endless_body),
    "2 bodies of 8 MB": (2, _send_large_body),
    "64 clients that read no answer": (64, _leave_answers),
    "256 event streams": (256, _hold_stream),
    "64 clients that guess tokens": (64, _guess_tokens),
}


def measure_hostile(
    folder: Path, *, turns: int, seconds: float, tell: Callable[[str], None]
) -> list[Figure]:
    """The p99 of polite clients beside each class, which may double."""
    target = str(folder / "hostile.db")
    tell(f"{_SPACES} spaces of {turns:,} turns")
    fill(target, _SPACES, turns, settled=False)
    with mnemic.connect(target, worker="none") as engine:
        tokens = [engine.tokens.add(f"client {n}", "write", ["*"])[0] for n in range(_TOKENS + 1)]
    figures = []
    with serving(target, "--workers", "1", "--learners", "0") as (process, said):
        place, polite = urlsplit(said["url"]), {**said, "token": tokens[0]}
        server = {"host": place.hostname, "port": place.port, "tokens": tokens[1:]}
        _ask_politely(polite, 2, process)
        for name in CLASSES:
            tell(f"{name}, {seconds:.0f} s")
            alone, beside, turn = Load(), Load(), seconds / _ROUNDS
            for _ in range(_ROUNDS):  # by turns, so that other work strikes both alike
                alone.add(_ask_politely(polite, turn, process))
                with _running(name, server):
                    beside.add(_ask_politely(polite, turn, process))
            figures.append(_compare(name, beside, alone, seconds))
    return figures


def _compare(name: str, beside: Load, alone: Load, seconds: float) -> Figure:
    both = [[*load.took["recall"], *load.took["record"]] for load in (beside, alone)]
    (ours, theirs), errors = ([1e3 * percentile(took, 99) for took in both]), beside.errors
    details: dict[str, float | str] = {
        "p50": 1e3 * percentile(both[0], 50), "p50 alone": 1e3 * percentile(both[1], 50),
        "processor s/s": beside.cpu / seconds, "alone": alone.cpu / seconds,
        "errors": len(errors), **({"first error": errors[0]} if errors else {}),
    }  # fmt: skip
    return figure(
        "hostile", name, "ms p99", ours, beside="alone", baseline=theirs, details=details,
        target=ratio_at_most(2),
    )  # fmt: skip


def _ask_politely(said: dict[str, str], seconds: float, process: int) -> Load:
    whole, calls, ready = Load(), Calls(_SPACES), threading.Barrier(_POLITE)
    before = processor_seconds(process)
    run_together(
        lambda number: whole.add(run_client(said, calls, number, seconds, ready, rest=_REST)),
        range(_POLITE),
    )
    whole.cpu = processor_seconds(process) - before
    return whole


@contextlib.contextmanager
def _running(name: str, server: Server) -> Iterator[None]:
    spawn = multiprocessing.get_context("spawn")
    begun = spawn.Event()
    process = spawn.Process(target=_run_class, args=(name, server, begun), daemon=True)
    process.start()
    try:
        begun.wait()
        yield
    finally:
        process.kill()
        process.join()


def _run_class(name: str, server: Server, begun: Event) -> None:
    """Until the process is killed; who is refused or cut off comes again."""
    os.nice(10)
    count, hostile = CLASSES[name]

    async def persist(number: int) -> None:
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, ValueError):
                await hostile(server, number)
            await asyncio.sleep(_TICK)

    async def run() -> None:
        asyncio.get_running_loop().call_later(_START, begun.set)
        await asyncio.gather(*(persist(number) for number in range(count)))

    asyncio.run(run())
