"""Pictures of docs/performance.md and docs/scale.md, drawn from the tables of those pages in either
language.

``python -m bench.performance_plot docs`` writes recall.svg, speed.svg and growth.svg, each also in
Chinese.
"""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from typing import NamedTuple

SUFFIXES = ("", ".zh")
# The rows of the second table that are drawn, by how they begin.
_SEARCH = ("text search, English", "文本搜索，英文")
_WHOLE = ("the same with vectors, English", "同上，带向量，英文")
_LABELS = {
    "": ("bare OR query (FTS5)", "text search", "whole recall, with vectors", "turns", "ms, p50"),
    ".zh": ("裸 OR 查询（FTS5）", "文本搜索", "完整回忆，带向量", "轮", "毫秒，p50"),
}
# The columns of the table of growth that are drawn, and how that table begins.
_GROWS = ("turns in a space", "一个空间的轮数")
_GROWN = {
    "": (
        ("c1", 4, "recall by words"),
        ("ours", 5, "nearest vectors"),
        ("c2", 2, "recording a turn"),
    ),
    ".zh": (("c1", 4, "按词回忆"), ("ours", 5, "最近的向量"), ("c2", 2, "记录一轮")),
}
_TIME = re.compile(r"([\d.]+)(?: / [\d.]+)? (ms|s)\b")
_WIDE, _HIGH, _LEFT, _TOP = 760, 240, 48, 48
_SERIES = ("c1", "c2", "c3", "ours")
# The picture brings its own ground, so that it can be read on any page.
_STYLE = (
    "<style>text{font:12px sans-serif;fill:#333}.ground{fill:#fff}.grid{stroke:#ddd}"
    ".c1{fill:#c4c4c4}.c2{fill:#a0a0a0}.c3{fill:#7c7c7c}.ours{fill:#3b6fd4}"
    "polyline.c1,polyline.c2,polyline.ours{fill:none;stroke-width:2.5}"
    "polyline.c1{stroke:#8c8c8c}polyline.c2{stroke:#2f9e6e}polyline.ours{stroke:#3b6fd4}"
    "circle.c1{fill:#8c8c8c}circle.c2{fill:#2f9e6e}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.ground{fill:#0d1117}.grid{stroke:#333}"
    ".c1{fill:#555}.c2{fill:#777}.c3{fill:#999}.ours{fill:#6ea0ff}polyline.ours{stroke:#6ea0ff}}"
    "</style>"
)


class LatencyPoint(NamedTuple):
    """A measured median, and the baseline of the same run."""

    turns: int
    ours: float
    baseline: float


class GrowthLine(NamedTuple):
    """A line of a picture: its class, what it is called, and milliseconds by turns."""

    name: str
    label: str
    points: list[tuple[int, float]]


def tables(page: str) -> list[list[list[str]]]:
    """The tables of a page, as cells without their marks; the line under the head is left out."""
    found: list[list[list[str]]] = [[]]
    for line in page.splitlines():
        if not line.startswith("|"):
            found.append([])
        elif not line.startswith("|---"):
            found[-1].append([cell.strip(" *") for cell in line.strip("|").split("|")])
    return [table for table in found if table]


def recall_svg(page: str) -> str:
    """A group of bars for each set: the plain baselines, and ours as it is now."""
    head, *rows = tables(page)[0]
    drawn = [*rows[:3], rows[-1]]
    step = (_WIDE - _LEFT) / len(head[1:])
    bar = step / 5
    parts = _grid([(share, f"{share:g}") for share in (0, 0.25, 0.5, 0.75, 1)])
    for place, name in enumerate(head[1:]):
        left = _LEFT + place * step + bar / 2
        parts.append(_text(left + 2 * bar, _TOP + _HIGH + 18, name, "middle"))
        for n, row in enumerate(drawn):
            value = _number(row[place + 1])
            x, high = left + n * bar, value * _HIGH
            parts.append(
                f'<rect class="{_SERIES[n]}" x="{x:.1f}" y="{_TOP + _HIGH - high:.1f}"'
                f' width="{bar - 2:.1f}" height="{high:.1f}"/>'
            )
            if n == len(drawn) - 1:
                shown = f"{value:.3f}".removeprefix("0")
                parts.append(_text(x + bar / 2, _TOP + _HIGH - high - 5, shown, "middle"))
    x = float(_LEFT)
    for n, row in enumerate(drawn):
        parts.append(
            f'<rect class="{_SERIES[n]}" x="{x:.0f}" y="{_TOP - 34}" width="12" height="12"/>'
        )
        parts.append(_text(x + 18, _TOP - 24, row[0], "start"))
        x += 44 + 7 * sum(2 if ord(char) > 255 else 1 for char in row[0])
    return _picture(parts, 30)


