"""Mnemic at its defaults, through its public interface."""

from __future__ import annotations

from collections.abc import Sequence

import mnemic
from bench.banks import Item as BankItem
from bench.compare.protocol import Found, Item, serve
from bench.retrievers import Mnemic


class MnemicPeer:
    def __init__(self) -> None:
        self._memory = Mnemic()

    def add(self, items: Sequence[Item]) -> None:
        self._memory.add([BankItem(**item) for item in items])

    def search(self, query: str, limit: int) -> Found:
        hits = self._memory.mind.recall(query, limit=limit, of=["turn"])
        ids = self._memory.ids(hits)
        return [(id_, hit.score) for id_, hit in zip(ids, hits, strict=True)]

    def close(self) -> None:
        self._memory.close()


if __name__ == "__main__":
    serve(mnemic.__version__, MnemicPeer)
