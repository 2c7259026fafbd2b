"""MiniLM alone: the cosine of whole items, as a plain vector store gives it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench.compare.protocol import Found, Item, render, serve
from bench.compare.vectors import WIDTH, embed


class MiniLmPeer:
    def __init__(self) -> None:
        self._ids: list[str] = []
        self._rows = np.empty((0, WIDTH), np.float32)

    def add(self, items: Sequence[Item]) -> None:
        self._ids = [item["id"] for item in items]
        self._rows = embed([render(item) for item in items])

    def search(self, query: str, limit: int) -> Found:
        scores = self._rows @ embed([query])[0]
        order = np.argsort(-scores, kind="stable")[:limit]
        return [(self._ids[place], float(scores[place])) for place in order]

    def close(self) -> None:
        self._ids.clear()


if __name__ == "__main__":
    serve("all-MiniLM-L6-v2", MiniLmPeer)
