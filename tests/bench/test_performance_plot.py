"""The pictures of docs/performance.md and docs/scale.md are drawn from their tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.performance_plot import SUFFIXES, pictures

DOCS = Path(__file__).parents[2] / "docs"


def test_the_pictures_are_of_these_tables() -> None:
    drawn = pictures(DOCS)
    names = {f"{name}{suffix}.svg" for name in ("recall", "speed", "growth") for suffix in SUFFIXES}
    assert set(drawn) == names
    for name, picture in drawn.items():
        written = (DOCS / name).read_text(encoding="utf-8")
        assert written == picture, "python -m bench.performance_plot docs"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("recall.svg", "| **.817** |", "| **.901** |"),
        ("recall.zh.svg", "| .555 |", "| .601 |"),
        ("speed.svg", "| 8.7 / 24 ms |", "| 18 / 24 ms |"),
        ("speed.zh.svg", "裸 OR 查询 132 / 190 ms", "裸 OR 查询 1.3 / 1.9 s"),
    ],
)
def test_another_figure_is_another_picture(tmp_path: Path, name: str, old: str, new: str) -> None:
    for page in [f"{name}{suffix}.md" for name in ("performance", "scale") for suffix in SUFFIXES]:
        text = (DOCS / page).read_text(encoding="utf-8")
        (tmp_path / page).write_text(text.replace(old, new), encoding="utf-8")
    assert pictures(tmp_path)[name] != pictures(DOCS)[name]
