"""Quotas: how much one space may store, so that none can fill the database of all."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

from mnemic.errors import QuotaExceeded
from mnemic.late import dataclass

if TYPE_CHECKING:
    from mnemic.store.sql.unit import Unit

Table = Literal["turns", "memories"]
_RECOUNT = 60.0  # seconds for which a count is believed, apart from what this process adds


@dataclass(frozen=True, slots=True)
class Quota:
    """The most turns and memories (of whatever status) of a space; None is without a bound."""

    turns: int | None = None
    memories: int | None = None


class Admission:
    """Keeps the spaces of a store within a quota."""

    def __init__(self, quota: Quota) -> None:
        self._quota = quota
        # How many rows of a table a space has, and until when that is believed.
        self._counts: dict[tuple[int, str], tuple[int, float]] = {}

    def admit(self, unit: Unit, table: Table, more: int) -> None:
        """Refuse rows beyond the quota; counts of a failed transaction are corrected later."""
        most: int | None = getattr(self._quota, table)
        if most is None:
            return
        rows, until = self._counts.get((unit.space, table), (0, 0.0))
        if time.monotonic() > until or rows + more > most:
            rows, until = unit.counters.rows(table), time.monotonic() + _RECOUNT
        if rows + more > most:
            name = unit.conn.execute("SELECT name FROM spaces WHERE space = ?", (unit.space,)).get
            raise QuotaExceeded(
                f"{name!r} has {rows:,} {table} of the {most:,} that it may have",
                remedy="Forget some of them, or raise the quota",
            )
        self._counts[unit.space, table] = rows + more, until
