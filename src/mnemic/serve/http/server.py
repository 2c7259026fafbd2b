"""Running the service: a socket, uvicorn, and an end that finishes what was begun."""

from __future__ import annotations

import contextlib
import logging
import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from mnemic.errors import ConfigError
from mnemic.serve.http.app import Service
from mnemic.serve.http.connections import HEAD_BYTES, BoundedConnection, most_connections

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
