"""Claims as events keep them: enough to take a statement back, nothing to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from mnemic.late import dataclass
from mnemic.rules import checks
from mnemic.rules.support import Claim
from mnemic.store.contract import Unit
from mnemic.types import EMPTY, Event, Fact, Json, Memory, SafeName, stamp

CLAIMING = ("write", "pending", "repeat", "reject")  # the events by which a statement is made
VOID = "void"  # names the events that a rollback took back


@dataclass(frozen=True, slots=True)
class Contribution:
    """One time that a memory was said; ``event`` is empty for memories older than claims."""

    event: SafeName
    at: datetime
    claim: Claim
    sources: tuple[str, ...]


def contributions(unit: Unit, memory: Memory) -> list[Contribution]:
    """Everything that a memory stands on, oldest first, without what was taken back."""
    events = unit.journal.events(subject=memory.id, limit=checks.MAX_ROWS)
    void = find_voided(events)
    claimed = [
        Contribution(event.id, event.at, claim, sources_of(event.payload))
        for event in reversed(events)
        if event.type in CLAIMING and (claim := load_claim(event.payload.get("claim")))
    ]
    if claimed:
        return [contribution for contribution in claimed if contribution.event not in void]
    if "" in void:
        return []  # taken back before
    claim = Claim(memory.importance, memory.confidence, memory.trust, memory.expires_at)
    turns = tuple(source.turn_id for source in memory.sources)
    return [Contribution(EMPTY, memory.created_at, claim, turns)]


def find_voided(events: Sequence[Event]) -> set[str]:
    """The events that were taken back by a rollback."""
    return {
        str(id_)
        for event in events
        if isinstance(event.payload.get(VOID), list)
        for id_ in event.payload[VOID]  # type: ignore[union-attr]
    }


def sources_of(payload: Mapping[str, Json]) -> tuple[str, ...]:
    """The turns a statement came from; a person's confirmation comes from none."""
    claim, turns = load_claim(payload.get("claim")), payload.get("sources")
    if not isinstance(turns, list) or (claim is not None and claim.confirms):
        return ()
    return tuple(map(str, turns))


def dump_claim(claim: Claim) -> dict[str, Fact]:
    """A claim as an event keeps it."""
    return {
        "importance": claim.importance,
        "confidence": claim.confidence,
        "trust": claim.trust,
        "expires_at": None if claim.expires_at is None else stamp(claim.expires_at),
        "confirms": claim.confirms,
    }


def load_claim(stored: object) -> Claim | None:
    """A claim out of an event; None where the event keeps none."""
    if not isinstance(stored, dict):
        return None
    expires = stored.get("expires_at")
    return Claim(
        importance=float(stored["importance"]),
        confidence=float(stored["confidence"]),
        trust=stored["trust"],
        expires_at=datetime.fromisoformat(expires) if expires else None,
        confirms=bool(stored.get("confirms")),
    )
