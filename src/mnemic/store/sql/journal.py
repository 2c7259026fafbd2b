"""Events, daily events and model usage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, cast

from mnemic.ids import new_id
from mnemic.rules.figures import TAKEN_BACK, figures_of
from mnemic.store import codec
from mnemic.store.sql.connection import SqlConnection
from mnemic.store.sql.counters import SqlCounters
from mnemic.types import DailyEvent, Event, Fact, Json, SafeName, UsageTotal

_ALWAYS = -(1 << 62)
_EVENT = "id, type, operation_id, subject, payload, at"
DAILY_EVENT = "id, day, channel, sender, summary, tokens, compressed, created_at"


def daily_event(row: tuple[Any, ...]) -> DailyEvent:
    """A row of the columns above."""
    id_, day, channel, sender, summary, tokens, compressed, created = row
    return DailyEvent(
        id=id_,
        day=date.fromisoformat(day),
        channel=channel,
        sender=sender,
        summary=summary,
        tokens=tokens,
        compressed=bool(compressed),
        created_at=codec.from_micros(created),
    )


class SqlJournal:
    """The journal of one space on one connection."""

    def __init__(self, conn: SqlConnection, space: int) -> None:
        self._conn = conn
        self._space = space

    def add_event(
        self,
        type_: str,
        *,
        operation_id: SafeName,
        subject: SafeName,
        payload: Mapping[str, Fact],
        at: datetime,
    ) -> Event:
        stored = cast("dict[str, Json]", dict(payload))
        event = Event(new_id(at), type_, operation_id, subject, stored, at)
        self._count(event)
        self._conn.execute(
            "INSERT INTO events SELECT ?, ?, ?, ?, ifnull(max(step), -1) + 1, ?, ?, ?"
            " FROM events WHERE space = ? AND operation_id = ?",
            (
                self._space,
                event.id,
                type_,
                operation_id,
                subject,
                codec.dump(event.payload),
                codec.to_micros(at),
                self._space,
                operation_id,
            ),
        )
        return event

    def _count(self, event: Event) -> None:
        names = set(figures_of(event.type, event.payload))
        if TAKEN_BACK in names and not self._is_first_doubt(event.subject):
            names.remove(TAKEN_BACK)
        if names:
            counters = SqlCounters(self._conn, self._space)
            counters.add(event.at.date(), dict.fromkeys(names, 1))

    def _is_first_doubt(self, memory: str) -> bool:
        """Whether a memory was learnt and not taken back so far."""
        before = [
            figures_of(event.type, event.payload)
            for event in self._events("subject = ?", (memory,))
        ]
        return ("learnt",) in before and not any(TAKEN_BACK in names for names in before)

    def operation(self, operation_id: str) -> list[Event]:
        """What an operation left, in order; empty when it has not happened."""
        return self._events("operation_id = ? ORDER BY step", (operation_id,))

    def events(
        self, *, subject: str | None = None, type_: str | None = None, limit: int = 100
    ) -> list[Event]:
        clauses, values = ["true"], []
        for clause, value in (("subject = ?", subject), ("type = ?", type_)):
            if value is not None:
                clauses.append(clause)
                values.append(value)
        rest = " AND ".join(clauses)
        return self._events(f"{rest} ORDER BY at DESC, id DESC LIMIT ?", (*values, limit))

    def _events(self, rest: str, values: tuple[Any, ...]) -> list[Event]:
        rows = self._conn.execute(
            f"SELECT {_EVENT} FROM events WHERE space = ? AND {rest}", (self._space, *values)
        )
        return [
            Event(
                id_, type_, operation, subject, codec.load_mapping(payload), codec.from_micros(at)
            )
            for id_, type_, operation, subject, payload, at in rows
        ]

    def add_daily_event(self, event: DailyEvent) -> None:
        self._conn.execute(
            "INSERT INTO daily_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._space,
                event.id,
                event.day.isoformat(),
                event.channel,
                event.sender,
                event.summary,
                event.tokens,
                event.compressed,
                codec.to_micros(event.created_at),
            ),
        )

    def daily_events(
        self, day: date | None, limit: int, *, words: Sequence[str] = ()
    ) -> list[DailyEvent]:
        chosen = day and day.isoformat()
        rows = self._conn.execute(
            f"SELECT {DAILY_EVENT} FROM daily_events WHERE space = ? AND (? IS NULL OR day = ?)"
            " AND NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE"
            " instr(lower(summary), lower(w.value)) = 0)"
            " ORDER BY day DESC, created_at DESC, id DESC LIMIT ?",
            (self._space, chosen, chosen, codec.dump(list(words)), limit),
        )
        return [daily_event(row) for row in rows]

    def add_usage(
        self,
        *,
        purpose: str,
        model: str,
        input_tokens: int,
        output_tokens: int,
        cost: float | None,
        at: datetime,
    ) -> None:
        self._conn.execute(
            "INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._space,
                new_id(at),
                purpose,
                model,
                input_tokens,
                output_tokens,
                cost,
                codec.to_micros(at),
            ),
        )

    def usage(self, since: datetime | None) -> list[UsageTotal]:
        rows = self._conn.execute(
            "SELECT purpose, model, count(*), sum(input_tokens), sum(output_tokens), sum(cost)"
            " FROM usage WHERE space = ? AND at >= ? GROUP BY purpose, model"
            " ORDER BY purpose, model",
            (self._space, _ALWAYS if since is None else codec.to_micros(since)),
        )
        return [UsageTotal(*row) for row in rows]
