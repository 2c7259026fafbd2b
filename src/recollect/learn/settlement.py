"""What settling a candidate does to the store: rows, chains, sources, events of one operation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.ids import new_id
from recollect.index.embedding_job import Ask
from recollect.language.guard import Guard
from recollect.learn.claims import dump_claim
from recollect.learn.memories import memory_terms, note_important
from recollect.rules.importance import IMPORTANT_FROM
from recollect.rules.support import Claim, Scales, Standing, first, repeated
from recollect.store.base import Unit
from recollect.store.rows import MemoryRow
from recollect.types import (
    EMPTY,
    Decision,
    Event,
    Fact,
    Memory,
    MemoryStatus,
    SafeName,
    Settled,
    Statement,
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A candidate with its gaps filled: what is claimed, when it was said, how long it lasts.

    ``waiting`` is the pending memory that is being confirmed, if one is.
    """

    candidate: Statement
    claim: Claim
    said_at: datetime
    session: SafeName = EMPTY
    waiting: Memory | None = None


@dataclass(frozen=True, slots=True)
class Settlement:
    """One operation on one candidate, in the caller's transaction."""

    unit: Unit
    draft: Draft
    operation_id: SafeName
    now: datetime
    scales: Scales
    ask: Ask
    guard: Guard

    # --- ends: each leaves the event that says what was decided ---------------------------------

    def drop(self, decision: Decision, reason: str) -> Settled:
        """Nothing is kept but the event; of the statement only where it came from."""
        type_ = "refuse" if decision == "refused" else "drop"
        return self._settled(type_, EMPTY, Settled(decision, reason=reason), self._said())

    def write(self, replaced: Sequence[Memory], decision: Decision) -> Settled:
        """The statement holds from now on, in the place of ``replaced``."""
        # It cannot have come true before what it takes the place of.
        since = max([self.draft.said_at, *(old.valid_from for old in replaced)])
        memory = self.place("active", since)
        for old in replaced:
            self.unit.memories.supersede(old.id, memory.id, self.now)
            self.note("supersede", old.id, {"by": memory.id})
        ended = tuple(old.id for old in replaced)
        self._announce(0.0, memory)
        payload: dict[str, Fact] = {"supersedes": ended[0] if ended else EMPTY, **self._said()}
        return self._settled("write", memory.id, Settled(decision, memory, ended), payload)

    def repeat(self, memory: Memory, decision: Decision, reason: str = "") -> Settled:
        """Said again: what is known gains from it as far as its source may give."""
        if self.draft.waiting is None and stands_on(memory, self.draft.candidate.sources):
            return self.know(memory, decision)
        after = repeated(standing_of(memory), self.draft.claim, self.scales)
        if after != standing_of(memory):
            self.unit.memories.revise(
                replace(
                    with_standing(memory, after),
                    updated_at=self.now,
                    session=memory.session if self.draft.session else EMPTY,
                )
            )
        self.unit.memories.add_sources(memory.id, self.draft.candidate.sources)
        if after.trust != memory.trust:
            self.note("trust", memory.id, {"from": memory.trust, "to": after.trust})
        (now_known,) = self.unit.memories.by_id([memory.id])
        if memory.status == "active":
            self._announce(memory.importance, now_known)
        if self.draft.waiting is not None:
            self.close(self.draft.waiting, now_known, "it was known already")
        return self._settled(
            "repeat", memory.id, Settled(decision, now_known, reason=reason), self._said()
        )

    def know(self, memory: Memory, decision: Decision = "same") -> Settled:
        """Read again, not said again: it stands on these turns already and gains nothing."""
        settled = Settled(decision, memory, reason="known from the same turns")
        return self._settled("known", memory.id, settled, {})

    def wait(self, reason: str) -> Settled:
        """Put to a person first."""
        memory = self.place("pending", self.draft.said_at)
        payload: dict[str, Fact] = {**self._said(), "is_update": self.draft.candidate.is_update}
        return self._settled(
            "pending", memory.id, Settled("pending", memory, reason=reason), payload
        )

    def lose(self, winner: Memory, lost_before: Memory | None, reason: str) -> Settled:
        """Contradicted by something stronger: kept on file, not in force."""
        if lost_before is None:
            lost = self.place("rejected", self.draft.said_at, superseded_by=winner.id)
            self.note("reject", lost.id, {"by": winner.id, **self._said()})
        else:
            lost = lost_before
            self.unit.memories.add_sources(lost.id, self.draft.candidate.sources)
            counted = replace(lost, confirmations=lost.confirmations + 1, updated_at=self.now)
            self.unit.memories.revise(counted)
            self.note("repeat", lost.id, self._said())
        payload: dict[str, Fact] = {"kept": winner.id, "lost": [lost.id]}
        return self._settled(
            "conflict", winner.id, Settled("conflict", winner, reason=reason), payload
        )

    def withdraw(self, ended: Sequence[Memory], waiting: Sequence[Memory]) -> Settled:
        """What was said no longer holds; ``as_of`` still answers it for the time before."""
        for memory in ended:
            self.unit.memories.revise(
                replace(
                    memory,
                    status="superseded",
                    valid_to=max(self.draft.said_at, memory.valid_from),
                    superseded_at=self.now,
                    updated_at=self.now,
                )
            )
            self.note("withdraw", memory.id, self._said())
        for memory in waiting:
            self.close(memory, None, "it was withdrawn")
        ids = tuple(memory.id for memory in (*ended, *waiting))
        return self._settled("withdrawn", ids[0], Settled("withdrawn", None, ids), self._said())

    # --- steps ----------------------------------------------------------------------------------

    def place(
        self, status: MemoryStatus, since: datetime, superseded_by: SafeName = EMPTY
    ) -> Memory:
        """A new row, or the pending one that is confirmed; it is known from now on."""
        if self.draft.waiting is not None:
            standing = repeated(standing_of(self.draft.waiting), self.draft.claim, self.scales)
            memory = replace(
                with_standing(self.draft.waiting, standing),
                status=status,
                created_at=self.now,
                updated_at=self.now,
                valid_from=since,
                snoozed_until=None,
            )
            self.unit.memories.revise(memory)
            return memory
        memory = self.unit.memories.add(self._row(status, since))
        self.ask(self.unit, self.now)
        if superseded_by:
            memory = replace(memory, superseded_by=superseded_by, superseded_at=self.now)
            self.unit.memories.revise(memory)
        return memory

    def close(self, waiting: Memory, by: Memory | None, reason: str) -> None:
        """A pending memory has its answer."""
        self.unit.memories.revise(
            replace(
                waiting,
                status="archived",
                superseded_by=EMPTY if by is None else by.id,
                superseded_at=self.now,
                updated_at=self.now,
            )
        )
        payload: dict[str, Fact] = {
            "reason": self.guard.error(reason),
            "by": EMPTY if by is None else by.id,
        }
        self.note("archive", waiting.id, payload)

    def note(self, type_: str, subject: SafeName, payload: dict[str, Fact]) -> None:
        self.unit.journal.add_event(
            type_, operation_id=self.operation_id, subject=subject, payload=payload, at=self.now
        )

    def _row(self, status: MemoryStatus, since: datetime) -> MemoryRow:
        told, standing = self.draft.candidate, first(self.draft.claim, self.scales)
        return MemoryRow(
            id=new_id(self.now),
            kind=told.kind,
            content=told.content,
            subject=told.subject,
            predicate=told.predicate,
            project=told.project,
            topic=told.topic,
            tags=told.tags,
            importance=standing.importance,
            confidence=standing.confidence,
            trust=standing.trust,
            status=status,
            at=self.now,
            valid_from=since,
            expires_at=standing.expires_at,
            sources=told.sources,
            episode=EMPTY,
            terms=memory_terms(told.subject, told.predicate, told.content, told.tags),
            value=told.value,
            session=self.draft.session,
        )

    def _announce(self, before: float, memory: Memory) -> None:
        if before < IMPORTANT_FROM <= memory.importance:
            note_important(self.unit, memory, self.operation_id, self.now)

    def _said(self) -> dict[str, Fact]:
        """What an event keeps of the statement: enough to take it back, nothing to read."""
        return {
            "kind": self.draft.candidate.kind,
            "sources": list(self.draft.candidate.sources),
            "claim": dump_claim(self.draft.claim),
        }

    def _settled(
        self, type_: str, subject: SafeName, settled: Settled, payload: dict[str, Fact]
    ) -> Settled:
        decided: dict[str, Fact] = {
            "decision": settled.decision,
            "memory": EMPTY if settled.memory is None else settled.memory.id,
            "replaced": [self.guard.label(id_, "id") for id_ in settled.replaced],
            "reason": self.guard.error(settled.reason),
        }
        self.note(type_, subject, {**payload, "settled": decided})
        return settled


def settled_before(unit: Unit, events: Iterable[Event]) -> Settled | None:
    """What an operation that has happened decided, with its memory as it is by now."""
    for event in events:
        told = event.payload.get("settled")
        if isinstance(told, dict):
            memory = unit.memories.get(str(told["memory"])) if told["memory"] else None
            replaced = told["replaced"] if isinstance(told["replaced"], list) else []
            decision: Decision = told["decision"]  # type: ignore[assignment]
            return Settled(decision, memory, tuple(map(str, replaced)), str(told["reason"]))
    return None


def stands_on(memory: Memory, turns: Sequence[str]) -> bool:
    """Whether a memory has all of these turns among its sources."""
    return bool(turns) and {source.turn_id for source in memory.sources}.issuperset(turns)


def standing_of(memory: Memory) -> Standing:
    return Standing(
        memory.importance, memory.confidence, memory.trust, memory.confirmations, memory.expires_at
    )


def with_standing(memory: Memory, standing: Standing) -> Memory:
    return replace(
        memory,
        importance=standing.importance,
        confidence=standing.confidence,
        trust=standing.trust,
        confirmations=standing.confirmations,
        expires_at=standing.expires_at,
    )
