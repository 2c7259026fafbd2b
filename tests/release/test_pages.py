"""Pages are followed as printed, by a reader who installed the core alone: a few here, all of them
from the wheel by `make release`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.release.environments import ROOT, core_environment
from tests.release.pages import blocks, pages
from tests.release.printed import differs
from tests.release.walk import Walk

FOLLOWED = ("forgetting.md", "importing.md")


@pytest.mark.parametrize("name", FOLLOWED)
def test_a_page_does_what_it_says(name: str, tmp_path: Path) -> None:
    core = core_environment(tmp_path / "venv")
    with Walk(ROOT / "docs" / name, core, tmp_path / "home") as walk:
        assert walk.failures() == []
    assert walk.ran


def test_the_demo_plays_with_the_core_alone(tmp_path: Path) -> None:
    core = core_environment(tmp_path / "venv")
    found = {"PYTHONPATH": str(ROOT)}
    shown = core.run("python", "-m", "examples.demo", folder=tmp_path, more=found)
    assert shown.returncode == 0, shown.stderr


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_what_cannot_be_run_is_marked(page: Path) -> None:
    """A translation has the blocks of its original."""
    foreign = ("claude ", "litestream ", "podman ", "sudo ")
    for block in blocks(page):
        assert block.excuse or not block.text.startswith(foreign), str(block)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("3 jobs: 3 done.", "3 jobs: 3 done.", True),
        ("3 jobs: 3 done.", "3 jobs: 2 done.", False),
        ("a 01a1e748-bb3e-…#0 b", "a 01a1e7d8-b54c-7000-8786-a8e140e08e56#0 b", True),
        ("0.98 · 2026-11-16 09:12", "0.12 · 2027-01-02 10:00", True),
        ("Python 3.12", "Python 3.11", False),
        ("one\n…", "one\ntwo\nthree", True),
        ("one", "one\ntwo", False),
        ("one\ntwo", "one", False),
    ],
)
def test_what_a_page_shows_is_what_is_printed(shown: str, printed: str, same: bool) -> None:
    assert (differs(shown, printed) == "") is same
