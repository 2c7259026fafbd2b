"""What the tests of models share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.providers.scripted import Scripted


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    """A scripted server; no proxy of this machine stands between."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Scripted() as running:
        yield running
