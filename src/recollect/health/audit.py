"""How good a memory is: what it says twice, what has faded, what contradicts itself, what nobody
said, which secrets lie open, and what leads to nothing. Nothing is changed.

Everything is by sorting and grouping, so that a large memory takes little longer than a small one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.clock import Clock
from recollect.index.segment import query_terms
from recollect.language.guard import bounds_of
from recollect.language.secrets.envelope import is_sealed, masked
from recollect.language.secrets.finder import USUAL, find_secrets
from recollect.rules import checks
from recollect.rules.clusters import absorbed, components
from recollect.rules.decay import class_of, faded, judge
from recollect.rules.likeness import same_value
from recollect.rules.slots import has_one_answer, opposites, predicate_of, slot_of, subject_of
from recollect.rules.tiers import priority_of
from recollect.settings import Settings
from recollect.store.contract import Store, Unit
from recollect.store.rows import MemoryFilter
from recollect.types import AuditCheck, AuditReport, Memory
from recollect.upkeep.clusters import near_pairs
from recollect.upkeep.steps.decay import short

_EXAMPLES = 5
_PORTION = 2_000
_WHOLE_WORD = 1.0
_LEAST_SAID = 0.34  # of a statement's telling words have to be in the turns it came from

Wrong = tuple[str, str]  # the id of a memory, and what is wrong with it


class Audit:
    """Audits one space."""

    def __init__(self, store: Store, space: str, clock: Clock, settings: Settings) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._settings = settings

    def audit(self) -> AuditReport:
        """Look at every memory that holds."""
        now = self._clock.now()
        with self._store.read(self._space) as unit:
            wanted = MemoryFilter(status="active", limit=checks.MAX_ROWS)
            memories = unit.memories.find(wanted)
            results = (
                self._check("duplicate", _duplicates(memories, self._settings), len(memories)),
                self._check("stale", _stale(memories, self._settings, now), len(memories)),
                self._check("contradictory", _contradictions(memories), len(memories)),
                self._check("unsupported", _unsupported(unit, memories), len(memories)),
                self._check("secret", _secrets(memories, self._settings), len(memories)),
                _orphans(unit, memories),
            )
        return AuditReport(self._space, now, len(memories), results)

    def _check(self, name: str, wrong: Iterable[Wrong], of: int) -> AuditCheck:
        found = list(wrong)
        return AuditCheck(name, len(found), of, tuple(found[:_EXAMPLES]), _REMEDIES[name])


_REMEDIES = {
    "duplicate": "recollect upkeep weekly",
    "stale": "recollect upkeep daily",
    "contradictory": "recollect show ID, then recollect forget --id ID",
    "unsupported": "recollect show ID, then recollect forget --id ID",
    "secret": "recollect forget --id ID; set secrets.at_write to redact",
    "orphan": "recollect doctor --repair",
}


def _duplicates(memories: Sequence[Memory], settings: Settings) -> Iterator[Wrong]:
    """Those that a rule would let another one stand for."""
    for kind in sorted({memory.kind for memory in memories}):
        group = [m for m in memories if m.kind == kind and not is_sealed(m.content)]
        found = near_pairs(group, None, settings.upkeep.cluster_distance)
        pairs = {(pair.one, pair.other): pair for pair in found}
        for places in components(len(group), found):
            for place, taken in absorbed(group, places, pairs, settings.reconcile):
                for other in taken:
                    kept = short(group[place].content)
                    yield group[other].id, f"{short(group[other].content)} = {kept}"


def _stale(memories: Sequence[Memory], settings: Settings, now: datetime) -> Iterator[Wrong]:
    """What has expired, or has faded so far that upkeep would put it away."""
    for memory in memories:
        if memory.expires_at is not None and memory.expires_at <= now:
            yield memory.id, f"{short(masked(memory).content)} (expired)"
            continue
        if priority_of(memory, settings.lifetimes) not in settings.decay.priorities:
            continue
        law = class_of(memory.kind, settings.decay)
        score = faded(memory.importance, now - memory.last_accessed_at, law)
        if judge(score, memory.access_count, law) in ("archive", "delete"):
            yield memory.id, f"{short(masked(memory).content)} (faded to {score:.2f})"


def _contradictions(memories: Sequence[Memory]) -> Iterator[Wrong]:
    """Two answers to a question that has one, or a thing that is both liked and disliked."""
    slots: dict[tuple[str, str], list[Memory]] = {}
    values: dict[tuple[str, str, str], Memory] = {}
    for memory in memories:
        slot = slot_of(memory.subject, memory.predicate)
        if not slot or is_sealed(memory.content):
            continue
        slots.setdefault((memory.project, slot), []).append(memory)
        said = memory.value.casefold().strip()
        if said:
            about = subject_of(memory.subject)
            values[about, predicate_of(memory.predicate), said] = memory
    for group in slots.values():
        group.sort(key=lambda memory: (memory.created_at, memory.id))
        newest = group[-1]
        if has_one_answer(newest.kind, newest.predicate):
            for memory in group[:-1]:
                if not same_value(_answer(memory), _answer(newest)):
                    yield memory.id, f"{short(memory.content)} ≠ {short(newest.content)}"
    for (about, predicate, said), memory in values.items():
        for other in opposites(predicate):
            against = values.get((about, other, said))
            if against is not None and predicate < other:
                yield memory.id, f"{short(memory.content)} ≠ {short(against.content)}"


def _answer(memory: Memory) -> str:
    return memory.value or memory.content


def _unsupported(unit: Unit, memories: Sequence[Memory]) -> Iterator[Wrong]:
    """What the turns it is said to come from do not say, and what only machines said of nothing."""
    for start in range(0, len(memories), _PORTION):
        portion = memories[start : start + _PORTION]
        ids = {source.turn_id for memory in portion for source in memory.sources}
        turns = {turn.id: turn for turn in unit.ledger.turns_by_id(list(ids))}
        for memory in portion:
            if is_sealed(memory.content):
                continue
            if not memory.sources:
                if memory.trust != "owner":
                    yield memory.id, f"{short(memory.content)} (from no turn)"
                continue
            said: set[str] = set()
            for source in memory.sources:
                turn = turns.get(source.turn_id)
                if turn is not None:
                    results = (result.content for result in turn.tool_results)
                    said |= _telling("\n".join((turn.sender, turn.content, *results)))
            told = _telling(f"{memory.content}\n{memory.value}")
            if told and len(told & said) < _LEAST_SAID * len(told):
                yield memory.id, f"{short(memory.content)} (its turns say something else)"


def _telling(text: str) -> set[str]:
    return {term.text for term in query_terms(text) if term.weight >= _WHOLE_WORD}


def _secrets(memories: Sequence[Memory], settings: Settings) -> Iterator[Wrong]:
    """Secrets that are not sealed; what they are is told, not what they say."""
    bounds = bounds_of(settings)
    usual = replace(USUAL, personal_numbers=bounds.personal_numbers)
    for memory in memories:
        if is_sealed(memory.content):
            continue
        text = "\n".join((memory.content, memory.value, *memory.tags))
        found = find_secrets(text, bounds) or find_secrets(text, usual)
        if found:
            yield memory.id, ", ".join(sorted({secret.name for secret in found}))


def _orphans(unit: Unit, memories: Sequence[Memory]) -> AuditCheck:
    """Rows that lead to nothing, as a share of the memories."""
    orphans = unit.cleanup.orphans(_EXAMPLES)
    examples = [(id_, what) for what, ids in orphans.examples.items() for id_ in ids]
    found = sum(orphans.counts.values())
    return AuditCheck(
        "orphan", found, max(len(memories), found), tuple(examples[:_EXAMPLES]), _REMEDIES["orphan"]
    )
