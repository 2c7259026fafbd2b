"""Runs of upkeep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from mnemic.ids import is_id, last_id_of, read_moment
from mnemic.store import codec
from mnemic.store.rows import Claimed, RunRow, StepRow
from mnemic.store.sql.part import Fields, Part, read_statements
from mnemic.types import EMPTY, SafeText

_RUN = Fields(RunRow, "run started_at:time finished_at:time?", table="upkeep_runs")
_STEP = Fields(StepRow, "step finished_at:time? counts:mapping error", table="upkeep_steps")
_LATEST = "work = :work ORDER BY started_at DESC, length(run) DESC, run DESC LIMIT 1"


class SqlRuns(Part):
    """Runs of upkeep: each step is taken by one process at a time, and done once a run."""

    statements = read_statements("sql/runs")

    def begin(self, work: str, day: date, now: datetime) -> str:
        """The run of that day that was interrupted, else a new one."""
        name = day.isoformat()
        existing = self._run("begin", work=work, name=name, again=f"{name}#%").fetchall()
        if existing and existing[-1][1] is None:
            return str(existing[-1][0])
        run = f"{name}#{len(existing) + 1}" if existing else name
        self._insert("upkeep_runs", {"work": work, "run": run, "started_at": now})
        return run

    def take(
        self, work: str, run: str, step: str, *, owner: str, now: datetime, until: datetime
    ) -> Claimed:
        """Have the step for oneself until then, unless it is done or another process is at it."""
        place = {"work": work, "run": run, "step": step}
        row: tuple[Any, ...] | None = self._run("take", **place, now=now, owner=owner).get
        done, busy = row or (False, False)
        if done:
            return "done"
        if busy:
            return "busy"
        self._run("take_step", **place, owner=owner, until=until)
        return "taken"

    def progress(
        self,
        work: str,
        run: str,
        step: str,
        *,
        owner: str,
        counts: Mapping[str, int],
        until: datetime,
    ) -> bool:
        """Add to what the step did, in the transaction that did it; False when it was lost."""
        place = {"work": work, "run": run, "step": step}
        before = self._run("progress", **place, owner=owner).get
        if before is None:
            return False
        total = Counter(codec.load_mapping(before))
        total.update(counts)
        self._run("progress_further", **place, counts=total, until=until)
        return True

    def finish(
        self, work: str, run: str, step: str, *, owner: str, now: datetime, error: SafeText = EMPTY
    ) -> None:
        """The step is done; or failed, and may be taken again at once."""
        place = {"work": work, "run": run, "step": step}
        self._run("finish", **place, owner=owner, done=None if error else now, error=error)

    def close(self, work: str, run: str, now: datetime) -> None:
        self._run("close", work=work, run=run, now=now)

    def steps(self, work: str, run: str) -> dict[str, StepRow]:
        steps = self._list(_STEP, "work = :work AND run = :run", work=work, run=run)
        return {step.step: step for step in steps}

    def last_done(self, step: str) -> datetime | None:
        """When the latest run began in which that step came to its end."""
        return codec.maybe_from_micros(self._run("last_done", step=step).get)

    def list_after(self, moment: datetime) -> list[tuple[str, str]]:
        """Work and run of those that began later, the latest first."""
        return [(work, run) for work, run in self._run("begun_after", moment=moment)]

    def last_activity(self, until: datetime) -> datetime | None:
        """When something was last recorded up to then, by the ids of turns and memories."""
        moments: list[datetime | None] = []
        for column, table in (("started_at", "upkeep_runs"), ("at", "events")):
            statement = f"SELECT max({column}) FROM {table} WHERE space = :space"
            latest = self._run(f"{statement} AND {column} <= :until", until=until).get
            moments.append(codec.maybe_from_micros(latest))
        for table in ("turns", "memories"):
            statement = f"SELECT max(id) FROM {table} WHERE space = :space AND id <= :last"
            latest = self._run(statement, last=last_id_of(until)).get
            moments.append(read_moment(latest) if latest is not None and is_id(latest) else None)
        return max(filter(None, moments), default=None)

    def latest(self, work: str) -> RunRow | None:
        return self._first(_RUN, _LATEST, work=work)
