"""Rename the project in one step: `python scripts/rename.py OLD NEW`, from a clean checkout.

Every tracked text file and path changes, in the three spellings of a name (`old`, `Old`, `OLD`).
The new name must be free on the package index. Format the code afterwards: names of another length
move line breaks.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit("usage: python scripts/rename.py OLD NEW")
    old, new = sys.argv[1:]
    require_free(new)
    spellings = [
        (old.lower(), new.lower()),
        (old.capitalize(), new.capitalize()),
        (old.upper(), new.upper()),
    ]
    paths = list_tracked()
    changed = sum(rewrite(path, spellings) for path in paths)
    moved = sum(move(path, spellings) for path in paths)
    print(f"{changed} files changed, {moved} moved")


def require_free(name: str) -> None:
    """Stop when the package index already has a distribution of this name."""
    command = [sys.executable, "-m", "pip", "index", "versions", name, "--ignore-requires-python"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode == 0:
        raise SystemExit(f"{name} is taken on the package index:\n{answer.stdout}")
    if "No matching distribution" not in answer.stderr:
        raise SystemExit(f"Could not ask the package index about {name}:\n{answer.stderr}")


def list_tracked() -> list[Path]:
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return [ROOT / name for name in names.split("\0") if name]


def rewrite(path: Path, spellings: list[tuple[str, str]]) -> bool:
    before = path.read_bytes()
    if b"\0" in before:
        return False
    after = before
    for old, new in spellings:
        after = after.replace(old.encode(), new.encode())
    if after != before:
        path.write_bytes(after)
    return after != before


def move(path: Path, spellings: list[tuple[str, str]]) -> bool:
    name = str(path.relative_to(ROOT))
    for old, new in spellings:
        name = name.replace(old, new)
    target = ROOT / name
    if target == path:
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "mv", str(path), str(target)], cwd=ROOT, check=True)
    return True


if __name__ == "__main__":
    main()
