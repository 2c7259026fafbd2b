"""Doors for living with a memory: jobs, upkeep, health, forgetting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from recollect.documents.library import Documents
from recollect.documents.onboarding import OnboardingState
from recollect.documents.report import Question, SyncReport
from recollect.doors.led import Led
from recollect.errors import InvalidInput
from recollect.health.metrics import as_prometheus, measure
from recollect.types import (
    AuditReport,
    Drained,
    Event,
    Finding,
    Job,
    JobState,
    Memory,
    Metrics,
    Receipt,
    Stats,
)
from recollect.upkeep.report import Report, Undone, Work


class LivingDoors(Led):
    """Living with it."""

    def jobs(self, *, state: JobState | None = None, limit: int = 100) -> list[Job]:
        """Background work that waits, runs, or died."""
        return self._rooms.book.jobs(state, limit)

    def redrive(self, ids: Sequence[str] | None = None) -> int:
        """Give dead jobs (all, or these) a fresh start; says how many."""
        return self._rooms.book.redrive(ids)

    def discard(self, ids: Sequence[str]) -> int:
        """Remove dead jobs for good; says how many."""
        return self._rooms.book.discard(ids)

    def upkeep(self, work: Work = "daily", *, dry_run: bool = False) -> Report:
        """Do the daily or weekly work now, or with ``dry_run`` say what it would change and why.

        A run that was interrupted goes on; what another process is doing is left to it.
        """
        self._rooms.touches.flush()
        return self._rooms.upkeep.run(self.space, work, dry_run=dry_run)

    def undo_upkeep(self, operation: str) -> Undone:
        """Take one step of upkeep back, by the operation that its report names."""
        return self._rooms.upkeep.undo(self.space, operation)

    def waiting_rules(self) -> list[Event]:
        """Rules of the bus that ask before they act, the latest first."""
        return self._rooms.rules.waiting(self.space)

    def approve_rule(self, event: str) -> None:
        """Let a rule act that asked."""
        self._rooms.rules.approve(self.space, event)

    def onboarding(self, *, begin: bool = False) -> OnboardingState:
        """Where the first talk about agent and user stands, and what to ask next.

        ``begin`` asks also where the preset does not; what was confirmed is never asked again.
        """
        return self._rooms.onboarding.begin() if begin else self._rooms.onboarding.state()

    def onboard(self, answer: str) -> OnboardingState:
        """Take the user's answer to what was asked last."""
        return self._rooms.onboarding.answer(answer)

    def sync(self) -> SyncReport:
        """Bring the documents and memory together, in both directions."""
        return self._documents().sync()

    def questions(self) -> list[Question]:
        """Memories that a person took out of a document: are they to be forgotten?"""
        return self._documents().questions()

    def let_go(self, id: str) -> Memory:
        """Yes: it is archived."""
        return self._documents().let_go(id)

    def keep(self, id: str) -> Memory:
        """No: it stays, and goes back into its document."""
        return self._documents().keep(id)

    def _documents(self) -> Documents:
        if self._rooms.library is None:
            raise InvalidInput(
                "A memory that is not on disk has no documents", remedy="Open it in a file"
            )
        return self._rooms.library

    def drain(self, timeout: timedelta | float | None = None) -> Drained:
        """Run every due job now, at most for ``timeout`` seconds.

        When the time is over no further job begins, and one that waits for a model's server is put
        off. Local work in hand is finished.
        """
        self._rooms.touches.flush()
        self._rooms.injected.flush()
        self._rooms.uses.flush()
        return self._rooms.worker.drain(timeout)

    def work(self) -> None:
        """Run jobs as they come due, until ``close`` is called from elsewhere."""
        self._rooms.worker.run()

    def stats(self) -> Stats:
        """The size and the health of this memory."""
        return self._rooms.book.stats(
            worker_failure=self._rooms.worker.failure,
            recall_failure=self._rooms.recall.failure,
            unembedded=self._rooms.meaning.waiting() if self._rooms.meaning else 0,
            suspended=self._rooms.circuits.suspended(),
        )

    def metrics(self, *, days: int | None = None) -> Metrics:
        """How well memory serves, over the last days or over all time."""
        self._rooms.uses.flush()
        return measure(self._store, self.space, self._clock, days)

    def prometheus(self) -> str:
        """The same in the text format of Prometheus."""
        return as_prometheus([self.metrics()])

    def audit(self) -> AuditReport:
        """How much is said twice, faded, contradictory, unfounded, secret or orphaned."""
        return self._rooms.audit.audit()

    def forget(
        self,
        *,
        id: str | None = None,
        query: str | None = None,
        session: str | None = None,
        source: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        dry_run: bool = False,
    ) -> Receipt:
        """Remove for good whatever an id, words, a session, a source or a time range names.

        ``source`` is session:ID, turn:ID, trust:TIER or sender:NAME. With ``dry_run`` nothing is
        removed, and the receipt lists what would go and why. Keep the receipt: ``doctor`` checks
        with it that nothing is left.
        """
        return self._rooms.forgetting.forget(
            id=id,
            query=query,
            session=session,
            source=source,
            since=since,
            until=until,
            dry_run=dry_run,
        )

    def doctor(self, *, deep: bool = True, forgotten: Receipt | str | None = None) -> list[Finding]:
        """Check the database; changes nothing.

        With ``forgotten``, a receipt or its JSON, also that nothing is left of what it is for.
        """
        return self._rooms.doctor.check(deep=deep, forgotten=forgotten)

    def repair(self, progress: Callable[[int], None] = lambda done: None) -> int:
        """Rebuild the text index of every space, remove what leads to nothing, ask for missing
        vectors and finish what was being forgotten; says how many records were indexed.
        """
        return self._rooms.doctor.repair(progress)

    def close(self) -> None:
        """Finish the job in hand and close the database. Closing twice is harmless."""
        self._rooms.worker.stop()
        if self._closed:
            return
        self._closed = True
        try:
            self._rooms.touches.flush()
            self._rooms.injected.flush()
            self._rooms.uses.flush()
        finally:
            self._store.close()
            if self._rooms.meaning is not None:
                self._rooms.meaning.close()
            if self._rooms.model is not None:
                self._rooms.model.close()
