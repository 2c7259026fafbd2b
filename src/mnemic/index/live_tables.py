"""The vector tables of a process, kept up with the rows; a large load runs in the background."""

from __future__ import annotations

import threading
from collections import OrderedDict

from mnemic.errors import Closed, StoreError
from mnemic.index.engine import DatabaseTable, VectorEngine, VectorTable, behind, follow
from mnemic.late import dataclass, field
from mnemic.locks import ForkSafeLock
from mnemic.store.contract import Store
from mnemic.store.rows import VectorState
from mnemic.store.sql.vectors import SqlVectors
from mnemic.types import RecordType

THREAD = "mnemic-vectors"
AT_ONCE = 20_000  # records that one query waits for
_UNKNOWN = -1  # the number of an embedder that has made no vectors yet
VECTOR_MEMORY = 1 << 30  # bytes that all spaces hold together, where nothing else is said
PORTION = 5_000  # vectors read in one snapshot: a writer, or a fork, does not wait long


@dataclass(frozen=True, slots=True)
class VectorSet:
    """The vectors of one embedder in the database."""

    number: int
    name: str
    dimensions: int


class VectorMemory:
    """Knows who holds vectors; when they are too many, those used longest ago are dropped."""

    def __init__(self, most: int = VECTOR_MEMORY) -> None:
        self._most = most
        self._guard = ForkSafeLock()
        self._sizes: OrderedDict[LiveTables, int] = OrderedDict()
        self.held = 0  # bytes, as of the last use of each

    def use(self, holder: LiveTables) -> None:
        """Note a use; the one in use is never dropped itself."""
        dropped: list[LiveTables] = []
        size = holder.memory
        with self._guard:
            self.held += size - self._sizes.pop(holder, 0)
            if size:
                self._sizes[holder] = size
            while self.held > self._most and len(self._sizes) > 1:
                oldest, bytes_ = self._sizes.popitem(last=False)
                self.held -= bytes_
                dropped.append(oldest)
        for tables in dropped:
            tables.drop()

    def drop_all(self) -> None:
        """Have every space load its vectors again."""
        with self._guard:
            holders = list(self._sizes)
            self._sizes.clear()
            self.held = 0
        for holder in holders:
            holder.drop()


@dataclass(slots=True, eq=False)
class LiveTables:
    """The tables of one space."""

    engine: VectorEngine
    store: Store
    space: str
    # Bounds what this and the tables of other spaces hold together.
    shared: VectorMemory = field(default_factory=VectorMemory)
    at_once: int = AT_ONCE
    _guard: ForkSafeLock = field(default_factory=ForkSafeLock)
    _tables: dict[tuple[int, RecordType], VectorTable] = field(default_factory=dict)
    _loading: threading.Thread | None = None
    _failed: StoreError | None = None

    @property
    def always(self) -> bool:
        return self.engine.always

    @property
    def holds(self) -> bool:
        """Whether any table is loaded yet."""
        return bool(self._tables)

    def tables(self, rows: SqlVectors, vectors: VectorSet) -> dict[RecordType, VectorTable]:
        """The tables that can be searched now; none while a large memory is first loaded."""
        with self._guard:
            if self._failed is not None:
                failed, self._failed = self._failed, None
                raise failed
            state = rows.state(vectors.number)
            if not self.engine.always and rows.has_index(vectors.number):
                self._tables.clear()
                return {t: DatabaseTable(rows, vectors.number, t) for t in state.reached}
            if not self._is_loading():
                far = [t for t in state.reached if not self._caught_up(rows, state, vectors, t)]
                if far:
                    self._loading = threading.Thread(
                        target=self._load, args=(vectors, far), name=THREAD, daemon=True
                    )
                    self._loading.start()
            tables = {t: self._tables.get((vectors.number, t)) for t in state.reached}
        self.shared.use(self)
        return {type_: table for type_, table in tables.items() if table and len(table)}

    def waiting(self, embedder: str) -> int:
        """How many records of the space have no vectors of this embedder yet."""
        with self.store.read(self.space) as unit:
            number = unit.vectors.list_embedders().get(embedder, _UNKNOWN)
            return unit.vectors.waiting(number)

    @property
    def memory(self) -> int:
        """Bytes held."""
        return sum(table.memory for table in list(self._tables.values()))

    def drop(self) -> None:
        """Hold no vectors any more; the next query loads them again."""
        with self._guard:
            self._tables.clear()

    def forget(self) -> None:
        """Drop all vectors, in memory and in the engine; they are loaded again."""
        self.settle()
        with self._guard:
            self._tables.clear()
            self.engine.erase()
        if self.engine.lasting:  # its tables of other spaces went with the rest
            self.shared.drop_all()

    def close(self) -> None:
        """Close the engine; a background load ends when the store is closed."""
        self.settle()
        self.engine.close()

    def settle(self, timeout: float | None = None) -> bool:
        """Wait for the background load; True when it is done."""
        if (loading := self._loading) is not None:
            loading.join(timeout)
        return not self._is_loading()

    def _is_loading(self) -> bool:
        return self._loading is not None and self._loading.is_alive()

    def _caught_up(
        self, rows: SqlVectors, state: VectorState, vectors: VectorSet, type_: RecordType
    ) -> bool:
        """Load a few vectors at once; False when there are too many for that."""
        table = self._tables.get((vectors.number, type_))
        if table is None or table.seen.rewrites != state.rewrites[type_]:
            table = self._new_table(vectors, type_)  # another thread may be searching the old one
        elif (table.seen.reached or -1) >= state.reached[type_]:
            return True  # whoever came before saw a later snapshot; what is not in ours is dropped
        missing = behind(table.seen, state, type_)
        if missing > self.at_once:
            return False
        if missing:
            follow(table, rows, vectors.number, type_)
        self._tables[vectors.number, type_] = table
        return True

    def _new_table(self, vectors: VectorSet, type_: RecordType) -> VectorTable:
        return self.engine.table(self.space, vectors.name, type_, vectors.dimensions)

    def _load(self, vectors: VectorSet, types: list[RecordType]) -> None:
        try:
            for type_ in types:
                table, done = self._new_table(vectors, type_), False
                while not done:
                    with self.store.read(self.space) as unit:
                        done = follow(table, unit.vectors, vectors.number, type_, PORTION)
                with self._guard:
                    self._tables[vectors.number, type_] = table
        except Closed:
            return  # the memory was closed meanwhile
        except StoreError as error:
            self._failed = error  # raised to the next query, which leaves an event
