"""The tables a process searches, kept up with the rows; a large step is taken in the background."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from recollect.errors import Closed, StoreError
from recollect.index.engine import VectorEngine, VectorTable, behind, follow
from recollect.locks import ForkSafeLock
from recollect.store.contract import Store, Vectors
from recollect.store.rows import VectorState
from recollect.types import RecordType

THREAD = "recollect-vectors"
AT_ONCE = 20_000  # records that one query waits for
_UNKNOWN = -1  # the number of an embedder that has made no vectors yet
PORTION = 5_000  # vectors read in one snapshot: a writer, or a fork, does not wait long


@dataclass(frozen=True, slots=True)
class Made:
    """An embedder as the database knows it."""

    number: int
    name: str
    dimensions: int


class Holder:
    """The tables of one space."""

    def __init__(
        self, engine: VectorEngine, store: Store, space: str, at_once: int = AT_ONCE
    ) -> None:
        self._engine = engine
        self._store = store
        self._space = space
        self._at_once = at_once
        self._guard = ForkSafeLock()
        self._tables: dict[tuple[int, RecordType], VectorTable] = {}
        self._loading: threading.Thread | None = None
        self._failed: StoreError | None = None

    @property
    def lasting(self) -> bool:
        return self._engine.lasting

    @property
    def holds(self) -> bool:
        """Whether anything was brought over yet."""
        return bool(self._tables)

    def tables(self, rows: Vectors, made: Made) -> dict[RecordType, VectorTable]:
        """What can be searched now; empty while a large memory is first brought over.

        A table that is far behind answers as it is until the thread beside is done.
        """
        with self._guard:
            if self._failed is not None:
                failed, self._failed = self._failed, None
                raise failed
            state = rows.state(made.number)
            if not self._is_loading():
                far = [t for t in state.reached if not self._caught_up(rows, state, made, t)]
                if far:
                    self._load_beside(made, far)
            held = {t: self._tables.get((made.number, t)) for t in state.reached}
            return {type_: table for type_, table in held.items() if table and len(table)}

    def waiting(self, embedder: str) -> int:
        """How many records of the space have no vectors of this embedder yet."""
        with self._store.read(self._space) as unit:
            number = unit.vectors.known_embedders().get(embedder, _UNKNOWN)
            return unit.vectors.waiting(number)

    def forget(self) -> None:
        """Let go of all vectors, in memory and in the engine; they are brought over again."""
        self.settle()
        with self._guard:
            self._tables.clear()
            self._engine.erase()

    def close(self) -> None:
        """Let go of what the engine has open; a thread beside ends when the store is closed."""
        self.settle()
        self._engine.close()

    def settle(self, timeout: float | None = None) -> bool:
        """Wait for the thread beside; True when it has nothing left to do."""
        loading = self._loading
        if loading is not None:
            loading.join(timeout)
        return not self._is_loading()

    def _is_loading(self) -> bool:
        return self._loading is not None and self._loading.is_alive()

    def _caught_up(self, rows: Vectors, state: VectorState, made: Made, type_: RecordType) -> bool:
        """Take a small step at once; False when the step is too large for that."""
        table = self._tables.get((made.number, type_))
        if table is None or table.seen.rewrites != state.rewrites[type_]:
            table = self._begun(made, type_)  # somebody may still be searching the old one
        missing = behind(table.seen, state, type_)
        if missing > self._at_once:
            return False
        if missing:
            follow(table, rows, made.number, type_)
        self._tables[made.number, type_] = table
        return True

    def _begun(self, made: Made, type_: RecordType) -> VectorTable:
        return self._engine.table(self._space, made.name, type_, made.dimensions)

    def _load_beside(self, made: Made, types: list[RecordType]) -> None:
        self._loading = threading.Thread(
            target=self._load, args=(made, types), name=THREAD, daemon=True
        )
        self._loading.start()

    def _load(self, made: Made, types: list[RecordType]) -> None:
        try:
            for type_ in types:
                table, whole = self._begun(made, type_), False
                while not whole:
                    with self._store.read(self._space) as unit:
                        whole = follow(table, unit.vectors, made.number, type_, PORTION)
                with self._guard:
                    self._tables[made.number, type_] = table
        except Closed:
            return  # the memory was closed meanwhile
        except StoreError as error:
            self._failed = error  # raised to the next query, which leaves an event
