"""The space's side of the durable queue (Tasks)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from mnemic.ids import new_ids
from mnemic.store import codec
from mnemic.store.sql.connection import SqlConnection
from mnemic.store.sql.job_rows import FROM_JOBS, JOB, WAITS_FOR_MODEL, job_of
from mnemic.types import WAITING_SINCE, Fact, Job, JobState, SafeName


class SqlTasks:
    """Queueing and looking at the jobs of one space."""

    def __init__(self, conn: SqlConnection, space: int) -> None:
        self._conn = conn
        self._space = space

    def enqueue(
        self,
        kind: str,
        *,
        key: SafeName,
        payload: Mapping[str, Fact],
        run_at: datetime,
        now: datetime,
        max_attempts: int,
    ) -> None:
        """Queue a job. One that already waits under the same key stands for both and keeps the
        earlier time, but a failed or put off one that waits for its next try is not hurried.
        """
        # Every turn asks again for what already waits, so that case is looked for first.
        if self._conn.execute(
            "SELECT 1 FROM jobs WHERE space = ? AND kind = ? AND key = ? AND state = 'ready'"
            " AND run_at <= ?",
            (self._space, kind, key, codec.to_micros(run_at)),
        ).get:
            return
        self._put(kind, {key: payload}, run_at, now, max_attempts)

    def enqueue_many(
        self,
        kind: str,
        payloads: Mapping[SafeName, Mapping[str, Fact]],
        *,
        run_at: datetime,
        now: datetime,
        max_attempts: int,
    ) -> None:
        """Queue a job for each key, as ``enqueue`` does."""
        if len(payloads) == 1:
            ((key, payload),) = payloads.items()
            self.enqueue(
                kind, key=key, payload=payload, run_at=run_at, now=now, max_attempts=max_attempts
            )
        elif payloads:
            self._put(kind, payloads, run_at, now, max_attempts)

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
        jobs = [
            (id_, key, codec.dump(dict(payload)))
            for id_, (key, payload) in zip(ids, payloads.items(), strict=True)
        ]
        self._conn.execute(
            "INSERT INTO jobs SELECT ?, value ->> 0, ?, value ->> 1, value ->> 2, 'ready', 0,"
            " ?, ?, ?, ?, '', NULL, '' FROM json_each(?) WHERE true"
            " ON CONFLICT (space, kind, key) WHERE state = 'ready' DO UPDATE SET"
            " run_at = excluded.run_at, queued_at = excluded.queued_at"
            " WHERE excluded.run_at < run_at AND attempts = 0 AND error = ''",
            (self._space, kind, max_attempts, due, moment, moment, codec.dump(jobs)),
        )

    def unfinished(self, state: JobState | None, limit: int) -> list[Job]:
        rows = self._conn.execute(
            f"SELECT {JOB} {FROM_JOBS} WHERE j.space = ? AND (? IS NULL OR j.state = ?)"
            " ORDER BY j.run_at, j.id LIMIT ?",
            (self._space, state, state, limit),
        )
        return [job_of(row) for row in rows]

    def waiting_for_model(self, limit: int) -> list[Job]:
        """Jobs that learn and wait for a model that is away, the next first."""
        rows = self._conn.execute(
            f"SELECT {JOB} FROM (SELECT * FROM jobs WHERE {WAITS_FOR_MODEL}"
            " AND payload ->> 'session' IS NOT NULL) j JOIN spaces s ON s.space = j.space"
            " ORDER BY j.run_at, j.id LIMIT :limit",
            {"space": self._space, "limit": limit},
        )
        return [job_of(row) for row in rows]

    def model_away_until(self, now: datetime) -> datetime | None:
        """When the first of the jobs that learn asks a model again that is away; None where none
        waits for one.
        """
        moment = codec.to_micros(now)
        until = self._conn.execute(
            f"SELECT min(run_at) FROM jobs WHERE {WAITS_FOR_MODEL} AND run_at > :now"
            " AND payload ->> 'session' IS NOT NULL",
            {"space": self._space, "now": moment},
        ).get
        return codec.maybe_from_micros(until)

    def redrive(self, ids: Sequence[str] | None, now: datetime) -> int:
        """Give dead jobs a fresh start, and have those that wait for a model run now. A dead one
        whose key already waits again is simply dropped.
        """
        moment = codec.to_micros(now)
        chosen = "" if ids is None else " AND {}.id IN (SELECT value FROM json_each(:ids))"
        values = {"space": self._space, "now": moment, "ids": codec.dump(list(ids or ()))}
        self._conn.execute(
            "DELETE FROM jobs AS j WHERE j.space = :space AND j.state = 'dead'"
            f"{chosen.format('j')} AND EXISTS"
            " (SELECT 1 FROM jobs w WHERE w.space = j.space AND w.kind = j.kind AND w.key = j.key"
            f"  AND (w.state = 'ready' OR w.state = 'dead' AND w.id > j.id{chosen.format('w')}))",
            values,
        )
        dropped = self._conn.changes()
        self._conn.execute(
            "UPDATE jobs SET state = 'ready', attempts = 0, run_at = :now, queued_at = :now,"
            f" payload = json_remove(payload, '$.{WAITING_SINCE}'),"
            " lease_owner = '', lease_until = NULL"
            f" WHERE space = :space AND state = 'dead'{chosen.format('jobs')}",
            values,
        )
        started = self._conn.changes()
        self._conn.execute(
            f"UPDATE jobs SET run_at = :now, queued_at = :now WHERE {WAITS_FOR_MODEL}"
            f" AND run_at > :now{chosen.format('jobs')}",
            values,
        )
        return dropped + started + self._conn.changes()

    def discard(self, ids: Sequence[str]) -> int:
        """Remove dead jobs for good."""
        self._conn.execute(
            "DELETE FROM jobs WHERE space = ? AND state = 'dead'"
            " AND id IN (SELECT value FROM json_each(?))",
            (self._space, codec.dump(list(ids))),
        )
        return self._conn.changes()
