"""Counters: what happened on a day, how often."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Literal

from recollect.store.sql.connection import SqlConnection


class SqlCounters:
    """The counters of one space on one connection."""

    def __init__(self, conn: SqlConnection, space: int) -> None:
        self._conn = conn
        self._space = space

    def add(self, day: date, amounts: Mapping[str, int]) -> None:
        self._conn.executemany(
            "INSERT INTO counters VALUES (?, ?, ?, ?) ON CONFLICT (space, day, name)"
            " DO UPDATE SET amount = counters.amount + excluded.amount",
            [(self._space, day.isoformat(), name, amount) for name, amount in amounts.items()],
        )

    def totals(self, since: date | None) -> dict[str, int]:
        """The sums of all days from then on."""
        rows = self._conn.execute(
            "SELECT name, sum(amount) FROM counters WHERE space = ? AND day >= ? GROUP BY name",
            (self._space, "" if since is None else since.isoformat()),
        )
        return {str(name): int(amount) for name, amount in rows}

    def rows(self, table: Literal["turns", "memories"]) -> int:
        count = self._conn.execute(
            f"SELECT count(*) FROM {table} WHERE space = ?", (self._space,)
        ).get
        return int(count)
