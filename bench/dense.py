"""The dense baseline: vectors alone, the same ones, whole items compared exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bench.banks import Item
from mnemic.errors import MissingExtra
from mnemic.settings import load

if TYPE_CHECKING:
    from mnemic.providers.embedding.base import Embedder


class Dense:
    """Items by the cosine of their vector with that of the query."""

    def __init__(self) -> None:
        self._embedder = same_embedder()
        self._ids: list[str] = []
        self._rows = np.empty((0, 0), np.float32)

    def add(self, items: Sequence[Item]) -> None:
        texts = [f"{item.speaker}: {item.text}" if item.speaker else item.text for item in items]
        rows = self._embedder.embed(texts)
        self._rows = np.concatenate([self._rows, rows]) if self._ids else rows
        self._ids += [item.id for item in items]

    def search(self, query: str, k: int) -> list[str]:
        vector = self._embedder.embed([query], query=True)[0]
        if not vector.any() or not self._ids:
            return []
        order = np.argsort(-(self._rows @ vector), kind="stable")[:k]
        return [self._ids[place] for place in order.tolist()]

    def close(self) -> None:
        self._ids.clear()


def same_embedder() -> Embedder:
    """The one that the engine uses by default."""
    from mnemic.providers.embedding.choose import embedder_for

    found = embedder_for(load("default"))
    if found is None:
        raise MissingExtra(
            "There is no embedder to compare with",
            remedy='Install one: pip install "mnemic[local]"; or leave the dense baseline out',
        )
    return found
