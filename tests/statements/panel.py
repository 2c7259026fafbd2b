"""The page of a service as a person opens it: by the address and the token that it prints."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, expect


def check_panel(browser: Browser, database: Path, locale: str, *shown: str) -> None:
    """Serve a database with the preset shiyi, and look for texts on the page that opens."""
    command = ("--db", str(database), "--preset", "shiyi", "serve", "--port", "0")
    served = subprocess.Popen(
        [sys.executable, "-m", "mnemic", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert served.stdout is not None
        told = ""
        while "mnm_" not in told or "http://" not in told:
            line = served.stdout.readline()
            assert line, told
            told += line
        (address,) = set(re.findall(r"http://127\.0\.0\.1:\d+", told))
        (token,) = set(re.findall(r"mnm_[\w-]+", told))
        page = browser.new_page(locale=locale)
        page.goto(f"{address}/#token={token}")
        for text in shown:
            expect(page.locator("main")).to_contain_text(text, timeout=20_000)
        page.close()
    finally:
        served.terminate()
        served.communicate(timeout=30)
