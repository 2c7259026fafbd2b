"""Records of another memory, written in bulk with their own times, each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime

from mnemic.errors import InvalidInput
from mnemic.ids import new_id
from mnemic.index.embedding_job import ask_vectors
from mnemic.language.dates.moments import moment
from mnemic.language.guard import MAX_SUMMARY
from mnemic.language.tokens import count_tokens
from mnemic.late import dataclass
from mnemic.learn.episodes import episode_terms
from mnemic.learn.memory_writer import MemoryWriter
from mnemic.rules import checks
from mnemic.space import Space
from mnemic.store.contract import Unit
from mnemic.types import (
    EMPTY,
    OUTCOMES,
    AddedRecords,
    DailyEvent,
    Episode,
    NewDailyEvent,
    NewEpisode,
    NewMemory,
    NewRecord,
)

_IMPORTED = "import"
_SOURCE = "migration"  # of an episode, beside the occasions on which one is written here


@dataclass(frozen=True, slots=True, eq=False)
class BulkWriter:
    """Adds records to one space; what it has added before under the same key it leaves alone."""

    space: Space
    memories: MemoryWriter

    def add(self, records: Mapping[str, NewRecord]) -> AddedRecords:
        """All of them or, when one is refused, none; each under the key of its operation."""
        if not isinstance(records, Mapping):
            raise InvalidInput("records are not given by key", remedy="Pass {key: NewMemory(...)}")
        with self.space.write() as unit:
            outcomes = Counter(self._add(unit, record, key) for key, record in records.items())
        repeated = outcomes["known"] + outcomes["same"]
        dropped = outcomes["dropped"] + outcomes["refused"]
        added = len(records) - repeated - dropped
        return AddedRecords(added, repeated, dropped, outcomes["pending"])

    def _add(self, unit: Unit, record: NewRecord, key: str) -> str:
        if isinstance(record, NewMemory):
            decision = self.memories.bring_in(unit, record, key)
            return "known" if decision is None else decision.outcome
        operation, now = self.space.guard.name(key, "key"), self.space.now()
        if unit.journal.operation(operation):
            return "known"
        if isinstance(record, NewEpisode):
            episode = self._episode(record, now)
            unit.episodes.add(episode, episode_terms(episode), last_turn=EMPTY)
            ask_vectors(unit, now)
            subject = episode.id
        elif isinstance(record, NewDailyEvent):
            event = self._daily_event(record, now)
            if unit.journal.has_daily_event(event):
                return "same"
            unit.journal.add_daily_event(event)
            subject = event.id
        else:
            raise InvalidInput(
                "Only memories, episodes and daily events are added",
                remedy="Give NewMemory, NewEpisode or NewDailyEvent; turns go to record_many()",
            )
        unit.journal.begin(operation, now).note(_IMPORTED, subject)
        return "new"

    def _episode(self, new: NewEpisode, now: datetime) -> Episode:
        guard = self.space.guard
        checks.check_fields(new, ("session", "goal", "outcome"))
        summary = self._text(new.summary, "summary")
        began = moment(new.started_at, "started_at")
        ended = began if new.ended_at is None else moment(new.ended_at, "ended_at")
        checks.check_choice(new.outcome, OUTCOMES, "outcome")
        return Episode(
            id=new_id(now),
            session=guard.name(new.session, "session"),
            summary=guard.error(summary, MAX_SUMMARY),
            goal=guard.short(new.goal),
            outcome=new.outcome,
            started_at=began,
            ended_at=max(began, ended),
            actions=(),
            entities=guard.labels(new.entities, "entities"),
            tools=guard.labels(new.tools, "tools"),
            tags=guard.labels(new.tags),
            importance=checks.check_share(new.importance, "importance"),
            source=_SOURCE,
        )

    def _daily_event(self, new: NewDailyEvent, now: datetime) -> DailyEvent:
        checks.check_fields(new, ("channel", "sender"))
        summary = self.space.guard.text(self._text(new.summary, "summary"), "summary")
        return DailyEvent(
            id=new_id(now),
            day=_day(new.day),
            channel=self.space.guard.maybe_name(new.channel, "channel"),
            sender=self.space.guard.maybe_name(new.sender, "sender"),
            summary=summary,
            tokens=count_tokens(summary),
            compressed=False,
            created_at=now,
        )

    def _text(self, text: str, name: str) -> str:
        content = checks.check_text(text, name, self.space.guard.characters).strip()
        if not content:
            raise InvalidInput(f"{name} is empty", remedy="Say something in it")
        return content


def _day(value: date | str) -> date:
    try:
        day = value if isinstance(value, date) else date.fromisoformat(value)
        return day.date() if isinstance(day, datetime) else day
    except (TypeError, ValueError) as error:
        raise InvalidInput("day is not a day", remedy="Write it as 2026-02-12") from error
