"""Minds behind a service on loopback: with MNEMIC_TEST_STORE=http every test that opens its
memory by ``open_mind`` does all it does through the HTTP client.

The service is the one of `mnemic serve`, in a thread, so that the clock and the models of a test
are its own.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import mnemic
from mnemic.engine.remote.client import RemoteMind
from mnemic.engine.tokens import make_token
from mnemic.serve.http.app import Service
from mnemic.serve.http.limits import Limits
from mnemic.serve.http.server import HttpServer, bind
from mnemic.types import EVERY_SPACE
from tests.waiting import wait_for

# What cannot be had through a service, or is about something else than one; by file or test.
LEFT_OUT = {
    "tests/test_mind.py::test_opening_makes_the_file": "a client shows itself as one",
    "tests/context/test_prompt_content.py::test_what_the_host_shows": "what is no JSON is not sent",
    "tests/test_bad_input.py::test_it_is_refused_and_nothing_changes[tool call of a": (
        "the JSON of a call is a call"
    ),
    "tests/test_mind.py::test_a_wrong_argument": "the service opens the file, not the client",
}


def left_out(test: str) -> str:
    """Why a test is left out; empty where it is not."""
    return next((why for begin, why in LEFT_OUT.items() if test.startswith(begin)), "")


@contextmanager
def answering(
    engine: mnemic.Engine, limits: Limits | None = None, **given: Any
) -> Iterator[tuple[str, Service]]:
    """A service on a free port, and its address; the engine is closed with it."""
    service = Service(engine, limits=limits, **given)
    with bind("127.0.0.1", 0) as listening:
        server = HttpServer(service)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        wait_for(lambda: server.started)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}", service
        finally:
            server.stop()
            thread.join(30)
    assert not thread.is_alive()


class ServedMind(RemoteMind):
    """A mind behind a service of this process. What a test prepares in the store, and the files it
    looks at, are those of the service; every method asks the service.
    """

    inner: mnemic.Mind
    serving: ExitStack

    @property
    def transcripts(self) -> Path | None:
        return self.inner.transcripts

    @property
    def documents_folder(self) -> Path | None:
        return self.inner.documents_folder

    def close(self) -> None:
        super().close()
        self.serving.close()


def open_served(target: Any, *, space: str, **given: Any) -> mnemic.Mind:
    """The mind of a space of that database, through a service that ends when it is closed."""
    serving = ExitStack()
    engine = mnemic.connect(target, **given)
    try:
        token, grant = make_token(datetime.now(UTC), "test", "admin", [EVERY_SPACE])
        engine.tokens.lend(token, grant)
        url, _ = serving.enter_context(answering(engine))
        mind = mnemic.open(url, token=token, space=space)
    except BaseException:
        serving.close()
        raise
    mind.__class__ = ServedMind
    assert isinstance(mind, ServedMind)
    mind.inner, mind.serving = engine.mind(space), serving
    for name, part in vars(mind.inner).items():
        vars(mind).setdefault(name, part)
    return mind
