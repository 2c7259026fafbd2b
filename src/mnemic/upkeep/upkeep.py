"""Running the daily and the weekly work, step by step: resumable, and by one process at a time.

A clock may jump. Ahead: after a long gap in everything that was recorded, the steps that go by age
wait until the new time has been seen a day before. Back: ageing by runs of the future is undone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from mnemic.clock import Clock
from mnemic.days import day_of
from mnemic.errors import MnemicError, ModelError, NotFound
from mnemic.ids import new_id
from mnemic.jobs.worker import JobPutOff, next_run
from mnemic.language.guard import guard_of
from mnemic.rules import checks
from mnemic.settings import Settings
from mnemic.settings.logs import log_of
from mnemic.space import user_zone
from mnemic.store.contract import Store
from mnemic.types import EMPTY, Job, SafeText, join_key
from mnemic.types.safe import constant, key_of
from mnemic.upkeep.changes import undo
from mnemic.upkeep.daily_report import daily_report
from mnemic.upkeep.report import WORKS, Report, StepReport, Undone
from mnemic.upkeep.report import Work as WorkName
from mnemic.upkeep.steps.backup import back_up
from mnemic.upkeep.steps.compression import compress_events
from mnemic.upkeep.steps.core import enforce_capacity, refresh_core
from mnemic.upkeep.steps.decay import decay, expire, forget_files
from mnemic.upkeep.steps.dedup import dedup, merge
from mnemic.upkeep.steps.extraction import finish_queue, learn_turns
from mnemic.upkeep.steps.rewriting import rewrite, rewrite_profile
from mnemic.upkeep.work import Step, StepServices

_GRACE = timedelta(hours=1)  # a busy worker is late by less; one that was off, by more
# Steps that archive something because of its age.
BY_AGE = frozenset({"decay", "expiry", "attachments"})
_CONFIRMED = timedelta(hours=20)  # how long a new time has to last; daily work may be early
_TOLERANCE = timedelta(hours=1)  # by which clocks of two machines, or of two zones' rules, differ


def write_documents(step: Step) -> None:
    """Import people's edits, then write the documents."""
    if not step.dry_run and (written := step.tools.sync(step.space)):
        step.did(written=len(written))


def compile_identity(step: Step) -> None:
    """Recompile the cards whose sources changed."""
    if not step.dry_run and (written := step.tools.cards(step.space)):
        step.did(written=len(written))


def write_report(step: Step) -> None:
    """A dated file that says what each step did."""
    if not step.dry_run and step.tools.write_report(step.space, daily_report(step)):
        step.did(written=1)


_STEPS: Mapping[str, Callable[[Step], None]] = {
    "queue": finish_queue,
    "turns": learn_turns,
    "events": compress_events,
    "dedup": dedup,
    "decay": decay,
    "expiry": expire,
    "attachments": forget_files,
    "capacity": enforce_capacity,
    "documents": write_documents,
    "identity": compile_identity,
    "backup": back_up,
    "report": write_report,
    "merge": merge,
    "rewrite": rewrite,
    "core": refresh_core,
    "profile": rewrite_profile,
}
_ORDER: Mapping[WorkName, tuple[str, ...]] = {
    "daily": (
        "queue", "turns", "events", "dedup", "decay", "expiry", "attachments", "capacity",
        "documents", "identity", "backup", "report",
    ),
    "weekly": ("merge", "rewrite", "core", "profile", "decay"),
}  # fmt: skip


