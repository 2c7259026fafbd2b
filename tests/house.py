"""Lines of Python per folder against their budgets: ``python -m tests.house``.

A number may fall. To raise one, cut another by as much in the same commit, or say in the changelog
what users get for it.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "mnemic"
ROOT = "(root files)"
BUDGETS = {
    "language": 10_959,
    "store": 10_423,
    "learn": 7_184,
    "moving": 5_662,
    "cli": 4_877,
    "providers": 4_025,
    "engine": 4_163,
    "documents": 3_523,
    "recall": 2_855,
    "integrations": 2_768,
    "upkeep": 2_677,
    "settings": 2_730,
    "sync": 2_539,
    "serve": 2_485,
    "rules": 2_203,
    "record": 1_901,
    "index": 1_909,
    "context": 1_815,
    "tools": 1_669,
    "forget": 1_562,
    "types": 1_492,
    ROOT: 959,
    "health": 681,
    "jobs": 423,
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
