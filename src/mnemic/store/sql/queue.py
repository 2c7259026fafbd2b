"""The durable queue: a space's own jobs, and the worker's side over all spaces, with any number of
workers in any number of processes. How a job is claimed is each database's own.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from mnemic.ids import new_ids
from mnemic.locks import ForkSafeLock
from mnemic.store import codec
from mnemic.store.rows import Scheduled
from mnemic.store.sql.part import Fields, Part, SqlConnection, SqlRows, read_statements
from mnemic.types import WAITING_SINCE, Fact, Job, JobState, SafeName, SafeText, constant, key_of

if TYPE_CHECKING:
    from mnemic.store.contract import Store
    from mnemic.store.sql.unit import Unit

_LOOKING = 10  # times longer than a look for the spaces with due work its answer is used
_SQL = read_statements("sql/queue")
# Of ``j``, a job, and ``s``, its space.
JOB = Fields(
    Job,
    "id space kind key payload:mapping state attempts max_attempts run_at:time created_at:time"
    " lease_until:time? error",
    "j.",
    space="s.name",
)
_SCHEDULED = Fields(Scheduled, "space kind cron zone next_at:time last_at:time?")


class Habits(NamedTuple):
    """How a process has the jobs of its store done."""

    tries: int = 3  # of a job, where who queues it says nothing else
    embeds: bool = False  # what is written there


class SqlTasks(Part):
    """Queueing and looking at the jobs of one space."""

    statements = read_statements("sql/tasks")

    def enqueue(
        self,
        kind: str,
        payloads: Mapping[SafeName, Mapping[str, Fact]],
        *,
        now: datetime,
        run_at: datetime | None = None,
        max_attempts: int | None = None,
    ) -> None:
        """Queue a job for each key, for now or for later. One that already waits under the same key
        stands for both and keeps the earlier time, but a failed or put off one that waits for its
        next try is not hurried.
        """
        moment, due = codec.to_micros(now), codec.to_micros(run_at or now)
        if len(payloads) == 1:  # every turn asks again for what already waits
            waiting = (self._space, kind, *payloads, due)
            if self._conn.execute(self.statements["waits"], waiting).get:
                return
        times = (max_attempts or self._unit.habits.tries, due, moment, moment)
        self._conn.executemany(
            self.statements["enqueue"],
            [
                (self._space, id_, kind, key, codec.dump(dict(payload)), *times)
                for id_, (key, payload) in zip(
                    new_ids(now, len(payloads)), payloads.items(), strict=True
                )
            ],
        )

    def list_unfinished(self, state: JobState | None, limit: int) -> list[Job]:
        return list(map(JOB.read, self._run("unfinished", state=state, limit=limit)))

    def waiting_for_model(self, limit: int) -> list[Job]:
        """Jobs that learn and wait for a model that is away, the next first."""
        return list(map(JOB.read, self._run("waiting_for_model", limit=limit)))

    def model_away_until(self, now: datetime) -> datetime | None:
        """When the first job that waits for a model tries again; None where none waits."""
        return codec.maybe_from_micros(self._run("model_away_until", now=now).get)

    def redrive(self, ids: Sequence[str] | None, now: datetime) -> int:
        """Restart dead jobs, and run those that wait for a model now; repeated keys are dropped."""
        changed = 0
        for name in ("drop_doubles", "restart_dead", "hurry_waiting"):
            self._run(name, now=now, ids=ids)
            changed += self._conn.changes()
        return changed

    def hurry_waiting(self, now: datetime) -> None:
        """Have what waits for a model run now."""
        self._run("hurry_waiting", now=now, ids=None)

    def discard(self, ids: Sequence[str]) -> int:
        """Remove dead jobs for good."""
        self._run("discard", ids=ids)
        return self._conn.changes()


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
            begun = time.monotonic()
            if not self._waiting or begun > self._until:
                due = {space for (space,) in conn.execute(_SQL["due_spaces"], {"now": now})}
                earlier = [space for space in self._waiting if space in due]
                self._waiting = deque([*earlier, *sorted(due.difference(earlier))])
                ended = time.monotonic()
                self._until = ended + _LOOKING * (ended - begun)
            return list(self._waiting)

    def mark_served(self, space: int, *, again: bool) -> None:
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
            _run(conn, "finish", **self._identify(conn, job, owner))

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
            held = self._identify(conn, job, owner)
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
            self._store.enter(conn, space).tasks.hurry_waiting(now)

    def bury(self, job: Job, owner: str, *, now: datetime, error: SafeText) -> None:
        """Put a job aside as dead, with the reason."""
        with self._store.write_queue() as conn:
            unit = self._store.enter(conn, job.space)
            _run(conn, "bury", **self._identify(conn, job, owner), error=error)
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
        """Schedules that are due, the longest first, with those a clock left in the far future."""
        with self._store.read_queue() as conn:
            return [_SCHEDULED.read(row) for row in _run(conn, "overdue", now=now, limit=limit)]

    def advance(self, due: Scheduled, *, next_at: datetime, now: datetime, run: bool) -> bool:
        """Move a schedule on and, with ``run``, queue its job; False if another was first."""
        with self._store.write_queue() as conn:
            unit = self._store.enter(conn, due.space)
            place = {"space": unit.space, "kind": due.kind, "before": due.next_at}
            _run(conn, "advance", **place, next_at=next_at, now=now)
            if conn.changes() == 0:
                return False
            if run:
                unit.tasks.enqueue(due.kind, {constant("scheduled"): {}}, now=now)
            return True

    def _identify(self, conn: SqlConnection, job: Job, owner: str) -> dict[str, Any]:
        """What names a job that this worker holds."""
        return {"space": self._store.number_of(conn, job.space), "id": job.id, "owner": owner}


def _run(conn: SqlConnection, name: str, **values: Any) -> SqlRows:
    return conn.execute(_SQL[name], {key: codec.encode(value) for key, value in values.items()})


def _note_failure(unit: Unit, type_: str, job: Job, now: datetime, error: SafeText) -> None:
    """A failure is an event of its space, in the transaction that settles the job."""
    unit.journal.begin(key_of("job", job.id, job.attempts, constant(type_)), now).note(
        type_, key_of("job", job.id), kind=constant(job.kind), attempt=job.attempts, error=error
    )
