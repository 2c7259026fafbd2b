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
_COMMAND = re.compile(r"^\d+\. `(?P<code>python -m [^`]+)`", re.M)
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
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_code(match) + "\n", encoding="utf-8")
        steps += 1
    for match in _BELOW.finditer(page):
        _edit(copy, match, f"{match['line']}\n{_code(match)}")
        steps += 1
    for match in _REPLACE.finditer(page):
        _edit(copy, match, _code(match))
        steps += 1
    return steps


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the project."""
    copied = tmp_path / "project"
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("src", "tests", "docs", "scripts"):
        shutil.copytree(ROOT / name, copied / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", copied)
    return copied


def _run(copy: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=copy,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(copy / "src"), "HOME": str(copy.parent)},
        check=False,
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_can_be_followed(page: Path, copy: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert _follow(text, copy) > 0
    commands = [shlex.split(command["code"])[1:] for command in _COMMAND.finditer(text)]
    checks = [
        ["-c", check["code"]] if check["kind"] == "python" else shlex.split(check["code"])[1:]
        for check in _CHECK.finditer(text)
    ]
    assert checks
    for command in (*commands, *checks):
        done = _run(copy, *command)
        assert done.returncode == 0, textwrap.shorten(done.stdout + done.stderr, 4_000)


def test_an_error_in_a_preset_leaves_the_page_of_settings_as_it_is(copy: Path) -> None:
    text = (ROOT / "docs" / "extending" / "preset.md").read_text(encoding="utf-8")
    _follow(text, copy)
    page, preset = copy / "docs/settings.md", copy / "src/mnemic/settings/presets/diary.toml"
    before = page.read_text(encoding="utf-8")
    (command,) = (shlex.split(match["code"])[1:] for match in _COMMAND.finditer(text))
    preset.write_text(preset.read_text(encoding="utf-8") + "limits = 20\n", encoding="utf-8")
    assert _run(copy, *command).returncode != 0
    assert page.read_text(encoding="utf-8") == before
    preset.write_text(preset.read_text(encoding="utf-8").replace("limits = 20\n", ""))
    assert _run(copy, *command).returncode == 0
    assert "diary" in page.read_text(encoding="utf-8")


def test_a_language_with_patterns_alone_is_recorded_recalled_and_shown(copy: Path) -> None:
    """What German has no data for, words of questions and texts of prompts, is as in English."""
    page = (ROOT / "docs" / "extending" / "language.md").read_text(encoding="utf-8")
    _follow(page[: page.index("\n2. ")], copy)
    done = _run(
        copy,
        "-c",
        "import mnemic\n"
        "with mnemic.open(':memory:', worker='none') as mind:\n"
        "    with mind.session('s') as talk:\n"
        "        talk.user('Ich lebe in Rostock')\n"
        "        talk.user('Mein Fahrrad steht im Keller neben der Werkbank.')\n"
        "    mind.upkeep()\n"
        "    assert 'Rostock' in mind.recall('Where do I live?')[0].text\n"
        "    assert 'Keller' in mind.recall('Wo steht mein Fahrrad?')[0].text\n"
        "    assert 'Keller' in mind.context('Wo steht mein Fahrrad?').text\n",
    )
    assert done.returncode == 0, done.stderr


def test_there_is_a_page_for_each() -> None:
    assert {page.stem for page in PAGES} >= {"language", "preset", "provider", "store", "tool"}


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_a_map_names_what_is_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]*(?:\.py)?)`", text))
    assert len(named) > 5
    places = (ROOT, ROOT / "src" / "mnemic", ROOT / "docs")
    assert not [name for name in named if not any((place / name).exists() for place in places)]
