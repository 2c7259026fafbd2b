"""The baseline of the vectors: one bare sqlite-vec table, scanned as its manual shows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import sqlite_vec

from bench.bare import connect


class BareVec:
    """Vectors in a vec0 table, each with the number of its document."""

    def __init__(self, path: Path | str, dimensions: int) -> None:
        self._conn = connect(path)
        self._conn.enable_load_extension(True)
        self._conn.load_extension(sqlite_vec.loadable_path())
        self._length = dimensions * 4
        self._conn.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS bare USING vec0"
            f" (doc integer, vector float[{dimensions}] distance_metric=cosine)"
        )

    @property
    def last(self) -> int | None:
        """The highest document that is there."""
        last = self._conn.execute(
            "SELECT doc FROM bare WHERE rowid = (SELECT max(rowid) FROM bare_rowids)"
        ).get
        return None if last is None else int(last)

    def add(self, docs: Sequence[int], vectors: bytes) -> None:
        size = self._length
        rows = [(doc, vectors[n * size : (n + 1) * size]) for n, doc in enumerate(docs)]
        with self._conn:
            self._conn.executemany("INSERT INTO bare (doc, vector) VALUES (?, ?)", rows)

    def search(self, query: bytes, limit: int) -> list[tuple[int, float]]:
        """The nearest documents and their distances."""
        return list(
            self._conn.execute(
                "SELECT doc, distance FROM bare WHERE vector MATCH ? AND k = ?", (query, limit)
            )
        )

    def close(self) -> None:
        self._conn.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
