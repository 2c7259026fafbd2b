"""How much is done at once: threads, requests that wait for one, requests of one token, seconds."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from recollect.errors import RateLimited, ServiceUnavailable, TooLarge

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one service. ``waiting`` requests may wait for a thread, ``each`` is how many
    one token may have at once.
    """

    body: int = 32 << 20  # bytes
    threads: int = 8
    waiting: int = 256
    each: int = 128
    seconds: float = 60.0
    lasting_seconds: float = 600.0
    streams: int = 64


class WorkQueue:
    """Runs calls of the engine in a few threads, and refuses what would only wait."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._threads = ThreadPoolExecutor(limits.threads, thread_name_prefix="recollect-http")
        self._running = 0
        self._by_holder: Counter[str] = Counter()

    @property
    def running(self) -> int:
        """Calls that run or wait for a thread."""
        return self._running

    async def run(self, holder: str, work: Callable[[], R], *, lasting: bool = False) -> R:
        """The result of the call. One that takes too long goes on, but nobody waits for it."""
        limits = self.limits
        if self._by_holder[holder] >= limits.each:
            raise RateLimited(
                f"{limits.each} requests of this token are being answered",
                remedy="Send fewer at once",
            )
        if self._running >= limits.threads + limits.waiting:
            raise ServiceUnavailable("The service has too much to do", remedy="Try again later")
        self._running += 1
        self._by_holder[holder] += 1
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        future.add_done_callback(lambda _: self._finished(holder))
        seconds = limits.lasting_seconds if lasting else limits.seconds
        done, _ = await asyncio.wait({future}, timeout=seconds)
        if not done:
            future.add_done_callback(lambda late: late.cancelled() or late.exception())
            raise ServiceUnavailable(
                f"It took longer than {seconds:g} seconds and goes on",
                remedy="Repeat it with the same Idempotency-Key to learn how it ended",
            )
        return future.result()

    def _finished(self, holder: str) -> None:
        self._running -= 1
        self._by_holder[holder] -= 1
        if not self._by_holder[holder]:
            del self._by_holder[holder]

    def close(self) -> None:
        """Wait for what runs."""
        self._threads.shutdown(wait=True)


def too_large(limit: int) -> TooLarge:
    return TooLarge(
        f"The body is larger than {limit:,} bytes", remedy="Send it in several requests"
    )
