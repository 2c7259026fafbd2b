"""The quality of a memory: duplicate, stale, contradictory and unsupported memories, unsealed
secrets and orphaned rows. Nothing is changed.

Checks sort and group instead of comparing pairs, so the time grows about linearly.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import groupby
from operator import itemgetter

from mnemic.health.metrics import CONTENT_WEIGHT
from mnemic.index.batches import TermTable, index_many
from mnemic.index.segment import index_terms
from mnemic.language.guard import bounds_of
from mnemic.language.secrets.envelope import is_sealed, mask
from mnemic.language.secrets.finder import find_secrets
from mnemic.language.secrets.randomness import USUAL
from mnemic.learn.laws import fault_of, same_texts
from mnemic.rules import checks
from mnemic.rules.clusters import absorb, components, identical
from mnemic.rules.likeness import plain_words, same_value
from mnemic.rules.slots import has_one_answer, opposites, predicate_of, slot_of, subject_of
from mnemic.settings import Settings
from mnemic.space import Space
from mnemic.store.codec import as_text
from mnemic.store.contract import Unit
from mnemic.store.rows import MemoryFilter
from mnemic.types import AuditCheck, AuditReport, Memory, SafeName, lines_of
from mnemic.upkeep.clusters import near_pairs
from mnemic.upkeep.report import short
from mnemic.upkeep.steps.decay import judge_age

_EXAMPLES = 5
_BATCH = 2_000
_MIN_SUPPORT = 0.34  # the share of a statement's content words that its source turns must have

Problem = tuple[str, str]  # the id of a memory, and its problem


def audit(space: Space, progress: Callable[[int, int], None] | None = None) -> AuditReport:
    """Check the active memories of a space; ``progress`` hears of each check."""
    now, tell = space.now(), progress or (lambda *_: None)
    results: list[AuditCheck] = []
    with space.read() as unit:
        memories = unit.memories.find(MemoryFilter(status="active", limit=checks.MAX_ROWS))
        readable = [memory for memory in memories if not is_sealed(memory.text)]
        terms = TermTable.unpack(readable, partial(_pack, unit))
        problems = {
            "duplicate": _duplicates(readable, terms, space.settings),
            "stale": _stale(memories, space.settings, now),
            "contradictory": _contradictions(readable),
            "misread": _misread(memories),
            "unsupported": _find_doubtful(unit, readable, terms),
            "secret": _secrets(readable, space.settings),
        }
        for name, problem in problems.items():
            tell(len(results), len(_REMEDIES))
            faults, remedy = tuple(problem), _REMEDIES[name]
            if name == "duplicate" and "dedup" not in space.settings.upkeep.daily:
                remedy = "mnemic upkeep weekly"
            results.append(AuditCheck(name, len(faults), len(memories), faults[:_EXAMPLES], remedy))
        tell(len(results), len(_REMEDIES))
        results.append(_orphans(unit, memories))
    tell(len(results), len(_REMEDIES))
    return AuditReport(space.name, now, len(memories), tuple(results))


_REMEDIES = {
    "duplicate": "mnemic upkeep daily",
    "stale": "mnemic upkeep daily",
    "contradictory": "mnemic show ID, then mnemic edit ID or mnemic delete ID",
    "misread": "mnemic doctor --repair",
    "unsupported": "mnemic show ID, then mnemic delete ID",
    "secret": "mnemic forget --id ID, with its turns; set secrets.at_write to redact",
    "orphan": "mnemic doctor --repair",
}


def _pack(unit: Unit, memories: Sequence[Memory]) -> list[bytes]:
    """The terms of their texts, which the index has between those of slots and tags."""
    indexed = unit.text.read_packed("memory", [memory.id for memory in memories])
    return [
        pack[_size(memory.subject, memory.predicate) : len(pack) - _size(*memory.tags)]
        if (pack := indexed.get(memory.id)) is not None
        else index_terms(memory.text).packed
        for memory in memories
    ]


def _size(*names: SafeName) -> int:
    """Of the packed terms of names."""
    return len(index_terms(lines_of(names)).packed) if any(names) else 0


def _duplicates(
    memories: Sequence[Memory], terms: TermTable, settings: Settings
) -> Iterator[Problem]:
    """Memories that a rule would merge into another, as upkeep does."""
    words = [plain_words(memory.text) for memory in memories]
    count = Counter(words)
    worded = [memory for memory, text in zip(memories, words, strict=True) if count[text] > 1]
    same = identical(worded)
    gone = {memory.id for memory, _ in same}
    same += same_texts(m for m in worded if m.id not in gone)
    gone = {memory.id for memory, _ in same}
    distance = settings.upkeep.cluster_distance
    kinds = sorted((m.kind, place) for place, m in enumerate(memories) if m.id not in gone)
    for _, places in groupby(kinds, itemgetter(0)):
        of_kind = [place for _, place in places]
        group = [memories[place] for place in of_kind]
        near = near_pairs(group, None, distance, terms=terms.select(of_kind))
        pairs = {(pair.one, pair.other): pair for pair in near}
        same += [
            (group[other], group[place])
            for cluster in components(near)
            for other, place in absorb(group, cluster, pairs, settings.reconcile)
        ]
    for memory, survivor in same:
        yield memory.id, f"{short(memory.text)} = {short(survivor.text)}"


def _misread(memories: Sequence[Memory]) -> Iterator[Problem]:
    """Values that are not of their slot's type, and rules that instruct nobody."""
    for memory in memories:
        if fault := fault_of(memory):
            what = "no instruction" if fault == "rule" else f"no {memory.predicate}"
            yield memory.id, f"{short(mask(memory).text)} ({what})"


