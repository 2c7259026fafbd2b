"""The vector engine in memory: nothing to install, nothing on disk, rebuilt from the rows."""

from __future__ import annotations

from mnemic.index.engine import Docs, Floats, Seen, VectorTable
from mnemic.index.nearest import Near, NearestIndex
from mnemic.types import RecordType


class MemoryEngine:
    """Makes tables in memory."""

    lasting = False
    always = False

    def table(self, space: str, embedder: str, type_: RecordType, dimensions: int) -> VectorTable:
        return MemoryTable(dimensions)

    def keep_only(self, space: str, embedder: str) -> None:
        """Nothing to do: a table belongs to its caller."""

    def erase(self) -> None:
        """Nothing to do: nothing is on disk."""

    def close(self) -> None:
        """Nothing to do: nothing is open."""


class MemoryTable:
    """An index, and how much of the rows it has seen."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._index = NearestIndex(dimensions)
        self._seen = Seen()

    @property
    def seen(self) -> Seen:
        return self._seen

    @property
    def memory(self) -> int:
        """Bytes held."""
        return self._index.memory

    def __len__(self) -> int:
        return len(self._index)

    def restart(self, rewrites: int) -> None:
        self._index = NearestIndex(self._dimensions)
        self._seen = Seen(rewrites)

    def add(self, docs: Docs, vectors: Floats, reached: int) -> None:
        if len(docs):
            self._index.append(docs, vectors)
        self._seen = Seen(self._seen.rewrites, reached)

    def search(self, query: Floats, limit: int) -> list[Near]:
        return self._index.search(query, limit)

    def cosines(self, query: Floats, docs: Docs) -> Floats:
        return self._index.cosines(query, docs)

    def sample(self, query: Floats) -> Floats:
        return self._index.sample(query)
