"""The worker's side of the durable queue in SQLite (Queue)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import apsw

from mnemic.store import codec
from mnemic.store.rows import Scheduled
from mnemic.store.sql.job_rows import (
    FROM_JOBS,
    JOB,
    WAITS_FOR_MODEL,
    job_of,
    note_failure,
    payload_for_retry,
    scheduled_of,
)
from mnemic.store.sql.journal import SqlJournal
from mnemic.store.sql.rounds import SpaceRound
from mnemic.store.sql.tasks import SqlTasks
from mnemic.store.sqlite.connection import Database
from mnemic.types import (
    Job,
    SafeText,
    constant,
)

# Due: its time has come, or it was queued in what is now the future because the clock went back.
_DUE = "(j.run_at <= :now OR j.queued_at > :now)"
_LAPSED = "(j.lease_until <= :now OR j.queued_at > :now)"
_ALONE = (
    "NOT EXISTS (SELECT 1 FROM jobs r WHERE r.state = 'running' AND r.id != j.id"
    " AND r.space = j.space AND r.kind = j.kind AND r.key = j.key"
    " AND r.lease_until > :now AND r.queued_at <= :now)"
)
_NEXT_LAPSED = (
    f"SELECT j.id FROM jobs j WHERE j.state = 'running' AND {_LAPSED} AND {_ALONE}"
    " ORDER BY j.run_at, j.id LIMIT 1"
)
_NEXT_OF_SPACE = (
    "SELECT j.id FROM jobs j WHERE j.state = 'ready' AND j.space = :space AND j.run_at <= :now"
    f" AND {_ALONE} ORDER BY j.run_at, j.id LIMIT 1"
)


def _first(conn: apsw.Connection, values: dict[str, Any], where: str) -> str | None:
    """The oldest job that is due for any reason."""
    claimed = conn.execute(
        f"SELECT j.id FROM jobs j WHERE (j.state = 'ready' AND {_DUE}"
        f"  OR j.state = 'running' AND {_LAPSED}){where} AND {_ALONE}"
        " ORDER BY j.run_at, j.id LIMIT 1",
        values,
    ).get
    return None if claimed is None else str(claimed)


class SqliteQueue:
    """Claiming and settling jobs, over all spaces."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._round = SpaceRound()

    def claim(
        self, owner: str, now: datetime, lease_until: datetime, space: str | None = None
    ) -> Job | None:
        """Take the next due job, or one whose worker died. Jobs of one key never run together."""
        moment = codec.to_micros(now)
        values = {"now": moment, "owner": owner, "lease": codec.to_micros(lease_until)}
        if not self._anything_due(values):
            return None
        with self._database.write() as conn:
            claimed = self._next(conn, values, space)
            if claimed is None:
                return None
            conn.execute(
                "UPDATE jobs SET state = 'running', attempts = attempts + 1, lease_owner = :owner,"
                " lease_until = :lease, queued_at = :now WHERE id = :id",
                {**values, "id": claimed},
            )
            (row,) = conn.execute(f"SELECT {JOB} {FROM_JOBS} WHERE j.id = ?", (claimed,)).fetchall()
            return job_of(row)

    def _next(self, conn: apsw.Connection, values: dict[str, Any], space: str | None) -> str | None:
        """The id of the job to take: of the space that has waited longest for its turn."""
        if space is not None:
            number = conn.execute("SELECT space FROM spaces WHERE name = ?", (space,)).get
            return _first(conn, {**values, "space": number}, " AND j.space = :space")
        lapsed = conn.execute(_NEXT_LAPSED, values).get
        if lapsed is not None:
            return str(lapsed)
        for number in self._round.turns(conn, int(values["now"])):
            claimed = conn.execute(_NEXT_OF_SPACE, {**values, "space": number}).get
            self._round.served(number, again=claimed is not None)
            if claimed is not None:
                return str(claimed)
        return _first(conn, values, "")  # what a clock that went back has left

    def _anything_due(self, values: dict[str, Any]) -> bool:
        """A read before the write lock: an idle worker must not disturb writers."""
        with self._database.read() as conn:
            return bool(
                conn.execute(
                    f"SELECT EXISTS (SELECT 1 FROM jobs j WHERE j.state = 'ready' AND {_DUE})"
                    f" OR EXISTS (SELECT 1 FROM jobs j WHERE j.state = 'running' AND {_LAPSED})",
                    values,
                ).get
            )

    def finish(self, job: Job, owner: str) -> None:
        with self._database.write() as conn:
            conn.execute("DELETE FROM jobs WHERE id = ? AND lease_owner = ?", (job.id, owner))

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
        values = (job.id, owner)
        waits = waiting_since is not None
        counted = counted and not waits
        with self._database.write() as conn:
            conn.execute(
                "UPDATE OR IGNORE jobs SET state = 'ready', run_at = ?, queued_at = ?, error = ?,"
                " attempts = attempts - ?, payload = ?, lease_owner = '', lease_until = NULL"
                " WHERE id = ? AND lease_owner = ?",
                (
                    codec.to_micros(run_at),
                    codec.to_micros(now),
                    error,
                    not counted,
                    payload_for_retry(job, waiting_since),
                    *values,
                ),
            )
            if conn.changes() == 0:
                conn.execute("DELETE FROM jobs WHERE id = ? AND lease_owner = ?", values)
            if conn.changes() and not (waits and job.waiting_since):
                type_ = "retry" if counted else "put_off"
                note_failure(_journal(conn, job), type_, job, now, error)

    def resume(self, space: str, now: datetime) -> None:
        """A model is back: what waited for one in this space is due."""
        with self._database.write() as conn:
            conn.execute(
                f"UPDATE jobs SET run_at = :now, queued_at = :now WHERE {WAITS_FOR_MODEL}"
                " AND run_at > :now",
                {
                    "space": conn.execute("SELECT space FROM spaces WHERE name = ?", (space,)).get,
                    "now": codec.to_micros(now),
                },
            )

    def bury(self, job: Job, owner: str, *, now: datetime, error: SafeText) -> None:
        """Put a job aside as dead, with the reason."""
        with self._database.write() as conn:
            conn.execute(
                "UPDATE jobs SET state = 'dead', error = ?, lease_owner = '', lease_until = NULL"
                " WHERE id = ? AND lease_owner = ?",
                (error, job.id, owner),
            )
            if conn.changes():
                note_failure(_journal(conn, job), "dead", job, now, error)

    def next_due(self, now: datetime) -> datetime | None:
        """When the next waiting job or schedule comes up; now for what is overdue."""
        with self._database.read() as conn:
            soonest = conn.execute(
                "SELECT min(at) FROM (SELECT min(run_at) AS at FROM jobs WHERE state = 'ready'"
                " UNION ALL SELECT min(lease_until) FROM jobs WHERE state = 'running'"
                " UNION ALL SELECT min(next_at) FROM schedules)"
            ).get
        return None if soonest is None else max(now, codec.from_micros(soonest))

    def running(self, now: datetime, space: str | None = None) -> int:
        with self._database.read() as conn:
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
        values = (space, kind, cron, zone)
        existing = (
            "SELECT 1 FROM schedules c JOIN spaces s ON s.space = c.space"
            " WHERE s.name = ? AND c.kind = ? AND c.cron = ? AND c.zone = ? AND c.next_at <= ?"
        )
        with self._database.read() as conn:
            if conn.execute(existing, (*values, codec.to_micros(next_at))).get:
                return True
            if not conn.execute("SELECT 1 FROM spaces WHERE name = ?", (space,)).get:
                return False
        with self._database.write() as conn:
            conn.execute(
                "INSERT INTO schedules SELECT space, ?, ?, ?, ?, NULL FROM spaces WHERE name = ?"
                " ON CONFLICT (space, kind) DO UPDATE SET cron = excluded.cron,"
                " zone = excluded.zone, next_at = excluded.next_at"
                " WHERE cron != excluded.cron OR zone != excluded.zone"
                " OR next_at > excluded.next_at",
                (kind, cron, zone, codec.to_micros(next_at), space),
            )
            return conn.changes() > 0

    def overdue(self, now: datetime, limit: int = 100) -> list[Scheduled]:
        """Schedules that are due, the longest ones first, and those a clock that went back left in
        the far future; at most ``limit`` of them.
        """
        moment = codec.to_micros(now)
        with self._database.read() as conn:
            rows: list[tuple[Any, ...]] = conn.execute(
                "SELECT s.name, c.kind, c.cron, c.zone, c.next_at, c.last_at FROM schedules c"
                " JOIN spaces s ON s.space = c.space WHERE c.next_at <= ? OR c.last_at > ?"
                " ORDER BY c.next_at LIMIT ?",
                (moment, moment, limit),
            ).fetchall()
        return [scheduled_of(row) for row in rows]

    def advance(
        self,
        due: Scheduled,
        *,
        next_at: datetime,
        now: datetime,
        max_attempts: int,
        run: bool,
    ) -> bool:
        """Move the schedule on and, with ``run``, queue its job; False when another worker was
        first.
        """
        with self._database.write() as conn:
            conn.execute(
                "UPDATE schedules SET next_at = ?, last_at = ? WHERE kind = ? AND next_at = ?"
                " AND space = (SELECT space FROM spaces WHERE name = ?)",
                (
                    codec.to_micros(next_at),
                    codec.to_micros(now),
                    due.kind,
                    codec.to_micros(due.next_at),
                    due.space,
                ),
            )
            if conn.changes() == 0:
                return False
            if not run:
                return True
            number = conn.execute("SELECT space FROM spaces WHERE name = ?", (due.space,)).get
            SqlTasks(conn, number).enqueue(
                due.kind,
                key=constant("scheduled"),
                payload={},
                run_at=now,
                now=now,
                max_attempts=max_attempts,
            )
            return True


def _journal(conn: apsw.Connection, job: Job) -> SqlJournal:
    """The journal of the space that a job is of."""
    space = conn.execute("SELECT space FROM spaces WHERE name = ?", (job.space,)).get
    return SqlJournal(conn, int(space))
