"""One connection: bounds against clients that are slow, endless or many.

A client that opens a connection has so many seconds for the head of its request, for its body, and
to take the answer. Where there are as many connections as there may be, the one that has waited
longest without a request goes first.
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

if TYPE_CHECKING:
    from uvicorn.config import Config

HEAD_SECONDS = 10.0
BODY_SECONDS = 60.0
TAKE_SECONDS = 60.0
HEAD_BYTES = 64 << 10
_MOST = 4_096  # connections of one process
_OTHER_FILES = 256  # descriptors for the database and the rest


def most_connections() -> int:
    """As many as this process may have, with the limit of the system raised as far as it goes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        wanted = hard if hard != resource.RLIM_INFINITY else max(soft, 2 * _MOST)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return max(16, min(_MOST, soft - _OTHER_FILES))


class BoundedConnection(H11Protocol):
    """A connection of uvicorn with deadlines and a bounded head, whatever its parser."""

    most = _MOST

    def __init__(self, config: Config, *args: Any, **named: Any) -> None:
        super().__init__(config, *args, **named)
        self._deadline: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None
        self._awaited = ""
        self.idle_since = self.loop.time()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        if len(self.connections) >= self.most:
            self._make_room()
        super().connection_made(transport)
        self._await("head", HEAD_SECONDS)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        self.idle_since = self.loop.time()
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._await("", 0)
        self.resume_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._taking = self.loop.call_later(TAKE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None
        if self.flow is not None:
            super().resume_writing()

    @property
    def is_idle(self) -> bool:
        """Whether no request of it is being answered."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def _watch(self) -> None:
        """Give the part that has begun its time; the time of a part does not begin again."""
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            self._await("body", BODY_SECONDS)
        elif state is h11.IDLE and self.conn.trailing_data[0]:
            self._await("head", HEAD_SECONDS)
        elif state is not h11.IDLE or self.timeout_keep_alive_task is not None:
            self._await("", 0)

    def _await(self, stage: str, seconds: float) -> None:
        if stage == self._awaited:
            return
        if self._deadline is not None:
            self._deadline.cancel()
        self._awaited = stage
        self._deadline = self.loop.call_later(seconds, self._give_up) if stage else None

    def _give_up(self) -> None:
        if self._awaited == "head" and not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n")
            self.transport.close()
            self.loop.call_later(1, self.transport.abort)
        else:
            self.transport.abort()

    def _make_room(self) -> None:
        """Close the connection that has been without a request for longest."""
        bounded = (peer for peer in self.connections if isinstance(peer, BoundedConnection))
        idle = (peer for peer in bounded if peer.is_idle)
        oldest = min(idle, key=lambda peer: peer.idle_since, default=None)
        if oldest is not None:
            self.connections.discard(oldest)
            oldest.transport.abort()
