"""What memory was used for in SQLite: numbers by day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import apsw


class SqliteCounters:
    """The counters of one space on one connection."""

    def __init__(self, conn: apsw.Connection, space: int) -> None:
        self._conn = conn
        self._space = space

    def add(self, day: date, amounts: Mapping[str, int]) -> None:
        self._conn.executemany(
            "INSERT INTO counters VALUES (?, ?, ?, ?) ON CONFLICT (space, day, name)"
            " DO UPDATE SET amount = amount + excluded.amount",
            [(self._space, day.isoformat(), name, amount) for name, amount in amounts.items()],
        )

    def totals(self, since: date | None) -> dict[str, int]:
        """The sums of all days from then on."""
        rows = self._conn.execute(
            "SELECT name, sum(amount) FROM counters WHERE space = ? AND day >= ? GROUP BY name",
            (self._space, "" if since is None else since.isoformat()),
        )
        return {str(name): int(amount) for name, amount in rows}
