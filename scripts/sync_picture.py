"""Draw the pictures of docs/sync.md: ``python scripts/sync_picture.py docs``."""

from __future__ import annotations

import sys
from pathlib import Path

_WORDS = {
    "en": (
        "Two laptops and a shared folder", "laptop A", "laptop B", "shared folder",
        "writes only its own files", "reads the other's", "encrypted, numbered, checksummed",
        "carried by a stick, a synced directory, git …",
    ),
    "zh": (
        "两台笔记本和一个共享文件夹", "笔记本 A", "笔记本 B", "共享文件夹",
        "只写自己的文件", "读对方的文件", "加密、编号、带校验",
        "由 U 盘、同步目录、git 等传递",
    ),
}  # fmt: skip


def draw(language: str) -> str:
    title, first, second, folder, writes, reads, sealed, carried = _WORDS[language]
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 250" role="img"'
        f' aria-label="{title}" font-family="system-ui, sans-serif" font-size="14">',
        '<rect width="760" height="250" fill="#ffffff"/>',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8"'
        ' markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#2563eb"/></marker></defs>',
        _laptop(40, first),
        _laptop(580, second),
        '<path d="M300 60h60l12 14h88v110H300z" fill="#fef3c7" stroke="#b45309"/>',
        f'<text x="380" y="50" text-anchor="middle" fill="#111827">{folder}</text>',
    ]
    for line, name in enumerate(("A/000000000001.change", "A/000000000002.change",
                                 "B/000000000003.change")):  # fmt: skip
        parts.append(
            f'<text x="380" y="{105 + 24 * line}" text-anchor="middle" font-size="12"'
            f' font-family="monospace" fill="#92400e">{name}</text>'
        )
    for start, end, y, label in ((190, 292, 95, writes), (292, 190, 140, reads),
                                 (570, 468, 95, writes), (468, 570, 140, reads)):  # fmt: skip
        parts.append(
            f'<path d="M{start} {y}H{end}" stroke="#2563eb" stroke-width="2"'
            ' marker-end="url(#tip)"/>'
            f'<text x="{(start + end) // 2}" y="{y - 8}" text-anchor="middle" font-size="11"'
            f' fill="#374151">{label}</text>'
        )
    parts += [
        f'<text x="380" y="208" text-anchor="middle" font-size="12" fill="#374151">{sealed}</text>',
        f'<text x="380" y="230" text-anchor="middle" font-size="12"'
        f' fill="#6b7280">{carried}</text>',
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _laptop(x: int, name: str) -> str:
    return (
        f'<rect x="{x}" y="70" width="140" height="90" rx="8" fill="#dbeafe" stroke="#1d4ed8"/>'
        f'<rect x="{x - 12}" y="162" width="164" height="10" rx="4" fill="#93c5fd"/>'
        f'<text x="{x + 70}" y="112" text-anchor="middle" fill="#111827">{name}</text>'
        f'<text x="{x + 70}" y="134" text-anchor="middle" font-size="12" fill="#374151">memory.db'
        "</text>"
    )


if __name__ == "__main__":
    place = Path(sys.argv[1])
    for language, ending in (("en", ""), ("zh", ".zh")):
        (place / f"sync{ending}.svg").write_text(draw(language), encoding="utf-8")
