"""Duplicates: near pairs of memories form clusters, which a rule or a model judges.

Grouping is by sorting, never by comparing all with all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from mnemic.rules.likeness import may_agree, one_value, plain_words
from mnemic.rules.slots import has_one_answer, one_subject, opposites, predicate_of, slot_of
from mnemic.rules.support import rank
from mnemic.settings.learning import ReconcileSettings
from mnemic.types import Memory


class Pair(NamedTuple):
    """Two memories by their places, their likeness, and how many telling words tell them apart."""

    one: int
    other: int
    likeness: float
    by_meaning: bool
    apart: int = 0


def components(pairs: Iterable[Pair]) -> list[list[int]]:
    """Connected components as lists of places, in order; single places are left out."""
    group_of: dict[int, list[int]] = {}
    for pair in pairs:
        ends = (group_of.setdefault(end, [end]) for end in (pair.one, pair.other))
        large, small = sorted(ends, key=len, reverse=True)
        if large is not small:
            large += small
            group_of.update(dict.fromkeys(small, large))
    groups = {id(group): group for group in group_of.values()}
    return sorted(map(sorted, groups.values()))


def strength(memory: Memory) -> tuple[int, int, float, float, str]:
    """Sort key for the memory that stays: trust, confirmations, importance, length, age."""
    fields = sum(map(bool, (memory.subject, memory.predicate, memory.value)))
    trusted = rank(memory.trust)
    return (-trusted, -memory.confirmations, -memory.importance, -fields, memory.id)


def identical(memories: Sequence[Memory]) -> list[tuple[Memory, Memory]]:
    """Memories that say word for word what another in their project says, each with that one.

    Whatever kind and predicate they were given, they are one; two that are about different subjects
    or name different values are not.
    """
    groups: dict[tuple[str, bool, str], list[Memory]] = {}
    for memory in memories:
        words = plain_words(memory.text)
        if words:
            groups.setdefault((memory.project, bool(memory.session), words), []).append(memory)
    repeated: list[tuple[Memory, Memory]] = []
    for group in groups.values():
        remaining = sorted(group, key=strength)
        while len(remaining) > 1:
            first, *others = remaining
            # A sentence may say several things: "a nurse at Mercy" names a job and an employer.
            remaining = [memory for memory in others if not _one_claim(first, memory)]
            repeated += ((memory, first) for memory in others if _one_claim(first, memory))
    return repeated


def _one_claim(first: Memory, second: Memory) -> bool:
    return one_subject(first.subject, second.subject) and one_value(first.value, second.value)


def same_statement(first: Memory, second: Memory, pair: Pair, settings: ReconcileSettings) -> bool:
    """Whether two near memories say the same, by rule: nothing named in them may differ.

    The same answer to a question that has one answer is the same in any words. Elsewhere a single
    telling word more may turn the meaning, and a rule does not know which ones do.
    """
    if not agree(first, second):
        return False
    slot = slot_of(first.subject, first.predicate)
    if slot and slot == slot_of(second.subject, second.predicate) and first.value and second.value:
        return has_one_answer(first.predicate) or not pair.apart
    predicates = {predicate_of(memory.predicate) for memory in (first, second) if memory.predicate}
    if len(predicates) > 1:
        return False
    least = settings.merge_cosine if pair.by_meaning else settings.merge_overlap
    return not pair.apart and pair.likeness >= least


def agree(first: Memory, second: Memory) -> bool:
    """Whether they are of one sort, subject and value, and nothing named sets them apart."""
    return (
        (first.kind, first.project, bool(first.session))
        == (second.kind, second.project, bool(second.session))
        and predicate_of(second.predicate) not in opposites(first.predicate)
        and _one_claim(first, second)
        and may_agree(first.text, second.text)
    )


def absorb(
    memories: Sequence[Memory],
    group: Sequence[int],
    pairs: Mapping[tuple[int, int], Pair],
    settings: ReconcileSettings,
) -> list[tuple[int, int]]:
    """Duplicates by rule, each with the memory that absorbs it. Every one is compared with that
    memory, so that small differences do not add up along a chain.
    """
    order = sorted(group, key=lambda place: strength(memories[place]))
    settled: set[int] = set()
    duplicates: list[tuple[int, int]] = []
    for place in order:
        if place in settled:
            continue
        for other in order:
            pair = pairs.get((min(place, other), max(place, other)))
            if pair is None or other == place or other in settled:
                continue
            if same_statement(memories[place], memories[other], pair, settings):
                settled |= {place, other}
                duplicates.append((other, place))
    return duplicates


def portions(
    memories: Sequence[Memory],
    group: Sequence[int],
    pairs: Mapping[tuple[int, int], Pair],
    most: int,
) -> list[list[int]]:
    """A cluster in parts of at most ``most``, each around its strongest member."""
    remaining = sorted(group, key=lambda place: strength(memories[place]))
    parts: list[list[int]] = []
    while remaining:
        first = remaining.pop(0)

        def near(place: int, first: int = first) -> float:
            pair = pairs.get((min(first, place), max(first, place)))
            return pair.likeness if pair and agree(memories[first], memories[place]) else 0.0

        others = sorted((p for p in remaining if near(p) > 0), key=lambda p: (-near(p), p))
        portion = [first, *others[: most - 1]]
        remaining = [place for place in remaining if place not in portion]
        if len(portion) > 1:
            parts.append(portion)
    return parts
