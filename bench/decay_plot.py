"""How memories fade by preset: a table and a picture, made from the settings themselves.

``python -m bench.decay_plot docs`` writes docs/decay.md, docs/decay.zh.md and docs/decay.svg.
"""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

from mnemic.rules.decay import FadingLaw, class_of, fade
from mnemic.settings import load
from mnemic.settings.upkeep import DecaySettings
from mnemic.types import KINDS, Kind

PRESETS = ("default", "openakita", "shiyi", "myclaw", "semibot")
DAYS = (0, 1, 3, 7, 14, 30, 60, 90, 120, 180, 270, 365)
_COLORS = ("#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951")
_WIDE, _HIGH, _LEFT, _TOP, _GAP = 260, 170, 34, 26, 40
_WORDS = {
    "en": {
        "title": "# How memories fade",
        "link": "[中文](decay.zh.md)",
        "law": "All presets use one formula:"
        " `importance x (floor + (1 - floor) x 0.5^(days / half-life))`, where the days count from"
        " the last use. A loss of a tenth per day, `(1 - 0.1)^days`, and `e^(-rate x days)` are the"
        " same formula with another half-life. The tables show what is left of an importance of 1."
        " Upkeep acts on faded memories: below `delete_below`, a memory is deleted; below"
        " `archive_below`, it is archived unless it was used `archive_accesses` times; below"
        " `demote_below`, it becomes transient. Using a memory restarts its count of days.",
        "picture": "Curves by preset",
        "days": "days",
        "then": "then",
        "deleted": "deleted below {:g}",
        "archived": "archived below {:g}",
        "demoted": "demoted below {:g}",
        "kept": "kept",
        "comma": ", ",
    },
    "zh": {
        "title": "# 记忆怎样衰减",
        "link": "[English](decay.md)",
        "law": "所有预设用同一条规律："
        "`importance x (floor + (1 - floor) x 0.5^(days / half-life))`，"
        "天数从最后一次使用算起。每天减少十分之一的 `(1 - 0.1)^days` 以及 `e^(-rate x days)`"
        " 都可以换算成它的半衰期。各表是重要性 1 还剩下多少。维护处理已经衰减的记忆：低于"
        " `delete_below` 的删除；低于 `archive_below` 的收起，除非用过 `archive_accesses`"
        " 次；低于 `demote_below` 的变为 transient。使用一条记忆，它的天数就从头算起。",
        "picture": "各预设的曲线",
        "days": "天数",
        "then": "之后",
        "deleted": "低于 {:g} 删除",
        "archived": "低于 {:g} 收起",
        "demoted": "低于 {:g} 降级",
        "kept": "保留",
        "comma": "，",
    },
}


def curves(decay: DecaySettings) -> dict[tuple[Kind, ...], FadingLaw]:
    """Kinds that fade alike, and how."""
    groups: dict[FadingLaw, list[Kind]] = {}
    for kind in KINDS:
        groups.setdefault(class_of(kind, decay), []).append(kind)
    return {tuple(kinds): found for found, kinds in groups.items()}


def markdown(language: str) -> str:
    """The page: the law, a table for each preset, and what becomes of what has faded."""
    words = _WORDS[language]
    parts = [
        words["title"],
        words["link"],
        "<!-- Written by `python -m bench.decay_plot docs`; a test compares the two. -->",
        words["law"],
        f"![{words['picture']}](decay.svg)",
    ]
    for preset in PRESETS:
        decay = load(preset, env={}).decay
        parts.append(f"## {preset}\n\n{_table(decay, words)}")
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


def _table(decay: DecaySettings, words: dict[str, str]) -> str:
    found = curves(decay)
    head = [words["days"], *(", ".join(kinds) for kinds in found)]
    rows = [
        [str(day), *(f"{fade(1.0, timedelta(days=day), law):.3f}" for law in found.values())]
        for day in DAYS
    ]
    fates = [words["then"], *(_fate(law, words) for law in found.values())]
    lines = [head, ["---:"] * len(head), *rows, fates]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _fate(law: FadingLaw, words: dict[str, str]) -> str:
    said = [
        words[verb].format(limit)
        for verb, limit in (
            ("deleted", law.delete_below),
            ("archived", law.archive_below),
            ("demoted", law.demote_below),
        )
        if limit
    ]
    return words["comma"].join(said) or words["kept"]


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
            f"{bottom - fade(1.0, timedelta(days=day), law) * _HIGH:.1f}"
            for day in range(0, 366, 5)
        )
        color = _COLORS[n % len(_COLORS)]
        drawn.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>')
        shown = ", ".join(kinds[:5]) + (" …" if len(kinds) > 5 else "")
        y = bottom + 32 + 14 * n
        drawn.append(f'<text x="{left}" y="{y}" fill="{color}">{shown}</text>')
    return drawn


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    (folder / "decay.md").write_text(markdown("en"), encoding="utf-8")
    (folder / "decay.zh.md").write_text(markdown("zh"), encoding="utf-8")
    (folder / "decay.svg").write_text(svg(), encoding="utf-8")
