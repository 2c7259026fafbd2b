"""The worker's side of the durable queue, over all spaces: any number of workers in any number of
processes. How a job is claimed is each database's own.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mnemic.locks import ForkSafeLock
from mnemic.store import codec
from mnemic.store.rows import Scheduled
from mnemic.store.sql.part import Fields, SqlConnection, SqlRows, read_statements
from mnemic.types import WAITING_SINCE, Job, SafeText, constant, key_of

if TYPE_CHECKING:
    from mnemic.store.contract import Store
    from mnemic.store.sql.unit import Unit

_LOOKING = 10  # times longer than a look for the spaces with due work its answer is used
_SQL = read_statements("sql/queue")
_SCHEDULED = Fields(Scheduled, "space kind cron zone next_at:time last_at:time?")


class SpaceRound:
    """Whose turn it is: each space with due work once, then all of them again.

    Which spaces have due work is looked up for a whole round, and not more often than a look costs:
    with a few spaces at every claim, with ten thousand a few times a second.
    """

    def __init__(self) -> None:
        self._guard = ForkSafeLock()
        self._waiting: deque[int] = deque()
        self._until = 0.0

    def turns(self, conn: SqlConnection, now: int) -> list[int]:
        """The spaces to try, in this order."""
        with self._guard:
            if not self._waiting or time.monotonic() > self._until:
                self._look(conn, now)
            return list(self._waiting)

    def _look(self, conn: SqlConnection, now: int) -> None:
        begun = time.monotonic()
        due = {space for (space,) in conn.execute(_SQL["due_spaces"], {"now": now})}
        earlier = [space for space in self._waiting if space in due]
        self._waiting = deque([*earlier, *sorted(due.difference(earlier))])
        ended = time.monotonic()
        self._until = ended + _LOOKING * (ended - begun)

    def served(self, space: int, *, again: bool) -> None:
        """It is the last in the row now, or has no more work."""
        with self._guard, suppress(ValueError):
            self._waiting.remove(space)
            if again:
                self._waiting.append(space)


class SqlQueue(ABC):
    """Claiming and settling jobs."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._round = SpaceRound()

    @abstractmethod
    def claim(
        self, owner: str, now: datetime, lease_until: datetime, space: str | None = None
    ) -> Job | None:
        """Take the next due job, of one space or of any, or one whose worker died. Jobs of one key
        never run together. Spaces take turns, so that one with very many jobs keeps no other
        waiting.
        """

    def finish(self, job: Job, owner: str) -> None:
        with self._store.write_queue() as conn:
            _run(conn, "finish", **self._held(conn, job, owner))

    def retry(
        self,
        job: Job,
        owner: str,
        *,
        run_at: datetime,
        now: datetime,
        error: SafeText,
        counted: bool = True,
        waiting_since: datetime | None = None,
    ) -> None:
        """Put a failed job back for later; a successor that already waits under its key stands
        for both. Uncounted: it was put off, and has its try back.

        With ``waiting_since`` it waits for a model, which is not counted either; only the first of
        these waits is an event.
        """
        counted = counted and waiting_since is None
        payload = {name: fact for name, fact in job.payload.items() if name != WAITING_SINCE}
        if waiting_since is not None:
            payload[WAITING_SINCE] = waiting_since.isoformat()
        with self._store.write_queue() as conn:
            unit = self._store.enter(conn, job.space)
            held = self._held(conn, job, owner)
            times = {"run_at": run_at, "now": now}
            _run(conn, "retry", **held, **times, error=error, returned=not counted, payload=payload)
            settled = conn.changes()
            if not settled:
                _run(conn, "finish", **held)
                settled = conn.changes()
            if settled and not (waiting_since is not None and job.waiting_since):
                _note_failure(unit, "retry" if counted else "put_off", job, now, error)

    def resume(self, space: str, now: datetime) -> None:
        """A model is back: what waited for one in this space is due."""
        with self._store.write_queue() as conn:
            _run(conn, "resume", space=self._store.enter(conn, space).space, now=now)

    def bury(self, job: Job, owner: str, *, now: datetime, error: SafeText) -> None:
        """Put a job aside as dead, with the reason."""
        with self._store.write_queue() as conn:
            unit = self._store.enter(conn, job.space)
            _run(conn, "bury", **self._held(conn, job, owner), error=error)
            if conn.changes():
                _note_failure(unit, "dead", job, now, error)

    def next_due(self, now: datetime) -> datetime | None:
        """When the next waiting job or schedule comes up; now for what is overdue."""
        with self._store.read_queue() as conn:
            soonest = _run(conn, "next_due").get
        return None if soonest is None else max(now, codec.from_micros(soonest))

    def running(self, now: datetime, space: str | None = None) -> int:
        with self._store.read_queue() as conn:
            return int(_run(conn, "running", now=now, space=space).get)

    def due(self, now: datetime) -> int:
        """How many jobs could run now."""
        with self._store.read_queue() as conn:
            return int(_run(conn, "due", now=now).get)

    # --- schedules ------------------------------------------------------------------------------

    def schedule(self, space: str, kind: str, cron: str, zone: str, next_at: datetime) -> bool:
        """Register a recurring job; an unchanged one keeps its place, so overdue stays overdue.

        One that would run later than ``next_at``, its next time by the present clock, was placed by
        a clock that has gone back since. False when the space does not exist yet.
        """
        values = {"kind": kind, "cron": cron, "zone": zone, "next_at": next_at}
        # Looked up first: a process that starts must not disturb writers.
        with self._store.read_queue() as conn:
            number = self._store.number_of(conn, space)
            if number is None:
                return False
            if _run(conn, "scheduled", **values, space=number).get:
                return True
        with self._store.write_queue() as conn:
            _run(conn, "schedule", **values, space=number)
        return True

    def overdue(self, now: datetime, limit: int = 100) -> list[Scheduled]:
        """Schedules that are due, the longest ones first, and those a clock that went back left in
        the far future; at most ``limit`` of them.
        """
        with self._store.read_queue() as conn:
            return [_SCHEDULED.read(row) for row in _run(conn, "overdue", now=now, limit=limit)]

    def advance(
        self, due: Scheduled, *, next_at: datetime, now: datetime, max_attempts: int, run: bool
    ) -> bool:
        """Move the schedule on and, with ``run``, queue its job; False when another worker was
        first.
        """
        with self._store.write_queue() as conn:
            unit = self._store.enter(conn, due.space)
            place = {"space": unit.space, "kind": due.kind, "before": due.next_at}
            _run(conn, "advance", **place, next_at=next_at, now=now)
            if conn.changes() == 0:
                return False
            if run:
                unit.tasks.enqueue(
                    due.kind,
                    key=constant("scheduled"),
                    payload={},
                    run_at=now,
                    now=now,
                    max_attempts=max_attempts,
                )
            return True

    def _held(self, conn: SqlConnection, job: Job, owner: str) -> dict[str, Any]:
        """What names a job that this worker holds."""
        return {"space": self._store.number_of(conn, job.space), "id": job.id, "owner": owner}


def _run(conn: SqlConnection, name: str, **values: Any) -> SqlRows:
    encoded = {key: codec.encode(value) for key, value in values.items()}
    return conn.execute(_SQL[name], encoded)


def _note_failure(unit: Unit, type_: str, job: Job, now: datetime, error: SafeText) -> None:
    """A failure is an event of its space, in the transaction that settles the job."""
    unit.journal.add_event(
        type_,
        operation_id=key_of("job", job.id, job.attempts, constant(type_)),
        subject=key_of("job", job.id),
        payload={"kind": constant(job.kind), "attempt": job.attempts, "error": error},
        at=now,
    )
