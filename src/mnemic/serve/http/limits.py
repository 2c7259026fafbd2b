"""How much is done at once: threads, requests that wait for one, requests of one token, seconds."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeVar

from mnemic.errors import RateLimited, ServiceUnavailable, TooLarge

R = TypeVar("R")

# What is short never waits behind what is long: each kind of work has threads of its own.
Lane = Literal["read", "write", "lasting", "probe", "access", "issuer"]


def usual_threads() -> int:
    """The cores and a few more: recalls compute, and some wait for a server of embeddings."""
    return max(4, min(os.cpu_count() or 1, 16))


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one service. ``threads`` read at once; ``waiting`` requests of each lane may
    wait for a thread; ``each`` and ``streams_each`` are how many one token may have at once.
    """

    body: int = 8 << 20  # bytes; no other thread runs while the JSON of one is read
    threads: int = field(default_factory=usual_threads)
    write_threads: int = 4
    lasting_threads: int = 4
    waiting: int = 256
    each: int = 128
    seconds: float = 60.0
    lasting_seconds: float = 600.0
    streams: int = 256
    streams_each: int = 8


class Intake:
    """Reads large bodies at a pace that all share, so that none blocks the event loop."""

    FREE = 256 << 10  # bytes of each body
    PACE = 8 << 20  # bytes a second

    def __init__(self) -> None:
        self._until = 0.0

    async def read(self, parts: AsyncIterator[bytes], most: int) -> bytes:
        """The whole body, refused as soon as it is too large."""
        chunks, size, loop = [], 0, asyncio.get_running_loop()
        async for chunk in parts:
            size += len(chunk)
            if size > most:
                raise too_large(most)
            chunks.append(chunk)
            if size > self.FREE:
                self._until = max(self._until, loop.time()) + len(chunk) / self.PACE
                await asyncio.sleep(self._until - loop.time())
        return b"".join(chunks)


class WorkQueue:
    """Runs calls of the engine in a few threads, and refuses what would only wait."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.intake = Intake()
        self._sizes: dict[Lane, int] = {
            "read": limits.threads, "write": limits.write_threads,
            "lasting": limits.lasting_threads, "probe": 1, "access": 2, "issuer": 2,
        }  # fmt: skip
        self._threads = {
            lane: ThreadPoolExecutor(size, thread_name_prefix=f"mnemic-http-{lane}")
            for lane, size in self._sizes.items()
        }
        self._running: Counter[Lane] = Counter()
        self._by_holder: Counter[str] = Counter()

    @property
    def running(self) -> int:
        """Calls that run or wait for a thread."""
        return self._running.total()

    async def run(self, holder: str, work: Callable[[], R], lane: Lane = "read") -> R:
        """The result of the call. One that takes too long goes on, but nobody waits for it."""
        limits = self.limits
        if holder and self._by_holder[holder] >= limits.each:
            raise RateLimited(
                f"{limits.each} requests of this token are being answered",
                remedy="Send fewer at once",
            )
        if self._running[lane] >= self._sizes[lane] + limits.waiting:
            raise ServiceUnavailable("The service has too much to do", remedy="Try again later")
        self._running[lane] += 1
        self._by_holder[holder] += 1
        run = partial(copy_context().run, work)  # so that a span has those of its request above it
        future = asyncio.get_running_loop().run_in_executor(self._threads[lane], run)
        future.add_done_callback(lambda _: self._finish(holder, lane))
        seconds = limits.lasting_seconds if lane == "lasting" else limits.seconds
        done, _ = await asyncio.wait({future}, timeout=seconds)
        if not done:
            future.add_done_callback(lambda late: late.cancelled() or late.exception())
            raise ServiceUnavailable(
                f"It took longer than {seconds:g} seconds and goes on",
                remedy="Repeat it with the same Idempotency-Key to learn how it ended",
            )
        return future.result()

    def _finish(self, holder: str, lane: Lane) -> None:
        self._running[lane] -= 1
        self._by_holder[holder] -= 1
        if not self._by_holder[holder]:
            del self._by_holder[holder]

    def close(self) -> None:
        """Wait for what runs."""
        for threads in self._threads.values():
            threads.shutdown(wait=True)


def too_large(limit: int) -> TooLarge:
    return TooLarge(
        f"The body is larger than {limit:,} bytes", remedy="Send it in several requests"
    )
