"""Vector search by a backend of the host.

The backend finds the nearest; what each document's cosine is, and what a chance likeness looks
like, comes from the copy of the rows that the table itself holds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from mnemic.errors import StoreUnavailable
from mnemic.index.engine import VectorEngine, VectorTable
from mnemic.index.nearest import Docs, Floats, Near, NearestIndex, best_documents
from mnemic.late import np
from mnemic.types import RECORD_TYPES, RecordType, VectorBackend

T = TypeVar("T")


class BackendEngine(VectorEngine):
    """Tables over one backend of the host, for one space and embedder at a time."""

    always = True

    def __init__(self, backend: VectorBackend, space: str, embedder: str) -> None:
        self._backend = backend
        self._names = {_name(space, embedder, type_) for type_ in RECORD_TYPES}
        self._tables: dict[str, BackendTable] = {}

    def table(self, space: str, embedder: str, type_: RecordType, dimensions: int) -> VectorTable:
        name = _name(space, embedder, type_)
        earlier = self._tables.get(name)
        if earlier is not None:
            earlier.detach()
        table = self._tables[name] = BackendTable(self._backend, name, dimensions)
        self._names.add(name)
        return table

    def erase(self) -> None:
        for name in self._names:
            _call(lambda name=name: self._backend.clear(name))  # type: ignore[misc]
        for table in self._tables.values():
            table.detach()
        self._tables.clear()


class BackendTable(NearestIndex):
    """A table that asks the backend for the nearest. A row is named by its number."""

    def __init__(self, backend: VectorBackend, name: str, dimensions: int) -> None:
        self._backend = backend
        self._name = name
        self._attached = True
        super().__init__(dimensions)

    def detach(self) -> None:
        """Answer from the own copy: the backend's is of another table from now on."""
        self._attached = False

    def restart(self, rewrites: int) -> None:
        super().restart(rewrites)
        if self._attached:
            _call(lambda: self._backend.clear(self._name))

    def add(self, docs: Docs, vectors: Floats, reached: int) -> None:
        first = len(self)
        ids = range(first, first + len(docs))
        if len(docs) and self._attached:
            _call(lambda: self._backend.add(self._name, list(ids), vectors))  # type: ignore[arg-type]
        super().add(docs, vectors, reached)

    def search(self, query: Floats, limit: int) -> list[Near]:
        if not self._attached:
            return super().search(query, limit)
        return best_documents(partial(self._nearest, query), len(self), limit)

    def _nearest(self, query: Floats, count: int) -> list[tuple[int, float]]:
        """The documents of the nearest rows, with the cosine of each."""
        answer = _call(lambda: self._backend.search(self._name, query, count))  # type: ignore[arg-type]
        try:
            rows = [(int(row), float(cosine)) for row, cosine in answer]
        except (TypeError, ValueError) as error:
            raise _explain(error) from error
        if any(not 0 <= row < len(self) or not np.isfinite(cosine) for row, cosine in rows):
            raise StoreUnavailable(
                "The vector backend answered an id it was not given, or no cosine",
                remedy="Return pairs of an id and a cosine from search()",
            )
        return [(int(self._docs[row]), cosine) for row, cosine in rows]


def _name(space: str, embedder: str, type_: RecordType) -> str:
    return f"{space}/{embedder}/{type_}"


def _call(work: Callable[[], T]) -> T:
    try:
        return work()
    except Exception as error:
        raise _explain(error) from error


def _explain(error: Exception) -> StoreUnavailable:
    """Without the words of the error, which may hold a key. Words answer meanwhile."""
    return StoreUnavailable(
        f"The vector backend failed ({type(error).__name__})",
        remedy="Fix it, or open the memory without it",
    )
