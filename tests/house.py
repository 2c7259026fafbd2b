"""Lines of Python per folder against their budgets: ``python -m tests.house``.

A number may fall. To raise one, cut another by as much in the same commit, or say in the changelog
what users get for it.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "mnemic"
ROOT = "(root files)"
BUDGETS = {
    "language": 10_906,
    "store": 10_557,
    "learn": 7_138,
    "moving": 5_777,
    "cli": 5_572,
    "engine": 4_408,
    "providers": 4_356,
    "documents": 3_714,
    "recall": 2_907,
    "integrations": 2_872,
    "settings": 2_811,
    "upkeep": 2_804,
    "serve": 2_567,
    "sync": 2_550,
    "rules": 2_221,
    "record": 2_022,
    "context": 1_901,
    "index": 1_891,
    "tools": 1_770,
    "forget": 1_604,
    "types": 1_467,
    ROOT: 887,
    "health": 716,
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
