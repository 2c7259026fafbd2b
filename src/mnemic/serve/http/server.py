"""Running the service: a socket, uvicorn, and an end that finishes what was begun.

A client that opens a connection has so many seconds for the head of its request, for its body, and
to take the answer. Where there are as many connections as there may be, the one that has waited
longest without a request goes first.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import resource
import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from mnemic.errors import ConfigError
from mnemic.serve.http.app import Service

if TYPE_CHECKING:
    from uvicorn.config import Config


_BACKLOG = 2_048
_UNREAD = 256 << 10  # bytes of answers that the system keeps for a client that does not read them
_GRACE = 30  # seconds that requests get to finish


class HttpServer(uvicorn.Server):
    """Serves until SIGTERM or SIGINT, or until ``stop`` is called from another thread."""

    def __init__(self, service: Service, started: Callable[[], None] = lambda: None) -> None:
        """``started`` is called when it listens."""
        self._service, self._when_started = service, started
        BoundedConnection.most = most_connections()
        super().__init__(
            uvicorn.Config(
                service.app,
                lifespan="on",
                access_log=False,
                log_level=logging.ERROR,  # what clients send wrong is theirs to know
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=_GRACE,
                timeout_keep_alive=75,
                http=BoundedConnection,
                ws="none",
                backlog=_BACKLOG,
                h11_max_incomplete_event_size=HEAD_BYTES,
            )
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._when_started()

    async def on_tick(self, counter: int) -> bool:
        self._service.figures.set(connections=len(self.server_state.connections))
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.stop()

    def stop(self) -> None:
        """End as a signal would: what comes after ``run`` is still done."""
        self._service.stopping = True  # open streams end
        self.should_exit = True


def bind(host: str, port: int, *, shared: bool = False, listen: bool = True) -> socket.socket:
    """A listening socket, so that the port is known, and taken, before anything is printed. Of a
    ``shared`` port every process has a socket of its own, and the system spreads connections over
    those that listen.
    """
    try:
        (family, kind, proto, _, address), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        with contextlib.ExitStack() as failing:
            bound = failing.enter_context(socket.socket(family, kind, proto))
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _UNREAD)
            if shared:
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            bound.bind(address)
            if listen:
                bound.listen(_BACKLOG)
            failing.pop_all()
    except OSError as error:
        raise ConfigError(
            f"{host} port {port} cannot be used: {error.strerror}", remedy="Choose another --port"
        ) from error
    return bound


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