def _stale(memories: Sequence[Memory], settings: Settings, now: datetime) -> Iterator[Problem]:
    """Expired memories, and those so decayed that upkeep would archive them."""
    for memory in memories:
        if memory.expires_at is not None and memory.expires_at <= now:
            yield memory.id, f"{short(mask(memory).text)} (expired)"
            continue
        fate, score, _ = judge_age(memory, settings, now)
        if fate in ("archive", "delete"):
            yield memory.id, f"{short(mask(memory).text)} (faded to {score:.2f})"


def _contradictions(memories: Sequence[Memory]) -> Iterator[Problem]:
    """Two values of a slot that has one, or a thing both liked and disliked."""
    slots: dict[tuple[str, str], list[Memory]] = {}
    values: dict[tuple[str, str, str], Memory] = {}
    for memory in memories:
        slot = slot_of(memory.subject, memory.predicate)
        if not slot:
            continue
        slots.setdefault((memory.project, slot), []).append(memory)
        if memory.value and opposites(memory.predicate):
            about, value = subject_of(memory.subject), memory.value.casefold().strip()
            values[about, predicate_of(memory.predicate), value] = memory
    for group in slots.values():
        group.sort(key=lambda memory: (memory.created_at, memory.id))
        newest = group[-1]
        if has_one_answer(newest.predicate):
            for memory in group[:-1]:
                if not same_value(_answer(memory), _answer(newest)):
                    yield memory.id, f"{short(memory.text)} ≠ {short(newest.text)}"
    for (about, predicate, value), memory in values.items():
        for other in opposites(predicate):
            against = values.get((about, other, value))
            if against is not None and predicate < other:
                yield memory.id, f"{short(memory.text)} ≠ {short(against.text)}"


def _answer(memory: Memory) -> str:
    return memory.value or memory.text


def _find_doubtful(unit: Unit, memories: Sequence[Memory], terms: TermTable) -> Iterator[Problem]:
    """Memories whose source turns do not support them, and those without source or owner."""
    for start in range(0, len(memories), _BATCH):
        portion = memories[start : start + _BATCH]
        heard = unit.text.read_packed("turn", _turns_of(portion))
        texts = terms.select(range(start, start + len(portion))).weighing(CONTENT_WEIGHT)
        named = list({memory.value: None for memory in portion})
        values = dict(zip(named, TermTable.of(named).weighing(CONTENT_WEIGHT), strict=True))
        doubted: list[tuple[Memory, set[int]]] = []
        for memory, statement in zip(portion, texts, strict=True):
            statement.update(values[memory.value])
            if not memory.sources and memory.trust != "owner":
                yield memory.id, f"{short(memory.text)} (from no turn)"
            elif memory.sources and not _supports(heard, memory, statement):
                doubted.append((memory, statement))
        # Of a long turn only the ends are indexed, and of one that called tools also the calls.
        turns = unit.ledger.turns_by_id(_turns_of([memory for memory, _ in doubted]))
        spoken = index_many([
            lines_of((turn.sender, turn.text, *(as_text(r.content) for r in turn.tool_results)))
            for turn in turns
        ])  # fmt: skip
        heard = {turn.id: indexed.packed for turn, indexed in zip(turns, spoken, strict=True)}
        turn_texts = {turn.id: turn.text for turn in turns}
        for memory, statement in doubted:
            quoted = any(memory.text in turn_texts[source.turn_id] for source in memory.sources)
            if not quoted and not _supports(heard, memory, statement):
                yield memory.id, f"{short(memory.text)} (its turns say something else)"


def _turns_of(memories: Iterable[Memory]) -> list[str]:
    return list({source.turn_id for memory in memories for source in memory.sources})


def _supports(heard: Mapping[str, bytes], memory: Memory, statement: set[int]) -> bool:
    """Whether enough of a statement's terms are among the packed terms of its turns."""
    packs = (array("I", heard.get(source.turn_id, b"")) for source in memory.sources)
    return len(statement) - len(statement.difference(*packs)) >= _MIN_SUPPORT * len(statement)


def _secrets(memories: Sequence[Memory], settings: Settings) -> Iterator[Problem]:
    """Unsealed secrets, reported by type without their value."""
    bounds = bounds_of(settings)
    ways = {bounds, replace(USUAL, personal_numbers=bounds.personal_numbers)}
    for memory in memories:
        text = "\n".join((memory.text, memory.value, *memory.tags))
        if names := {secret.name for way in ways for secret in find_secrets(text, way)}:
            yield memory.id, ", ".join(sorted(names))


def _orphans(unit: Unit, memories: Sequence[Memory]) -> AuditCheck:
    """Orphaned rows, as a share of the memories."""
    orphans = unit.cleanup.orphans(_EXAMPLES)
    examples = [(id_, what) for what, ids in orphans.examples.items() for id_ in ids]
    total = sum(orphans.counts.values())
    return AuditCheck(
        "orphan", total, max(len(memories), total), tuple(examples[:_EXAMPLES]), _REMEDIES["orphan"]
    )
