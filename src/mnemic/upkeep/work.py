"""The state of an upkeep step: its services, its lease, and its changes so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path

from mnemic.clock import Clock
from mnemic.days import Zone
from mnemic.errors import Conflict
from mnemic.jobs.worker import JobPutOff
from mnemic.language.guard import Guard, guard_of
from mnemic.learn.episode_writer import EpisodeWriter
from mnemic.learn.extraction import ExtractionJob
from mnemic.learn.reconciler import Reconciler
from mnemic.providers.chat.base import ChatModel
from mnemic.providers.embedding.base import Embedder
from mnemic.settings import Settings
from mnemic.store.contract import Store, Unit
from mnemic.types import DailyReport, SafeName, constant, key_of
from mnemic.upkeep.changes import ChangeWriter
from mnemic.upkeep.report import Change, StepReport
from mnemic.upkeep.report import Work as WorkName

PORTION = 200  # changes of one transaction
_MOST_CHANGES = 50  # changes in a report; a dry run lists all


@dataclass(frozen=True, slots=True)
class StepServices:
    """The services that steps call; each takes the space it is for.

    ``sync`` imports edits, writes documents and lists the changes, ``write_report`` gives the path
    of a day's report, ``cards`` brings the identity cards up to date. ``forget_old_files``
    removes JSONL copies that are too old. ``database`` is None for a memory in RAM.
    """

    extraction: ExtractionJob
    episodes: EpisodeWriter
    model_of: Callable[[str], ChatModel | None]
    reconciler_of: Callable[[str], Reconciler]
    embedder: Embedder | None
    sync: Callable[[str], Sequence[str]]
    write_report: Callable[[str, DailyReport], str]
    cards: Callable[[str], Sequence[str]]
    lapse: Callable[[str], int]
    forget_old_files: Callable[[str], int]
    database: Path | None


@dataclass(slots=True)
class Step:
    """One step of a run; ``waits_for`` is what a missing model left undone."""

    store: Store
    space: str
    settings: Settings
    clock: Clock
    tools: StepServices
    work: WorkName
    name: str
    day: date
    zone: Zone
    run: str
    owner: str
    dry_run: bool
    reports: Sequence[StepReport]
    stopping: Callable[[], bool]
    counts: Counter[str] = field(default_factory=Counter)
    changes: list[Change] = field(default_factory=list)
    waits_for: str = ""

    @property
    def operation(self) -> SafeName:
        return key_of("upkeep", *map(constant, (self.work, self.run, self.name)))

    @property
    def guard(self) -> Guard:
        return guard_of(self.settings)

    @property
    def now(self) -> datetime:
        return self.clock.now()

    def give_way(self) -> None:
        """Between two pieces of long work: leave the rest to a later try where the process ends."""
        if self.stopping():
            raise JobPutOff("the process ends; the rest is done when it runs again", self.now)

    def apply(self, changes: Sequence[Change]) -> None:
        """Apply the changes, a portion and a transaction at a time; a dry run only lists them."""
        if self.dry_run:
            self._note(changes)
            return
        for first in range(0, len(changes), PORTION):
            self.give_way()
            portion = changes[first : first + PORTION]
            with self.store.write(self.space) as unit:
                changing = ChangeWriter(unit, self.settings, self.operation, self.now)
                applied = [change for change in portion if changing.make(change)]
                self.progress(unit, Counter(change.action for change in applied))
            self._note(applied, counted=False)

    def progress(self, unit: Unit, counts: Mapping[str, int]) -> None:
        """Count the work in its own transaction, and renew the lease."""
        until = self.now + self.settings.jobs.lease
        renewed = unit.runs.progress(
            self.work, self.run, self.name, owner=self.owner, counts=counts, until=until
        )
        if not renewed:
            raise Conflict(
                f"Another process has taken over {self.name}",
                remedy="Raise jobs.lease if this step takes longer than that",
            )
        self.counts.update(counts)

    def did(self, **counts: int) -> None:
        """Count work that was done outside a transaction of this step."""
        if self.dry_run:
            self.counts.update(counts)
            return
        with self.store.write(self.space) as unit:
            self.progress(unit, counts)

    def _note(self, changes: Sequence[Change], *, counted: bool = True) -> None:
        limit = len(changes) if self.dry_run else max(0, _MOST_CHANGES - len(self.changes))
        self.changes += changes[:limit]
        if counted:
            self.counts.update(change.action for change in changes)
