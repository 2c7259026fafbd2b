"""Recording: a turn, its index row, its files and its follow-up jobs in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from recollect.clock import Clock
from recollect.ingest import digests, transcripts
from recollect.ingest.accept import Limits, accept_turns
from recollect.ingest.embedding import Ask
from recollect.ingest.files import note_written_files
from recollect.store.base import Placed, Store, TurnRow, Unit
from recollect.types import NewTurn, Recorded, Turn

_BATCH = 2_000


@dataclass(frozen=True, slots=True)
class FollowUps:
    """What recording sets in motion."""

    transcripts: bool
    ask_vectors: Ask
    quiet_gap: timedelta | None
    max_attempts: int


class Recorder:
    """Writes turns of one space."""

    def __init__(
        self,
        store: Store,
        space: str,
        clock: Clock,
        *,
        limits: Limits,
        follow_ups: FollowUps,
        wake: Callable[[], None],
    ) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._limits = limits
        self._follow_ups = follow_ups
        self._wake = wake

    def record(self, new: NewTurn) -> Turn:
        """Durable when it returns. The same turn at the same index again changes nothing."""
        now = self._clock.now()
        (row,) = accept_turns([new], now, self._limits)
        with self._store.write(self._space) as unit:
            placed = unit.ledger.append([row])[0]
            if not placed.added:
                return unit.ledger.turn_at(row.session, placed.idx)
            self._follow(unit, [row], now)
        self._wake()
        return _turn(row, placed)

    def record_many(self, turns: Iterable[NewTurn]) -> Recorded:
        """In order and in batches; each batch is one transaction, safe to repeat after a crash."""
        added = total = 0
        source = iter(turns)
        while batch := list(islice(source, _BATCH)):
            now = self._clock.now()
            rows = accept_turns(batch, now, self._limits)
            with self._store.write(self._space) as unit:
                placed = unit.ledger.append(rows)
                fresh = [row for row, place in zip(rows, placed, strict=True) if place.added]
                self._follow(unit, fresh, now)
            added += len(fresh)
            total += len(rows)
        if added:
            self._wake()
        return Recorded(added=added, known=total - added)

    def _follow(self, unit: Unit, fresh: Sequence[TurnRow], now: datetime) -> None:
        for row in fresh:
            if row.tool_calls:
                note_written_files(unit, row, self._limits)
        tries = self._follow_ups.max_attempts
        if fresh:
            self._follow_ups.ask_vectors(unit, now)
        for session in dict.fromkeys(row.session for row in fresh):
            if self._follow_ups.quiet_gap is not None:
                digests.queue(unit, session, now, now + self._follow_ups.quiet_gap, tries)
            if self._follow_ups.transcripts:
                transcripts.queue(unit, session, now, tries)


def _turn(row: TurnRow, placed: Placed) -> Turn:
    return Turn(
        id=row.id,
        session=row.session,
        index=placed.idx,
        role=row.role,
        content=row.content,
        at=row.at,
        sender=row.sender,
        channel=row.channel,
        tool_calls=row.tool_calls,
        tool_results=row.tool_results,
        tokens=row.tokens,
        trust=row.trust,
    )
