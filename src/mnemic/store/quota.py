"""Quotas: how much one space may store, so that none can fill the database of all."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from mnemic.errors import QuotaExceeded
from mnemic.store.contract import LedgerStore, MemoryStore, Store, Unit
from mnemic.store.rows import Placed, TurnRow
from mnemic.types import Memory, SafeText

Table = Literal["turns", "memories"]
_RECOUNT = 60.0  # seconds for which a count is believed, apart from what this process adds


@dataclass(frozen=True, slots=True)
class Quota:
    """The most turns and memories (of whatever status) of a space; None is without a bound."""

    turns: int | None = None
    memories: int | None = None


def with_quota(store: Store, quota: Quota | None) -> Store:
    """The store that refuses what goes beyond the quota; the store itself where there is none."""
    if quota is None or quota == Quota():
        return store
    proxy: Any = _BoundedStore(store, quota)
    chosen: Store = proxy  # it forwards everything else
    return chosen


class _Count:
    """How many rows of one table a space has, counted now and then."""

    def __init__(self) -> None:
        self.rows = 0
        self.until = 0.0


class _BoundedStore:
    """A store whose writes are counted; everything else is the store's."""

    def __init__(self, store: Store, quota: Quota) -> None:
        self._store = store
        self._quota = quota
        self._counts: dict[tuple[str, str], _Count] = {}

    def write(self, space: str) -> AbstractContextManager[Unit]:
        return self._writing(space)

    @contextmanager
    def _writing(self, space: str) -> Iterator[Unit]:
        with self._store.write(space) as unit:
            proxy: Any = _BoundedUnit(unit, self, space)
            yield proxy

    def admit(self, unit: Unit, space: str, table: Table, more: int) -> None:
        """Refuse more rows than the quota leaves. Counts of a transaction that fails are corrected
        at the next look.
        """
        most: int | None = getattr(self._quota, table)
        if most is None:
            return
        count = self._counts.setdefault((space, table), _Count())
        if time.monotonic() > count.until or count.rows + more > most:
            count.rows = unit.counters.rows(table)
            count.until = time.monotonic() + _RECOUNT
        if count.rows + more > most:
            raise QuotaExceeded(
                f"{space!r} has {count.rows:,} {table} of the {most:,} that it may have",
                remedy="Forget some of them, or raise the quota",
            )
        count.rows += more

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class _BoundedUnit:
    def __init__(self, unit: Unit, store: _BoundedStore, space: str) -> None:
        self._unit = unit
        self._store = store
        self._space = space

    @property
    def ledger(self) -> Any:
        return _BoundedLedger(self._unit, self._store, self._space)

    @property
    def memories(self) -> Any:
        return _BoundedMemories(self._unit, self._store, self._space)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._unit, name)


class _BoundedLedger:
    def __init__(self, unit: Unit, store: _BoundedStore, space: str) -> None:
        self._unit = unit
        self._ledger: LedgerStore = unit.ledger
        self._store = store
        self._space = space

    def append(self, rows: Sequence[TurnRow]) -> list[Placed]:
        self._store.admit(self._unit, self._space, "turns", len(rows))
        return self._ledger.append(rows)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)


class _BoundedMemories:
    def __init__(self, unit: Unit, store: _BoundedStore, space: str) -> None:
        self._unit = unit
        self._memories: MemoryStore = unit.memories
        self._store = store
        self._space = space

    def add(self, memory: Memory, terms: SafeText) -> Memory:
        self._store.admit(self._unit, self._space, "memories", 1)
        return self._memories.add(memory, terms)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memories, name)
