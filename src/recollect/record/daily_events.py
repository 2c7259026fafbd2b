"""Daily events: when a conversation falls silent, one short line says what it was about."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from recollect.clock import Clock
from recollect.ids import new_id
from recollect.language.digest import digest
from recollect.language.guard import Guard
from recollect.language.story import SUMMARY_CHARS
from recollect.record.triggers import talking_until
from recollect.store.contract import Store, Unit
from recollect.types import EMPTY, DailyEvent, Job, SafeName, Turn

KIND = "digest"


def queue(
    unit: Unit, sessions: Iterable[SafeName], now: datetime, when: datetime, max_attempts: int
) -> None:
    """Look at ``when`` whether the sessions have fallen silent."""
    unit.tasks.enqueue_many(
        KIND,
        {session: {"session": session} for session in sessions},
        run_at=when,
        now=now,
        max_attempts=max_attempts,
    )


class Digests:
    """Writes daily events."""

    def __init__(self, store: Store, clock: Clock, quiet: timedelta, guard: Guard) -> None:
        self._store = store
        self._clock = clock
        self._quiet = quiet
        self._guard = guard

    def write(self, job: Job) -> None:
        """One event per day, channel and sender for the turns no event speaks of yet."""
        session = job.name_of("session")
        with self._store.write(job.space) as unit:
            if self._still_talking(unit, session, job):
                return
            batches: dict[tuple[object, ...], list[Turn]] = {}
            for turn in unit.ledger.undigested(session):
                batches.setdefault((turn.at.date(), turn.channel), []).append(turn)
            for turns in batches.values():
                unit.journal.add_daily_event(self._event(turns))
            unit.ledger.mark_digested(session)

    def _still_talking(self, unit: Unit, session: SafeName, job: Job) -> bool:
        """Come back when the last turn is old enough."""
        info, now = unit.ledger.session(session), self._clock.now()
        later = None if info is None else talking_until(info.last_at, self._quiet, now)
        if later is not None:
            queue(unit, [session], now, later, job.max_attempts)
        return later is not None

    def _event(self, turns: list[Turn]) -> DailyEvent:
        now = self._clock.now()
        return DailyEvent(
            id=new_id(now),
            day=turns[0].at.date(),
            channel=turns[0].channel,
            sender=next((turn.sender for turn in turns if turn.sender), EMPTY),
            summary=self._guard.text(digest(turns, SUMMARY_CHARS), "summary"),
            tokens=sum(turn.tokens for turn in turns),
            compressed=False,
            created_at=now,
        )
