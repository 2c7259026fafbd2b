"""A real Chromium on a real service: one browser for all, one service for all that only look."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Page,
    Request,
    expect,
)

from mnemic.clock import ManualClock
from mnemic.serve.http.access import COOKIE
from tests.conftest import NOON
from tests.serve.http.conftest import Running, serving
from tests.serve.inspector.browsers import chromium
from tests.serve.inspector.life import lived

PATIENCE = 10_000  # milliseconds, for a machine that is busy
expect.set_options(timeout=PATIENCE)
SETTINGS: dict[str, Any] = {"ledger": {"jsonl": True}}


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Nothing here needs an event loop of its own."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="package")
def life(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory that was lived, to be copied."""
    folder = tmp_path_factory.mktemp("life")
    lived(folder, ManualClock(NOON), SETTINGS)
    return folder


@contextmanager
def living(life: Path, folder: Path) -> Iterator[Running]:
    """A service on a copy of that memory."""
    shutil.copytree(life, folder, dirs_exist_ok=True)
    with serving(folder, ManualClock(NOON), **SETTINGS) as running:
        yield running


@pytest.fixture(scope="package")
def served(life: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """For tests that change nothing."""
    with living(life, tmp_path_factory.mktemp("inspector")) as running:
        yield running


@dataclass
class Watched:
    """A page, and what it must not do: say errors, open dialogs, ask elsewhere."""

    page: Page
    url: str
    space: str = "default"
    wrongs: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.page.on("pageerror", lambda error: self.wrongs.append(f"error: {error}"))
        self.page.on("console", self._said)
        self.page.on("dialog", self._dialog)
        self.page.on("request", self._asked)

    def _said(self, said: ConsoleMessage) -> None:
        # The browser notes every refusal of the API, which the page shows.
        if said.type == "error" and "responded with a status of 4" not in said.text:
            self.wrongs.append(said.text)

    def _dialog(self, dialog: Dialog) -> None:
        self.wrongs.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((self.url, "blob:", "data:")):
            self.wrongs.append(f"asked {request.url}")

    def open(self, where: str) -> Page:
        """Go to a page of the space and wait until it is drawn."""
        self.page.goto(f"{self.url}/#/{self.space}/{where}")
        return self.settled()

    def settled(self) -> Page:
        """Wait until nothing is being asked for."""
        self.page.evaluate("new Promise((done) => { setTimeout(done); })")  # it saw its address
        self.page.wait_for_selector("main h1")
        self.page.wait_for_selector("[aria-busy=true]", state="detached")
        return self.page

    def log_in(self, token: str) -> Page:
        self.page.goto(f"{self.url}/#token={token}")
        return self.settled()


@contextmanager
def visiting(browser: Browser, served: Running, **options: Any) -> Iterator[Watched]:
    context: BrowserContext = browser.new_context(
        **{"locale": "en-GB", "timezone_id": "UTC", "reduced_motion": "reduce", **options}
    )
    context.set_default_timeout(PATIENCE)
    watched = Watched(context.new_page(), served.url)
    watched.watch()
    try:
        yield watched
        assert watched.wrongs == []
    finally:
        context.close()


@pytest.fixture(scope="module")
def logged_in(browser: Browser, served: Running) -> Iterator[Watched]:
    """A desktop browser that is logged in as the admin of every space. Its process stays: to start
    one takes longer than most tests.
    """
    with served.http() as http:
        http.post("/session", json={"token": served.admin}).raise_for_status()
        cookie = http.cookies[COOKIE]
    with visiting(browser, served) as watched:
        watched.page.context.add_cookies([{"name": COOKIE, "value": cookie, "url": served.url}])
        yield watched


@pytest.fixture
def visit(logged_in: Watched) -> Iterator[Watched]:
    """A page as a person finds it who comes for the first time."""
    logged_in.space = "default"
    yield logged_in
    assert logged_in.wrongs == []
    if logged_in.page.url != "about:blank":
        logged_in.page.evaluate("localStorage.clear()")
        logged_in.page.goto("about:blank")
