"""Running the service: a socket, uvicorn, and an end that finishes what was begun."""

from __future__ import annotations

import contextlib
import logging
import socket
from types import FrameType

import uvicorn

from mnemic.errors import ConfigError
from mnemic.serve.http.app import Service

_BACKLOG = 2_048
_GRACE = 30  # seconds that requests get to finish


class HttpServer(uvicorn.Server):
    """Serves until SIGTERM or SIGINT, or until ``stop`` is called from another thread."""

    def __init__(self, service: Service) -> None:
        self._service = service
        super().__init__(
            uvicorn.Config(
                service.app,
                lifespan="on",
                access_log=False,
                log_level=logging.WARNING,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=_GRACE,
                timeout_keep_alive=75,
                h11_max_incomplete_event_size=64 << 10,
            )
        )

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._service.stopping = True  # open streams end
        super().handle_exit(sig, frame)

    def stop(self) -> None:
        """End as a signal would."""
        self._service.stopping = True
        self.should_exit = True


def bind(host: str, port: int) -> socket.socket:
    """A listening socket, so that the port is known, and taken, before anything is printed."""
    try:
        (family, kind, proto, _, address), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        with contextlib.ExitStack() as failing:
            bound = failing.enter_context(socket.socket(family, kind, proto))
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
            bound.listen(_BACKLOG)
            failing.pop_all()
    except OSError as error:
        raise ConfigError(
            f"{host} port {port} cannot be used: {error.strerror}", remedy="Choose another --port"
        ) from error
    return bound
