"""What settling a candidate writes: memories, chains, sources, and the events of one operation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from mnemic.ids import new_id
from mnemic.index.embedding_job import ask_vectors
from mnemic.language.guard import Guard
from mnemic.learn.claims import dump_claim
from mnemic.learn.memories import memory_terms, note_important
from mnemic.learn.rewrites import retire_rewritten
from mnemic.rules.importance import IMPORTANT_FROM
from mnemic.rules.lifetimes import sooner
from mnemic.rules.slots import has_one_answer
from mnemic.rules.support import Claim, Scales, first, rank, repeat
from mnemic.rules.tiers import is_profile
from mnemic.store.codec import as_name
from mnemic.store.contract import Unit
from mnemic.types import (
    EMPTY,
    Decision,
    DecisionOutcome,
    Event,
    Fact,
    Kind,
    Memory,
    MemoryStatus,
    SafeCandidate,
    SafeName,
    Source,
    Turn,
    merge_metadata,
)


@dataclass(frozen=True, slots=True)
class Settlement:
    """One operation on one candidate, in the caller's transaction.

    ``claim``, ``said_at``, ``sources`` and ``session`` are what the candidate says with its gaps
    filled; ``waiting`` is the pending memory that is being confirmed, if one is, ``edited`` the
    version that a person changes. ``id`` is that of the memory it may become, ``learned_at`` when
    another memory learned it that it comes from.
    """

    unit: Unit
    candidate: SafeCandidate
    claim: Claim
    said_at: datetime
    operation_id: SafeName
    now: datetime
    scales: Scales
    guard: Guard
    sources: tuple[Source, ...] = ()
    session: SafeName = EMPTY
    waiting: Memory | None = None
    edited: Memory | None = None
    id: SafeName = EMPTY
    learned_at: datetime | None = None
    profile: tuple[Kind, ...] = ()  # kinds that are core as soon as they are known

    @property
    def since(self) -> datetime:
        """When it comes true, by what it says of that. A plan is one from when it was told; what
        answers a question that has one answer waits for its day.
        """
        since = self.candidate.valid_from or self.said_at
        bounded = self.candidate.valid_to is not None
        is_plan = self.candidate.kind == "event" or (
            bounded and not has_one_answer(self.candidate.predicate)
        )
        return min(since, self.said_at) if is_plan else since

    @property
    def turns(self) -> list[Turn]:
        """What it was said in."""
        return self.unit.ledger.turns_by_id(ids) if (ids := list(self.candidate.sources)) else []

    # --- ends: each leaves the event that says what was decided ---------------------------------

    def drop(self, outcome: DecisionOutcome, reason: str) -> Decision:
        """Nothing is kept but the event; of the statement only where it came from."""
        type_ = "refuse" if outcome == "refused" else "drop"
        return self._settle(type_, EMPTY, Decision(outcome, reason=reason), **self._statement())

    def write(
        self, replaced: Sequence[Memory], outcome: DecisionOutcome, since: datetime | None = None
    ) -> Decision:
        """The statement holds from now on, or ``since`` then, in the place of ``replaced``."""
        if since is None:  # It cannot have come true before what it takes the place of.
            begun = (old.valid_from for old in replaced if old.valid_from <= self.now)
            since = max([self.since, *begun])
        # What is known to follow on a later day still does.
        replaced = [old for old in replaced if old.valid_from <= max(since, self.now)]
        memory = self.place("active", since)
        ended = self.end(replaced, memory, is_over=outcome != "conflict")
        self._announce(0.0, memory)
        supersedes = ended[0] if ended else EMPTY
        decision = Decision(outcome, memory, ended)
        return self._settle(
            "write", memory.id, decision, supersedes=supersedes, **self._statement()
        )

    def repeat(
        self,
        memory: Memory,
        outcome: DecisionOutcome,
        reason: str = "",
        replaced: Sequence[Memory] = (),
    ) -> Decision:
        """Said again: what is known gains from it as far as its source may give."""
        if self.waiting is None and not replaced and stands_on(memory, self.candidate.sources):
            return self.know(memory, outcome)
        after = repeat(memory, self.claim, self.scales)
        if memory.valid_from > max(self.since, self.now):  # It came true before its day.
            after = replace(after, valid_from=self.since)
            for held in self.unit.memories.chain(memory.id):
                if held.superseded_by == memory.id and held.status == "active":
                    self.unit.memories.supersede(held.id, memory.id, self.now)
        metadata = self.candidate.metadata
        if metadata and rank(self.claim.trust) >= rank(memory.trust):
            after = replace(after, metadata=merge_metadata(memory.metadata, metadata))
        if after != memory:
            self.unit.memories.revise(
                replace(
                    after, updated_at=self.now, session=memory.session if self.session else EMPTY
                )
            )
        self.unit.memories.add_sources(memory.id, self.candidate.sources)
        if after.trust != memory.trust:
            self.note("trust", memory.id, **{"from": memory.trust, "to": after.trust})
        (revised,) = self.unit.memories.by_id([memory.id])
        if memory.status == "active":
            self._announce(memory.importance, revised)
        if self.waiting is not None:
            self.close(self.waiting, revised, "it was known already")
        decision = Decision(outcome, revised, self.end(replaced, revised), reason)
        return self._settle("repeat", memory.id, decision, **self._statement())

    def know(self, memory: Memory, outcome: DecisionOutcome = "same") -> Decision:
        """Read again, not said again: it stands on these turns already and gains nothing."""
        decision = Decision(outcome, memory, reason="known from the same turns")
        return self._settle("known", memory.id, decision)

    def wait(self, reason: str) -> Decision:
        """Put to a person first."""
        memory = self.place("pending", self.since)
        decision, update = Decision("pending", memory, reason=reason), self.candidate.is_update
        return self._settle("pending", memory.id, decision, **self._statement(), is_update=update)

    def lose(self, winner: Memory, lost_before: Memory | None, reason: str) -> Decision:
        """Contradicted by something stronger: kept on file, not in force."""
        if lost_before is None:
            lost = self.place("rejected", self.since, superseded_by=winner.id)
            self.note("reject", lost.id, by=winner.id, **self._statement())
        else:
            lost = lost_before
            self.unit.memories.add_sources(lost.id, self.candidate.sources)
            counted = replace(lost, confirmations=lost.confirmations + 1, updated_at=self.now)
            self.unit.memories.revise(counted)
            self.note("repeat", lost.id, **self._statement())
        decision = Decision("conflict", winner, reason=reason)
        return self._settle("conflict", winner.id, decision, kept=winner.id, lost=[lost.id])

    def withdraw(self, ended: Sequence[Memory], waiting: Sequence[Memory]) -> Decision:
        """What was said no longer holds, or not from its day on; ``as_of`` still answers it for the
        time before.
        """
        for memory in ended:
            until = max(self.since, memory.valid_from)
            over = replace(memory, valid_to=until, updated_at=self.now)
            if self.since <= self.now:
                over = replace(over, status="superseded", superseded_at=self.now)
                self.unit.memories.release(memory.id)
            self.unit.memories.revise(over)
            self.note("withdraw", memory.id, **self._statement())
        for memory in waiting:
            self.close(memory, None, "it was withdrawn")
        ids = tuple(memory.id for memory in (*ended, *waiting))
        decision = Decision("withdrawn", None, ids)
        return self._settle("withdrawn", ids[0], decision, **self._statement())

    # --- steps ----------------------------------------------------------------------------------

    def place(
        self, status: MemoryStatus, since: datetime, superseded_by: SafeName = EMPTY
    ) -> Memory:
        """A new row, or the pending one that is confirmed; it is known from now on."""
        if self.waiting is not None:
            memory = replace(
                repeat(self.waiting, self.claim, self.scales),
                status=status,
                created_at=self.now,
                updated_at=self.now,
                valid_from=since,
                snoozed_until=None,
            )
            self.unit.memories.revise(memory)
            return self._assign_tier(memory)
        new = self._memory(status, since, superseded_by)
        memory = self.unit.memories.add(new, memory_terms(new))
        ask_vectors(self.unit, self.now)
        return self._assign_tier(memory)

    def _assign_tier(self, memory: Memory) -> Memory:
        if not is_profile(memory, self.profile):
            return memory
        self.unit.tiers.mark_core([memory.id], core=True)
        return replace(memory, tier=1)

    def end(
        self, replaced: Sequence[Memory], by: Memory, *, is_over: bool = True
    ) -> tuple[SafeName, ...]:
        """Memories whose place another takes; says which. Only contradicted, none of them ends."""
        for old in replaced:
            if old.status == "pending":
                self.close(old, by, "it was edited")
                continue
            if by.valid_from > self.now:  # It holds until that day.
                until = sooner(old.valid_to, by.valid_from)
                self.unit.memories.revise(
                    replace(old, valid_to=until, superseded_by=by.id, updated_at=self.now)
                )
                self.note("supersede", old.id, by=by.id)
                continue
            self.unit.memories.supersede(old.id, by.id, self.now, ended=is_over)
            self.note("supersede", old.id, by=by.id)
            retire_rewritten(self.unit, old, by, operation=self.operation_id, now=self.now)
        return tuple(old.id for old in replaced)

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
        by_id = EMPTY if by is None else by.id
        self.note("archive", waiting.id, reason=self.guard.error(reason), by=by_id)

    def note(self, type_: str, subject: SafeName, /, **payload: Fact) -> None:
        self.unit.journal.begin(self.operation_id, self.now).note(type_, subject, **payload)

    def _memory(self, status: MemoryStatus, since: datetime, superseded_by: SafeName) -> Memory:
        candidate, claim = self.candidate, self.claim
        memory = Memory(
            id=self.id or new_id(self.now),
            kind=candidate.kind,
            text=candidate.text,
            subject=candidate.subject,
            predicate=candidate.predicate,
            value=candidate.value,
            project=candidate.project,
            topic=candidate.topic,
            tags=candidate.tags,
            importance=claim.importance,
            confidence=claim.confidence,
            trust=claim.trust,
            status=status,
            # A question is as old as its asking, or it would lapse before it is put.
            created_at=self.now if status == "pending" else self.learned_at or self.now,
            updated_at=self.now,
            last_accessed_at=self.now,
            valid_from=since,
            valid_to=self._ends_after(since),
            superseded_at=self.now if superseded_by else None,
            superseded_by=superseded_by,
            sources=self.sources,
            session=self.session,
            metadata=candidate.metadata,
            origin=candidate.origin,
        )
        memory = first(memory, claim, self.scales)
        if self.edited is None:
            return memory
        return replace(
            memory,
            confirmations=self.edited.confirmations,
            access_count=self.edited.access_count,
            last_accessed_at=self.edited.last_accessed_at,
            episode=self.edited.episode,
        )

    def _ends_after(self, since: datetime) -> datetime | None:
        """Until when it holds, if it says so; an end before its beginning says nothing."""
        until = self.candidate.valid_to
        return until if until is not None and until > since else None

    def _announce(self, before: float, memory: Memory) -> None:
        if before < IMPORTANT_FROM <= memory.importance:
            note_important(self.unit, memory, self.operation_id, self.now)

    def _statement(self) -> dict[str, Fact]:
        """What an event keeps of the statement: enough to take it back, nothing to read."""
        return {
            "kind": self.candidate.kind,
            "sources": list(self.candidate.sources),
            "claim": dump_claim(self.claim),
        }

    def _settle(
        self, type_: str, subject: SafeName, decision: Decision, /, **payload: Fact
    ) -> Decision:
        settled: dict[str, Fact] = {
            "decision": decision.outcome,
            "memory": EMPTY if decision.memory is None else decision.memory.id,
            "replaced": list(decision.replaced),
            "reason": self.guard.error(decision.reason),
        }
        self.note(type_, subject, **payload, settled=settled)
        return decision


def load_decision(unit: Unit, events: Iterable[Event]) -> Decision | None:
    """What an operation that has happened decided, with its memory as it is now."""
    for event in events:
        settled = event.payload.get("settled")
        if isinstance(settled, dict):
            memory = unit.memories.get(str(settled["memory"])) if settled["memory"] else None
            replaced = settled["replaced"] if isinstance(settled["replaced"], list) else []
            outcome: DecisionOutcome = settled["decision"]  # type: ignore[assignment]
            ended = tuple(map(as_name, replaced))
            return Decision(outcome, memory, ended, str(settled["reason"]))
    return None


def stands_on(memory: Memory, turns: Sequence[str]) -> bool:
    """Whether a memory has all of these turns among its sources."""
    return bool(turns) and {source.turn_id for source in memory.sources}.issuperset(turns)
