"""Recording: a turn, its index row, its files and its follow-up jobs in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import NamedTuple

from recollect.clock import Clock
from recollect.index.embedding_job import Ask
from recollect.language.guard import Guard
from recollect.record import daily_events, transcripts, triggers
from recollect.record.accept import accept_turn, accept_turns
from recollect.record.attachments import note_written_files
from recollect.record.background import BackgroundTask
from recollect.record.triggers import Watcher
from recollect.store.contract import Store, Unit
from recollect.store.rows import Placed, TurnRow
from recollect.types import NewTurn, Recorded, SafeName, Turn

BATCH = 2_000
_BATCH_CHARACTERS = 4_000_000
_REMEMBERED = 1_000  # sessions


@dataclass(frozen=True, slots=True)
class FollowUps:
    """What recording sets in motion."""

    transcripts: bool
    ask_vectors: Ask
    quiet_gap: timedelta | None
    watcher: Watcher
    max_attempts: int
    disown: Callable[[Unit, SafeName, datetime], None]


class _Promise(NamedTuple):
    """A job that waits: since when, and until when."""

    made: datetime
    due: datetime


class Recorder:
    """Writes turns of one space."""

    def __init__(
        self,
        store: Store,
        space: str,
        clock: Clock,
        *,
        guard: Guard,
        follow_ups: FollowUps,
        wake: Callable[[], None],
    ) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self.guard = guard
        self._follow_ups = follow_ups
        self._wake = wake
        self._promised: dict[str, _Promise] = {}

    def record(self, new: NewTurn) -> Turn:
        """Durable when it returns. The same turn at the same index again changes nothing."""
        now = self._clock.now()
        row = accept_turn(new, now, self.guard)
        with self._store.write(self._space) as unit:
            placed = unit.ledger.append([row])[0]
            if not placed.added:
                return unit.ledger.turn_at(row.session, placed.idx)
            if placed.external:
                row = row._replace(trust="external")
            if placed.disowned:
                self._follow_ups.disown(unit, row.session, now)
            promised = self._follow(unit, [row], now)
        self._keep(promised)
        self._wake()
        return _turn(row, placed)

    def record_many(self, turns: Iterable[NewTurn]) -> Recorded:
        """In order and in batches; each batch is one transaction, safe to repeat after a crash."""
        added = total = 0
        source = iter(turns)
        with BackgroundTask[int]() as writing:
            while batch := _batch(source):
                now = self._clock.now()
                rows = accept_turns(batch, now, self.guard)
                total += len(rows)
                added += writing.take() or 0
                if len(batch) < BATCH:
                    added += self._write(rows, now)
                else:  # more may come, to be checked while this is written
                    writing.start(partial(self._write, rows, now))
            added += writing.take() or 0
        if added:
            self._wake()
        return Recorded(added=added, known=total - added)

    def _write(self, rows: Sequence[TurnRow], now: datetime) -> int:
        """How many of the rows are new, once they are on disk."""
        with self._store.write(self._space) as unit:
            fresh, promised = self._append(unit, rows, now)
        self._keep(promised)
        return len(fresh)

    def record_rows(self, unit: Unit, rows: Sequence[TurnRow], now: datetime) -> None:
        """Checked rows, with what they set in motion, in a transaction of the caller's."""
        self._append(unit, rows, now)

    def _append(
        self, unit: Unit, rows: Sequence[TurnRow], now: datetime
    ) -> tuple[Sequence[TurnRow], dict[str, _Promise]]:
        placed = unit.ledger.append(rows)
        fresh = [
            row._replace(trust="external") if place.external else row
            for row, place in zip(rows, placed, strict=True)
            if place.added
        ]
        disowned = (r.session for r, place in zip(rows, placed, strict=True) if place.disowned)
        for session in dict.fromkeys(disowned):
            self._follow_ups.disown(unit, session, now)
        return fresh, self._follow(unit, fresh, now)

    def _follow(self, unit: Unit, fresh: Sequence[TurnRow], now: datetime) -> dict[str, _Promise]:
        """Queue what the turns set in motion; says which sessions will be looked at, and when."""
        for row in fresh:
            if row.tool_calls:
                note_written_files(unit, row, self.guard)
        if fresh:
            self._follow_ups.ask_vectors(unit, now)
            self._follow_ups.watcher.watch(unit, fresh, now)
        gap, tries = self._follow_ups.quiet_gap, self._follow_ups.max_attempts
        sessions = dict.fromkeys(row.session for row in fresh)
        if self._follow_ups.transcripts:
            transcripts.queue(unit, sessions, now, tries)
        if gap is None:
            return {}
        new = [session for session in sessions if not self._is_promised(session, now)]
        if not new:
            return {}
        promise = _Promise(now, now + gap)
        daily_events.queue(unit, new, *promise, tries)
        triggers.queue(unit, new, now=now, run_at=promise.due, max_attempts=tries, quiet=True)
        return dict.fromkeys(new, promise)

    def _is_promised(self, session: str, now: datetime) -> bool:
        """Whether this process has queued a look at the session that cannot have run yet."""
        promise = self._promised.get(session)
        return promise is not None and promise.made <= now < promise.due

    def _keep(self, promised: dict[str, _Promise]) -> None:
        if len(self._promised) > _REMEMBERED:
            self._promised.clear()
        self._promised.update(promised)


def _batch(source: Iterator[NewTurn]) -> list[NewTurn]:
    """The next turns that are written together: so many, or fewer where they are long."""
    batch: list[NewTurn] = []
    characters = 0
    for new in islice(source, BATCH):
        batch.append(new)
        characters += len(new.content) if isinstance(getattr(new, "content", None), str) else 0
        if characters > _BATCH_CHARACTERS:
            break
    return batch


def _turn(row: TurnRow, placed: Placed) -> Turn:
    return Turn(
        row.id,
        row.session,
        placed.idx,
        row.role,
        row.content,
        row.at,
        row.sender,
        row.channel,
        row.tool_calls,
        row.tool_results,
        row.tokens,
        row.trust,
    )
