"""A store on an empty database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mnemic.clock import ManualClock
from mnemic.store.postgres.store import PostgresStore
from tests.postgres.server import database_for

OpenStore = Callable[..., PostgresStore]


@pytest.fixture
def url(tmp_path: Path) -> str:
    """The address of an empty database."""
    return database_for(tmp_path)


@pytest.fixture
def open_store(url: str, clock: ManualClock) -> Iterator[OpenStore]:
    """Opens stores on it, which are closed when the test ends."""
    opened: list[PostgresStore] = []

    def open_(**given: Any) -> PostgresStore:
        store = PostgresStore(url, now=clock.now, **{"busy_timeout": 30.0, **given})
        opened.append(store)
        return store

    yield open_
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: OpenStore) -> PostgresStore:
    return open_store()
