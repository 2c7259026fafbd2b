"""The events of a space as they happen: server-sent events that go on after the last one seen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from mnemic.serve.http.answers import encode
from mnemic.types import Event

_PAUSE = 0.25  # seconds between two looks at the journal
_BEAT = 15.0  # seconds after which an idle stream shows that it lives
FEW, _MOST = 50, 10_000
_RATE = 50  # looks a second, of all streams together

Latest = Callable[[int], Awaitable[Sequence[Event]]]  # takes how many, gives the latest first
Key = tuple[str, str | None]  # a space, and the type of event wanted of it


class SharedLooks:
    """What was last read of each journal; looks serve longer the more journals are watched."""

    def __init__(self) -> None:
        self._looks: dict[Key, tuple[float, asyncio.Future[Sequence[Event]]]] = {}

    def share(self, key: Key, look: Latest) -> Latest:
        """The same look; the few latest are read anew after a pause only."""

        async def latest(limit: int) -> Sequence[Event]:
            return await (look(limit) if limit != FEW else asyncio.shield(self._read(key, look)))

        return latest

    def _read(self, key: Key, look: Latest) -> asyncio.Future[Sequence[Event]]:
        now, pause = asyncio.get_running_loop().time(), max(_PAUSE, len(self._looks) / _RATE)
        if key not in self._looks or now - self._looks[key][0] >= pause:
            for old in [other for other, (at, _) in self._looks.items() if now - at >= 2 * pause]:
                del self._looks[old]
            reading = asyncio.ensure_future(look(FEW))
            reading.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._looks[key] = now, reading
        return self._looks[key][1]


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
            yield b"id: " + seen.encode() + b"\nevent: change\ndata: " + encode(event) + b"\n\n"
        idle = 0.0 if fresh else idle + _PAUSE
        if idle >= _BEAT:
            idle = 0.0
            yield b": still here\n\n"
        await asyncio.sleep(_PAUSE)
    yield b"event: closing\ndata: {}\n\n"


async def _after(latest: Latest, seen: str) -> list[Event]:
    """The events after that one, oldest first; more are asked for until it is among them."""
    limit = FEW
    while True:
        listed = list(await latest(limit))
        place = next((n for n, event in enumerate(listed) if event.id == seen), None)
        if place is not None:
            return listed[:place][::-1]
        if len(listed) < limit or limit >= _MOST:
            return listed[::-1]
        limit = min(limit * 10, _MOST)
