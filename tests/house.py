"""Lines of Python per folder against their budgets: ``python -m tests.house``.

A number may fall. To raise one, cut another by as much in the same commit, or say in the changelog
what users get for it.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "mnemic"
ROOT = "(root files)"
BUDGETS = {
    "language": 11_006,
    "store": 10_461,
    "learn": 7_396,
    "moving": 5_771,
    "cli": 4_877,
    "providers": 4_372,
    "engine": 4_314,
    "documents": 3_676,
    "recall": 2_903,
    "integrations": 2_781,
    "upkeep": 2_745,
    "settings": 2_731,
    "sync": 2_550,
    "serve": 2_498,
    "rules": 2_190,
    "record": 1_956,
    "index": 1_863,
    "context": 1_814,
    "tools": 1_669,
    "forget": 1_579,
    "types": 1_476,
    ROOT: 927,
    "health": 716,
    "jobs": 428,
    "compat": 209,
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
