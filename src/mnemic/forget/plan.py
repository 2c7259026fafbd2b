"""The plan of a removal: every record that is removed or rewritten to meet a request.

A memory with only removed sources is removed. One with other sources stays, unless it has a word
that only the removed turns have; then it is removed and its other sources are learned from again.
Episodes are written again from the remaining turns. A memory requested by id takes the turns it was
learned from with it, and so every memory that has no other source.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

from mnemic.days import day_of
from mnemic.forget import names
from mnemic.forget.request import ForgetRequest, Selection, choose
from mnemic.forget.traces import Traces, function_words, tokens, traces_of, words
from mnemic.ids import is_id
from mnemic.language.guard import guard_of
from mnemic.language.secrets.envelope import mask
from mnemic.language.story import story_of
from mnemic.learn.episodes import episode_of, episode_terms
from mnemic.learn.rewrites import find_rewrites
from mnemic.plain import plain
from mnemic.record.daily_events import SUMMARIZED
from mnemic.rules import checks
from mnemic.settings import Settings
from mnemic.space import user_zone
from mnemic.store import codec
from mnemic.store.contract import Unit
from mnemic.store.rows import Name, Rewrite, StoredTextKind, Stretch
from mnemic.store.sql.text_columns import leaves
from mnemic.types import EMPTY, RECORD_TYPES, Forgotten, RecordType, SafeName, SafeText, Turn

_KEY_BYTES = 32
_ID_LENGTH = 36
# Copies of what people said.
_COPIED: tuple[StoredTextKind, ...] = ("event", "scratchpad", "card", "onboarding")
# What the engine wrote itself.
_ENGINE_TEXTS: tuple[StoredTextKind, ...] = ("turn reason", "job", "upkeep error")
_EXCERPT = 80  # characters of each text in a preview
_BEFORE = 20  # of them before the first word that is marked
_ELLIPSIS = "…"
Change = Literal["removed", "rewritten", "emptied", "renamed"]
_Item = tuple[str, str, Change, str, str]  # kind, id, change, why, text
_EPISODE_FIELDS = "summary goal outcome started_at ended_at actions entities tools tags".split()


@dataclass(slots=True)
class ForgetPlan:
    """What a removal does.

    ``renamed`` are names that contain the phrase, ``orphaned`` those no record has any more, each
    with its replacement. ``rewritten`` and ``cards`` are each with the text that is the reason.
    ``detached`` are the removed sources of memories that stay.
    """

    removed: Selection
    renamed: dict[Name, SafeName] = field(default_factory=dict)
    orphaned: dict[Name, SafeName] = field(default_factory=dict)
    rewritten_episodes: dict[str, Stretch] = field(default_factory=dict)
    detached: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rewritten: dict[Rewrite, str] = field(default_factory=dict)
    cards: dict[str, str] = field(default_factory=dict)
    turns_to_relearn: set[str] = field(default_factory=set)
    sessions: set[SafeName] = field(default_factory=set)
    texts: list[str] = field(default_factory=list)
    traces: Traces = field(default_factory=lambda: Traces("00"))
    items: list[Forgotten] = field(default_factory=list)

    @property
    def names(self) -> dict[Name, SafeName]:
        """The replacement of every name, empty where the name is removed."""
        return {**self.orphaned, **self.renamed}

    @property
    def counts(self) -> dict[str, int]:
        """How many of each kind were removed or rewritten."""
        counts = Counter(
            item.kind if item.change == "removed" else f"{item.kind} {item.change}"
            for item in self.items
        )
        return dict(sorted(counts.items()))

    @property
    def empty(self) -> bool:
        return not self.items


@dataclass(eq=False)
class Planner:
    """Plans one request on a snapshot; writes nothing."""

    unit: Unit
    settings: Settings
    marked: bool = False

    def plan(self, request: ForgetRequest) -> ForgetPlan:
        unit = self.unit
        plan = ForgetPlan(choose(unit, request))
        removed = plan.removed
        if request.query is not None and not request.timed:  # names have no time
            plan.renamed = names.with_phrase(unit, tokens(request.query))
        derived = unit.eraser.find_derived(removed.turns)
        for id_, turns in derived.items():
            if set(turns) <= removed.turns.keys():
                removed.memories.setdefault(id_, "it was learned from what is forgotten")
        self._remove_rewritten(removed)
        removed_turns = unit.ledger.turns_by_id(list(removed.turns))
        plan.sessions = {turn.session for turn in removed_turns}
        for id_ in self._summaries_of(removed_turns):
            removed.daily_events.setdefault(id_, "it sums up what is forgotten")
        stretches = self._stretches(removed, request)
        for stretch in stretches:
            self._rewrite_episode(plan, stretch)
        partly = [id_ for id_ in derived if id_ not in removed.memories]
        self._trace(plan, request, removed_turns, stretches, partly)
        count = len(removed.memories)
        self._split_shared(plan, derived, partly)
        for stretch in stretches:
            self._rewrite_episode(plan, stretch)
        zone = user_zone(unit, self.settings.schedule.zone)
        days = {day for turn in removed_turns for day in (day_of(turn.at, zone), turn.at.date())}
        self._rewrite_days(plan, days)
        self._remove_rewritten(removed)
        if len(removed.memories) > count:
            plan.orphaned = names.find_orphaned(unit, plan.removed.removal)
        plan.traces = plan.traces.with_names(plan.names)
        self._rewrite_rest(plan)
        self._drop_unchanged(plan, stretches)
        plan.items = _list_items(unit, plan, marked=self.marked)
        return plan

    def _remove_rewritten(self, removed: Selection) -> None:
        """What a model wrote of a removed memory goes with it."""
        for id_ in find_rewrites(self.unit, removed.memories):
            if self.unit.memories.get(id_) is not None:
                removed.memories.setdefault(id_, "it was made of what is forgotten")

    def _stretches(self, removed: Selection, request: ForgetRequest) -> list[Stretch]:
        """Episodes to rewrite; one that only contains the phrase is rewritten without it."""
        eraser = self.unit.eraser
        stretches = {stretch.episode.id: stretch for stretch in eraser.stretches(removed.turns)}
        if request.query is not None:
            stretches |= {
                stretch.episode.id: stretch for stretch in eraser.stretches_of(removed.episodes)
            }
            removed.episodes.clear()
        return [stretch for id_, stretch in stretches.items() if id_ not in removed.episodes]

    # --- traces in other texts -------------------------------------------------------------------

    def _trace(
        self,
        plan: ForgetPlan,
        request: ForgetRequest,
        removed_turns: Sequence[Turn],
        stretches: Sequence[Stretch],
        partly: Sequence[str],
    ) -> None:
        unit, removed = self.unit, plan.removed
        plan.texts = [text for turn in removed_turns for text in turn_texts(turn)]
        # The names of speakers and tools, unless other records have them too.
        plan.orphaned = names.find_orphaned(unit, plan.removed.removal)
        plan.texts += [name.text for name in plan.orphaned if name.kind in ("sender", "tool")]
        for memory in unit.memories.by_id(list(removed.memories)):
            plan.texts += filter(None, [memory.text, memory.value, memory.subject])
        for file in unit.attachments.by_id(list(removed.attachments)):
            plan.texts += dict.fromkeys((file.filename, file.original_filename))
            plan.texts += [file.description, file.transcription, file.extracted_text]
        episodes = unit.episodes.by_id(list(removed.episodes))
        episodes += [stretch.episode for stretch in stretches]
        derived: list[str] = [
            text for episode in episodes for text in (episode.summary, episode.goal)
        ]
        if removed.daily_events:
            days = unit.journal.daily_events(None, checks.MAX_ROWS)
            derived += [day.summary for day in days if day.id in removed.daily_events]
        records: dict[RecordType, list[str]] = {
            "turn": [*removed.turns],
            "memory": [*removed.memories, *partly],
            "episode": [episode.id for episode in episodes],
            "attachment": [*removed.attachments],
        }
        docs = {doc for type_ in RECORD_TYPES for doc in unit.eraser.docs(type_, records[type_])}
        candidates = {word for text in (*plan.texts, *derived) for word in words(text)}
        candidates -= function_words()
        for rewritten in plan.rewritten_episodes.values():
            candidates.difference_update(episode_terms(rewritten.episode).split())
        unique_words = unit.eraser.only_in(candidates, docs)
        key = secrets.token_bytes(_KEY_BYTES)
        # A query within a time range leaves other times alone, so its phrase is no trace there.
        phrase = None if request.timed else request.query
        plan.traces = traces_of(key, plan.texts, unique_words, phrase)

    def _summaries_of(self, turns: Sequence[Turn]) -> Iterator[SafeName]:
        """Daily events that a model made of a stretch with one of these turns."""
        indexes: dict[str, list[int]] = {}
        for turn in turns:
            indexes.setdefault(turn.session, []).append(turn.index)
        for event in self.unit.journal.events(type_=SUMMARIZED, limit=checks.MAX_ROWS):
            first, last = event.payload["first"], event.payload["last"]
            session = str(event.payload["session"])
            if any(first <= index <= last for index in indexes.get(session, ())):  # type: ignore[operator]
                yield event.subject

    # --- memories and episodes -------------------------------------------------------------------

    def _split_shared(
        self, plan: ForgetPlan, derived: dict[str, tuple[str, ...]], partly: Sequence[str]
    ) -> None:
        """Remove or detach memories with other sources."""
        removed = plan.removed
        for memory in self.unit.memories.by_id(partly):
            turns = derived[memory.id]
            if plan.traces.has_word(memory.text):
                removed.memories[memory.id] = "it has words that only the forgotten turns have"
                plan.turns_to_relearn |= set(turns) - removed.turns.keys()
            else:
                plan.detached[memory.id] = tuple(turn for turn in turns if turn in removed.turns)

    def _rewrite_episode(self, plan: ForgetPlan, stretch: Stretch) -> None:
        remaining = [id_ for id_ in stretch.turns if id_ not in plan.removed.turns]
        kept_turns = names.rename_tools(self.unit.ledger.turns_by_id(remaining), plan.renamed)
        turns = sorted(kept_turns, key=lambda turn: (turn.at, turn.index))
        if not turns:
            plan.removed.episodes[stretch.episode.id] = "nothing it tells of is left"
            return
        episode = stretch.episode
        info = self.unit.ledger.session(episode.session)
        about: tuple[str, ...] = ()
        if info is not None:
            partition = (Name("project", info.project), Name("topic", info.topic))
            about = tuple(plan.renamed.get(name, name.text) for name in partition)
        ended = episode.source != "context_compress"
        story = story_of(turns, tags=about, ended=ended)
        rewritten = episode_of(
            story,
            turns,
            episode.source,
            id_=episode.id,
            session=episode.session,
            guard=guard_of(self.settings),
        )
        rewritten = replace(rewritten, importance=episode.importance)
        plan.rewritten_episodes[episode.id] = Stretch(rewritten, tuple(turn.id for turn in turns))

    # --- texts that quote it ---------------------------------------------------------------------

    def _rewrite_days(self, plan: ForgetPlan, days: set[date]) -> None:
        """Rewrite daily events: those of the same days lose every sentence with a trace."""
        traces, removed = plan.traces, plan.removed.daily_events
        for event in self.unit.journal.daily_events(None, checks.MAX_ROWS):
            if event.id in removed:
                continue
            is_trace = traces.touches if event.day in days else traces.says
            renamed = names.rename_in_text(event.summary, plan.renamed)
            rest = traces.without(renamed, is_trace) if is_trace(renamed) else renamed
            if rest == event.summary:
                continue
            if rest:
                rewritten = Rewrite("daily event", event.id, SafeText(rest))
                plan.rewritten[rewritten] = event.summary
            else:
                removed[event.id] = "it is about what is forgotten"

    def _rewrite_rest(self, plan: ForgetPlan) -> None:
        """Rewrite every other text by people or models that may quote it."""
        traces, eraser = plan.traces, self.unit.eraser
        cached: dict[str, bool] = {}  # events repeat a few names

        def quotes(text: str) -> bool:
            if len(text) == _ID_LENGTH and is_id(text):
                return False
            if text not in cached:
                cached[text] = traces.quotes(text)
            return cached[text]

        texts = {name.text for name in plan.names}
        for record in eraser.read_texts((*_COPIED, *_ENGINE_TEXTS)):
            quote = next(filter(quotes, record.texts), None)
            is_named = record.kind == "event" and not texts.isdisjoint(record.texts)
            if quote is None and not is_named:
                continue
            if record.kind == "card":
                plan.cards[record.id] = quote or ""
                continue
            before = eraser.read_text(record.kind, record.id)
            after = self._rewrite(record.kind, before, plan)
            if after != before:
                plan.rewritten[Rewrite(record.kind, record.id, after)] = quote or ""

    def _rewrite(self, kind: StoredTextKind, stored: str, plan: ForgetPlan) -> SafeText:
        """The stored text without the quotes; a part of safe text is safe."""
        if kind in ("event", "onboarding"):
            payload = names.rename_in_payload(codec.load(stored), plan.names)
            return SafeText(codec.dump(plan.traces.clean(payload, all_text=kind == "onboarding")))
        if kind == "scratchpad":
            return SafeText(plan.traces.without_lines(stored))
        return EMPTY

    def _drop_unchanged(self, plan: ForgetPlan, stretches: Sequence[Stretch]) -> None:
        """Drop rewritten episodes that equal the stored ones."""
        for stretch in stretches:
            rewritten = plan.rewritten_episodes.get(stretch.episode.id)
            if rewritten is not None and all(
                getattr(rewritten.episode, name) == getattr(stretch.episode, name)
                for name in _EPISODE_FIELDS
            ):
                del plan.rewritten_episodes[stretch.episode.id]


def turn_texts(turn: Turn) -> list[str]:
    """Every text of a turn, with the arguments and results of its tools."""
    texts: list[str] = [turn.text]
    for call in turn.tool_calls:
        texts += leaves(plain(list(call.input.values())))
    texts += [result.content for result in turn.tool_results]
    return [text for text in texts if text]


# --- the preview: each affected item with its reason, and the words highlighted -------------------


def _list_items(unit: Unit, plan: ForgetPlan, *, marked: bool) -> list[Forgotten]:
    """Every item; ``marked``, with a part of its text and the places of the words in it."""
    items: list[Forgotten] = []
    for kind, id_, change, why, text in _items(unit, plan):
        places = plan.traces.highlights(text) if text and marked else ()
        items.append(Forgotten(kind, id_, change, why, *_excerpt(text, places)))
    return items


def _items(unit: Unit, plan: ForgetPlan) -> Iterator[_Item]:
    texts = _texts(unit, plan)
    for kind, ids in plan.removed.by_kind.items():
        for id_, why in ids.items():
            yield kind, id_, "removed", why, texts.get(id_, "")
        for id_ in plan.rewritten_episodes if kind == "episode" else ():
            yield kind, id_, "rewritten", "it tells of it", texts.get(id_, "")
    for id_, quote in plan.cards.items():
        yield "card", id_, "removed", "it quotes it", quote
    for (kind, id_, _), quote in plan.rewritten.items():
        if kind in _ENGINE_TEXTS:
            yield kind, id_, "emptied", "the engine noted it", quote
        else:
            yield kind, id_, "rewritten", "it quotes it", quote
    for name, after in plan.renamed.items():
        change: Change = "renamed" if after else "emptied"
        yield name.kind, after, change, "the name has the words", name.text
    for id_ in plan.detached:
        yield "memory", id_, "rewritten", "it loses a source; others said it too", ""


def _texts(unit: Unit, plan: ForgetPlan) -> dict[str, str]:
    """What is shown of each record: the text that matches, or its own."""
    removed = plan.removed
    episodes = [*removed.episodes, *plan.rewritten_episodes]
    days = unit.journal.daily_events(None, checks.MAX_ROWS) if removed.daily_events else []
    texts: dict[str, str] = {id_: id_ for id_ in removed.sessions}
    texts |= {turn.id: turn.text for turn in unit.ledger.turns_by_id(list(removed.turns))}
    texts |= {episode.id: episode.summary for episode in unit.episodes.by_id(episodes)}
    texts |= {f.id: f.filename for f in unit.attachments.by_id(list(removed.attachments))}
    texts |= {day.id: day.summary for day in days}
    texts |= removed.matches
    for memory in unit.memories.by_id(list(removed.memories)):
        visible = mask(memory)
        # A matching text may contain the secret, so a masked memory shows neither.
        if visible != memory or memory.id not in removed.matches:
            texts[memory.id] = visible.text
    return texts


def _excerpt(
    text: str, places: Sequence[tuple[int, int]]
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The part of a text to show, and the places of the words in it."""
    if len(text) <= _EXCERPT:
        return text, tuple(places)
    start = max(0, places[0][0] - _BEFORE) if places else 0
    start = max(0, min(start, len(text) - _EXCERPT))
    end = start + _EXCERPT
    before, after = _ELLIPSIS if start else "", _ELLIPSIS if end < len(text) else ""
    move = len(before) - start
    marks = tuple((a + move, min(b, end) + move) for a, b in places if a < end)
    return f"{before}{text[start:end]}{after}", marks
