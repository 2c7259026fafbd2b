"""Every statement is tried twice: here, and by the clocks of another place."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

# Fifteen minutes are part of its offset, so that nothing falls on a whole hour by chance.
PLACES = {"here": "UTC", "Kathmandu": "Asia/Kathmandu"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test with inputs of its own has them already."""
    marks = {mark.name for mark in metafunc.definition.iter_markers()}
    if "statement" in marks and "parametrize" not in marks:
        metafunc.parametrize("place", list(PLACES), indirect=True)


@pytest.fixture(autouse=True)
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where the test believes to be."""
    name = getattr(request, "param", "here")
    monkeypatch.setenv("TZ", PLACES[name])
    time.tzset()
    yield name
    monkeypatch.undo()
    time.tzset()
