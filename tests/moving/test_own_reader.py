"""The reader of docs/importing.md, installed as a package would install it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import mnemic
from tests.cli.conftest import Shell, db, shell
from tests.moving.sources import by_text

__all__ = ["db", "shell"]
pytestmark = pytest.mark.feature("O2")
PAGE = Path(__file__).parents[2] / "docs" / "importing.md"


def install(site: Path, code: str, entry: str) -> None:
    info = site / "diary-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: diary\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[mnemic.readers]\n{entry}\n")
    (site / "diary.py").write_text(code, "utf-8")


def test_a_package_adds_a_format(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = PAGE.read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    (code,) = [block for block in blocks if "class DiaryReader" in block]
    (entry,) = re.findall(r'\[project\.entry-points\."mnemic\.readers"\]\n(.*?)\n', text)
    install(tmp_path / "site", code, entry.replace('"', ""))
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.delitem(sys.modules, "diary", raising=False)
    (tmp_path / "mine.diary").write_text("2026-02-12 likes tea\n2026-02-13\n2026-02-14 ran 5 km\n")
    done = shell.json("import", "mine.diary", code=1)
    assert (done["format"], done["added"], done["rejected"]) == ("diary", 2, 1)
    assert done["problems"] == [{"place": "line 2", "reason": "it says nothing"}]
    assert shell.json("import", "mine.diary", code=1)["added"] == 0
    with mnemic.open(shell.db, worker="none") as mind:
        found = by_text(mind.memories())
        assert found["likes tea"].created_at.date().isoformat() == "2026-02-12"
        assert found["likes tea"].metadata["imported_from"] == "diary"


def test_a_reader_that_cannot_be_loaded_is_named(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", "import a_module_that_is_not_there\n", "diary = diary:READER")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.delitem(sys.modules, "diary", raising=False)
    (tmp_path / "notes.md").write_text("- likes tea\n")
    told = shell("import", "notes.md", code=2).stderr
    assert "The reader diary cannot be loaded" in told
