"""The wheel of the checkout says where the project is, and the install lines of the pages lead to
it: from a folder of wheels, with no network.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.release.environments import ROOT

_INSTALL = re.compile(r"pip install (?:-\S+ )*[\"']?(mnemic(?:\[[\w,-]+\])?[^\s\"'`]*)")
_BUILD = "import sys; from flit_core.buildapi import build_wheel; print(build_wheel(sys.argv[1]))"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by the project's own backend, as `python -m build` has it done."""
    folder = tmp_path_factory.mktemp("wheels")
    done = subprocess.run(
        [sys.executable, "-c", _BUILD, str(folder)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return folder / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as content:
        (name,) = (name for name in content.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(content.read(name))


def install_lines() -> dict[str, list[str]]:
    """What the pages tell people to install, and which of them say so."""
    told: dict[str, list[str]] = {}
    for page in [*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")]:
        for requirement in _INSTALL.findall(page.read_text(encoding="utf-8")):
            told.setdefault(requirement.rstrip(".,;)"), []).append(page.name)
    return told


def test_the_wheel_says_where_the_project_is(metadata: Message) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    urls = dict(line.split(", ", 1) for line in metadata.get_all("Project-URL", []))
    assert urls == project["urls"]
    assert {"Homepage", "Documentation", "Changelog", "Issues"} <= urls.keys()
    assert (metadata["Name"], metadata["Requires-Python"]) == ("mnemic", project["requires-python"])


def test_every_install_line_names_extras_that_the_wheel_has(metadata: Message) -> None:
    provided = set(metadata.get_all("Provides-Extra", []))
    unknown = {
        requirement: pages
        for requirement, pages in install_lines().items()
        if not Requirement(requirement).extras <= provided
    }
    assert unknown == {}


def test_every_install_line_resolves_to_our_wheel(wheel: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
            *("--dry-run", "--ignore-installed", "--no-deps", "--no-index", "--no-cache-dir"),
            *("--find-links", str(wheel.parent), "--report", str(report), *install_lines()),
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "does not provide the extra" not in done.stderr
    (installed,) = json.loads(report.read_text(encoding="utf-8"))["install"]
    assert installed["download_info"]["url"] == wheel.as_uri()
    assert len(install_lines()) > 10
