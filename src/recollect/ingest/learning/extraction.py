"""Extraction: a durable job that learns from a session's new turns, a batch and a transaction at
a time. A batch's memories and the states of its turns are written together, so a crash repeats a
batch whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.clock import Clock
from recollect.ingest.echo import known_marks
from recollect.ingest.learning import triggers
from recollect.ingest.learning.batches import first_batch
from recollect.ingest.learning.extractors import Extractor
from recollect.ingest.learning.grounding import grounded
from recollect.ingest.learning.showing import heard
from recollect.ingest.reconcile import Reconciler
from recollect.settings import Settings
from recollect.store.base import Store, Unit
from recollect.types import Candidate, Job, Settled, Turn, TurnState

_READ = 500  # turns looked at for one batch
_EARLIER = 6  # turns before a batch that help to understand it
_REASON = 500  # characters
_CHANGES = frozenset({"new", "same", "update", "conflict", "pending", "withdrawn"})


@dataclass(frozen=True, slots=True)
class Learner:
    """What learning in one space needs."""

    extractor: Extractor
    reconciler: Reconciler


LearnerOf = Callable[[str], Learner]


class Extraction:
    """Learns from the turns of any space."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        settings: Settings,
        learner_of: LearnerOf,
        *,
        before: Callable[[], None],
    ) -> None:
        """``before`` writes down what this process put into prompts, so that it is recognised."""
        self._before_learning = before
        self._store = store
        self._clock = clock
        self._settings = settings
        self._learner_of = learner_of

    def run(self, job: Job) -> None:
        """The job: everything of a session that has not ended in a state yet."""
        session = str(job.payload["session"])
        if job.payload.get("quiet") and self._still_talking(job, session):
            return
        self.learn(job.space, session, again=bool(job.error))

    def learn(self, space: str, session: str, *, again: bool = False) -> list[str]:
        """Go through what waits, and with ``again`` through what failed; ids of what was learnt."""
        learner = self._learner_of(space)
        self._before_learning()
        learnt: list[str] = []
        if again:
            self._revive(space, session)
        while True:
            with self._store.read(space) as unit:
                waiting = unit.ledger.unextracted(session, _READ)
                batch = first_batch(waiting, self._settings.extraction.batch_tokens.high)
                earlier = self._before(unit, session, batch)
                marks = self._marks(unit, session)
            if not batch:
                return learnt
            said = heard([*earlier, *batch], marks)
            earlier, spoken = said[: len(earlier)], said[len(earlier) :]
            candidates = learner.extractor.propose(spoken, earlier)
            learnt += self._settle(space, session, batch, learner, candidates)

    def failed(self, job: Job, reason: str, *, dead: bool) -> None:
        """The job failed: its turns say so, and why."""
        with self._store.write(job.space) as unit:
            self._mark(unit, str(job.payload["session"]), reason, dead=dead)

    def _mark(self, unit: Unit, session: str, reason: str, *, dead: bool) -> None:
        while waiting := unit.ledger.unextracted(session, _READ):
            ids = [turn.id for turn in waiting]
            unit.ledger.set_state(ids, "dead" if dead else "failed", reason[:_REASON])
            if not dead:
                return  # the first ones stand for all: the rest was not tried
            unit.ledger.mark_extracted(session)

    def _revive(self, space: str, session: str) -> None:
        """Dead turns wait again, when a person has said so."""
        with self._store.write(space) as unit:
            unit.ledger.revive(session, "to be tried again")

    def _settle(
        self,
        space: str,
        session: str,
        batch: Sequence[Turn],
        learner: Learner,
        candidates: Sequence[Candidate],
    ) -> list[str]:
        now = self._clock.now()
        believed = [grounded(candidate, batch) for candidate in candidates]
        prepared = [learner.reconciler.prepare(candidate, now) for candidate in believed]
        with self._store.write(space) as unit:
            waiting = {turn.id for turn in unit.ledger.unextracted(session, _READ)}
            if not all(turn.id in waiting for turn in batch):
                return []  # another worker was here in the meantime
            settled = [
                learner.reconciler.settle(
                    unit,
                    candidate,
                    operation_id=f"extract:{batch[0].id}:{batch[-1].id}:{n}",
                    now=now,
                    prepared=found,
                )
                for n, (candidate, found) in enumerate(zip(believed, prepared, strict=True))
            ]
            self._note_states(unit, session, batch, believed, settled)
        return [one.memory.id for one in settled if one.memory is not None]

    def _note_states(
        self,
        unit: Unit,
        session: str,
        batch: Sequence[Turn],
        candidates: Sequence[Candidate],
        settled: Sequence[Settled],
    ) -> None:
        told: dict[str, str] = {}
        for candidate, one in zip(candidates, settled, strict=True):
            if one.decision in _CHANGES:
                told.update(dict.fromkeys(candidate.sources, ""))
            else:
                for source in candidate.sources:
                    told.setdefault(source, f"{one.decision}: {one.reason}"[:_REASON])
        ids = [turn.id for turn in batch]
        by_state: dict[tuple[TurnState, str], list[str]] = {}
        for id_ in ids:
            reason = told.get(id_)
            by_state.setdefault(
                ("extracted", "") if reason == "" else ("empty", reason or ""), []
            ).append(id_)
        for (state, reason), some in by_state.items():
            unit.ledger.set_state(some, state, reason)
        unit.ledger.mark_extracted(session)

    def _still_talking(self, job: Job, session: str) -> bool:
        """Come back when the last turn is old enough; a time in the future counts as old."""
        quiet = self._settings.triggers.quiet_gap or timedelta()
        now = self._clock.now()
        with self._store.write(job.space) as unit:
            info = unit.ledger.session(session)
            if info is None or info.ended_at is not None or not now - quiet < info.last_at <= now:
                return False
            self._queue(unit, session, now, info.last_at + quiet, job.max_attempts)
        return True

    def _queue(
        self, unit: Unit, session: str, now: datetime, run_at: datetime, max_attempts: int
    ) -> None:
        triggers.queue(unit, session, now=now, run_at=run_at, max_attempts=max_attempts, quiet=True)

    def _before(self, unit: Unit, session: str, batch: Sequence[Turn]) -> list[Turn]:
        if not batch:
            return []
        return unit.ledger.turns_before(session, batch[0].index, _EARLIER)

    def _marks(self, unit: Unit, session: str) -> frozenset[int] | None:
        trust = self._settings.trust
        if not trust.suppress_echo:
            return None
        return known_marks(unit, session, self._clock.now(), trust)
