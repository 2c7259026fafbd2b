"""What the tests of hosts share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import mnemic
from tests.providers.scripted import Scripted

# They need frameworks that are installed by `make hosts` alone.
collect_ignore_glob = [] if os.environ.get("MNEMIC_TEST_HOSTS") else ["test_*.py"]


@pytest.fixture
def server() -> Iterator[Scripted]:
    with Scripted() as running:
        yield running


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[mnemic.Engine]:
    with mnemic.connect(tmp_path / "all.db", worker="none") as opened:
        yield opened
