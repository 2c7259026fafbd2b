"""Everything that has to go, or be told in other words, for a request to be met.

A memory that came only from forgotten turns goes. One that others said too stays, unless it has a
word that only the forgotten turns have; then it goes, and the others are learnt from again.
Episodes are told anew from the turns that are left. Who asks for a memory by its id also means the
turns that it was learnt from; other memories from those stay.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from recollect.forget import names
from recollect.forget.preview import Change, Preview
from recollect.forget.request import (
    ForgetRequest,
    Selection,
    choose,
    has_phrase,
)
from recollect.forget.traces import (
    Traces,
    function_words,
    tokens,
    traces_of,
    words,
)
from recollect.ids import is_id
from recollect.language.guard import guard_of
from recollect.language.story import tell
from recollect.learn.episodes import episode_of, episode_terms
from recollect.rules import checks
from recollect.settings import Settings
from recollect.store import codec
from recollect.store.contract import Unit
from recollect.store.erasure import Name, Removal, Rewrite, StoredTextKind, Stretch
from recollect.types import (
    EMPTY,
    RECORD_TYPES,
    Forgotten,
    Memory,
    RecordType,
    SafeName,
    SafeText,
    Turn,
)

_KEY_BYTES = 32
_ID_LENGTH = 36
# Copies of what people said, and what the engine wrote itself.
_COPIED: tuple[StoredTextKind, ...] = ("event", "scratchpad", "card", "onboarding")
_OWN: tuple[StoredTextKind, ...] = ("turn reason", "job", "upkeep error")


_STORY = "summary goal outcome started_at ended_at actions entities tools tags".split()


@dataclass(slots=True)
class ForgetPlan:
    """What forgetting does.

    ``renamed`` are names that have the words, ``lost`` those that nothing has any more, each with
    its replacement. ``quoting`` is, for each rewriting and card, the text that is the reason.
    """

    removed: Selection
    renamed: dict[Name, SafeName] = field(default_factory=dict)
    lost: dict[Name, SafeName] = field(default_factory=dict)
    quoting: dict[tuple[str, str], str] = field(default_factory=dict)
    retold: dict[str, Stretch] = field(default_factory=dict)
    loosened: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rewritten: list[Rewrite] = field(default_factory=list)
    cards: list[str] = field(default_factory=list)
    relearnt: set[str] = field(default_factory=set)
    sessions: set[SafeName] = field(default_factory=set)
    texts: list[str] = field(default_factory=list)
    traces: Traces = field(default_factory=lambda: Traces("00"))
    owed: set[str] = field(default_factory=set)
    items: list[Forgotten] = field(default_factory=list)

    @property
    def removal(self) -> Removal:
        gone = self.removed
        return Removal(
            gone.turns,
            gone.memories,
            gone.episodes,
            gone.attachments,
            gone.daily_events,
            gone.sessions,
        )

    @property
    def names(self) -> dict[Name, SafeName]:
        """What every name is replaced by, empty where it goes."""
        return {**self.lost, **self.renamed}

    @property
    def counts(self) -> dict[str, int]:
        """How many of each kind were removed or rewritten."""
        told = Counter(
            item.kind if item.change == "removed" else f"{item.kind} {item.change}"
            for item in self.items
        )
        return dict(sorted(told.items()))

    @property
    def empty(self) -> bool:
        return not self.items


class Planner:
    """Works out one request on a snapshot; nothing is written."""

    def __init__(self, unit: Unit, settings: Settings, *, marked: bool = False) -> None:
        self._unit = unit
        self._settings = settings
        self._marked = marked

    def plan(self, asked: ForgetRequest) -> ForgetPlan:
        unit = self._unit
        plan = ForgetPlan(choose(unit, asked))
        gone = plan.removed
        if asked.query is not None and not asked.timed:  # a name is of no time
            plan.renamed = names.having(unit, tokens(asked.query))
        derived = unit.eraser.derived(gone.turns)
        for id_, turns in derived.items():
            if set(turns) <= gone.turns.keys():
                gone.memories.setdefault(id_, "it was learnt from what is forgotten")
        gone.turns |= {id_: why for id_, why in gone.evidence.items() if id_ not in gone.turns}
        said = unit.ledger.turns_by_id(list(gone.turns))
        plan.sessions = {turn.session for turn in said}
        stretches = self._stretches(gone, asked)
        for stretch in stretches:
            self._retell(plan, stretch)
        partly = [id_ for id_ in derived if id_ not in gone.memories]
        self._trace(plan, asked, said, stretches, partly)
        known = len(gone.memories)
        self._part(plan, derived, partly)
        for stretch in stretches:
            self._retell(plan, stretch)
        self._rewrite_days(plan, {turn.at.date() for turn in said})
        if len(gone.memories) > known:
            plan.lost = names.lost(unit, plan.removal)
        plan.traces = plan.traces.with_names(plan.names)
        self._rewrite_rest(plan)
        self._keep_stories(plan, stretches)
        plan.items = self._listed(plan, said)
        return plan

    def _stretches(self, gone: Selection, asked: ForgetRequest) -> list[Stretch]:
        """Episodes to be told anew; one that only has the words is told without them."""
        eraser = self._unit.eraser
        found = {stretch.episode.id: stretch for stretch in eraser.stretches(gone.turns)}
        if asked.query is not None:
            found |= {stretch.episode.id: stretch for stretch in eraser.stretches_of(gone.episodes)}
            gone.episodes.clear()
        return [stretch for id_, stretch in found.items() if id_ not in gone.episodes]

    # --- what it leaves in other texts -----------------------------------------------------------

    def _trace(
        self,
        plan: ForgetPlan,
        asked: ForgetRequest,
        said: Sequence[Turn],
        stretches: Sequence[Stretch],
        partly: Sequence[str],
    ) -> None:
        unit, gone = self._unit, plan.removed
        plan.texts = [text for turn in said for text in turn_texts(turn)]
        # Who said it, and with what, unless others have that name too.
        plan.lost = names.lost(unit, plan.removal)
        plan.texts += [name.text for name in plan.lost if name.kind in ("sender", "tool")]
        for memory in unit.memories.by_id(list(gone.memories)):
            plan.texts += filter(None, [memory.content, memory.value, memory.subject])
        for file in unit.attachments.by_id(list(gone.attachments)):
            plan.texts += [file.filename, file.description, file.transcription, file.extracted_text]
        told = unit.episodes.by_id(list(gone.episodes))
        told += [stretch.episode for stretch in stretches]
        tales: list[str] = [text for episode in told for text in (episode.summary, episode.goal)]
        for event in self._days(gone.daily_events):
            tales.append(event[1])
        going: dict[RecordType, list[str]] = {
            "turn": [*gone.turns],
            "memory": [*gone.memories, *partly],
            "episode": [episode.id for episode in told],
            "attachment": [*gone.attachments],
        }
        docs = {doc for type_ in RECORD_TYPES for doc in unit.eraser.docs(type_, going[type_])}
        every = {word for text in (*plan.texts, *tales) for word in words(text)}
        every -= function_words()
        for retold in plan.retold.values():
            every.difference_update(episode_terms(retold.episode).split())
        plan.owed = unit.eraser.only_in(every, docs)
        key = secrets.token_bytes(_KEY_BYTES)
        # Words of one time only may be said elsewhere: what is not of that time keeps them.
        phrase = None if asked.timed else asked.query
        plan.traces = traces_of(key, plan.texts, plan.owed, phrase)

    def _days(self, ids: Iterable[str]) -> list[tuple[str, str]]:
        wanted = set(ids)
        if not wanted:
            return []
        events = self._unit.journal.daily_events(None, checks.MAX_ROWS)
        return [(event.id, event.summary) for event in events if event.id in wanted]

    # --- memories and episodes -------------------------------------------------------------------

    def _part(
        self, plan: ForgetPlan, derived: dict[str, tuple[str, ...]], partly: Sequence[str]
    ) -> None:
        """Memories that others said too, and those beside one that was asked for."""
        gone = plan.removed
        beside = self._unit.eraser.derived(gone.evidence)
        forgotten = [m.value or m.content for m in self._unit.memories.by_id(list(gone.memories))]
        for memory in self._unit.memories.by_id([*{*partly, *beside} - gone.memories.keys()]):
            turns = derived.get(memory.id, ()) + beside.get(memory.id, ())
            if memory.id in derived and plan.traces.has_word(memory.content):
                gone.memories[memory.id] = "it has words that only the forgotten turns have"
                plan.relearnt |= set(turns) - gone.turns.keys()
            elif memory.id in beside and _says(memory, forgotten):
                gone.memories[memory.id] = "it says the same"
            else:
                plan.loosened[memory.id] = tuple(turn for turn in turns if turn in gone.turns)

    def _retell(self, plan: ForgetPlan, stretch: Stretch) -> None:
        left = [id_ for id_ in stretch.turns if id_ not in plan.removed.turns]
        found = names.turns_with(self._unit.ledger.turns_by_id(left), plan.renamed)
        turns = sorted(found, key=lambda turn: (turn.at, turn.index))
        if not turns:
            plan.removed.episodes[stretch.episode.id] = "nothing it tells of is left"
            return
        episode = stretch.episode
        info = self._unit.ledger.session(episode.session)
        about: tuple[str, ...] = ()
        if info is not None:
            about = names.replaced([info.project], "project", plan.renamed)
            about += names.replaced([info.topic], "topic", plan.renamed)
        ended = episode.source != "context_compress"
        story = tell(turns, tags=about, ended=ended)
        told = episode_of(
            story,
            turns,
            episode.source,
            id_=episode.id,
            session=episode.session,
            guard=guard_of(self._settings),
        )
        told = replace(told, importance=episode.importance)
        plan.retold[episode.id] = Stretch(told, tuple(turn.id for turn in turns))

    # --- what quotes it --------------------------------------------------------------------------

    def _rewrite_days(self, plan: ForgetPlan, days: set[date]) -> None:
        """Daily events: those of the same days lose every sentence with a trace."""
        traces, gone = plan.traces, plan.removed.daily_events
        for event in self._unit.journal.daily_events(None, checks.MAX_ROWS):
            if event.id in gone:
                continue
            found = traces.touches if event.day in days else traces.says
            told = names.text_with(event.summary, plan.renamed)
            rest = traces.without(told, found) if found(told) else told
            if rest == event.summary:
                continue
            if rest:
                plan.rewritten.append(Rewrite("daily event", event.id, SafeText(rest)))
                plan.quoting["daily event", event.id] = event.summary
            else:
                gone[event.id] = "it is about what is forgotten"

    def _rewrite_rest(self, plan: ForgetPlan) -> None:
        """Everything else that people or models wrote and that may say it."""
        traces, eraser = plan.traces, self._unit.eraser
        known: dict[str, bool] = {}  # most strings of events are few names, over and over

        def quotes(text: str) -> bool:
            if len(text) == _ID_LENGTH and is_id(text):
                return False
            if text not in known:
                known[text] = traces.quotes(text)
            return known[text]

        texts = {name.text for name in plan.names}
        for held in eraser.stored_texts((*_COPIED, *_OWN)):
            found = next(filter(quotes, held.texts), None)
            named = held.kind == "event" and not texts.isdisjoint(held.texts)
            if found is None and not named:
                continue
            if held.kind == "card":
                plan.cards.append(held.id)
                plan.quoting["card", held.id] = found or ""
                continue
            before = eraser.stored(held.kind, held.id)
            after = self._rewritten(held.kind, before, plan)
            if after != before:
                plan.rewritten.append(Rewrite(held.kind, held.id, after))
                plan.quoting[held.kind, held.id] = found or ""

    def _rewritten(self, kind: StoredTextKind, stored: str, plan: ForgetPlan) -> SafeText:
        """Less of what is stored is as safe as it is."""
        if kind in ("event", "onboarding"):
            payload = names.payload_with(codec.load(stored), plan.names)
            cleaned = plan.traces.cleaned(payload, all_text=kind == "onboarding")
            return SafeText(codec.dump(cleaned))
        if kind == "scratchpad":
            return SafeText(plan.traces.without_lines(stored))
        return EMPTY

    def _keep_stories(self, plan: ForgetPlan, stretches: Sequence[Stretch]) -> None:
        """An episode that comes out as it was stays as it is."""
        for stretch in stretches:
            retold = plan.retold.get(stretch.episode.id)
            if retold is not None and all(
                getattr(retold.episode, name) == getattr(stretch.episode, name) for name in _STORY
            ):
                del plan.retold[stretch.episode.id]

    def _listed(self, plan: ForgetPlan, said: Sequence[Turn]) -> list[Forgotten]:
        gone = plan.removed
        preview = Preview(self._unit, plan.traces if self._marked else None, gone.found)
        preview.turns(gone.turns, said)
        preview.memories(gone.memories)
        preview.episodes(gone.episodes, plan.retold)
        preview.attachments(gone.attachments)
        preview.daily_events(gone.daily_events, self._days(gone.daily_events))
        for id_, why in gone.sessions.items():
            preview.add("session", id_, "removed", why, id_)
        for id_ in plan.cards:
            preview.add("card", id_, "removed", "it quotes it", plan.quoting["card", id_])
        for kind, id_, _ in plan.rewritten:
            own = kind in _OWN
            change: Change = "emptied" if own else "rewritten"
            why = "the engine noted it" if own else "it quotes it"
            preview.add(kind, id_, change, why, plan.quoting.get((kind, id_), ""))
        for name, after in plan.renamed.items():
            change = "renamed" if after else "emptied"
            preview.add(name.kind, after, change, "the name has the words", name.text)
        for id_ in plan.loosened:
            preview.add("memory", id_, "rewritten", "it loses a source; others said it too", "")
        return preview.items


def _says(memory: Memory, forgotten: Iterable[str]) -> bool:
    return any(has_phrase(memory.content, said) for text in forgotten if (said := tokens(text)))


def turn_texts(turn: Turn) -> list[str]:
    """Everything that a turn says, what its tools were told and answered included."""
    texts: list[str] = [turn.content]
    for call in turn.tool_calls:
        texts += [text for value in call.input.values() for text in _strings(value)]
    texts += [result.content for result in turn.tool_results]
    return [text for text in texts if text]


def _strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for item in (*value.keys(), *value.values()) for text in _strings(item)]
    if isinstance(value, list | tuple):
        return [text for item in value for text in _strings(item)]
    return [value] if isinstance(value, str) else []
