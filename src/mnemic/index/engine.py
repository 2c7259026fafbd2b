"""What a vector engine is, and how it is kept up with the rows of the database.

The rows are the truth. An engine holds a copy that is searched faster: it says how far it has come,
takes what is new, and begins again when rows it holds were changed or removed. The usual one holds
it in memory: nothing to install, nothing on disk.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from mnemic.errors import ConfigError, StoreDamaged
from mnemic.index.nearest import Docs, Floats, Near, NearestIndex, Seen
from mnemic.late import np
from mnemic.store.rows import VectorState, place_of
from mnemic.store.sql.vectors import SqlVectors
from mnemic.types import RecordType

if TYPE_CHECKING:
    from mnemic.settings import Settings

_SAMPLE = 256
_UNIT = 0.01  # how far the square of a vector may be from 1


class VectorTable(Protocol):
    """The vectors of one space, embedder and record type."""

    @property
    def seen(self) -> Seen: ...
    @property
    def memory(self) -> int:
        """Bytes held in this process."""

    def __len__(self) -> int: ...
    def restart(self, rewrites: int) -> None:
        """Forget every vector."""

    def add(self, docs: Docs, vectors: Floats, reached: int) -> None:
        """Add vectors of records beyond those seen, up to the record ``reached``."""

    def search(self, query: Floats, limit: int) -> list[Near]:
        """The nearest documents, best first."""

    def cosines(self, query: Floats, docs: Docs) -> Floats:
        """The cosine of each document's best passage; NaN for one that has none."""

    def sample(self, query: Floats) -> Floats:
        """Cosines of some vectors: what a chance likeness looks like."""


class DatabaseTable:
    """The vectors of an embedder and type, searched by the database's own index, not copied."""

    memory = 0

    def __init__(self, rows: SqlVectors, embedder: int, type_: RecordType) -> None:
        self._rows = rows
        self._embedder = embedder
        self._type: RecordType = type_

    @property
    def seen(self) -> Seen:
        """Everything: the rows are searched themselves."""
        state = self._rows.state(self._embedder)
        return Seen(state.rewrites.get(self._type, 0), state.reached.get(self._type))

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


class VectorEngine:
    """Where vectors are searched: in memory, unless a subclass says otherwise. ``lasting`` tables
    last until the next start; one that is ``always`` used is searched however few vectors there
    are.
    """

    lasting = False
    always = False

    def table(self, space: str, embedder: str, type_: RecordType, dimensions: int) -> VectorTable:
        return NearestIndex(dimensions)

    def keep_only(self, space: str, embedder: str) -> None:
        """Drop the tables of other embedders of a space; in memory a table is its caller's."""

    def erase(self) -> None:
        """Remove everything on disk for good; tables made before are invalid."""

    def close(self) -> None:
        """Let go of what is open."""


def behind(seen: Seen, state: VectorState, type_: RecordType) -> int:
    """How many records a table has still to see; 0 when it has seen all."""
    reached = state.reached[type_]
    if seen.rewrites != state.rewrites[type_] or seen.reached is None:
        return place_of(reached) + 1
    return abs(reached - seen.reached)


def follow(
    table: VectorTable, rows: SqlVectors, embedder: int, type_: RecordType, most: int | None = None
) -> bool:
    """Copy the next vectors into the table, about ``most`` of them; False while there are more."""
    state = rows.state(embedder)
    reached = state.reached.get(type_)
    rewrites = state.rewrites.get(type_, 0)
    seen = table.seen
    if seen.rewrites != rewrites or (seen.reached or -1) > (-1 if reached is None else reached):
        table.restart(rewrites)
    if reached is None or table.seen.reached == reached:
        return True
    loaded = rows.load(embedder, type_, table.seen.reached, most)
    done = most is None or len(loaded.docs) < most
    matrix = np.frombuffer(loaded.vectors, np.float32)
    vectors = matrix.reshape(len(loaded.docs), -1 if loaded.docs else 1)
    _check_lengths(vectors)
    table.add(np.array(loaded.docs, np.int64), vectors, reached if done else loaded.docs[-1])
    return done


def _check_lengths(rows: Floats) -> None:
    """Damaged rows would spoil the scores of all others."""
    squares = np.einsum("ij,ij->i", rows, rows)
    if not (np.abs(squares - 1) < _UNIT).all():
        raise StoreDamaged(
            "A vector in the database is not of length 1",
            remedy="Restore a backup, or change embedding.model and back to make them anew",
        )


def engine_for(settings: Settings, path: str, *, on_disk: bool) -> VectorEngine:
    """The vector engine of the settings, not opened yet; a missing library is MissingExtra."""
    if settings.index.vectors != "chromadb":
        return VectorEngine()
    from mnemic.index.chroma import ChromaEngine

    if not on_disk:
        raise ConfigError(
            "index.vectors is chromadb and the database is only in memory",
            remedy="Give the database a file, or set index.vectors to auto",
        )
    return ChromaEngine(Path(f"{path}.chroma"))
