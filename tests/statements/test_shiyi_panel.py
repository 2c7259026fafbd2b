"""Shiyi: a panel shows the rates of its document."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from mnemic import Candidate
from tests.conftest import OpenMind
from tests.serve.inspector.browsers import browser  # noqa: F401 - a fixture


@pytest.mark.statement("C55")
def test_a_panel_shows_them(
    open_mind: OpenMind,
    tmp_path: Path,
    browser: Browser,  # noqa: F811
) -> None:
    mind = open_mind(tmp_path / "memory.db", preset="shiyi")
    for n, drink in enumerate(("绿茶", "咖啡", "牛奶", "可乐")):
        offer = Candidate(kind="preference", text=f"喜欢喝{drink}", value=drink, confidence=0.7)
        waiting = mind.propose(offer).memory
        assert waiting is not None
        if n < 3:
            (mind.ignore if n == 2 else mind.confirm)(waiting.id)
    mind.remember("猫的名字叫米娅", kind="fact")
    mind.record(session="s", role="user", text="还记得我的猫叫什么名字吗？")
    mind.context("还记得我的猫叫什么名字吗？", session="s")
    mind.close()
    command = ("--db", str(tmp_path / "memory.db"), "--preset", "shiyi", "serve", "--port", "0")
    server = subprocess.Popen(
        [sys.executable, "-m", "mnemic", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert server.stdout is not None
        told = ""
        while "mnm_" not in told or "http://" not in told:
            line = server.stdout.readline()
            assert line, told
            told += line
        (address,) = set(re.findall(r"http://127\.0\.0\.1:\d+", told))
        (token,) = set(re.findall(r"mnm_[\w-]+", told))
        page = browser.new_page(locale="en-GB")
        page.goto(f"{address}/#token={token}")
        panel = page.locator("main")
        for shown in ("Pending statements confirmed", "(2 / 3)", "Memories taken back",
                      "Share of memory in prompts", "Failed", "Waiting"):  # fmt: skip
            expect(panel).to_contain_text(shown, timeout=20_000)
        page.close()
    finally:
        server.terminate()
        server.communicate(timeout=30)
