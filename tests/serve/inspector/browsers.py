"""The browser of the tests, as a fixture."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Error, Playwright, sync_playwright

from tests import browser as installed

_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium of the machine, else one that is installed now."""
    with sync_playwright() as playwright:
        try:
            started = _launch(playwright)
        except Error:
            installed.install()
            try:
                started = _launch(playwright)
            except Error as error:
                if os.environ.get("CI"):
                    raise
                pytest.skip(f"no Chromium: {error.message.splitlines()[0]}")
        yield started
        started.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """For one module. Not for longer among other tests: while Playwright runs, its thread has an
    event loop, and nothing else can have one there.
    """
    with chromium() as started:
        yield started


def _launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=installed.executable(), args=_FLAGS)
