"""Shiyi: a panel shows the rates of its document."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from mnemic import Candidate
from tests.conftest import OpenMind
from tests.serve.inspector.browsers import browser  # noqa: F401 - a fixture
from tests.statements.panel import check_panel


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
    shown = (
        "Pending statements confirmed", "(2 / 3)", "Memories taken back",
        "Share of memory in prompts", "Failed", "Waiting",
    )  # fmt: skip
    check_panel(browser, tmp_path / "memory.db", "en-GB", *shown)
