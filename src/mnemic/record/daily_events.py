"""Daily events: one short line a stretch of conversation says what it was about.

Where a model learns, its answer about a batch of turns brings the line. Where none does, or none
has for a while, the rules write it when the conversation falls silent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from mnemic.clock import Clock
from mnemic.days import day_of
from mnemic.ids import new_id
from mnemic.language.digest import digest
from mnemic.language.guard import Guard
from mnemic.language.story import SUMMARY_CHARS
from mnemic.language.truncation import cut_to_tokens
from mnemic.record.triggers import queue_sessions, talking_until
from mnemic.space import user_zone
from mnemic.store.contract import Store, Unit
from mnemic.types import EMPTY, DailyEvent, Job, Turn, key_of

KIND = "digest"
SUMMARIZED = "summary"  # the event that says of which turns a model has made a line
MODEL_FIRST = timedelta(minutes=5)  # that the rules leave a model to learn from a silent session


@dataclass(eq=False)
class Digests:
    """Writes daily events."""

    store: Store
    clock: Clock
    quiet: timedelta
    guard: Guard
    zone: str

    def write(self, job: Job) -> None:
        """One event per day, channel and sender for the turns no event speaks of yet."""
        session = job.name_of("session")
        with self.store.write(job.space) as unit:
            info, now = unit.ledger.session(session), self.clock.now()
            later = None if info is None else talking_until(info.last_at, self.quiet, now)
            if later is not None:  # when the last turn is old enough
                queue_sessions(unit, KIND, [session], now=now, run_at=later)
                return
            turns = unit.ledger.list_undigested(session)
            write_lines(unit, turns, now=now, guard=self.guard, zone=self.zone)
            if turns:
                unit.ledger.mark_digested(session, turns[-1].id)


def note_batch(
    unit: Unit, batch: Sequence[Turn], summary: str, *, now: datetime, guard: Guard, zone: str
) -> None:
    """The line of a session's turns that a model has read, unless the rules were first."""
    session = batch[0].session
    open_ = {turn.id for turn in unit.ledger.list_undigested(session)}
    turns = [turn for turn in batch if turn.id in open_]
    if not turns:
        return
    if not summary:
        write_lines(unit, turns, now=now, guard=guard, zone=zone)
    else:
        day = day_of(turns[0].at, user_zone(unit, zone))
        event = _event(day, turns, cut_to_tokens(summary, SUMMARY_CHARS, len), now, guard)
        unit.journal.add_daily_event(event)
        unit.journal.begin(key_of(SUMMARIZED, event.id), now).note(
            SUMMARIZED, event.id, session=session, first=turns[0].index, last=turns[-1].index
        )
    unit.ledger.mark_digested(session, batch[-1].id)


def write_lines(
    unit: Unit, turns: Sequence[Turn], *, now: datetime, guard: Guard, zone: str
) -> None:
    """By the rules: one event per day and channel."""
    if not turns:
        return
    home = user_zone(unit, zone)
    batches: dict[tuple[date, str], list[Turn]] = {}
    for turn in turns:
        batches.setdefault((day_of(turn.at, home), turn.channel), []).append(turn)
    for (day, _), batch in batches.items():
        event = _event(day, batch, digest(batch, SUMMARY_CHARS), now, guard)
        unit.journal.add_daily_event(event)


def _event(day: date, turns: Sequence[Turn], line: str, now: datetime, guard: Guard) -> DailyEvent:
    return DailyEvent(
        id=new_id(now),
        day=day,
        channel=turns[0].channel,
        sender=next((turn.sender for turn in turns if turn.sender), EMPTY),
        summary=guard.text(line, "summary"),
        tokens=sum(turn.tokens for turn in turns),
        compressed=False,
        created_at=now,
    )
