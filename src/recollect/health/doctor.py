"""The doctor: what is wrong with a memory, and mending what can be mended."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from recollect.clock import Clock
from recollect.forget import receipts
from recollect.forget.erasure import KIND, Erasure
from recollect.ids import made_at
from recollect.index.embedding_job import queue as ask_vectors
from recollect.learn.reindex import repair_text_index
from recollect.settings import Settings
from recollect.store.contract import Store, Unit
from recollect.types import Finding, Receipt

_AHEAD = timedelta(minutes=5)  # that a turn may be in the future before the clock is doubted
_LATE = timedelta(days=1)  # after which a job that is due and waits says that no worker runs
_LOOKED = 1_000
_REPAIR = "Run `recollect doctor --repair`"
_PARTS = ("recollect", "apsw", "sqlite-vec", "numpy")


class Doctor:
    """Checks and mends one space, and the file it is in."""

    def __init__(
        self,
        store: Store,
        space: str,
        clock: Clock,
        settings: Settings,
        *,
        forgetting: Erasure,
        files: Callable[[], Iterable[Path]],
    ) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._settings = settings
        self._forgetting = forgetting
        self._files = files

    def check(self, *, deep: bool, forgotten: Receipt | str | None = None) -> list[Finding]:
        """Everything that can be looked at, from cheap to dear; nothing is changed."""
        if isinstance(forgotten, str):
            forgotten = receipts.read(forgotten)
        findings = self._store.check(self._space, deep=deep)
        findings.append(_versions())
        with self._store.read(self._space) as unit:
            findings += [self._queue(unit), self._turns(unit), self._clock_runs(unit)]
            findings += [self._orphans(unit), self._vectors(unit), self._forgetting_done(unit)]
        if forgotten is not None:
            findings += receipts.check(self._store, forgotten, self._files())
        return findings

    # --- findings --------------------------------------------------------------------------------

    def _queue(self, unit: Unit) -> Finding:
        now = self._clock.now()
        waiting = unit.tasks.unfinished("ready", _LOOKED)
        late = [job for job in waiting if job.run_at < now - _LATE]
        return Finding(
            check="queue",
            ok=not late,
            detail=f"{len(waiting)} waiting, {len(late)} overdue for more than a day",
            remedy="Run `recollect worker`, or open the memory with a worker" if late else "",
        )

    def _turns(self, unit: Unit) -> Finding:
        """Every turn is in a state that is known, and none waits with nobody to read it."""
        stats = self._store.stats(self._space)
        told = {name: count for name, count in stats.turn_states.items() if count}
        unknown, dead = stats.turns - sum(told.values()), told.get("dead", 0)
        if unknown:
            told["in no known state"] = unknown
        wrong = bool(unknown or dead)
        return Finding(
            check="turns",
            ok=not wrong,
            detail=", ".join(f"{count} {name}" for name, count in told.items()) or "none",
            remedy="See `recollect turns`, then `recollect jobs redrive`" if wrong else "",
        )

    def _clock_runs(self, unit: Unit) -> Finding:
        """By when turns were recorded: what somebody dates into the future is no clock's fault."""
        now = self._clock.now()
        newest = unit.ledger.turns_by_doc(unit.ledger.latest_docs(1))
        latest = max((made_at(turn.id) for turn in newest.values()), default=None)
        ahead = latest is not None and latest > now + _AHEAD
        return Finding(
            check="clock",
            ok=not ahead,
            detail=now.isoformat(timespec="seconds")
            + (f", and a turn recorded {latest:%Y-%m-%d %H:%M}" if ahead and latest else ""),
            remedy="Set this machine's clock; turns that are recorded now come before others"
            if ahead
            else "",
        )

    def _orphans(self, unit: Unit) -> Finding:
        counts = unit.cleanup.orphans(0).counts
        found = {what: count for what, count in counts.items() if count}
        return Finding(
            check="orphans",
            ok=not found,
            detail=", ".join(f"{count} {what}" for what, count in found.items()) or "none",
            remedy=_REPAIR if found else "",
        )

    def _vectors(self, unit: Unit) -> Finding:
        """How far vectors have come; which of several embedders is in use does not matter here."""
        covered = unit.vectors.coverage()
        waiting = [unit.vectors.waiting(number) for number in covered]
        return Finding(
            check="vectors",
            ok=True,
            detail=f"{max((made.records for made in covered.values()), default=0)} records,"
            f" {min(waiting, default=0)} wait",
        )

    def _forgetting_done(self, unit: Unit) -> Finding:
        jobs = [job for job in unit.tasks.unfinished(None, _LOOKED) if job.kind == KIND]
        return Finding(
            check="forgetting",
            ok=not jobs,
            detail=f"{len(jobs)} to finish" if jobs else "nothing is left to do",
            remedy=f"{_REPAIR}: it is finished" if jobs else "",
        )

    # --- mending ---------------------------------------------------------------------------------

    def repair(self, progress: Callable[[int], None]) -> int:
        """Mend what can be mended; safe to interrupt and repeat."""
        with self._store.read(self._space) as unit:
            jobs = [job for job in unit.tasks.unfinished(None, _LOOKED) if job.kind == KIND]
        for job in jobs:
            self._forgetting.finish(job)
        indexed = repair_text_index(self._store, progress)
        for space in self._store.spaces():
            with self._store.write(space) as unit:
                unit.cleanup.remove_orphans()
                self._ask_for_vectors(unit)
        return indexed

    def _ask_for_vectors(self, unit: Unit) -> None:
        for number in unit.vectors.coverage():
            unit.cleanup.ask_again(unit.cleanup.unvectored(number, _LOOKED))
            if unit.vectors.unembedded(number, 1):
                ask_vectors(unit, self._clock.now(), self._settings.jobs.max_attempts)


def _versions() -> Finding:
    """Which parts are at work, for a report of a fault."""
    found = []
    for part in _PARTS:
        try:
            found.append(f"{part} {version(part)}")
        except PackageNotFoundError:
            found.append(f"{part} ?")
    return Finding(check="versions", ok=True, detail=", ".join(found))
