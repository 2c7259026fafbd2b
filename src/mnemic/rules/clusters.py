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


def identical(memories: Sequence[Memory]) -> list[tuple[int, list[int]]]:
    """The memories that stay, each with those that say the same word for word in its project.

    Whatever kind and predicate they were given, they are one; two that are about different subjects
    or name different values are not.
    """
    groups: dict[tuple[str, bool, str], list[int]] = {}
    for place, memory in enumerate(memories):
        words = plain_words(memory.text)
        if words:
            groups.setdefault((memory.project, bool(memory.session), words), []).append(place)
    found: list[tuple[int, list[int]]] = []
    for group in groups.values():
        if len(group) < 2:
            continue
        remaining = sorted(group, key=lambda place: strength(memories[place]))
        while len(remaining) > 1:
            first = remaining.pop(0)
            kept = memories[first]
            # A sentence may say several things: "a nurse at Mercy" names a job and an employer.
            same = [
                place
                for place in remaining
                if one_subject(kept.subject, memories[place].subject)
                and one_value(kept.value, memories[place].value)
            ]
            remaining = [place for place in remaining if place not in same]
            if same:
                found.append((first, same))
    return found


def same_statement(one: Memory, other: Memory, pair: Pair, settings: ReconcileSettings) -> bool:
    """Whether two near memories say the same, by rule: nothing named in them may differ.

    The same answer to a question that has one answer is the same in any words. Elsewhere a single
    telling word more may turn the meaning, and a rule does not know which ones do.
    """
    if not agree(one, other):
        return False
    slot = slot_of(one.subject, one.predicate)
    if slot and slot == slot_of(other.subject, other.predicate) and one.value and other.value:
        return has_one_answer(one.predicate) or not pair.apart
    predicates = {predicate_of(memory.predicate) for memory in (one, other) if memory.predicate}
    if len(predicates) > 1:
        return False
    least = settings.merge_cosine if pair.by_meaning else settings.merge_overlap
    return not pair.apart and pair.likeness >= least


def agree(one: Memory, other: Memory) -> bool:
    """Whether they are of one sort, subject and value, and nothing named sets them apart."""
    return (
        (one.kind, one.project, bool(one.session))
        == (other.kind, other.project, bool(other.session))
        and predicate_of(other.predicate) not in opposites(one.predicate)
        and one_subject(one.subject, other.subject)
        and one_value(one.value, other.value)
        and may_agree(one.text, other.text)
    )


def absorbed(
    memories: Sequence[Memory],
    group: Sequence[int],
    pairs: Mapping[tuple[int, int], Pair],
    settings: ReconcileSettings,
) -> list[tuple[int, list[int]]]:
    """The memories that stay, each with the duplicates it absorbs, by rule. Every duplicate is
    compared with the one that stays, so that small differences do not add up along a chain.
    """
    order = sorted(group, key=lambda place: strength(memories[place]))
    settled: set[int] = set()
    groups: list[tuple[int, list[int]]] = []
    for place in order:
        if place in settled:
            continue
        same = []
        for other in order:
            pair = pairs.get((min(place, other), max(place, other)))
            if other == place or other in settled or pair is None:
                continue
            if same_statement(memories[place], memories[other], pair, settings):
                same.append(other)
        settled.update(same)
        if same:
            settled.add(place)
            groups.append((place, same))
    return groups


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
        part = [first, *others[: most - 1]]
        remaining = [place for place in remaining if place not in part]
        if len(part) > 1:
            parts.append(part)
    return parts
