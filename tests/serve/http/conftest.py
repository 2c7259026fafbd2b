"""A real service on loopback, in a thread of the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

import mnemic
from mnemic.clock import Clock, ManualClock
from mnemic.engine.mind import Mind
from mnemic.engine.remote.client import open_remote
from mnemic.engine.tokens import Tokens
from mnemic.providers.extras import certificates
from mnemic.serve.http.app import Service
from mnemic.serve.http.limits import Limits
from mnemic.types import Scope
from tests.served_mind import answering

CONTENT = {"content-type": "application/json"}


@dataclass(frozen=True)
class Running:
    """A service that answers."""

    url: str
    engine: mnemic.Engine
    service: Service
    admin: str
    opened: list[Mind] = field(default_factory=list)

    @property
    def tokens(self) -> Tokens:
        return self.engine.tokens

    def token(self, scope: Scope = "admin", *spaces: str) -> str:
        return self.tokens.add(f"{scope} of a test", scope, spaces or ("*",))[0]

    def http(self, token: str | None = None, **headers: str) -> httpx.Client:
        """A plain client; without a token it is the admin of every space."""
        sent = {"authorization": f"Bearer {self.admin if token is None else token}", **headers}
        return httpx.Client(  # whose certificates were read once: to read them takes 40 ms
            base_url=self.url, headers=sent, timeout=30, trust_env=False, verify=certificates()
        )

    def mind(self, space: str = "default", token: str | None = None) -> Mind:
        """The memory of a space through the service; it is closed with it."""
        self.opened.append(open_remote(self.url, token=token or self.admin, space=space))
        return self.opened[-1]


@contextmanager
def serving(
    folder: Path,
    clock: Clock | None,
    limits: Limits | None = None,
    service: dict[str, Any] | None = None,
    **settings: Any,
) -> Iterator[Running]:
    engine = mnemic.connect(folder / "memory.db", clock=clock, worker="none", **settings)
    admin, _ = engine.tokens.add("admin", "admin", ["*"])
    with answering(engine, limits, **(service or {})) as (url, running_service):
        running = Running(url, engine, running_service, admin)
        try:
            yield running
        finally:
            for mind in running.opened:
                mind.close()


@pytest.fixture
def served(tmp_path: Path, clock: ManualClock) -> Iterator[Running]:
    """A service on the manual clock; background work happens when the test drains."""
    with serving(tmp_path, clock, preset="default") as running:
        yield running
