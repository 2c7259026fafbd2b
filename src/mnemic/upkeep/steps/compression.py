"""Compression: a model makes statements of knowledge of the events of past days.

Without one there is nothing to add: what the rules found in the turns of a day was learned from the
turns, and what they refused must not come back as a memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import groupby

from mnemic.days import ABROAD, day_bounds, day_of
from mnemic.language.attribution import SessionPlace, add_place
from mnemic.language.detection import language_of
from mnemic.language.digest import GLUE
from mnemic.learn.grounding import SpokenWords, ground, words_shared
from mnemic.learn.settlement import load_decision
from mnemic.providers.chat.base import ChatModel
from mnemic.rules.likeness import plain_words
from mnemic.rules.speakers import least_trusted
from mnemic.store.rows import MemoryFilter, TurnFilter
from mnemic.types import Candidate, DailyEvent, Turn, join_key, key_of, stamp
from mnemic.upkeep.model_calls import ask_for_knowledge
from mnemic.upkeep.work import Step

_EVENTS = 500  # read in one snapshot
_TURNS = 5_000  # of one day
_SOURCES = 100  # turns that a statement stands on
_KEPT = ("new", "same", "update", "conflict", "pending")


def compress_events(step: Step) -> None:
    """Each past day in a few statements; the events stay, marked as compressed."""
    while True:
        with step.store.read(step.space) as unit:
            events = unit.journal.list_uncompressed(step.day, _EVENTS)
        days = [(day, list(group)) for day, group in groupby(events, key=lambda e: e.day)]
        if step.dry_run:
            step.did(**({"days": len(days), "events": len(events)} if days else {}))
            return
        if not days:
            return
        if len(events) == _EVENTS and len(days) > 1:
            days = days[:-1]  # the last day may go on in the next snapshot
        model = step.tools.model_of(step.space)
        for day, group in days:
            _compress(step, day, group, model)


def _compress(step: Step, day: date, events: Sequence[DailyEvent], model: ChatModel | None) -> None:
    candidates = [] if model is None else _propose(step, day, events, model)
    reconciler = step.tools.reconciler_of(step.space)
    now = step.now
    advice = [reconciler.advise(candidate, now) for candidate in candidates]
    with step.store.write(step.space) as unit:
        operation = key_of("compress", stamp(day), events[0].id)
        new = 0
        for n, candidate in enumerate(candidates):
            name = join_key(operation, n)
            earlier = load_decision(unit, unit.journal.operation(name))
            decision = reconciler.settle(
                unit, candidate, operation_id=name, now=now, advice=advice[n], revives=False
            )
            new += earlier is None and decision.outcome in _KEPT
        unit.journal.mark_compressed([event.id for event in events], compressed=True)
        unit.journal.begin(step.operation, now).note(
            "compress",
            key_of("day", stamp(day)),
            events=[event.id for event in events],
            memories=new,
        )
        step.progress(unit, {"days": 1, "events": len(events), "memories": new})


def _propose(
    step: Step, day: date, events: Sequence[DailyEvent], model: ChatModel
) -> list[Candidate]:
    """What a model makes of a day, each on the turns that say it. A turn whose statement extraction
    dropped or refused is no evidence, and a line that was only copied is no statement.
    """
    start, end = day_bounds(day, step.zone)
    span = TurnFilter(since=start - ABROAD, until=end + ABROAD, role="user", limit=_TURNS)
    with step.store.read(step.space) as unit:
        # The user's, of that day by the clocks where they were said.
        of_day = [turn for turn in unit.ledger.turns(span) if day_of(turn.at, step.zone) == day]
        projects = unit.memories.projects()
    turns = [turn for turn in of_day if not (turn.state == "empty" and turn.reason)]
    if not turns:
        return []
    summaries = [event.summary for event in events]
    language = language_of(summaries, step.settings.memory.language)
    core, speakers = step.settings.upkeep.core_importance, SpokenWords(turns, ())
    return [
        ground(_find_partition(step, _add_sources(candidate, turns)), speakers, core)
        for candidate in ask_for_knowledge(model, day, summaries, language, projects)
        if GLUE not in candidate.text
    ]


def _find_partition(step: Step, candidate: Candidate) -> Candidate:
    """The candidate that knows it word for word, or names it, or is of its session."""
    with step.store.read(step.space) as unit:
        same = unit.memories.find(
            MemoryFilter(status="active", holds_at=step.now, contains=candidate.text)
        )
        for memory in same:
            if plain_words(memory.text) == plain_words(candidate.text):
                return replace(candidate, project=memory.project, topic=memory.topic)
        turns = unit.ledger.turns_by_id(candidate.sources)
        info = unit.ledger.session(turns[-1].session) if turns else None
    if info is None:
        return candidate
    return add_place(candidate, SessionPlace(info.project, info.topic))


def _add_sources(candidate: Candidate, turns: Sequence[Turn]) -> Candidate:
    """The candidate with the turns that say most of its words, trusted as the least of them."""
    shares = {turn.id: words_shared(candidate.text, turn.text) for turn in turns}
    most = max(shares.values())
    cited = [turn for turn in turns if shares[turn.id] == most][-_SOURCES:]
    return replace(
        candidate,
        sources=tuple(turn.id for turn in cited),
        trust=least_trusted([turn.trust for turn in cited]),
    )
