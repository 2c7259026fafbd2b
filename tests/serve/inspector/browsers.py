"""The browser of the tests, as a fixture."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Error, Playwright, sync_playwright

from tests import browser as installed

_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium of the machine, else one that is installed now. Not for longer than a module: while
    Playwright runs, its thread has an event loop, and nothing else can have one there.
    """
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


def _launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=installed.executable(), args=_FLAGS)
