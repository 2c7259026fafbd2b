"""How memories fade by preset: a table and a picture, made from the settings themselves.

``python -m bench.decay_plot docs`` writes docs/decay.md and docs/decay.svg.
"""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

from recollect.rules.decay import FadingLaw, class_of, faded
from recollect.settings import load
from recollect.settings.upkeep import DecaySettings
from recollect.types import KINDS, Kind

PRESETS = ("default", "openakita", "shiyi", "myclaw", "semibot")
DAYS = (0, 1, 3, 7, 14, 30, 60, 90, 120, 180, 270, 365)
_COLOURS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951")
_WIDE, _HIGH, _LEFT, _TOP, _GAP = 260, 170, 34, 26, 40


def curves(decay: DecaySettings) -> dict[tuple[Kind, ...], FadingLaw]:
    """Kinds that fade alike, and how."""
    groups: dict[FadingLaw, list[Kind]] = {}
    for kind in KINDS:
        groups.setdefault(class_of(kind, decay), []).append(kind)
    return {tuple(kinds): found for found, kinds in groups.items()}


def markdown() -> str:
    """The page: the law, a table for each preset, and what becomes of what has faded."""
    parts = [
        "# How memories fade",
        "<!-- Written by `python -m bench.decay_plot docs`; a test compares the two. -->",
        "One law serves every preset:"
        " `importance x (floor + (1 - floor) x 0.5^(days / half-life))`, where the days count from"
        " the last use. A loss of a tenth a day, `(1 - 0.1)^days`, and `e^(-rate x days)` are"
        " half-lives of it. The tables show what is left of an importance of 1. Upkeep acts on what"
        " has faded: below `delete_below` a memory is deleted, below `archive_below` archived"
        " unless it was used `archive_accesses` times, below `demote_below` it becomes transient."
        " Using a memory starts its days anew.",
        "![Curves by preset](decay.svg)",
    ]
    for preset in PRESETS:
        decay = load(preset, env={}).decay
        parts.append(f"## {preset}\n\n{_table(decay)}")
    return "\n\n".join(parts) + "\n"


def svg() -> str:
    """A small chart for each preset, a line for each way of fading."""
    height = _TOP + _HIGH + _GAP + 16 * 3
    width = len(PRESETS) * (_WIDE + _LEFT + 16)
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for n, preset in enumerate(PRESETS):
        left = n * (_WIDE + _LEFT + 16) + _LEFT
        drawn += _chart(preset, load(preset, env={}).decay, left)
    return "\n".join([*drawn, "</svg>"]) + "\n"


def _table(decay: DecaySettings) -> str:
    found = curves(decay)
    head = ["days", *(", ".join(kinds) for kinds in found)]
    rows = [
        [str(day), *(f"{faded(1.0, timedelta(days=day), law):.3f}" for law in found.values())]
        for day in DAYS
    ]
    fates = ["then", *(_fate(law) for law in found.values())]
    lines = [head, ["---:"] * len(head), *rows, fates]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _fate(law: FadingLaw) -> str:
    said = [
        f"{verb} below {limit:g}"
        for verb, limit in (
            ("deleted", law.delete_below),
            ("archived", law.archive_below),
            ("demoted", law.demote_below),
        )
        if limit
    ]
    return ", ".join(said) or "kept"


def _chart(preset: str, decay: DecaySettings, left: int) -> list[str]:
    bottom = _TOP + _HIGH
    drawn = [f'<text x="{left}" y="{_TOP - 10}" font-weight="bold">{preset}</text>']
    for share in (0, 0.5, 1):
        y = bottom - share * _HIGH
        drawn.append(f'<line x1="{left}" y1="{y}" x2="{left + _WIDE}" y2="{y}" stroke="#ddd"/>')
        drawn.append(f'<text x="{left - 6}" y="{y + 4}" text-anchor="end">{share:g}</text>')
    for day in (0, 90, 180, 270, 365):
        x = left + day / 365 * _WIDE
        drawn.append(f'<text x="{x:.0f}" y="{bottom + 14}" text-anchor="middle">{day}</text>')
    for n, (kinds, law) in enumerate(curves(decay).items()):
        points = " ".join(
            f"{left + day / 365 * _WIDE:.1f},"
            f"{bottom - faded(1.0, timedelta(days=day), law) * _HIGH:.1f}"
            for day in range(0, 366, 5)
        )
        colour = _COLOURS[n % len(_COLOURS)]
        drawn.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        shown = ", ".join(kinds[:5]) + (" …" if len(kinds) > 5 else "")
        y = bottom + 32 + 14 * n
        drawn.append(f'<text x="{left}" y="{y}" fill="{colour}">{shown}</text>')
    return drawn


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    (folder / "decay.md").write_text(markdown(), encoding="utf-8")
    (folder / "decay.svg").write_text(svg(), encoding="utf-8")
