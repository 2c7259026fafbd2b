"""Lines of Python per folder against their budgets: ``python -m tests.house``.

A number may fall. To raise one, cut another by as much in the same commit, or say in the changelog
what users get for it.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "mnemic"
ROOT = "(root files)"
BUDGETS = {
    "language": 10_876,
    "store": 9_898,
    "learn": 7_106,
    "moving": 5_509,
    "cli": 4_352,
    "providers": 3_785,
    "engine": 3_956,
    "documents": 3_385,
    "recall": 2_811,
    "integrations": 2_644,
    "upkeep": 2_567,
    "settings": 2_524,
    "sync": 2_473,
    "serve": 2_370,
    "rules": 2_105,
    "record": 1_828,
    "index": 1_876,
    "context": 1_749,
    "tools": 1_605,
    "forget": 1_508,
    "types": 1_455,
    ROOT: 1_040,
    "health": 642,
    "jobs": 365,
    "compat": 206,
    "prompts": 52,
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
