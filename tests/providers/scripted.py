"""A model's server on loopback that does what a test has written down, one request after another.

It speaks real HTTP, so that everything between the code and the socket takes part::

    with Scripted() as server:
        server.then(status(429, retry_after="3"), reply({"data": []}))
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    json: Any


@dataclass
class Line:
    """The open connection a behavior answers on."""

    handler: BaseHTTPRequestHandler
    asked: Asked
    stopping: threading.Event

    def head(self, status: int, headers: dict[str, str]) -> None:
        self.handler.send_response(status)
        for name, value in headers.items():
            self.handler.send_header(name, value)
        self.handler.end_headers()

    def send(self, data: bytes) -> None:
        self.handler.wfile.write(data)
        self.handler.wfile.flush()


Behavior = Callable[[Line], None]


def reply(body: object, *, status: int = 200, **headers: str) -> Behavior:
    """A whole answer: JSON, bytes as they are, or what a function makes of the request."""

    def act(line: Line) -> None:
        made = body(line.asked) if callable(body) else body
        data = made if isinstance(made, bytes) else json.dumps(made).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        line.head(status, {"content-length": str(len(data)), **named})
        line.send(data)

    return act


def status(code: int, said: str = "no", **headers: str) -> Behavior:
    """A refusal in the words of OpenAI."""
    return reply({"error": {"message": said, "type": "x"}}, status=code, **headers)


def cut_short(body: object) -> Behavior:
    """Half of the answer that was announced, then the connection ends."""

    def act(line: Line) -> None:
        data = json.dumps(body).encode()
        line.head(200, {"content-length": str(len(data))})
        line.send(data[: len(data) // 2])
        line.handler.close_connection = True

    return act


def hang_up(line: Line) -> None:
    """The connection is reset before any answer."""
    now = struct.pack("ii", 1, 0)
    line.handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, now)
    line.handler.connection.close()
    line.handler.close_connection = True


def silence(line: Line) -> None:
    """No answer for as long as the server runs."""
    line.stopping.wait()
    line.handler.close_connection = True


def streamed(*events: object, then: Behavior | None = None, as_lines: bool = False) -> Behavior:
    """An answer piece by piece: server-sent events, or lines of JSON.

    ``then``: what follows in place of its end.
    """

    def act(line: Line) -> None:
        line.handler.close_connection = True
        kind = "application/x-ndjson" if as_lines else "text/event-stream"
        line.head(200, {"content-type": kind, "connection": "close"})
        for event in events:
            data = event if isinstance(event, str) else json.dumps(event)
            line.send(f"{data}\n".encode() if as_lines else f"data: {data}\n\n".encode())
        if then is not None:
            then(line)

    return act


def drip(every: float = 0.02, *, head: bool = False) -> Behavior:
    """A byte now and then, for ever: of the answer, or of its head."""

    def act(line: Line) -> None:
        line.handler.close_connection = True
        if head:
            line.send(b"HTTP/1.1 200 OK\r\nx-long: ")
        else:
            line.head(200, {"content-length": "100000000"})
        while not line.stopping.wait(every):
            line.send(b" " if not head else b"a")

    return act


def flood(line: Line) -> None:
    """An answer without end, as fast as it is taken."""
    line.handler.close_connection = True
    line.head(200, {"connection": "close"})
    while not line.stopping.is_set():
        line.send(b" " * 1_000_000)


@dataclass
class Scripted:
    """The server: what it shall do next, and what it was asked."""

    asked: list[Asked] = field(default_factory=list)
    _script: deque[Behavior] = field(default_factory=deque)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _always: Behavior | None = None

    def then(self, *behaviors: Behavior) -> Self:
        """What the next requests get, one each."""
        self._script.extend(behaviors)
        return self

    def always(self, behavior: Behavior) -> Self:
        """What a request gets when nothing else is written down for it."""
        self._always = behavior
        return self

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        self.asked.append(asked)
        act = self._script.popleft() if self._script else self._always
        assert act is not None, "nothing is written down for this request"
        # A client that hangs up on us is part of the play.
        with contextlib.suppress(OSError):
            act(Line(handler, asked, self._stopping))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up, or is killed, is part of the play."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def _handler(server: Scripted) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # head and body go out at once, each as it is sent

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            body = self.rfile.read(length)
            if len(body) < length:  # whoever asks was killed in the middle of it
                self.close_connection = True
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            server.answer(self, Asked(self.path, headers, json.loads(body)))

        def finish(self) -> None:
            with contextlib.suppress(OSError):
                super().finish()

        def log_message(self, format: str, *args: Any) -> None:
            """Tests speak for themselves."""

    return Handler


@contextlib.contextmanager
def scripted() -> Iterator[Scripted]:
    with Scripted() as server:
        yield server
