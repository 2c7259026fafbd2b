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
from mnemic.store.sql.connection import SqlConnection
from mnemic.store.sql.tasks import WAITS_FOR_MODEL
from mnemic.types import WAITING_SINCE, Job, SafeText, constant, key_of

if TYPE_CHECKING:
    from mnemic.store.contract import Store
    from mnemic.store.sql.unit import Unit

# From space to space by the index, whatever number of jobs each has.
_DUE_SPACES = (
    "WITH RECURSIVE step (space) AS ("
    " SELECT min(space) FROM jobs WHERE state = 'ready' UNION ALL"
    " SELECT (SELECT min(j.space) FROM jobs j WHERE j.state = 'ready' AND j.space > step.space)"
    " FROM step WHERE step.space IS NOT NULL)"
    " SELECT space FROM step WHERE space IS NOT NULL AND (SELECT min(j.run_at) FROM jobs j"
    " WHERE j.state = 'ready' AND j.space = step.space) <= :now"
)
_LOOKING = 10  # times longer than a look for the spaces with due work its answer is used
_MINE = "space = :space AND id = :id AND lease_owner = :owner"


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
        due = {space for (space,) in conn.execute(_DUE_SPACES, {"now": now})}
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
            conn.execute(f"DELETE FROM jobs WHERE {_MINE}", self._held(conn, job, owner))

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
            values = {
                **self._held(conn, job, owner),
                "run_at": codec.to_micros(run_at),
                "now": codec.to_micros(now),
                "error": error,
                "returned": not counted,
                "payload": codec.dump(payload),
            }
            conn.execute(
                "UPDATE jobs AS j SET state = 'ready', run_at = :run_at, queued_at = :now,"
                " error = :error, attempts = attempts - :returned, payload = :payload,"
                f" lease_owner = '', lease_until = NULL WHERE {_MINE} AND NOT EXISTS (SELECT 1"
                "  FROM jobs w WHERE w.space = j.space AND w.kind = j.kind AND w.key = j.key"
                "  AND w.state = 'ready')",
                values,
            )
            settled = conn.changes()
            if not settled:
                conn.execute(f"DELETE FROM jobs WHERE {_MINE}", values)
                settled = conn.changes()
            if settled and not (waiting_since is not None and job.waiting_since):
                _note_failure(unit, "retry" if counted else "put_off", job, now, error)

    def resume(self, space: str, now: datetime) -> None:
        """A model is back: what waited for one in this space is due."""
        with self._store.write_queue() as conn:
            conn.execute(
                f"UPDATE jobs SET run_at = :now, queued_at = :now WHERE {WAITS_FOR_MODEL}"
                " AND run_at > :now",
                {"space": self._store.enter(conn, space).space, "now": codec.to_micros(now)},
            )

    def bury(self, job: Job, owner: str, *, now: datetime, error: SafeText) -> None:
        """Put a job aside as dead, with the reason."""
        with self._store.write_queue() as conn:
            unit = self._store.enter(conn, job.space)
            conn.execute(
                "UPDATE jobs SET state = 'dead', error = :error, lease_owner = '',"
                f" lease_until = NULL WHERE {_MINE}",
                {**self._held(conn, job, owner), "error": error},
            )
            if conn.changes():
                _note_failure(unit, "dead", job, now, error)

    def next_due(self, now: datetime) -> datetime | None:
        """When the next waiting job or schedule comes up; now for what is overdue."""
        with self._store.read_queue() as conn:
            soonest = conn.execute(
                "SELECT min(at) FROM (SELECT min(run_at) AS at FROM jobs WHERE state = 'ready'"
                " UNION ALL SELECT min(lease_until) FROM jobs WHERE state = 'running'"
                " UNION ALL SELECT min(next_at) FROM schedules) AS due"
            ).get
        return None if soonest is None else max(now, codec.from_micros(soonest))

    def running(self, now: datetime, space: str | None = None) -> int:
        with self._store.read_queue() as conn:
            return int(
                conn.execute(
                    "SELECT count(*) FROM jobs WHERE state = 'running' AND lease_until > :now"
                    " AND (:space IS NULL OR space = (SELECT s.space FROM spaces s"
                    " WHERE s.name = :space))",
                    {"now": codec.to_micros(now), "space": space},
                ).get
            )

    # --- schedules ------------------------------------------------------------------------------

    def schedule(self, space: str, kind: str, cron: str, zone: str, next_at: datetime) -> bool:
        """Register a recurring job; an unchanged one keeps its place, so overdue stays overdue.

        One that would run later than ``next_at``, its next time by the present clock, was placed by
        a clock that has gone back since. False when the space does not exist yet.
        """
        values = {"kind": kind, "cron": cron, "zone": zone, "next_at": codec.to_micros(next_at)}
        # Looked up first: a process that starts must not disturb writers.
        with self._store.read_queue() as conn:
            number = self._store.number_of(conn, space)
            if number is None:
                return False
            if conn.execute(
                "SELECT 1 FROM schedules WHERE space = :space AND kind = :kind AND cron = :cron"
                " AND zone = :zone AND next_at <= :next_at",
                {**values, "space": number},
            ).get:
                return True
        with self._store.write_queue() as conn:
            conn.execute(
                "INSERT INTO schedules VALUES (:space, :kind, :cron, :zone, :next_at, NULL)"
                " ON CONFLICT (space, kind) DO UPDATE SET cron = excluded.cron,"
                " zone = excluded.zone, next_at = excluded.next_at"
                " WHERE schedules.cron != excluded.cron OR schedules.zone != excluded.zone"
                " OR schedules.next_at > excluded.next_at",
                {**values, "space": number},
            )
        return True

    def overdue(self, now: datetime, limit: int = 100) -> list[Scheduled]:
        """Schedules that are due, the longest ones first, and those a clock that went back left in
        the far future; at most ``limit`` of them.
        """
        with self._store.read_queue() as conn:
            rows = conn.execute(
                "SELECT s.name, c.kind, c.cron, c.zone, c.next_at, c.last_at FROM schedules c"
                " JOIN spaces s ON s.space = c.space WHERE c.next_at <= :now OR c.last_at > :now"
                " ORDER BY c.next_at LIMIT :limit",
                {"now": codec.to_micros(now), "limit": limit},
            ).fetchall()
        return [
            Scheduled(
                name, kind, cron, zone, codec.from_micros(next_at), codec.maybe_from_micros(last_at)
            )
            for name, kind, cron, zone, next_at, last_at in rows
        ]

    def advance(
        self, due: Scheduled, *, next_at: datetime, now: datetime, max_attempts: int, run: bool
    ) -> bool:
        """Move the schedule on and, with ``run``, queue its job; False when another worker was
        first.
        """
        with self._store.write_queue() as conn:
            unit = self._store.enter(conn, due.space)
            conn.execute(
                "UPDATE schedules SET next_at = :next_at, last_at = :now WHERE space = :space"
                " AND kind = :kind AND next_at = :before",
                {
                    "next_at": codec.to_micros(next_at),
                    "now": codec.to_micros(now),
                    "space": unit.space,
                    "kind": due.kind,
                    "before": codec.to_micros(due.next_at),
                },
            )
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


def _note_failure(unit: Unit, type_: str, job: Job, now: datetime, error: SafeText) -> None:
    """A failure is an event of its space, in the transaction that settles the job."""
    unit.journal.add_event(
        type_,
        operation_id=key_of("job", job.id, job.attempts, constant(type_)),
        subject=key_of("job", job.id),
        payload={"kind": constant(job.kind), "attempt": job.attempts, "error": error},
        at=now,
    )
