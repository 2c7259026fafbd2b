"""Every Python example that people read is run as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# They need a server: tests/integrations/test_docs.py and tests/serve/http/test_docs.py.
ELSEWHERE = ("integrations.md", "serve.md")
WRITTEN = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "presets").glob("*.md")]
# A Chinese page has the code of the English one: tests/test_translations.py.
DOCS = [
    page
    for page in sorted(WRITTEN)
    if page.name not in ELSEWHERE and not page.name.endswith(".zh.md")
]
PAGES = [ROOT / "README.md", ROOT / "README.zh.md", *DOCS]
EXAMPLES = [
    pytest.param(code, id=f"{page.name}-{number}")
    for page in PAGES
    for number, code in enumerate(
        re.findall(r"(?<!-->\n)```python\n(.*?)```", page.read_text("utf-8"), re.S)
    )
]


@pytest.mark.parametrize("code", EXAMPLES)
def test_an_example_runs(
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "example", "exec"), {})
    if "print(" in code:
        assert "Python 3.12" in capsys.readouterr().out


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 2
