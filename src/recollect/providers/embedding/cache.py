"""The vectors asked for last, kept in process in front of an embedder."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import sha256
from typing import TypeAlias

import numpy as np

from recollect.locks import ForkSafeLock
from recollect.providers.embedding.base import Embedder, Vector, Vectors, expect, release

# Model, whether it was a question, and the text: by its hash, so that no text is kept.
_Key: TypeAlias = tuple[str, bool, bytes]


class CachedEmbedder:
    """Asks the embedder only for what it has not answered lately."""

    def __init__(self, embedder: Embedder, entries: int = 1000) -> None:
        self._embedder = embedder
        self._entries = entries
        self._kept: OrderedDict[_Key, Vector] = OrderedDict()
        self._lock = ForkSafeLock()

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        keys = [self._key(text, query) for text in texts]
        found = self._find(keys)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if new:
            rows = self._embedder.embed(list(new.values()), query=query)
            found |= zip(new, rows, strict=True)
            self._keep(new, rows)
        if not keys:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([found[key] for key in keys])

    def expect(self, dimensions: int) -> None:
        """Refuse vectors of another length, and forget those that were kept."""
        with self._lock:
            other = [key for key, row in self._kept.items() if len(row) != dimensions]
            for key in other:
                del self._kept[key]
        expect(self._embedder, dimensions)

    def forget(self) -> None:
        """Let go of all that was kept."""
        with self._lock:
            self._kept.clear()

    def close(self) -> None:
        """Drop the connections of the embedder behind."""
        release(self._embedder)

    def _key(self, text: str, query: bool) -> _Key:
        return self.name, query, sha256(text.encode("utf-8", "surrogatepass")).digest()

    def _find(self, keys: Sequence[_Key]) -> dict[_Key, Vector]:
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
            for key in found:
                self._kept.move_to_end(key)
        return found

    def _keep(self, keys: Sequence[_Key] | dict[_Key, str], rows: Vectors) -> None:
        with self._lock:
            for key, row in zip(keys, rows, strict=True):
                # A copy: a row of a large batch would hold the whole batch in memory.
                self._kept[key] = row.copy()
                self._kept.move_to_end(key)
            while len(self._kept) > self._entries:
                self._kept.popitem(last=False)
