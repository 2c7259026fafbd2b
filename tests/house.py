"""Lines of Python per folder against their budgets: ``python -m tests.house``.

A number may fall. To raise one, cut another by as much in the same commit, or say in the changelog
what users get for it.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "mnemic"
ROOT = "(root files)"
BUDGETS = {
    "language": 11_893,
    "store": 10_354,
    "learn": 6_998,
    "moving": 5_577,
    "cli": 5_023,
    "providers": 4_302,
    "documents": 3_927,
    "engine": 3_876,
    "recall": 2_880,
    "integrations": 2_874,
    "upkeep": 2_810,
    "settings": 2_694,
    "rules": 2_177,
    "index": 1_990,
    "record": 1_942,
    "serve": 1_928,
    "context": 1_867,
    "tools": 1_772,
    "forget": 1_529,
    "types": 1_371,
    ROOT: 771,
    "health": 694,
    "jobs": 419,
    "prompts": 35,
}


def count_lines() -> dict[str, int]:
    """Lines of each folder of the package, and of the files beside them."""
    lines: dict[str, int] = {}
    for path in PACKAGE.rglob("*.py"):
        first = path.relative_to(PACKAGE).parts[0]
        folder = ROOT if first == path.name else first
        lines[folder] = lines.get(folder, 0) + len(path.read_text(encoding="utf-8").splitlines())
    return lines


def main() -> None:
    lines = count_lines()
    for folder in sorted(lines, key=lambda name: -lines[name]):
        print(f"{folder:16} {lines[folder]:6,} of {BUDGETS.get(folder, 0):6,}")
    print(f"{'all':16} {sum(lines.values()):6,} of {sum(BUDGETS.values()):6,}")


if __name__ == "__main__":
    main()
