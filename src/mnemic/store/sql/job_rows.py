"""Rows of jobs as values, and what a job that failed leaves in the journal of its space."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from mnemic.store import codec
from mnemic.store.rows import Scheduled
from mnemic.store.sql.journal import SqlJournal
from mnemic.types import WAITING_SINCE, Job, SafeText, constant, key_of

# Of ``j``, a job, and ``s``, its space.
JOB = (
    "j.id, s.name, j.kind, j.key, j.payload, j.state, j.attempts, j.max_attempts, j.run_at,"
    " j.created_at, j.lease_until, j.error"
)
FROM_JOBS = "FROM jobs j JOIN spaces s ON s.space = j.space"
WAITS_FOR_MODEL = (  # the text first, by which an index knows the few that may
    f"space = :space AND state = 'ready' AND instr(payload, '\"{WAITING_SINCE}\"') > 0"
    f" AND payload ->> '{WAITING_SINCE}' IS NOT NULL"
)


def note_failure(journal: SqlJournal, type_: str, job: Job, now: datetime, error: SafeText) -> None:
    """A failure is an event of its space, in the transaction that settles the job."""
    journal.add_event(
        type_,
        operation_id=key_of("job", job.id, job.attempts, constant(type_)),
        subject=key_of("job", job.id),
        payload={"kind": constant(job.kind), "attempt": job.attempts, "error": error},
        at=now,
    )


def job_of(row: tuple[Any, ...]) -> Job:
    """A row of the columns above."""
    (id_, space, kind, key, payload, state, attempts, tries, run_at, created, lease, error) = row
    return Job(
        id=id_,
        space=space,
        kind=kind,
        key=key,
        payload=codec.load_mapping(payload),
        state=state,
        attempts=attempts,
        max_attempts=tries,
        run_at=codec.from_micros(run_at),
        created_at=codec.from_micros(created),
        lease_until=codec.maybe_from_micros(lease),
        error=error,
    )


def scheduled_of(row: tuple[Any, ...]) -> Scheduled:
    """A schedule with the name of its space."""
    space, kind, cron, zone, next_at, last_at = row
    return Scheduled(
        space=space,
        kind=kind,
        cron=cron,
        zone=zone,
        next_at=codec.from_micros(next_at),
        last_at=codec.maybe_from_micros(last_at),
    )


def payload_for_retry(job: Job, waiting_since: datetime | None) -> str:
    """The stored payload of a job that is put back, with since when it waits for a model."""
    payload = {name: fact for name, fact in job.payload.items() if name != WAITING_SINCE}
    if waiting_since is not None:
        payload[WAITING_SINCE] = waiting_since.isoformat()
    return codec.dump(payload)
