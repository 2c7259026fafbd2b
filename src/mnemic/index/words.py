"""Lists of words, in words.txt."""

from __future__ import annotations

from functools import cache
from pathlib import Path


def words_of(section: str) -> list[str]:
    """The words of one list."""
    return _lists()[section]


@cache
def _lists() -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    current: list[str] = []
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            current = lists.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            current += line.split()
    return lists
