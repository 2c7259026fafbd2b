"""Take the pictures of the docs from a real run: `python -m scripts.pictures docs/pictures`.

A small memory is made by talking to it, then looked at in the shell, in the Inspector and as an
exported page. Needs Chromium and the checks' environment.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser

from tests.serve.inspector.browsers import chromium

SAID = {
    "en": ("I moved to Lisbon in March, and I use Python 3.12 now.",
           "My sister Ines is allergic to peanuts.", "Please keep answers short from now on.",
           "We deploy every Friday, and the port is 8443.", "I moved to Porto last week."),
    "zh": ("我三月搬到了里斯本，现在用 Python 3.12。", "我妹妹小林对花生过敏。",
           "以后回答请简短一些。",
           "我们每周五部署，端口是 8443。", "我上周搬到了波尔图。"),
}  # fmt: skip
ASKED = {"en": "where do I live?", "zh": "我住在哪里？"}
SIZE = {"width": 1180, "height": 720}


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m scripts.pictures FOLDER")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for language in SAID:
            take(browser, language, folder, "" if language == "en" else f".{language}")


def take(browser: Browser, language: str, folder: Path, ending: str) -> None:
    """All pictures of one language."""
    with tempfile.TemporaryDirectory() as home:
        run = Run(Path(home), language)
        for number, text in enumerate(SAID[language]):
            run("record", "--session", f"day-{number // 3}", text)
        run("end", "day-0")
        run("end", "day-1")
        run("worker", "--once")
        shell = [("memories",), ("recall", ASKED[language], "--limit", "2", "--explain")]
        draw_terminal(run, shell, folder / f"shell{ending}.svg")
        if not can_draw(language):
            print(f"No font for {language}: only the shell was drawn")
            return
        run("export", "memory.html")
        look(browser, language, f"file://{home}/memory.html", folder / f"export{ending}.png")
        command = [*run.command, "serve", "--port", "0", "--json"]
        with subprocess.Popen(command, cwd=home, env=run.env, stdout=subprocess.PIPE) as service:
            assert service.stdout is not None
            address = json.loads(service.stdout.readline())
            page = f"{address['url']}/#token={address['token']}"
            views = {"search": f"/default/search?q={ASKED[language]}",
                     "memories": "/default/memories"}  # fmt: skip
            paths = {place: folder / f"{name}{ending}.png" for name, place in views.items()}
            shoot_views(browser, language, page, paths)
            service.terminate()


def can_draw(language: str) -> bool:
    """Whether this machine has a font for the language."""
    listed = subprocess.run(["fc-list", f":lang={language}"], capture_output=True, check=False)
    return language == "en" or bool(listed.stdout.strip())


class Run:
    """The command in a folder of its own."""

    def __init__(self, home: Path, language: str) -> None:
        self.command = [sys.executable, "-m", "mnemic"]
        locale = "en_US.UTF-8" if language == "en" else "zh_CN.UTF-8"
        self.home = home
        self.env = {**os.environ, "MNEMIC_DB": "me.db", "LANG": locale, "LC_ALL": locale,
                    "PYTHONUTF8": "1", "HOME": str(home)}  # fmt: skip

    def __call__(self, *args: str) -> str:
        done = subprocess.run([*self.command, *args], cwd=self.home, env=self.env, check=True,
                              capture_output=True, text=True)  # fmt: skip
        return done.stdout


def draw_terminal(run: Run, commands: list[tuple[str, ...]], path: Path) -> None:
    """What the commands print, as they stand in a terminal."""
    from rich.console import Console

    console = Console(record=True, width=110, file=open(os.devnull, "w"))  # noqa: SIM115, PTH123
    for args in commands:
        words = " ".join(f'"{arg}"' if " " in arg or not arg.isascii() else arg for arg in args)
        console.print(f"[bold]$ mnemic {words}[/bold]", highlight=False)
        console.print(run(*args), highlight=False, markup=False)
    drawn = console.export_svg(title="mnemic")
    drawn = re.sub(r"(?s)@font-face \{.*?\}\s*", "", drawn)  # nothing is loaded from elsewhere
    path.write_text(drawn, encoding="utf-8")


def look(browser: Browser, language: str, address: str, path: Path) -> None:
    context = browser.new_context(viewport=SIZE, locale=language, color_scheme="light")  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(address)
    page.wait_for_timeout(500)
    page.screenshot(path=path)
    context.close()


def shoot_views(browser: Browser, language: str, address: str, views: dict[str, Path]) -> None:
    context = browser.new_context(viewport=SIZE, locale=language, color_scheme="light")  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(address)
    page.wait_for_load_state("networkidle")
    for place, path in views.items():
        page.evaluate("place => { location.hash = place }", place)
        page.wait_for_timeout(1_500)
        page.screenshot(path=path)
    context.close()


if __name__ == "__main__":
    main()
