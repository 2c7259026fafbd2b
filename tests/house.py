"""Lines of Python per folder against their budgets: ``python -m tests.house``.

A number may fall. To raise one, cut another by as much in the same commit, or say in the changelog
what users get for it.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "mnemic"
ROOT = "(root files)"
BUDGETS = {
    "language": 12_150,
    "store": 11_587,
    "learn": 7_141,
    "moving": 5_780,
    "cli": 5_561,
    "providers": 4_346,
    "engine": 4_402,
    "documents": 3_716,
    "recall": 2_907,
    "integrations": 2_872,
    "upkeep": 2_853,
    "settings": 2_802,
    "sync": 2_574,
    "serve": 2_460,
    "rules": 2_220,
    "record": 2_023,
    "index": 1_990,
    "context": 1_897,
    "tools": 1_770,
    "forget": 1_651,
    "types": 1_467,
    ROOT: 887,
    "health": 714,
    "jobs": 428,
    "compat": 209,
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
