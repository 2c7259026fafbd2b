"""Statements that were deleted: they are not learned again from the same turns.

What is kept of one is its fingerprint, at each turn it came from, so it goes with the turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from hashlib import blake2b

from mnemic.rules import checks
from mnemic.rules.likeness import plain_words
from mnemic.rules.slots import SEPARATOR, fold, has_one_answer, slot_of
from mnemic.store.contract import Unit
from mnemic.types import Memory, SafeCandidate, SafeName, constant, digests

DELETED = "delete"
_UNLEARN = "unlearn"
_BYTES = 16


def note_deletion(
    unit: Unit, versions: Sequence[Memory], operation: SafeName, now: datetime
) -> None:
    """Leave an event for each version, and its fingerprints at the turns it came from."""
    deletion, reason = unit.journal.begin(operation, now), constant("a person's word")
    for memory in versions:
        deletion.note(DELETED, memory.id, reason=reason, kind=memory.kind)
        payload = digests({"marks": list(_marks(memory.text, memory))})
        for source in memory.sources:
            deletion.note(_UNLEARN, source.turn_id, **payload)


def was_deleted(unit: Unit, candidate: SafeCandidate) -> bool:
    """Whether the statement was deleted that was learned from one of the same turns."""
    marks: frozenset[str] | None = None
    for turn in candidate.sources:
        for event in unit.journal.events(subject=turn, type_=_UNLEARN, limit=checks.MAX_ROWS):
            if marks is None:
                marks = frozenset(_marks(candidate.text, candidate))
            deleted = event.payload["marks"]
            if isinstance(deleted, list) and not marks.isdisjoint(map(str, deleted)):
                return True
    return False


def _marks(content: str, about: Memory | SafeCandidate) -> Iterator[str]:
    """Of the words, and of the answer to the question; where that has one, of the question."""
    yield _digest(plain_words(content))
    slot = slot_of(about.subject, about.predicate)
    if slot:
        is_single = has_one_answer(about.predicate)
        yield _digest(slot if is_single else SEPARATOR.join((slot, fold(about.value))))


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=_BYTES).hexdigest()
