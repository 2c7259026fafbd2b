"""Pictures of every Inspector view: ``python -m scripts.inspector_pictures [FOLDER [NAME]]``.

A life of a few weeks is told to a real service and looked at with Chromium, in both languages and
themes, on a desktop and on a phone; a name such as ``en-light-desktop`` picks one of the eight. The
pictures are build output; they are for looking at.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, Page, ViewportSize

from mnemic.clock import ManualClock
from tests.conftest import NOON
from tests.serve.http.conftest import Running, serving
from tests.serve.inspector.browsers import chromium
from tests.serve.inspector.conftest import SETTINGS, visiting
from tests.serve.inspector.life import lived

USUAL = Path("build") / "screenshots" / "views"
SIZES: dict[str, ViewportSize] = {
    "desktop": {"width": 1320, "height": 860},
    "phone": {"width": 390, "height": 844},
}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
VIEWS = {
    "overview": "overview",
    "search": "search?q=which+python+do+I+use",
    "memories": "memories",
    "memory": "memories/{memory}",
    "timeline": "timeline",
    "conversation": "timeline/trip?at=2",
    "pending": "pending",
    "scratchpad": "documents",
    "document": "documents/USER.md",
    "jobs": "jobs",
    "audit": "audit",
    "devices": "devices",
    "forget": "forget?by=query&what=Berlin",
}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else USUAL
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        lived(Path(place), ManualClock(NOON), SETTINGS)
        with serving(Path(place), ManualClock(NOON), **SETTINGS) as served:
            for locale, theme, size in itertools.product(("en-US", "zh-CN"), THEMES, SIZES):
                name = f"{locale[:2]}-{theme}-{size}"
                options = {"locale": locale, "color_scheme": theme, "viewport": SIZES[size]}
                if name in sys.argv[2:] or len(sys.argv) <= 2:
                    take_all(browser, served, folder / name, options)
    print(folder)


def take_all(browser: Browser, served: Running, folder: Path, options: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    memory = served.engine.mind("default").memories(text="Minka")[0].id
    with visiting(browser, served, **options) as watched:
        watched.page.goto(served.url)
        watched.page.wait_for_selector("#token")
        take(watched.page, folder, "login")
        watched.log_in(served.admin)
        for name, where in VIEWS.items():
            page = watched.open(where.format(memory=memory))
            if name in ("audit", "forget"):
                page.locator("main .primary").first.click()
            take(page, folder, name)
        watched.space = "empty"
        for name in ("overview", "search", "memories", "timeline", "documents"):
            take(watched.open(name), folder, f"empty-{name}")


def take(page: Page, folder: Path, name: str) -> None:
    page.wait_for_selector("text=/^(Loading…|加载中…)$/", state="detached")
    page.wait_for_selector(".ghost", state="detached")
    page.wait_for_selector("[aria-busy=true]", state="detached")
    page.screenshot(path=folder / f"{name}.png", full_page=True)


if __name__ == "__main__":
    main()
