"""Desks for the tests of the documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.documents.desk import Desk

MakeDesk = Callable[..., Desk]


@pytest.fixture
def make_desk(open_mind: OpenMind, clock: ManualClock, tmp_path: Path) -> MakeDesk:
    def make(preset: str = "default", **settings: Any) -> Desk:
        return Desk(open_mind(preset=preset, **settings), clock, tmp_path)

    return make


@pytest.fixture
def desk(make_desk: MakeDesk) -> Desk:
    """The documents of the default preset."""
    return make_desk()
