"""Clients that are slow, endless or many: they are cut off, and others are answered meanwhile."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from urllib.parse import urlsplit

import httpx
import pytest

from mnemic.serve.http import server
from mnemic.serve.http.limits import Intake, Limits
from mnemic.serve.http.server import BoundedConnection
from mnemic.serve.http.stream import FEW, SharedLooks
from mnemic.types import Event
from tests.serve.http.conftest import Running, serving

HEAD = (
    b"POST /v1/spaces/default/turns HTTP/1.1\r\nhost: localhost\r\n"
    b"content-type: application/json\r\n"
)
STREAM = "/v1/spaces/default/events/stream"


@contextmanager
def connection(served: Running) -> Iterator[socket.socket]:
    parts = urlsplit(served.url)
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as opened:
        yield opened


def read_all(opened: socket.socket) -> bytes:
    """Everything until the other side closes."""
    answer = b""
    try:
        while part := opened.recv(65_536):
            answer += part
    except ConnectionResetError:
        pass
    return answer


@pytest.mark.parametrize("sent", [b"", HEAD, b"G"])
def test_a_head_that_does_not_end_is_cut_off(
    served: Running, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(server, "HEAD_SECONDS", 0.3)
    with connection(served) as opened:
        opened.sendall(sent)
        began = time.monotonic()
        assert read_all(opened).startswith(b"HTTP/1.1 408 ")
        assert time.monotonic() - began < 5


def test_a_head_that_drips_does_not_begin_its_time_again(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HEAD_SECONDS", 0.6)
    began = time.monotonic()
    with connection(served) as opened, suppress(OSError):  # reset, or a broken pipe
        opened.sendall(HEAD)
        while time.monotonic() < began + 8:
            opened.sendall(b"x: y\r\n")
            time.sleep(0.1)
    assert time.monotonic() - began < 5


def test_an_endless_head_is_refused(served: Running) -> None:
    with connection(served) as opened:
        try:
            for _ in range(64):
                opened.sendall(b"GET /healthz HTTP/1.1\r\nx: " + b"y" * 65_536)
        except OSError:
            pass  # it did not wait for more
        else:
            assert read_all(opened).startswith(b"HTTP/1.1 400 ")


def test_a_body_that_does_not_come_is_cut_off(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "BODY_SECONDS", 0.3)
    token = f"authorization: Bearer {served.admin}\r\n".encode()
    with connection(served) as opened:
        opened.sendall(HEAD + token + b"content-length: 100\r\n\r\n{")
        assert read_all(opened) == b""
    assert served.engine.mind().turns() == []


def test_an_answer_that_nobody_takes_is_given_up(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "TAKE_SECONDS", 0.3)
    request = b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n"
    with socket.socket() as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        opened.settimeout(10)
        opened.connect(("127.0.0.1", urlsplit(served.url).port))
        opened.sendall(request * 100)  # 100 documents, of which none is read for a while
        time.sleep(1.5)
        read = len(read_all(opened))
    with served.http() as http:
        assert read < 100 * len(http.get("/openapi.json").content)


def test_connections_without_a_request_make_room(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BoundedConnection, "most", 20)
    with ExitStack() as held:
        for _ in range(60):
            held.enter_context(connection(served))
        with served.http() as http:
            assert http.get("/v1/spaces").status_code == 200


def test_large_bodies_are_read_at_a_pace_that_all_share(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Intake, "PACE", 2 << 20)
    began = time.monotonic()
    with served.http() as http, ThreadPoolExecutor(2) as pool:
        turn = {"session": "s", "role": "user", "text": "tea " * (512 << 10)}
        path = "/v1/spaces/default/turns"
        sent = [pool.submit(http.post, path, json=turn) for _ in range(2)]
        assert http.get("/healthz").status_code == 200
        assert not any(one.done() for one in sent), "others do not wait for them"
        for one in sent:
            one.result()
    assert time.monotonic() - began > 1.5


def test_streams_of_one_space_look_together() -> None:
    looked: list[int] = []

    async def look(limit: int) -> list[Event]:
        looked.append(limit)
        return []

    async def watch() -> None:
        looks = SharedLooks()
        latest = [looks.share(("space", None), look) for _ in range(20)]
        await asyncio.gather(*(one(FEW) for one in latest))

    asyncio.run(watch())
    assert looked == [FEW]


def test_one_token_does_not_take_every_stream(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("streams")
    limits = Limits(streams_each=2)
    with serving(folder, None, limits) as served, ExitStack() as held:
        greedy = held.enter_context(served.http(served.token("read", "default")))
        open_lines = []  # a stream whose lines nobody holds is closed
        for _ in range(2):
            open_lines.append(held.enter_context(greedy.stream("GET", STREAM)).iter_lines())
            assert next(open_lines[-1]) == ": events"
        assert greedy.get(STREAM).status_code == 429
        with served.http() as other, other.stream("GET", STREAM) as answer:
            assert next(answer.iter_lines()) == ": events"


def test_probes_need_no_host_name(served: Running) -> None:
    for path in ("/healthz", "/readyz"):
        with connection(served) as opened:
            opened.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
            assert read_all(opened).startswith(b"HTTP/1.1 200 ")
        assert httpx.get(served.url + path, headers={"host": "10.0.0.7:80"}).status_code == 200
