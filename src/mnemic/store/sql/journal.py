"""Events, daily events and model usage; and what happened on a day, how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Literal, cast

from mnemic.days import ABROAD, Zone, day_bounds, day_of
from mnemic.ids import new_id
from mnemic.late import dataclass
from mnemic.store import codec
from mnemic.store.sql.part import Fields, Part, narrow, read_statements
from mnemic.types import DailyEvent, Event, Fact, Json, SafeName, UsageTotal, key_of

_ALWAYS = -(1 << 62)
_QUARTER = 900_000_000  # microseconds of a quarter of an hour, which every zone counts in
_FILTERS = {
    "subject": "subject = :subject",
    "type": "type = :type",
    "since": "at >= :since",
    "until": "at < :until",
}
_EVENT = Fields(Event, "id type operation_id subject payload:mapping at:time", table="events")
DAILY_EVENT = Fields(
    DailyEvent,
    "id day:day channel sender summary tokens compressed:flag created_at:time",
    table="daily_events",
)


@dataclass(frozen=True, slots=True)
class OperationNotes:
    """One operation in a transaction; its events share an id and a time."""

    journal: SqlJournal
    id: SafeName
    at: datetime

    def note(self, type_: str, subject: SafeName, /, **payload: Fact) -> Event:
        return self.journal.add_event(
            type_, operation_id=self.id, subject=subject, payload=payload, at=self.at
        )


class SqlJournal(Part):
    """The journal of one space on one connection."""

    statements = read_statements("sql/journal")

    def begin(self, operation: SafeName, at: datetime) -> OperationNotes:
        return OperationNotes(self, operation, at)

    def begin_new(self, name: str, at: datetime) -> OperationNotes:
        """An operation that nobody repeats."""
        return OperationNotes(self, key_of(name, new_id(at)), at)

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
        names = set(figures_of(event.type, event.payload))
        if TAKEN_BACK in names and not self._is_first_doubt(event.subject):
            names.remove(TAKEN_BACK)
        if names:
            self._unit.counters.add(event.at.date(), dict.fromkeys(names, 1))
        self._run("add_event", **_EVENT.of(event))
        return event

    def _is_first_doubt(self, memory: str) -> bool:
        """Whether a memory was learned and not taken back so far."""
        before = [
            figures_of(event.type, event.payload)
            for event in self._list(_EVENT, "subject = :subject", subject=memory)
        ]
        return ("learned",) in before and not any(TAKEN_BACK in names for names in before)

    def operation(self, operation_id: SafeName) -> list[Event]:
        """What an operation left, in order; empty when it has not happened."""
        return self._list(_EVENT, "operation_id = :id ORDER BY step", id=operation_id)

    def events(
        self,
        *,
        subject: SafeName | None = None,
        type_: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Event]:
        filters = {"subject": subject, "type": type_, "since": since, "until": until}
        order = "ORDER BY at DESC, id DESC LIMIT :limit OFFSET :offset"
        clause = f"{narrow(_FILTERS, filters)} {order}"
        return self._list(_EVENT, clause, **filters, limit=limit, offset=offset)

    def add_daily_event(self, event: DailyEvent) -> None:
        self._insert("daily_events", DAILY_EVENT.of(event))

    def has_daily_event(self, event: DailyEvent) -> bool:
        """Whether its channel has said the same of its day."""
        earlier = self._list(DAILY_EVENT, "day = :day", day=event.day)
        return (event.channel, event.summary) in {(old.channel, old.summary) for old in earlier}

    def daily_events(
        self, day: date | None, limit: int, *, words: Sequence[str] = ()
    ) -> list[DailyEvent]:
        clause = self.statements["having_words"]
        return self._list(DAILY_EVENT, clause, day=day, words=words, limit=limit)

    def list_uncompressed(self, before: date, limit: int) -> list[DailyEvent]:
        """Daily events of earlier days that are not in the knowledge yet, the oldest first."""
        clause = "day < :before AND compressed = 0 ORDER BY day, created_at, id LIMIT :limit"
        return self._list(DAILY_EVENT, clause, before=before, limit=limit)

    def mark_compressed(self, ids: Sequence[str], *, compressed: bool) -> None:
        self._run("mark_compressed", ids=ids, compressed=compressed)

    def add_usage(
        self,
        *,
        purpose: SafeName,
        model: SafeName,
        input_tokens: int,
        output_tokens: int,
        cost: float | None,
        at: datetime,
    ) -> None:
        tokens = {"input_tokens": input_tokens, "output_tokens": output_tokens, "cost": cost}
        about = {"id": new_id(at), "purpose": purpose, "model": model, "at": at}
        self._insert("usage", {**about, **tokens})

    def usage(self, since: datetime | None) -> list[UsageTotal]:
        rows = self._run("usage", since=_ALWAYS if since is None else since)
        return [UsageTotal(*row) for row in rows]


class SqlCounters(Part):
    """The counters of one space on one connection."""

    statements = read_statements("sql/journal")

    def add(self, day: date, amounts: Mapping[str, int]) -> None:
        self._conn.executemany(
            self.statements["count_up"],
            [(self._space, day.isoformat(), name, amount) for name, amount in amounts.items()],
        )

    def totals(self, since: date | None) -> dict[str, int]:
        """The sums of all days from then on."""
        return {name: int(amount) for name, amount in self._run("totals", since=since or "")}

    def rows(self, table: Literal["turns", "memories"]) -> int:
        """How many there are now."""
        return int(self._run(f"SELECT count(*) FROM {table} WHERE space = :space").get)

    def per_day(
        self, table: Literal["turns", "memories"], since: date, zone: Zone
    ) -> dict[date, int]:
        """Rows by the day they were said or learned from then on, in their zone or ``zone``."""
        of_turns = table == "turns"
        time, stated = ("at", "zone") if of_turns else ("created_at", "0")
        held = "" if of_turns else " AND status NOT IN ('pending', 'rejected')"
        first = day_bounds(since, zone)[0] - ABROAD
        parts = {"time": time, "quarter": _QUARTER, "zone": stated, "table": table, "held": held}
        rows = self._run(self._sql("per_day", **parts), first=first)
        days: Counter[date] = Counter()
        for quarter, minutes, count in rows:
            days[day_of(codec.from_micros(quarter * _QUARTER, minutes), zone)] += count
        return dict(days)


TAKEN_BACK = "taken_back"  # only of a memory that was learned, and once
_BY_TYPE: Mapping[str, tuple[str, ...]] = {
    "pending": ("put_to_user",),
    "confirm": ("confirmed",),
    "withdraw": (TAKEN_BACK,),
}


def figures_of(type_: str, payload: Mapping[str, object]) -> tuple[str, ...]:
    """The figures of use that an event counts for when it happens, mostly none."""
    if type_ == "write":
        return ("learned",) if payload.get("sources") else ()
    if type_ == "reject":
        return ("refused", TAKEN_BACK) if payload.get("by") == "user" else (TAKEN_BACK,)
    if type_ == "archive":  # by a rollback, rather than by decay
        undone = str(payload.get("reason", "")).startswith("rollback of")
        return (TAKEN_BACK,) if undone else ()
    return _BY_TYPE.get(type_, ())
