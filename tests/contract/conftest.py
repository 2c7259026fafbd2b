"""The stores the contract is held against. A new backend joins BACKENDS and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mnemic.clock import ManualClock
from mnemic.store.contract import Store
from tests.contract.backends import BACKENDS, Backend


@pytest.fixture(scope="session", params=BACKENDS, ids=lambda backend: backend.name)
def backend(request: pytest.FixtureRequest) -> Backend:
    found = request.param
    assert isinstance(found, Backend)
    return found


@pytest.fixture
def store(backend: Backend, tmp_path: Path, clock: ManualClock) -> Iterator[Store]:
    """An empty store."""
    opened = backend.open(tmp_path, clock)
    yield opened
    opened.close()
