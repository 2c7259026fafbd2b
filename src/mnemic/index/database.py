"""Vector search by an index of the database itself: nothing is copied into memory."""

from __future__ import annotations

import numpy as np

from mnemic.index.engine import Docs, Floats, Seen
from mnemic.index.nearest import Near
from mnemic.store.sql.vectors import SqlVectors
from mnemic.types import RecordType

_SAMPLE = 256


class DatabaseTable:
    """The vectors of one embedder and type, in the snapshot that they are asked in."""

    def __init__(self, rows: SqlVectors, embedder: int, type_: RecordType) -> None:
        self._rows = rows
        self._embedder = embedder
        self._type: RecordType = type_

    @property
    def seen(self) -> Seen:
        """Everything: the rows are searched themselves."""
        state = self._rows.state(self._embedder)
        return Seen(state.rewrites.get(self._type, 0), state.reached.get(self._type))

    @property
    def memory(self) -> int:
        """Nothing is held."""
        return 0

    def __len__(self) -> int:
        return self._rows.count(self._embedder, 1)

    def restart(self, rewrites: int) -> None:
        """Nothing to do: there is no copy."""

    def add(self, docs: Docs, vectors: Floats, reached: int) -> None:
        """Nothing to do: there is no copy."""

    def search(self, query: Floats, limit: int) -> list[Near]:
        near = self._rows.nearest(self._embedder, self._type, query.tobytes(), limit)
        return [Near(doc, cosine) for doc, cosine in near]

    def cosines(self, query: Floats, docs: Docs) -> Floats:
        best = self._rows.cosines(self._embedder, query.tobytes(), docs.tolist())
        return np.array([best.get(doc, np.nan) for doc in docs.tolist()], np.float32)

    def sample(self, query: Floats) -> Floats:
        sampled = self._rows.sample(self._embedder, query.tobytes(), _SAMPLE)
        return np.array([cosine for _, cosine in sampled], np.float32)
