"""Rewriting by a model: the entries of a partition in fewer ones, and the profile anew.

What a new statement stands for is archived behind it, and comes back when the step is undone; what
no new statement stands for stays. Without a model the rules of merging and of the core decide.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from mnemic.learn.candidates import check_candidate
from mnemic.learn.grounding import words_shared
from mnemic.providers.chat.base import ChatModel
from mnemic.rules import checks
from mnemic.rules.likeness import new_figures
from mnemic.rules.speakers import least_trusted
from mnemic.rules.support import Claim, is_untrusted
from mnemic.rules.tiers import fit_for_core
from mnemic.store.contract import Unit
from mnemic.types import GLOBAL_PROJECT, Candidate, Kind, Memory, constant
from mnemic.upkeep.changes import ChangeWriter
from mnemic.upkeep.model_calls import Rewritten, ask_for_fewer, ask_for_profile
from mnemic.upkeep.report import Action, Change, Reason, short
from mnemic.upkeep.steps.core import MOST_INPUTS, refresh_core
from mnemic.upkeep.steps.dedup import PARTITION_MIN, current_memories, merge
from mnemic.upkeep.work import Step

PROFILE_TOPIC = constant("_profile")  # as in document D §7.3
_CALL = 100  # entries of one call: a longer answer would be cut off
_SOURCES = 100  # turns that a statement stands on


@dataclass(frozen=True, slots=True)
class _Entry:
    """A new statement with the memories it stands for, and what it is to be."""

    text: Rewritten
    old: tuple[Memory, ...]

    @property
    def kind(self) -> Kind:
        """One of the kinds it was made of: rewriting makes no rule of a remark."""
        kinds = [memory.kind for memory in self.old]
        kind = self.text.kind
        return kind if kind and kind in kinds else max(kinds, key=kinds.count)

    @property
    def importance(self) -> float:
        most = max(memory.importance for memory in self.old)
        return most if self.text.importance is None else min(self.text.importance, most)


# --- partitions -----------------------------------------------------------------------------------


def rewrite(step: Step) -> None:
    """Weekly: each partition of ten entries or more that has something new."""
    model = None if step.dry_run else step.tools.model_of(step.space)
    if model is None:
        merge(step)
        return
    with step.store.read(step.space) as unit:
        since = unit.runs.last_done(step.name)
        written = _find_written(unit, step.name)
    partitions: dict[tuple[str, str], list[Memory]] = {}
    for row in current_memories(step):
        memory = row.memory
        if _is_original(memory) and not memory.session and not is_untrusted(memory.trust):
            partitions.setdefault((memory.project, memory.topic), []).append(memory)
    for _, memories in sorted(partitions.items()):
        if len(memories) >= PARTITION_MIN and _has_news(memories, since, written):
            memories.sort(key=lambda memory: (memory.kind, -memory.importance, memory.id))
            for portion in _evenly(memories):
                _rewrite_portion(step, portion, model)


def _rewrite_portion(step: Step, memories: Sequence[Memory], model: ChatModel) -> None:
    texts = ask_for_fewer(model, memories, step.settings.memory.language)
    entries = [entry for entry in _entries(texts, memories) if entry.old and _is_grounded(entry)]
    stands = {memory.id for entry in entries for memory in entry.old}
    if not 0 < len(entries) < len(stands):
        return  # it would save nothing
    with step.store.write(step.space) as unit:
        writer = _Writer(step, unit, model.name)
        new = 0
        for entry in entries:
            if writer.current(entry):
                place = entry.old[0]
                writer.write(entry, place.project, place.topic, entry.importance, entry.kind)
                new += 1
        step.progress(unit, {"rewritten": len(writer.gone), "written": new})
    step.changes += writer.changes


# --- the profile ----------------------------------------------------------------------------------


def rewrite_profile(step: Step) -> None:
    """Weekly: tier 1 from the present profile and the important entries of tier 2."""
    model = None if step.dry_run else step.tools.model_of(step.space)
    if model is None:
        refresh_core(step)
        return
    settings = step.settings
    with step.store.read(step.space) as unit:
        since, marked = unit.runs.last_done(step.name), unit.tiers.core_ids()
        written = _find_written(unit, step.name)
        profile = [m for m in unit.memories.by_id(sorted(marked)) if fit_for_core(m)]
        least = settings.upkeep.core_importance
        important = unit.tiers.core(least=least, now=step.now, limit=MOST_INPUTS + len(marked))
    further = [memory for memory in important if memory.id not in marked][:MOST_INPUTS]
    if not _has_news([*profile, *further], since, written):
        return
    texts = ask_for_profile(
        model, profile, further, settings.capacity.core, settings.memory.language
    )
    entries = [
        replace(entry, old=old)
        for entry in _entries(texts, [*profile, *further])
        if (old := tuple(m for m in entry.old if _says(entry.text.content, m)))
        and _is_grounded(entry)
    ]
    with step.store.write(step.space) as unit:
        writer = _Writer(step, unit, model.name, profile=True)
        for entry in entries:
            writer.write(entry, GLOBAL_PROJECT, PROFILE_TOPIC, 1.0, _profile_kind(entry))
        for memory in {memory.id: memory for entry in entries for memory in entry.old}.values():
            if memory.id in marked:
                writer.leave(memory)
        step.progress(unit, {"written": len(entries), "rewritten": len(writer.gone)})
    step.changes += writer.changes


def _profile_kind(entry: _Entry) -> Kind:
    """Document D §4.2: the profile is who the user is, and how things are set up."""
    kind = entry.text.kind or entry.kind
    return "identity" if kind in ("identity", "preference", "trait") else "config"


def _is_original(memory: Memory) -> bool:
    """Not an entry of the profile itself: it stays knowledge, where later words can correct it."""
    return memory.topic != PROFILE_TOPIC


# --- writing --------------------------------------------------------------------------------------


class _Writer:
    """Writes new statements and archives the old ones, in one transaction of a step."""

    def __init__(self, step: Step, unit: Unit, model: str, *, profile: bool = False) -> None:
        """``profile``: writes tier 1, of which the originals stay as knowledge."""
        self._step = step
        self._unit = unit
        self._model = model
        self._profile = profile
        self._writer = ChangeWriter(unit, step.settings, step.operation, step.now)
        self.gone: set[str] = set()
        self.changes: list[Change] = []

    def current(self, entry: _Entry) -> bool:
        """Whether what it stands for is still as the model saw it."""
        now = {m.id: m for m in self._unit.memories.by_id([memory.id for memory in entry.old])}
        return all(
            memory.id in now
            and now[memory.id].status == "active"
            and now[memory.id].text == memory.text
            for memory in entry.old
            if memory.id not in self.gone
        )

    def write(self, entry: _Entry, project: str, topic: str, importance: float, kind: Kind) -> None:
        memory = self._memory(entry, project, topic, importance, kind=kind)
        if self._profile:
            self._unit.tiers.mark_core([memory.id], core=True)
        self._writer.note_new(memory, entry.old, f"written by {self._model} of {len(entry.old)}")
        text, by = short(memory.text), self._model
        for old in entry.old:
            if old.id not in self.gone and not self._stays(old):
                reason = Reason(f"rewritten by {by}: {text}", f"由 {by} 改写：{text}")
                self._make(Change.of("archive", old, reason, memory.id))

    def leave(self, memory: Memory) -> None:
        """Out of the profile: an old entry is archived, an original goes back to knowledge."""
        if memory.id not in self.gone:
            action: Action = "leave_core" if self._stays(memory) else "archive"
            by = self._model
            reason = Reason(f"not in the profile by {by}", f"{by} 没有把它写进画像")
            self._make(Change.of(action, memory, reason))

    def _stays(self, memory: Memory) -> bool:
        return self._profile and _is_original(memory)

    def _make(self, change: Change) -> None:
        if self._writer.make(change):
            self.changes.append(change)
        if change.action == "archive":
            self.gone.add(change.subject)

    def _memory(
        self, entry: _Entry, project: str, topic: str, importance: float, *, kind: Kind
    ) -> Memory:
        old, content = entry.old, entry.text.content
        single = old[0] if len(old) == 1 else None
        answer = single if single and single.value in content else None
        reconciler = self._step.tools.reconciler_of(self._step.space)
        by_turn = {source.turn_id: source for memory in old for source in memory.sources}
        sources = tuple(by_turn.values())[-_SOURCES:]
        candidate = check_candidate(
            Candidate(
                kind=kind,
                text=content,
                # What one statement answers, its new wording answers too.
                subject=single.subject if single else "",
                predicate=answer.predicate if answer else "",
                value=answer.value if answer else "",
                project=project,
                topic=topic,
                tags=tuple(dict.fromkeys(tag for memory in old for tag in memory.tags)),
                trust=least_trusted([memory.trust for memory in old]),
                sources=tuple(source.turn_id for source in sources),
                metadata=old[0].metadata if all(m.metadata == old[0].metadata for m in old) else {},
                origin="compression",
            ),
            reconciler.space.guard,
        )
        ends = [memory.expires_at for memory in old]
        claim = Claim(
            importance,
            min(memory.confidence for memory in old),
            candidate.trust,
            None if None in ends else max(filter(None, ends)),
        )
        since = min(memory.valid_from for memory in old)
        work = reconciler.settlement(
            self._unit,
            candidate,
            claim,
            said_at=since,
            operation_id=self._step.operation,
            now=self._step.now,
            sources=sources,
        )
        # Used as often as all of them, so that writing it anew renews nothing.
        before = replace(
            old[0],
            confirmations=sum(memory.confirmations for memory in old),
            access_count=sum(memory.access_count for memory in old),
            last_accessed_at=max(memory.last_accessed_at for memory in old),
        )
        return replace(work, edited=before).place("active", since)


# --- reading the answer ---------------------------------------------------------------------------


def _entries(texts: Sequence[Rewritten], memories: Sequence[Memory]) -> list[_Entry]:
    """The statements with the memories each stands for; by shared words where it names none."""
    named = {place for text in texts for place in text.places}
    nearest: dict[int, list[int]] = {}
    if silent := [n for n, text in enumerate(texts) if not text.places]:
        for place, memory in enumerate(memories):
            shares = {n: words_shared(memory.text, texts[n].content) for n in silent}
            best = max(silent, key=lambda n: shares[n])
            if place not in named and _says(texts[best].content, memory):
                nearest.setdefault(best, []).append(place)
    return [
        _Entry(text, tuple(memories[place] for place in text.places or nearest.get(n, ())))
        for n, text in enumerate(texts)
    ]


def _says(text: str, memory: Memory) -> bool:
    """Whether a statement has at least half of the words of another."""
    return 2 * words_shared(memory.text, text) >= words_shared(memory.text, memory.text)


def _is_grounded(entry: _Entry) -> bool:
    """No figure that none of the old statements has, and some word that one has."""
    before = "\n".join(memory.text for memory in entry.old)
    content = entry.text.content
    return not new_figures(content, before) and bool(words_shared(content, before))


def _find_written(unit: Unit, step: str) -> set[str]:
    """Memories that earlier runs of a step wrote: they are no news to it."""
    events = unit.journal.events(type_="rewrite", limit=checks.MAX_ROWS)
    return {event.subject for event in events if str(event.operation_id).endswith(f":{step}")}


def _has_news(memories: Iterable[Memory], since: datetime | None, written: Collection[str]) -> bool:
    news = (memory for memory in memories if memory.id not in written)
    return any(since is None or memory.created_at >= since for memory in news)


def _evenly(memories: Sequence[Memory]) -> list[Sequence[Memory]]:
    """In parts of about the same size, none too long for one call."""
    parts = -(-len(memories) // _CALL)
    size = -(-len(memories) // parts)
    return [memories[start : start + size] for start in range(0, len(memories), size)]
