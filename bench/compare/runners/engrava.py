"""engrava at its default weights: FTS5, vectors and priority in one SQLite database in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import aiosqlite
from engrava import SqliteEngravaCore
from engrava.domain.enums import LifecycleStatus, Priority, ThoughtType
from engrava.domain.models import ThoughtRecord

from bench.compare import vectors
from bench.compare.protocol import Found, Item, render, serve


class _Embedder:
    """MiniLM under engrava's protocol of a provider."""

    dimension = vectors.WIDTH
    model_name = "all-MiniLM-L6-v2"

    async def embed(self, text: str) -> list[float]:
        return (await self.embed_batch([text]))[0]

    async def embed_batch(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = vectors.embed(texts).tolist()
        return rows


class EngravaPeer:
    def __init__(self) -> None:
        self._loop = asyncio.Runner()
        self._connection: Any = None
        self._store: Any = None

    def add(self, items: Sequence[Item]) -> None:
        self._loop.run(self._add(items))

    def search(self, query: str, limit: int) -> Found:
        result = self._loop.run(self._store.recall(query, top_k=limit))
        return [(id_, float(score)) for id_, score in result.results]

    def close(self) -> None:
        self._loop.run(self._connection.close())
        self._loop.close()

    async def _add(self, items: Sequence[Item]) -> None:
        self._connection = await aiosqlite.connect(":memory:")
        self._connection.row_factory = aiosqlite.Row
        self._store = SqliteEngravaCore(
            self._connection,
            embedding_provider=_Embedder(),
            auto_embed=True,
            require_embedding=True,
        )
        await self._store.ensure_schema()
        await self._store.bulk_store([_thought(item) for item in items])


def _thought(item: Item) -> Any:
    """What `remember` makes of a text, under the id of the item."""
    text = render(item)
    return ThoughtRecord(
        thought_id=item["id"],
        thought_type=ThoughtType.NOTE,
        essence=text[:200] or " ",
        content=text,
        priority=Priority.P3,
        lifecycle_status=LifecycleStatus.ACTIVE,
        source="remember",
        metadata={},
    )


if __name__ == "__main__":
    serve(version("engrava"), EngravaPeer)
