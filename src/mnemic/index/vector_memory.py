"""One bound on the vectors that all spaces of a process hold in memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from mnemic.locks import ForkSafeLock

if TYPE_CHECKING:
    from mnemic.index.live_tables import LiveTables

VECTOR_MEMORY = 1 << 30  # bytes, where nothing else is said


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
