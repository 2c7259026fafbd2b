"""Counters: what happened on a day, how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Literal

from mnemic.days import ABROAD, Zone, day_bounds, day_of
from mnemic.store import codec
from mnemic.store.sql.part import Part, read_statements

_QUARTER = 900_000_000  # microseconds of a quarter of an hour, which every zone counts in


class SqlCounters(Part):
    """The counters of one space on one connection."""

    statements = read_statements("sql/counters")

    def add(self, day: date, amounts: Mapping[str, int]) -> None:
        self._conn.executemany(
            "INSERT INTO counters VALUES (?, ?, ?, ?) ON CONFLICT (space, day, name)"
            " DO UPDATE SET amount = counters.amount + excluded.amount",
            [(self._space, day.isoformat(), name, amount) for name, amount in amounts.items()],
        )

    def totals(self, since: date | None) -> dict[str, int]:
        """The sums of all days from then on."""
        rows = self._run("totals", since=since or "")
        return {name: int(amount) for name, amount in rows}

    def rows(self, table: Literal["turns", "memories"]) -> int:
        """How many there are now."""
        return int(self._run(f"SELECT count(*) FROM {table} WHERE space = :space").get)

    def per_day(
        self, table: Literal["turns", "memories"], since: date, zone: Zone
    ) -> dict[date, int]:
        """Rows by the day they were said or learned, in the zone they state or else in ``zone``,
        from then on; memories that were never taken for true are left out.
        """
        of_turns = table == "turns"
        time, stated = ("at", "zone") if of_turns else ("created_at", "0")
        held = "" if of_turns else " AND status NOT IN ('pending', 'rejected')"
        first = day_bounds(since, zone)[0] - ABROAD
        rows = self._run(
            f"SELECT {time} / {_QUARTER}, {stated}, count(*) FROM {table}"
            f" WHERE space = :space AND {time} >= :first{held} GROUP BY 1, 2",
            first=first,
        )
        days: Counter[date] = Counter()
        for quarter, minutes, count in rows:
            days[day_of(codec.from_micros(quarter * _QUARTER, minutes), zone)] += count
        return dict(days)
