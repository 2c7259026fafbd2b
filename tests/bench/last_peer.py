"""A peer that finds what was said last; it breaks off where it is asked about a break."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bench.compare.protocol import Found, Item, serve


class LastPeer:
    def __init__(self) -> None:
        self._ids: list[str] = []

    def add(self, items: Sequence[Item]) -> None:
        print("a library that prints")
        self._ids = [item["id"] for item in items]

    def search(self, query: str, limit: int) -> Found:
        if "break" in query:
            sys.exit("asked to break")
        return [(id_, 0.5) for id_ in self._ids[::-1][:limit]]

    def close(self) -> None:
        self._ids.clear()


if __name__ == "__main__":
    serve("1", LastPeer)
