"""Compression: the events of past days become statements of knowledge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby

from recollect.language.detection import language_of
from recollect.language.digest import digest
from recollect.language.guard import MAX_TAGS
from recollect.language.statements import is_statement
from recollect.language.story import SUMMARY_CHARS
from recollect.language.voice import own_voice
from recollect.learn.grounding import SpokenWords, grounded_in_summary
from recollect.learn.settlement import decided_before
from recollect.providers.chat.base import ChatModel
from recollect.rules.importance import KIND_IMPORTANCE, RULES_CONFIDENCE
from recollect.rules.speakers import least_trusted
from recollect.store.rows import TurnFilter
from recollect.types import Candidate, DailyEvent, Turn, joined, key_of, stamp
from recollect.upkeep.model_calls import ask_for_knowledge
from recollect.upkeep.work import Step

_EVENTS = 500  # read in one snapshot
_TURNS = 5_000  # of one day
_ABROAD = timedelta(hours=14)  # somewhere a day begins this much earlier, or ends later


def compress_events(step: Step) -> None:
    """Each past day in a few statements; the events stay, marked as compressed."""
    while True:
        with step.store.read(step.space) as unit:
            events = unit.tiers.uncompressed(step.day, _EVENTS)
        days = [(day, list(group)) for day, group in groupby(events, key=lambda e: e.day)]
        if step.dry_run:
            step.did(**({"days": len(days), "events": len(events)} if days else {}))
            return
        if not days:
            return
        if len(events) == _EVENTS and len(days) > 1:
            days = days[:-1]  # the last day may go on in the next snapshot
        model = step.tools.model_of(step.space)
        for day, some in days:
            _compress(step, day, some, model)


def _compress(step: Step, day: date, events: Sequence[DailyEvent], model: ChatModel | None) -> None:
    turns = _turns_of(step, day)
    if model is None:
        candidates = _by_rule(step, day, turns)
    else:
        language = language_of([event.summary for event in events], step.settings.memory.language)
        proposed = ask_for_knowledge(model, day, [event.summary for event in events], language)
        core = step.settings.upkeep.core_importance
        candidates = [
            grounded_in_summary(_sourced(candidate, turns), SpokenWords(turns, ()), core)
            for candidate in proposed
            if turns
        ]
    reconciler = step.tools.reconciler_of(step.space)
    now = step.now
    advice = [reconciler.advise(candidate, now) for candidate in candidates]
    with step.store.write(step.space) as unit:
        operation = key_of("compress", stamp(day), events[0].id)
        new = 0
        for n, candidate in enumerate(candidates):
            name = joined(operation, n)
            earlier = decided_before(unit, unit.journal.operation(name))
            reconciler.settle(unit, candidate, operation_id=name, now=now, advice=advice[n])
            new += earlier is None
        unit.tiers.mark_compressed([event.id for event in events], compressed=True)
        unit.journal.add_event(
            "compress",
            operation_id=step.operation,
            subject=key_of("day", stamp(day)),
            payload={"events": [event.id for event in events], "memories": new},
            at=now,
        )
        step.progress(unit, {"days": 1, "events": len(events), "memories": new})


def _turns_of(step: Step, day: date) -> list[Turn]:
    """The user's turns of a day, by the clocks where they were said."""
    start = datetime.combine(day, time(), UTC)
    span = TurnFilter(
        since=start - _ABROAD, until=start + timedelta(days=1) + _ABROAD, role="user", limit=_TURNS
    )
    with step.store.read(step.space) as unit:
        return [turn for turn in unit.ledger.turns(span) if turn.at.date() == day]


def _by_rule(step: Step, day: date, turns: Sequence[Turn]) -> list[Candidate]:
    """One statement for the day, of the user's statements that no memory has yet; questions, orders
    and thanks are left out.
    """
    unlearnt = [
        turn
        for turn in (replace(one, content=own_voice(one.content)) for one in turns)
        if turn.state != "extracted" and turn.trust == "owner" and is_statement(turn.content)
    ]
    line = digest(unlearnt, SUMMARY_CHARS) if unlearnt else ""
    if not line:
        return []
    candidate = Candidate(
        kind="event",
        content=f"{day.isoformat()}: {line}",
        importance=KIND_IMPORTANCE["event"],
        confidence=RULES_CONFIDENCE,
    )
    return [_sourced(candidate, unlearnt, most=MAX_TAGS)]


def _sourced(candidate: Candidate, turns: Sequence[Turn], most: int = 100) -> Candidate:
    """The candidate with the day's turns as evidence, and the trust of the least trusted one."""
    some = turns[:most]
    return replace(
        candidate,
        sources=tuple(turn.id for turn in some),
        trust=least_trusted([turn.trust for turn in some]),
    )
