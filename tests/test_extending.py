"""The pages of docs/extending are followed from start to end, on a copy of the project."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# A Chinese page has the code of the English one: tests/test_translations.py.
PAGES = [
    page
    for page in sorted((ROOT / "docs" / "extending").glob("*.md"))
    if not page.name.endswith(".zh.md")
]
_FENCE = r"\n\n *```\w+\n(?P<code>.*?)\n *```"
_NEW = re.compile(r"New file `(?P<path>[^`]+)`:" + _FENCE, re.S)
_BELOW = re.compile(r"In `(?P<path>[^`]+)`, below `(?P<line>[^`]+)`:" + _FENCE, re.S)
_REPLACE = re.compile(r"In `(?P<path>[^`]+)`, replace `(?P<line>[^`]+)` by:" + _FENCE, re.S)
_CHECK = re.compile(r"^```(?P<kind>python|console) check\n(?P<code>.*?)\n```", re.S | re.M)


def _code(match: re.Match[str]) -> str:
    """The block as it is to stand in the file: without the indent of the list it belongs to."""
    return re.sub(r"^ {3}", "", match["code"], flags=re.M)


def _edit(copy: Path, match: re.Match[str], text_after: str) -> None:
    path = copy / match["path"]
    text = path.read_text(encoding="utf-8")
    assert match["line"] in text, f"{match['path']} has no {match['line']!r}"
    path.write_text(text.replace(match["line"], text_after), encoding="utf-8")


def _follow(page: str, copy: Path) -> int:
    """Do what a page says to the copy; the number of steps."""
    steps = 0
    for match in _NEW.finditer(page):
        path = copy / match["path"]
        assert not path.exists()
        path.write_text(_code(match) + "\n", encoding="utf-8")
        steps += 1
    for match in _BELOW.finditer(page):
        _edit(copy, match, f"{match['line']}\n{_code(match)}")
        steps += 1
    for match in _REPLACE.finditer(page):
        _edit(copy, match, _code(match))
        steps += 1
    return steps


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_can_be_followed(page: Path, tmp_path: Path) -> None:
    copy = tmp_path / "project"
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, copy / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", copy)
    text = page.read_text(encoding="utf-8")
    assert _follow(text, copy) > 0
    checks = list(_CHECK.finditer(text))
    assert checks
    for check in checks:
        command = ["-c", check["code"]]
        if check["kind"] == "console":
            command = shlex.split(check["code"])[1:]
        done = subprocess.run(
            [sys.executable, *command],
            cwd=copy,
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "PYTHONPATH": str(copy / "src"), "HOME": str(tmp_path)},
            check=False,
        )
        assert done.returncode == 0, textwrap.shorten(done.stdout + done.stderr, 4_000)


def test_there_is_a_page_for_each() -> None:
    assert {page.stem for page in PAGES} >= {"language", "preset", "provider", "store", "tool"}


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_a_map_names_what_is_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]*(?:\.py)?)`", text))
    assert len(named) > 5
    places = (ROOT, ROOT / "src" / "mnemic", ROOT / "docs")
    assert not [name for name in named if not any((place / name).exists() for place in places)]
