"""The doctor: checks of a database, and repairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from mnemic.errors import MnemicError, StoreDamaged
from mnemic.forget import receipts
from mnemic.forget.erasure import Erasure, find_unfinished
from mnemic.ids import read_moment
from mnemic.index.embedding_job import find_refused, queue
from mnemic.learn.laws import archive_misread
from mnemic.learn.reindex import repair_text_index
from mnemic.record.ledger import model_wait
from mnemic.space import Space
from mnemic.store.contract import Unit
from mnemic.types import Finding, Receipt

_AHEAD = timedelta(minutes=5)  # a turn further in the future means a wrong clock
_LATE = timedelta(days=1)  # a job due for longer means that no worker runs
_MAX_ROWS = 1_000
_SEE_DEAD = "See `mnemic jobs --state dead`, then `mnemic jobs redrive`"
_REPAIR = "Run `mnemic doctor --repair`"
_SET_CLOCK = "Set this machine's clock; turns that are recorded now come before others"
_Look = tuple[str, str]  # what is there, and what to do about it where it is not well
_PACKAGES = ("mnemic", "apsw-sqlite3mc", "sqlite-vec", "numpy")


@dataclass(eq=False)
class Doctor:
    """Checks and repairs one space, and its database file."""

    space: Space
    forgetting: Erasure
    files: Callable[[], Iterable[Path]]
    vector_fault: MnemicError | None = None

    def check(self, *, deep: bool, forgotten: Receipt | str | None = None) -> list[Finding]:
        """Run every check, cheap ones first; nothing is changed."""
        if forgotten is not None:
            forgotten = receipts.read_own(forgotten, self.space.name)
        findings: list[Finding] = []
        try:
            findings += self.space.store.check(self.space.name, deep=deep)
        except StoreDamaged as error:
            findings.append(_report_damage("database", error))
        findings.append(_versions())
        for name, look in {
            "queue": self._queue,
            "turns": self._turns,
            "model": _model,
            "clock": self._clock_runs,
            "orphans": _orphans,
            "vectors": self._vectors,
            "forgetting": _forgetting_done,
        }.items():
            try:
                with self.space.read() as unit:
                    detail, remedy = look(unit)
                findings.append(Finding(name, not remedy, detail, remedy))
            except StoreDamaged as error:
                findings.append(_report_damage(name, error))
        if forgotten is not None:
            findings += receipts.check(self.space.store, forgotten, self.files())
        return findings

    # --- findings: what is there, and what to do where it is not well ----------------------------

    def _queue(self, unit: Unit) -> _Look:
        now = self.space.now()
        waiting = unit.tasks.list_unfinished("ready", _MAX_ROWS)
        late = [job for job in waiting if job.run_at < now - _LATE]
        detail = f"{len(waiting)} waiting, {len(late)} overdue for more than a day"
        return detail, "Run `mnemic worker`, or open the memory with a worker" if late else ""

    def _turns(self, unit: Unit) -> _Look:
        """Every turn is in a known state, and none is dead."""
        stats = self.space.store.stats(self.space.name)
        states = {name: count for name, count in stats.turn_states.items() if count}
        unknown = stats.turns - sum(states.values())
        failed = unknown or states.get("dead")
        if unknown:
            states["in no known state"] = unknown
        return _list(states), "See `mnemic turns`, then `mnemic jobs redrive`" if failed else ""

    def _clock_runs(self, unit: Unit) -> _Look:
        """Compare with the recording time of the newest turn, not with the time it states."""
        now = self.space.now()
        newest = unit.ledger.turns_by_doc(unit.ledger.latest_docs(1))
        latest = max((read_moment(turn.id) for turn in newest.values()), default=None)
        detail = now.isoformat(timespec="seconds")
        if latest is None or latest <= now + _AHEAD:
            return detail, ""
        return f"{detail}, and a turn recorded {latest:%Y-%m-%d %H:%M}", _SET_CLOCK

    def _vectors(self, unit: Unit) -> _Look:
        """The progress of embedding, for the embedder that is furthest."""
        covered = unit.vectors.coverage()
        waiting = [unit.vectors.waiting(number) for number in covered]
        refused, fault = find_refused(unit), self.vector_fault
        records = max((progress.records for progress in covered.values()), default=0)
        detail = (
            f"{records} records, {min(waiting, default=0)} wait"
            + (f", {len(refused)} refused by the model" if refused else "")
            + (f"; {fault.message}" if fault else "")
        )
        return detail, _SEE_DEAD if refused else fault.remedy if fault else ""

    # --- repairs ---------------------------------------------------------------------------------

    def repair(self, progress: Callable[[int], None]) -> int:
        """Repair what can be repaired; safe to interrupt and repeat."""
        with self.space.read() as unit:
            jobs = find_unfinished(unit)
        for job in jobs:
            self.forgetting.finish(job)
        indexed = repair_text_index(self.space.store, progress)
        for space in self.space.store.spaces():
            with self.space.store.write(space) as unit:
                unit.cleanup.remove_orphans()
                archive_misread(unit, self.space.now())
                for number in unit.vectors.coverage():
                    unit.cleanup.ask_again(unit.cleanup.list_unvectored(number, _MAX_ROWS))
                    if unit.vectors.list_unembedded(number, 1):
                        queue(unit, self.space.now())
        return indexed


def _report_damage(check: str, error: StoreDamaged) -> Finding:
    """What cannot be checked because a part of the database cannot be read."""
    return Finding(check, False, error.message, "Copy the file away, then restore a backup")


def _model(unit: Unit) -> _Look:
    """Whether turns wait for a model that is away."""
    waiting = model_wait(unit)
    if waiting is None:
        return "no turn waits for it", ""
    remedy = "Check its server and key; `mnemic jobs redrive` asks it now"
    return f"{waiting}: {waiting.reason}", remedy


def _orphans(unit: Unit) -> _Look:
    counts = unit.cleanup.orphans(0).counts
    return _list(counts), _REPAIR if any(counts.values()) else ""


def _forgetting_done(unit: Unit) -> _Look:
    jobs = find_unfinished(unit)
    if jobs:
        return f"{len(jobs)} to finish", f"{_REPAIR}: it is finished"
    return "nothing is left to do", ""


def _list(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "none"


def _versions() -> Finding:
    """The installed versions, for bug reports."""
    versions = []
    for package in _PACKAGES:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"{package} ?")
    return Finding(check="versions", ok=True, detail=", ".join(versions))
