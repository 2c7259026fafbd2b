"""The space's side of the durable queue (Tasks)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from mnemic.ids import new_ids
from mnemic.store import codec
from mnemic.store.sql.part import Fields, Part, read_statements
from mnemic.types import WAITING_SINCE, Fact, Job, JobState, SafeName

# Of ``j``, a job, and ``s``, its space.
JOB = Fields(
    Job,
    "id space kind key payload:mapping state attempts max_attempts run_at:time created_at:time"
    " lease_until:time? error",
    "j.",
    space="s.name",
)
FROM_JOBS = "FROM jobs j JOIN spaces s ON s.space = j.space"
WAITS_FOR_MODEL = (  # the text first, by which an index knows the few that may
    f"space = :space AND state = 'ready' AND instr(payload, '\"{WAITING_SINCE}\"') > 0"
    f" AND payload ->> '{WAITING_SINCE}' IS NOT NULL"
)


class SqlTasks(Part):
    """Queueing and looking at the jobs of one space."""

    statements = read_statements("sql/tasks")

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
        self._queue(kind, {key: payload}, run_at, now, max_attempts)

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
            self._queue(kind, payloads, run_at, now, max_attempts)

    def _queue(
        self,
        kind: str,
        payloads: Mapping[SafeName, Mapping[str, Fact]],
        run_at: datetime,
        now: datetime,
        max_attempts: int,
    ) -> None:
        moment = codec.to_micros(now)
        times = (max_attempts, codec.to_micros(run_at), moment, moment)
        ids = new_ids(now, len(payloads))
        self._conn.executemany(
            "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, 'ready', 0, ?, ?, ?, ?, '', NULL, '')"
            " ON CONFLICT (space, kind, key) WHERE state = 'ready' DO UPDATE SET"
            " run_at = excluded.run_at, queued_at = excluded.queued_at"
            " WHERE excluded.run_at < jobs.run_at AND jobs.attempts = 0 AND jobs.error = ''",
            [
                (self._space, id_, kind, key, codec.dump(dict(payload)), *times)
                for id_, (key, payload) in zip(ids, payloads.items(), strict=True)
            ],
        )

    def unfinished(self, state: JobState | None, limit: int) -> list[Job]:
        rows = self._run("unfinished", state=state, limit=limit)
        return [JOB.read(row) for row in rows]

    def waiting_for_model(self, limit: int) -> list[Job]:
        """Jobs that learn and wait for a model that is away, the next first."""
        rows = self._run("waiting_for_model", limit=limit)
        return [JOB.read(row) for row in rows]

    def model_away_until(self, now: datetime) -> datetime | None:
        """When the first of the jobs that learn asks a model again that is away; None where none
        waits for one.
        """
        until = self._run("model_away_until", now=now).get
        return codec.maybe_from_micros(until)

    def redrive(self, ids: Sequence[str] | None, now: datetime) -> int:
        """Give dead jobs a fresh start, and have those that wait for a model run now. A dead one
        whose key already waits again is simply dropped.
        """
        chosen = "" if ids is None else " AND {}.id IN (SELECT value FROM json_each(:ids))"
        values = {"now": now, "ids": ids or ()}
        self._run(
            "DELETE FROM jobs AS j WHERE j.space = :space AND j.state = 'dead'"
            f"{chosen.format('j')} AND EXISTS"
            " (SELECT 1 FROM jobs w WHERE w.space = j.space AND w.kind = j.kind AND w.key = j.key"
            f"  AND (w.state = 'ready' OR w.state = 'dead' AND w.id > j.id{chosen.format('w')}))",
            **values,
        )
        dropped = self._conn.changes()
        self._run(
            "UPDATE jobs SET state = 'ready', attempts = 0, run_at = :now, queued_at = :now,"
            f" payload = json_remove(payload, '$.{WAITING_SINCE}'),"
            " lease_owner = '', lease_until = NULL"
            f" WHERE space = :space AND state = 'dead'{chosen.format('jobs')}",
            **values,
        )
        started = self._conn.changes()
        self._run(
            f"UPDATE jobs SET run_at = :now, queued_at = :now WHERE {WAITS_FOR_MODEL}"
            f" AND run_at > :now{chosen.format('jobs')}",
            **values,
        )
        return dropped + started + self._conn.changes()

    def discard(self, ids: Sequence[str]) -> int:
        """Remove dead jobs for good."""
        self._run("discard", ids=ids)
        return self._conn.changes()
