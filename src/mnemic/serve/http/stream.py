"""The events of a space as they happen: server-sent events that go on after the last one seen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from mnemic.serve.http.answers import encoded
from mnemic.types import Event

_PAUSE = 0.25  # seconds between two looks at the journal
_BEAT = 15.0  # seconds after which an idle stream shows that it lives
_FEW, _MOST = 50, 10_000

Latest = Callable[[int], Awaitable[Sequence[Event]]]  # takes how many, gives the latest first


async def event_stream(
    latest: Latest, last: str, stopping: Callable[[], bool]
) -> AsyncIterator[bytes]:
    """Frames of SSE. ``last`` is the id of the last event seen; without it only what happens from
    now on is sent. One that is no longer there begins with the oldest of the latest.
    """
    seen = last or next((event.id for event in await latest(1)), "")
    yield b": events\n\n"
    idle = 0.0
    while not stopping():
        fresh = await _after(latest, seen)
        for event in fresh:
            seen = event.id
            yield _frame(event)
        idle = 0.0 if fresh else idle + _PAUSE
        if idle >= _BEAT:
            idle = 0.0
            yield b": still here\n\n"
        await asyncio.sleep(_PAUSE)
    yield b"event: closing\ndata: {}\n\n"


async def _after(latest: Latest, seen: str) -> list[Event]:
    """The events after that one, oldest first; more are asked for until it is among them."""
    limit = _FEW
    while True:
        listed = list(await latest(limit))
        found = next((n for n, event in enumerate(listed) if event.id == seen), None)
        if found is not None:
            return listed[:found][::-1]
        if len(listed) < limit or limit >= _MOST:
            return listed[::-1]
        limit = min(limit * 10, _MOST)


def _frame(event: Event) -> bytes:
    return b"id: " + event.id.encode() + b"\nevent: change\ndata: " + encoded(event) + b"\n\n"
