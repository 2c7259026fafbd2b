"""Counters: what happened on a day, how often."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Literal

from mnemic.store.sql.connection import SqlConnection

_EPOCH = date(1970, 1, 1)
_DAY = 86_400_000_000  # microseconds


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

    def per_day(self, table: Literal["turns", "memories"], since: date) -> dict[date, int]:
        time = "at" if table == "turns" else "created_at"
        held = "" if table == "turns" else " AND status NOT IN ('pending', 'rejected')"
        rows = self._conn.execute(
            f"SELECT {time} / {_DAY}, count(*) FROM {table} WHERE space = ? AND {time} >= ?{held}"
            " GROUP BY 1",
            (self._space, (since - _EPOCH).days * _DAY),
        )
        return {_EPOCH + timedelta(days=int(day)): int(count) for day, count in rows}
