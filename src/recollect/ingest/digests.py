"""Daily events: when a conversation falls silent, one short line says what it was about."""

from __future__ import annotations

from datetime import datetime, timedelta

from recollect.clock import Clock
from recollect.ids import new_id
from recollect.rules.digest import digest
from recollect.store.base import Store, Unit
from recollect.types import DailyEvent, Job, Turn

KIND = "digest"


def queue(unit: Unit, session: str, now: datetime, quiet: timedelta, max_attempts: int) -> None:
    """Digest the session once it has been quiet; each new turn starts the wait again."""
    unit.tasks.enqueue(
        KIND,
        key=session,
        payload={"session": session},
        run_at=now + quiet,
        now=now,
        max_attempts=max_attempts,
        merge="postpone",
    )


class Digests:
    """Writes daily events."""

    def __init__(self, store: Store, clock: Clock, length: int) -> None:
        self._store = store
        self._clock = clock
        self._length = length

    def write(self, job: Job) -> None:
        """One event per day, channel and sender for the turns no event speaks of yet."""
        session = str(job.payload["session"])
        with self._store.write(job.space) as unit:
            batches: dict[tuple[object, ...], list[Turn]] = {}
            for turn in unit.ledger.undigested(session):
                batches.setdefault((turn.at.date(), turn.channel), []).append(turn)
            for turns in batches.values():
                unit.journal.add_daily_event(self._event(turns))
            unit.ledger.mark_digested(session)

    def _event(self, turns: list[Turn]) -> DailyEvent:
        now = self._clock.now()
        return DailyEvent(
            id=new_id(now),
            day=turns[0].at.date(),
            channel=turns[0].channel,
            sender=next((turn.sender for turn in turns if turn.sender), ""),
            summary=digest(turns, self._length),
            tokens=sum(turn.tokens for turn in turns),
            compressed=False,
            created_at=now,
        )
