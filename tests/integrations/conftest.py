"""What the tests of the integrations share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.providers.scripted import Scripted


@pytest.fixture
def server() -> Iterator[Scripted]:
    with Scripted() as running:
        yield running
