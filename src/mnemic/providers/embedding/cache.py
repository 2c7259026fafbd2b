"""A cache of the latest vectors in front of an embedder."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from typing import TypeAlias

from mnemic.late import np
from mnemic.locks import ForkSafeLock
from mnemic.providers.embedding.base import Embedder, Vector, Vectors, expect, release

# Model, whether it was a question, and the text: by its hash, so that no text is kept.
_Key: TypeAlias = tuple[str, bool, bytes]


class CachedEmbedder:
    """Calls the embedder only for texts that are not cached."""

    def __init__(self, embedder: Embedder, entries: int = 1000) -> None:
        self._embedder = embedder
        self._entries = entries
        self._rows: OrderedDict[_Key, Vector] = OrderedDict()
        self._lock = ForkSafeLock()

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        keys = [self._key(text, query) for text in texts]
        vectors = self._find(keys)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
        if new:
            rows = self._embedder.embed(list(new.values()), query=query)
            vectors |= zip(new, rows, strict=True)
            self._keep(new, rows)
        if not keys:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([vectors[key] for key in keys])

    def expect(self, dimensions: int) -> None:
        """Refuse vectors of another length, and drop cached ones."""
        with self._lock:
            for key in [key for key, row in self._rows.items() if len(row) != dimensions]:
                del self._rows[key]
        expect(self._embedder, dimensions)

    def forget(self) -> None:
        """Clear the cache."""
        with self._lock:
            self._rows.clear()

    def close(self) -> None:
        """Drop the connections of the embedder behind."""
        release(self._embedder)

    def _key(self, text: str, query: bool) -> _Key:
        return self.name, query, sha256(text.encode("utf-8", "surrogatepass")).digest()

    def _find(self, keys: Sequence[_Key]) -> dict[_Key, Vector]:
        with self._lock:
            rows = {key: self._rows[key] for key in keys if key in self._rows}
            for key in rows:
                self._rows.move_to_end(key)
        return rows

    def _keep(self, keys: Sequence[_Key] | dict[_Key, str], rows: Vectors) -> None:
        with self._lock:
            for key, row in zip(keys, rows, strict=True):
                # A copy: a row of a large batch would hold the whole batch in memory.
                self._rows[key] = row.copy()
                self._rows.move_to_end(key)
            while len(self._rows) > self._entries:
                self._rows.popitem(last=False)
