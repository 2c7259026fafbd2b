"""What a candidate means for what is known: the same, an update, a conflict, or something new."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from recollect.rules.likeness import may_agree, same_value, values_touch
from recollect.rules.slots import has_one_answer, subject_of
from recollect.types import Candidate, Memory

Verdict = Literal["same", "update", "new", "conflict"]


@dataclass(frozen=True, slots=True)
class Relation:
    """A verdict, and the memories it is about."""

    verdict: Verdict
    targets: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What is known around a candidate.

    ``slot`` answers the same question, ``opposed`` says the opposite of the same value, ``near`` is
    near in words or meaning. ``alike`` tells whether a memory is near enough to be one with it.
    """

    slot: Sequence[Memory]
    opposed: Sequence[Memory]
    near: Sequence[Memory]
    alike: Callable[[Memory], bool]


def relate(candidate: Candidate, known: Known) -> Relation:
    """By the slot first, then by likeness."""
    repeated = next((m for m in known.slot if _same_answer(candidate, m, known)), None)
    if repeated is None:
        repeated = next((m for m in known.near if _same_elsewhere(candidate, m, known)), None)
    if repeated is not None:
        return Relation("same", (repeated,))
    contradicted = tuple(
        dict.fromkeys(
            (*(known.slot if has_one_answer(candidate.kind, candidate.predicate) else ()),
             *known.opposed)
        )
    )  # fmt: skip
    if candidate.is_update:
        meant = contradicted or _meant(candidate, known.slot)
        return Relation("update", meant) if meant else Relation("new")
    return Relation("conflict", contradicted) if contradicted else Relation("new")


def to_withdraw(candidate: Candidate, known: Known) -> tuple[Memory, ...]:
    """What "no longer" ends: the value named, else the one answer, else what says the same."""
    if candidate.value:
        named = (*known.slot, *(m for m in known.near if _one_subject(candidate, m)))
        found = [m for m in named if same_value(candidate.value, m.value)]
        return tuple(dict.fromkeys(found))
    one = len(known.slot) == 1 or has_one_answer(candidate.kind, candidate.predicate)
    if known.slot and one:
        return tuple(known.slot)
    return tuple(m for m in known.near if _one_subject(candidate, m) and known.alike(m))


def says_same(candidate: Candidate, memory: Memory, known: Known) -> bool:
    """Whether a memory of any status is this statement, in its slot or in other words."""
    in_slot = any(member.id == memory.id for member in known.slot)
    same = _same_answer if in_slot else _same_elsewhere
    return same(candidate, memory, known)


def _same_answer(candidate: Candidate, memory: Memory, known: Known) -> bool:
    if candidate.value and memory.value:
        return same_value(candidate.value, memory.value)
    return _alike(candidate, memory, known)


def _same_elsewhere(candidate: Candidate, memory: Memory, known: Known) -> bool:
    """Outside the slot nothing named may differ: not the subject, not the value."""
    opposed = any(memory.id == other.id for other in known.opposed)
    if opposed or not _one_subject(candidate, memory):
        return False
    if candidate.value and memory.value and not same_value(candidate.value, memory.value):
        return False
    return _alike(candidate, memory, known)


def _alike(candidate: Candidate, memory: Memory, known: Known) -> bool:
    return may_agree(candidate.content, memory.content) and known.alike(memory)


def _one_subject(candidate: Candidate, memory: Memory) -> bool:
    one, other = subject_of(candidate.subject), subject_of(memory.subject)
    return one == other or not one or not other


def _meant(candidate: Candidate, slot: Sequence[Memory]) -> tuple[Memory, ...]:
    """Which of several answers an update is about: the only one, or those of the same sort."""
    if len(slot) == 1:
        return (slot[0],)
    return tuple(m for m in slot if values_touch(candidate.value, m.value))