@dataclass(eq=False)
class Upkeep:
    """The upkeep of any space."""

    store: Store
    clock: Clock
    settings: Settings
    tools: StepServices
    stopping: Callable[[], bool]  # the worker is to end: its jobs leave the rest to a later try

    # --- by hand --------------------------------------------------------------------------------

    def run(
        self,
        space: str,
        work: WorkName,
        *,
        dry_run: bool = False,
        stopping: Callable[[], bool] = lambda: False,
    ) -> Report:
        """Every step that the settings name; an interrupted run of today goes on."""
        checks.check_choice(work, WORKS, "work")
        enabled = {*getattr(self.settings.upkeep, work)}
        if self.settings.backup.folder:  # whatever steps a preset names
            enabled.add("backup")
        names = [name for name in _ORDER[work] if name in enabled]
        report = self._run(space, work, names, dry_run=dry_run, stopping=stopping)
        if not dry_run:
            states = [step.state for step in report.steps]
            log_of(self.settings).done(
                "{work} upkeep: {done} of {steps} steps done",
                work=work,
                done=sum(state in ("done", "done before") for state in states),
                steps=len(states),
            )
        return report

    def undo(self, space: str, operation: str) -> Undone:
        """Undo a step, by the operation that its report names."""
        name = guard_of(self.settings).name(operation, "operation")
        with self.store.write(space) as unit:
            if not name.startswith("upkeep:") or not unit.journal.operation(name):
                raise NotFound(
                    f"No upkeep step left {operation!r}",
                    remedy="Give the operation of a step, as the report names it",
                )
            return undo(unit, name, self.clock.now())

    # --- as jobs --------------------------------------------------------------------------------

    def daily(self, job: Job) -> None:
        self._run_scheduled(job, "daily")

    def weekly(self, job: Job) -> None:
        self._run_scheduled(job, "weekly")

    def step(self, job: Job) -> None:
        """One step alone, queued by a rule."""
        name = str(job.payload["step"])
        work: WorkName = "weekly" if name in _ORDER["weekly"] else "daily"
        report = self._run(
            job.space, work, [name], dry_run=False, run=f"rule:{job.id}", stopping=self.stopping
        )
        _raise_failures(report)

    def _run_scheduled(self, job: Job, work: WorkName) -> None:
        schedule = self.settings.schedule
        due = next_run(getattr(schedule, work), schedule.zone, job.created_at - _GRACE)
        if not schedule.catch_up and due > job.created_at:
            return  # its hour had passed when it was queued
        _raise_failures(self.run(job.space, work, stopping=self.stopping))

    # --- a run ----------------------------------------------------------------------------------

    def _run(
        self,
        space: str,
        work: WorkName,
        names: list[str],
        *,
        dry_run: bool,
        stopping: Callable[[], bool],
        run: str = "",
    ) -> Report:
        now = self.clock.now()
        with self.store.read(space) as unit:
            zone = user_zone(unit, self.settings.schedule.zone)
        day = day_of(now, zone)
        if not run and dry_run:
            run = day.isoformat()
        elif not run:
            with self.store.write(space) as unit:
                run = unit.runs.begin(work, day, now)
        owner = f"{os.getpid()}-{new_id(now)}"
        reports: list[StepReport] = []
        restored = 0 if dry_run else undo_future_runs(self.store, space, now)
        if restored:
            reports.append(StepReport("clock", "done", {"restored": restored}))
        gap = find_clock_gap(self.store, space, self.settings, now)
        for name in names:
            if gap is not None and name in BY_AGE:
                reports.append(_report_waiting(name, gap))
                continue
            step = Step(
                self.store, space, self.settings, self.clock, self.tools,
                work, name, day, zone, run, owner, dry_run, tuple(reports),
                stopping=stopping,
            )  # fmt: skip
            reports.append(_plan(step) if dry_run else self._take(step))
            if reports[-1].state == "running elsewhere":
                break
        report = Report(work, day, run, now, tuple(reports), dry_run)
        if report.finished and not dry_run:
            with self.store.write(space) as unit:
                unit.runs.close(work, run, self.clock.now())
        return report

    def _take(self, step: Step) -> StepReport:
        until = step.now + self.settings.jobs.lease
        with self.store.write(step.space) as unit:
            claimed = unit.runs.take(
                step.work, step.run, step.name, owner=step.owner, now=step.now, until=until
            )
            if claimed == "busy":
                return StepReport(step.name, "running elsewhere", {})
            if claimed == "done":
                earlier = unit.runs.steps(step.work, step.run)[step.name]
                return StepReport(step.name, "done before", earlier.counts, (), step.operation)
        return self._do(step)

    def _do(self, step: Step) -> StepReport:
        begun = time.perf_counter()
        error: SafeText = EMPTY
        try:
            _STEPS[step.name](step)
        except JobPutOff as ended:
            self._finish(step, step.guard.error(str(ended)))
            raise
        except MnemicError as failed:
            error = step.guard.error(f"{type(failed).__name__}: {failed}")
            if isinstance(failed, ModelError) and failed.away:
                step.waits_for = error
        counts = self._finish(step, error, failed=bool(error))
        return StepReport(
            step.name,
            "waiting" if step.waits_for else "failed" if error else "done",
            counts,
            tuple(step.changes),
            step.operation,
            time.perf_counter() - begun,
            step.waits_for or error,
        )

    def _finish(self, step: Step, error: SafeText, *, failed: bool = False) -> Mapping[str, int]:
        """Say how a step ended, which one with an ``error`` may be taken up again; what it did."""
        with self.store.write(step.space) as unit:
            unit.runs.finish(
                step.work, step.run, step.name, owner=step.owner, now=step.now, error=error
            )
            if failed:
                unit.journal.begin(join_key(step.operation, new_id(step.now)), step.now).note(
                    "upkeep_fail", step.operation, error=error
                )
            return unit.runs.steps(step.work, step.run)[step.name].counts


def _report_waiting(name: str, gap: timedelta) -> StepReport:
    reason = (
        f"nothing was recorded for {gap.days:,} days, so the clock may have jumped; this step goes"
        " on when the time has held for a day (upkeep.longest_gap)"
    )
    return StepReport(name, "waiting", {}, error=reason)


def _plan(step: Step) -> StepReport:
    """What a step would do now; nothing is written."""
    begun = time.perf_counter()
    _STEPS[step.name](step)
    seconds = time.perf_counter() - begun
    return StepReport(step.name, "planned", step.counts, tuple(step.changes), "", seconds)


def _raise_failures(report: Report) -> None:
    """Raise, so that the queue retries; finished steps stay finished."""
    failed = [f"{step.name}: {step.error}" for step in report.steps if step.state == "failed"]
    if failed:
        raise MnemicError(
            f"Upkeep failed in {'; '.join(failed)}",
            remedy=f"Fix the cause; mnemic upkeep {report.work} goes on where it stopped",
        )


def find_clock_gap(store: Store, space: str, settings: Settings, now: datetime) -> timedelta | None:
    """The gap before ``now`` in what was recorded, while nothing else confirms the new time."""
    longest = settings.upkeep.longest_gap
    if longest is None:
        return None
    with store.read(space) as unit:
        last = unit.runs.last_activity(now - _CONFIRMED)
    return None if last is None or now - last <= longest else now - last


def undo_future_runs(store: Store, space: str, now: datetime) -> int:
    """Undo the ageing by runs that began in the future; the number of records restored."""
    with store.read(space) as unit:
        ahead = unit.runs.list_after(now + _TOLERANCE)
    restored = 0
    for work, run in ahead:
        for step in sorted(BY_AGE):
            operation = key_of("upkeep", *map(constant, (work, run, step)))
            with store.write(space) as unit:
                restored += len(undo(unit, operation, now).restored)
    return restored
