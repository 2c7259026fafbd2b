"""The durable queue in PostgreSQL: any number of workers in any number of processes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from mnemic.ids import new_ids
from mnemic.store import codec
from mnemic.store.postgres.connection import PostgresConnection
from mnemic.store.postgres.server import KEYS, Server
from mnemic.store.rows import Scheduled
from mnemic.store.sql.job_rows import (
    JOB,
    job_of,
    note_failure,
    payload_for_retry,
    scheduled_of,
)
from mnemic.store.sql.journal import SqlJournal
from mnemic.store.sql.rounds import SpaceRound
from mnemic.store.sql.tasks import SqlTasks
from mnemic.types import (
    WAITING_SINCE,
    Fact,
    Job,
    SafeName,
    SafeText,
    constant,
)

# Nobody is at another job of the same key.
_FREE = (
    "NOT EXISTS (SELECT 1 FROM jobs r WHERE r.space = j.space AND r.state = 'running'"
    " AND r.kind = j.kind AND r.key = j.key AND r.id != j.id"
    " AND r.lease_until > {now} AND r.queued_at <= {now})"
)
_PLACE = "j.space, j.id, j.kind, j.key"
_FIRST = "ORDER BY j.run_at, j.id LIMIT 1 FOR UPDATE OF j SKIP LOCKED"
_AT_ONCE = 10  # spaces that are asked in one round trip
# The first of the spaces, in their order, that has something due.
_DUE = f"""
SELECT d.* FROM unnest($2::bigint[]) AS w (space) CROSS JOIN LATERAL (
    SELECT {_PLACE} FROM jobs j WHERE j.space = w.space AND j.state = 'ready' AND j.run_at <= $1
        AND {_FREE.format(now="$1")} {_FIRST}
) d LIMIT 1
"""
_LAPSED = (
    f"SELECT {_PLACE} FROM jobs j WHERE j.state = 'running' AND j.lease_until <= $1"
    f" AND {_FREE.format(now='$1')} {_FIRST}"
)
# Queued in what is now the future: the clock went back.
_FUTURE = (
    f"SELECT {_PLACE} FROM jobs j WHERE j.state IN ('ready', 'running') AND j.queued_at > $1"
    f" AND {_FREE.format(now='$1')} {_FIRST}"
)
_OF_SPACE = (
    f"SELECT {_PLACE} FROM jobs j WHERE j.space = $2 AND (j.state = 'ready'"
    " AND (j.run_at <= $1 OR j.queued_at > $1) OR j.state = 'running'"
    f" AND (j.lease_until <= $1 OR j.queued_at > $1)) AND {_FREE.format(now='$1')} {_FIRST}"
)
_TAKE = f"""
WITH taken AS (
    UPDATE jobs AS j SET state = 'running', attempts = attempts + 1, lease_owner = $4,
        lease_until = $5, queued_at = $3
    WHERE j.space = $1 AND j.id = $2 AND {_FREE.format(now="$3")} RETURNING j.*
)
SELECT {JOB} FROM taken j JOIN spaces s ON s.space = j.space
"""
_WAITS_FOR_MODEL = (
    f"space = $1 AND state = 'ready' AND as_json(payload) ->> '{WAITING_SINCE}' IS NOT NULL"
)
_AGAIN = 20  # others that were quicker, before this worker looks again later


class PostgresTasks(SqlTasks):
    """Queueing and looking at the jobs of one space."""

    def _put(
        self,
        kind: str,
        payloads: Mapping[SafeName, Mapping[str, Fact]],
        run_at: datetime,
        now: datetime,
        max_attempts: int,
    ) -> None:
        due, moment = codec.to_micros(run_at), codec.to_micros(now)
        ids = new_ids(now, len(payloads))
        self._conn.executemany(
            "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, 'ready', 0, ?, ?, ?, ?, '', NULL, '')"
            " ON CONFLICT (space, kind, key) WHERE state = 'ready' DO UPDATE SET"
            " run_at = excluded.run_at, queued_at = excluded.queued_at"
            " WHERE excluded.run_at < jobs.run_at AND jobs.attempts = 0 AND jobs.error = ''",
            [
                (
                    self._space,
                    id_,
                    kind,
                    key,
                    codec.dump(dict(payload)),
                    max_attempts,
                    due,
                    moment,
                    moment,
                )
                for id_, (key, payload) in zip(ids, payloads.items(), strict=True)
            ],
        )


class PostgresQueue:
    """Claiming and settling jobs, over all spaces."""

    def __init__(self, server: Server, numbers: Mapping[str, int]) -> None:
        self._server = server
        self._numbers = numbers
        self._round = SpaceRound()

    def claim(
        self, owner: str, now: datetime, lease_until: datetime, space: str | None = None
    ) -> Job | None:
        """Take the next due job, or one whose worker died. Jobs of one key never run together."""
        moment = codec.to_micros(now)
        for _ in range(_AGAIN):
            with self._server.write(queue=True) as conn:
                found = self._next(conn, moment, space)
                if found is None:
                    return None
                number, id_, kind, key = found
                # Two jobs of one key may be chosen at once; the second look is under a lock.
                free = conn.rows(
                    "SELECT pg_try_advisory_xact_lock($1::int, hashtext($2))",
                    (KEYS, f"{number} {kind} {key}"),
                ).get
                row = (
                    free
                    and conn.rows(
                        _TAKE, (number, id_, moment, owner, codec.to_micros(lease_until))
                    ).fetchone()
                )
            if row:
                return job_of(row)
        return None

    def _next(
        self, conn: PostgresConnection, moment: int, space: str | None
    ) -> tuple[int, str, str, str] | None:
        if space is not None:
            mine: tuple[int, str, str, str] | None = conn.rows(
                _OF_SPACE, (moment, self._number(conn, space))
            ).fetchone()
            return mine
        found: tuple[int, str, str, str] | None = conn.rows(_LAPSED, (moment,)).fetchone()
        waiting = [] if found else self._round.turns(conn, moment)
        while found is None and waiting:
            asked, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
            found = conn.rows(_DUE, (moment, asked)).fetchone()
            for number in asked:
                is_last = found is not None and number == found[0]
                self._round.served(number, again=is_last)
                if is_last:
                    break
        if found is None:
            found = conn.rows(_FUTURE, (moment,)).fetchone()
        return found

    def finish(self, job: Job, owner: str) -> None:
        with self._server.write(queue=True) as conn:
            conn.native(
                "DELETE FROM jobs WHERE space = $1 AND id = $2 AND lease_owner = $3",
                (self._number(conn, job.space), job.id, owner),
            )

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
        waits = waiting_since is not None
        counted = counted and not waits
        with self._server.write(queue=True) as conn:
            space = self._enter(conn, job.space)
            conn.native(
                "UPDATE jobs AS j SET state = 'ready', run_at = $4, queued_at = $5, error = $6,"
                " attempts = attempts - $7, payload = $8, lease_owner = '', lease_until = NULL"
                " WHERE space = $1 AND id = $2 AND lease_owner = $3 AND NOT EXISTS (SELECT 1"
                "  FROM jobs w WHERE w.space = j.space AND w.kind = j.kind AND w.key = j.key"
                "  AND w.state = 'ready')",
                (
                    space,
                    job.id,
                    owner,
                    codec.to_micros(run_at),
                    codec.to_micros(now),
                    error,
                    not counted,
                    payload_for_retry(job, waiting_since),
                ),
            )
            settled = conn.changes()
            if not settled:
                conn.native(
                    "DELETE FROM jobs WHERE space = $1 AND id = $2 AND lease_owner = $3",
                    (space, job.id, owner),
                )
                settled = conn.changes()
            if settled and not (waits and job.waiting_since):
                type_ = "retry" if counted else "put_off"
                note_failure(SqlJournal(conn, space), type_, job, now, error)

    def resume(self, space: str, now: datetime) -> None:
        """A model is back: what waited for one in this space is due."""
        with self._server.write(queue=True) as conn:
            number = self._enter(conn, space)
            conn.native(
                f"UPDATE jobs SET run_at = $2, queued_at = $2 WHERE {_WAITS_FOR_MODEL}"
                " AND run_at > $2",
                (number, codec.to_micros(now)),
            )

    def bury(self, job: Job, owner: str, *, now: datetime, error: SafeText) -> None:
        """Put a job aside as dead, with the reason."""
        with self._server.write(queue=True) as conn:
            space = self._enter(conn, job.space)
            conn.native(
                "UPDATE jobs SET state = 'dead', error = $4, lease_owner = '', lease_until = NULL"
                " WHERE space = $1 AND id = $2 AND lease_owner = $3",
                (space, job.id, owner, error),
            )
            if conn.changes():
                note_failure(SqlJournal(conn, space), "dead", job, now, error)

    def next_due(self, now: datetime) -> datetime | None:
        """When the next waiting job or schedule comes up; now for what is overdue."""
        with self._server.read(queue=True) as conn:
            soonest = conn.rows(
                "SELECT least((SELECT min(run_at) FROM jobs WHERE state = 'ready'),"
                " (SELECT min(lease_until) FROM jobs WHERE state = 'running'),"
                " (SELECT min(next_at) FROM schedules))"
            ).get
        return None if soonest is None else max(now, codec.from_micros(soonest))

    def running(self, now: datetime, space: str | None = None) -> int:
        with self._server.read(queue=True) as conn:
            number = None if space is None else self._number(conn, space)
            return int(
                conn.rows(
                    "SELECT count(*) FROM jobs WHERE state = 'running' AND lease_until > $1"
                    " AND ($2::bigint IS NULL OR space = $2)",
                    (codec.to_micros(now), number),
                ).get
            )

    # --- schedules ------------------------------------------------------------------------------

    def schedule(self, space: str, kind: str, cron: str, zone: str, next_at: datetime) -> bool:
        """Register a recurring job; an unchanged one keeps its place, so overdue stays overdue.

        One that would run later than ``next_at``, its next time by the present clock, was placed by
        a clock that has gone back since. False when the space does not exist yet.
        """
        with self._server.write(queue=True) as conn:
            conn.native(
                "INSERT INTO schedules SELECT space, $2, $3, $4, $5, NULL FROM spaces"
                " WHERE name = $1 ON CONFLICT (space, kind) DO UPDATE SET cron = excluded.cron,"
                " zone = excluded.zone, next_at = excluded.next_at"
                " WHERE schedules.cron != excluded.cron OR schedules.zone != excluded.zone"
                " OR schedules.next_at > excluded.next_at",
                (space, kind, cron, zone, codec.to_micros(next_at)),
            )
            return conn.changes() > 0 or bool(
                conn.rows("SELECT 1 FROM spaces WHERE name = $1", (space,)).get
            )

    def overdue(self, now: datetime, limit: int = 100) -> list[Scheduled]:
        """Schedules that are due, the longest ones first, and those a clock that went back left in
        the far future; at most ``limit`` of them.
        """
        with self._server.read(queue=True) as conn:
            rows = conn.rows(
                "SELECT s.name, c.kind, c.cron, c.zone, c.next_at, c.last_at FROM schedules c"
                " JOIN spaces s ON s.space = c.space WHERE c.next_at <= $1 OR c.last_at > $1"
                " ORDER BY c.next_at LIMIT $2",
                (codec.to_micros(now), limit),
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
        with self._server.write(queue=True) as conn:
            space = self._enter(conn, due.space)
            conn.native(
                "UPDATE schedules SET next_at = $3, last_at = $4 WHERE space = $1 AND kind = $2"
                " AND next_at = $5",
                (
                    space,
                    due.kind,
                    codec.to_micros(next_at),
                    codec.to_micros(now),
                    codec.to_micros(due.next_at),
                ),
            )
            if conn.changes() == 0:
                return False
            if run:
                PostgresTasks(conn, space).enqueue(
                    due.kind,
                    key=constant("scheduled"),
                    payload={},
                    run_at=now,
                    now=now,
                    max_attempts=max_attempts,
                )
            return True

    # --- parts ----------------------------------------------------------------------------------

    def _enter(self, conn: PostgresConnection, space: str) -> int:
        """Write to a space besides the queue, as the only one."""
        number = self._number(conn, space)
        self._server.enter(conn, number, space, queue=True)
        self._server.lock(conn, number)
        return number

    def _number(self, conn: PostgresConnection, space: str) -> int:
        known = self._numbers.get(space)
        if known is None:
            known = conn.rows("SELECT space FROM spaces WHERE name = $1", (space,)).get
        return -1 if known is None else int(known)