def speed_svg(page: str, suffix: str) -> str:
    """How the median of a search grows with the turns."""
    rows = tables(page)[1]
    search, whole = _points(rows, _SEARCH), _points(rows, _WHOLE)
    plain, ours, both, *_ = _LABELS[suffix]
    lines = [
        GrowthLine("c1", plain, [(one.turns, one.baseline) for one in search]),
        GrowthLine("ours", both, [(one.turns, one.ours) for one in whole]),
        GrowthLine("c2", ours, [(one.turns, one.ours) for one in search]),
    ]
    return _growth(lines, {"ours", "c2"}, suffix)


def growth_svg(page: str, suffix: str) -> str:
    """How the medians on a server grow with the turns of a space, as far as they were measured."""
    (rows,) = [rows for head, *rows in tables(page) if head[0].startswith(_GROWS)]
    lines = [
        GrowthLine(
            name,
            label,
            [
                (int(row[0].replace(",", "")), _milliseconds(row[n]))
                for row in rows
                if _TIME.search(row[n])
            ],
        )
        for name, n, label in _GROWN[suffix]
    ]
    return _growth(lines, {"c2"}, suffix)


def _growth(lines: list[GrowthLine], below: set[str], suffix: str) -> str:
    """Milliseconds over turns, on two logarithmic axes; the figures of the lines ``below`` stand
    under them, so that those of lines that cross or run close stay apart.
    """
    *_, turns, unit = _LABELS[suffix]
    parts = _grid([(_height(ms), f"{ms:,}") for ms in (1, 10, 100, 1000)])
    parts.append(_text(_LEFT - 8, _TOP - 26, unit, "start"))
    for n in (1_000, 10_000, 100_000, 1_000_000):
        parts.append(_text(_across(n), _TOP + _HIGH + 18, f"{n:,}", "middle"))
    parts.append(_text(_across(1_000_000) + 40, _TOP + _HIGH + 18, turns, "start"))
    for name, label, points in lines:
        places = [(_across(n), _TOP + _HIGH - _height(ms) * _HIGH) for n, ms in points]
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline class="{name}" points="{joined}"/>')
        for (x, y), (_, ms) in zip(places, points, strict=True):
            parts.append(f'<circle class="{name}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>')
            aside = 18 if name in below else -8
            parts.append(_text(x, y + aside, f"{ms:,g}" if ms < 1000 else f"{ms:,.0f}", "middle"))
        x, y = places[-1]
        parts.append(_text(x + 24, y + 4, label, "start"))
    return _picture(parts, 30)


def _points(rows: list[list[str]], begins: tuple[str, ...]) -> list[LatencyPoint]:
    found = [row for row in rows if row[0].startswith(begins)]
    return [
        LatencyPoint(
            int(re.findall(r"([\d,]+) ?(?:turns|轮)", row[0])[0].replace(",", "")),
            _milliseconds(row[1]),
            _milliseconds(row[2]),
        )
        for row in found
    ]


def _milliseconds(cell: str) -> float:
    """The first figure of a cell with its unit: "12 / 23 ms" is 12, "1.9 / 3.1 s" is 1,900."""
    value, unit = _TIME.findall(cell)[0]
    return float(value) * (1000 if unit == "s" else 1)


def _number(cell: str) -> float:
    return float(re.findall(r"\d?\.\d+", cell)[0])


def _across(turns: int) -> float:
    return _LEFT + 30 + (math.log10(turns) - 3) / 3 * (_WIDE - _LEFT - 260)


def _height(milliseconds: float) -> float:
    """From a quarter of a millisecond at the bottom to three seconds at the top."""
    return (math.log10(milliseconds) - math.log10(0.25)) / math.log10(3000 / 0.25)


def _grid(lines: list[tuple[float, str]]) -> list[str]:
    parts = []
    for share, label in lines:
        y = _TOP + _HIGH * (1 - share)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDE}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(_LEFT - 8, y + 4, label, "end"))
    return parts


def _text(x: float, y: float, said: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{said}</text>'


def _picture(parts: list[str], below: int) -> str:
    width, height = _WIDE + 12, _TOP + _HIGH + below
    ground = f'<rect class="ground" width="{width}" height="{height}"/>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
    return "\n".join([head, _STYLE, ground, *parts, "</svg>"]) + "\n"


def pictures(folder: Path) -> dict[str, str]:
    """Every picture by the name of its file."""
    drawn = {}
    for suffix in SUFFIXES:
        page = (folder / f"performance{suffix}.md").read_text(encoding="utf-8")
        drawn[f"recall{suffix}.svg"] = recall_svg(page)
        drawn[f"speed{suffix}.svg"] = speed_svg(page, suffix)
        page = (folder / f"scale{suffix}.md").read_text(encoding="utf-8")
        drawn[f"growth{suffix}.svg"] = growth_svg(page, suffix)
    return drawn


if __name__ == "__main__":
    place = Path(sys.argv[1])
    for file, picture in pictures(place).items():
        (place / file).write_text(picture, encoding="utf-8")
