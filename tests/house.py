"""Lines of Python per folder against their budgets: ``python -m tests.house``.

A number may fall. To raise one, cut another by as much in the same commit, or say in the changelog
what users get for it.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "mnemic"
ROOT = "(root files)"
BUDGETS = {
    "language": 11_839,
    "store": 10_688,
    "learn": 6_970,
    "moving": 5_954,
    "cli": 5_242,
    "providers": 4_165,
    "documents": 3_927,
    "engine": 3_908,
    "integrations": 2_874,
    "recall": 2_882,
    "upkeep": 2_810,
    "settings": 2_691,
    "rules": 2_191,
    "index": 1_990,
    "record": 1_964,
    "serve": 1_928,
    "context": 1_867,
    "tools": 1_772,
    "forget": 1_529,
    "types": 1_373,
    ROOT: 780,
    "health": 694,
    "jobs": 419,
    "compat": 230,
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
