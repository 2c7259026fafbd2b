"""Reconciling: what a candidate means for existing memories, decided and written at once.

``advise`` does what takes time (vectors, a model's judgment) before the transaction, ``settle``
decides inside it, from the memories of that moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from mnemic.learn.advice import Advice, Adviser, NeighborSearch, meeting
from mnemic.learn.candidates import candidate_of, check_candidate
from mnemic.learn.deletions import was_deleted
from mnemic.learn.endings import is_half
from mnemic.learn.laws import is_said_elsewhere, judge, may_change, names_change, says_change
from mnemic.learn.memories import turns_of
from mnemic.learn.settlement import Settlement, load_decision, stands_on
from mnemic.rules.importance import DEFAULT_CONFIDENCE
from mnemic.rules.kinds import importance_of, lifetime_of, profile_of
from mnemic.rules.lifetimes import counts_from, sooner
from mnemic.rules.likeness import same_value
from mnemic.rules.reconcile import (
    Neighbors,
    Side,
    contest,
    relate,
    route,
    says_same,
    steering_reason,
    to_withdraw,
)
from mnemic.rules.slots import has_one_answer, is_common, slot_of
from mnemic.rules.support import Claim, Scales, may_overrule, rank
from mnemic.space import Space
from mnemic.store.contract import Unit
from mnemic.store.rows import MemoryFilter
from mnemic.types import (
    EMPTY,
    GLOBAL_PROJECT,
    Candidate,
    Decision,
    Memory,
    MemoryStatus,
    SafeCandidate,
    SafeName,
    Source,
)


def spell_project(unit: Unit, candidate: SafeCandidate) -> SafeCandidate:
    """The candidate in the known project that differs from its own in case alone, if any."""
    project = candidate.project
    projects = unit.memories.projects() if project != GLOBAL_PROJECT else ()
    same = [name for name in projects if name.casefold() == project.casefold()]
    return candidate if not same or project in same else replace(candidate, project=same[0])


@dataclass(frozen=True, eq=False)
class Reconciler:
    """Settles the candidates of one space."""

    space: Space
    adviser: Adviser

    @cached_property
    def _scales(self) -> Scales:
        return Scales.of(self.space.settings)

    def advise(self, candidate: Candidate, now: datetime) -> Advice:
        """Ask models about it, before the transaction."""
        return self.adviser.advise(check_candidate(candidate, self.space.guard), now)

    # --- inside it ------------------------------------------------------------------------------

    def settle(
        self,
        unit: Unit,
        candidate: Candidate,
        *,
        operation_id: str,
        now: datetime,
        advice: Advice | None = None,
        own_idea: bool = False,
        revives: bool = True,
    ) -> Decision:
        """Decide and write; the same operation again changes nothing and says what it did.

        ``own_idea``: a model asked for it to be kept, not somebody's words in a conversation.
        ``revives``: said again, it may hold again although it was replaced or withdrawn before.
        """
        operation = self.space.guard.name(operation_id, "operation_id")
        before = load_decision(unit, unit.journal.operation(operation))
        if before is not None:
            return before
        advice = advice or Advice()
        core = self.space.settings.upkeep.core_importance
        safe = judge(check_candidate(candidate, self.space.guard), core)
        work = self._fill(unit, safe, operation, now)
        if advice.failure:
            work.note("judge_fail", EMPTY, error=self.space.guard.error(advice.failure))
        search = NeighborSearch.of(unit, work.candidate, now, self.space.settings, advice.cosines)
        admission = route(work.candidate.kind, work.claim, self.space.settings)
        decision = self._without_comparing(work, search, admission)
        if decision is not None:
            return decision
        existing = search.neighbors("active")
        relation = self._relation(work.candidate, existing, advice)
        own_idea = own_idea and work.claim.trust == "agent"
        if relation.memory is not None:
            return self._repeat(work, search, relation.memory, own_idea=own_idea)
        if not _insists(work.candidate) and self._matching(search, "rejected"):
            return work.drop("dropped", "the user ignored it before")
        if was_deleted(unit, work.candidate):
            return work.drop("dropped", "the user deleted it")
        if not revives and (self._matching(search, "superseded") or _is_over(unit, work.candidate)):
            return work.drop("dropped", "it was replaced or withdrawn before")
        targets = existing.pick(relation.replaced)
        reason = admission.reason or self._objection(work, search, targets, own_idea=own_idea)
        if not reason and relation.outcome == "conflict":
            if not self._changes(work, search, targets):
                reason = "it differs from what is known and names no change"
            elif names_change(work.candidate, work.turns):
                relation = Decision("update", replaced=relation.replaced)
        if reason:
            return self._wait(work, search, reason)
        return self._write(work, search, relation, targets)

    def keep(
        self,
        work: Settlement,
        supersedes: Memory | None = None,
        same: Memory | None = None,
        advice: Advice | None = None,
    ) -> Decision:
        """A statement that somebody asks for, by the rules alone: it passes no threshold, and waits
        only where a better source said something else, or where only the owner may say it.

        ``supersedes`` is the memory whose place it takes, whoever said that; ``same`` the one that
        it is known to repeat.
        """
        candidate = work.candidate
        # Somebody chose these words: what differs in any of them is another statement.
        several = is_common(candidate.predicate) and not has_one_answer(candidate.predicate)
        search = NeighborSearch.of(work.unit, candidate, work.now, self.space.settings, {})
        search = replace(search, strict=True, by_value=several and not (advice and advice.decision))
        if candidate.kind == "credential":  # an envelope is like no other
            relation, targets = Decision("new" if same is None else "same", same), []
        else:
            existing = search.neighbors("active").without(supersedes)
            relation = self._by_hand(candidate, existing, advice)
            if supersedes is not None and not _is_one_with(candidate, relation.memory):
                relation = Decision("update")  # another kind or slot: it stays what it is
            targets = existing.pick(relation.replaced)
        ended = [] if supersedes is None else [supersedes]
        reason = steering_reason(candidate.kind, work.claim.trust)
        if reason and supersedes is not None:
            return self._wait_to_supersede(work, search, supersedes, reason)
        if relation.memory is not None:
            decision = work.repeat(relation.memory, "same", replaced=ended)
        elif supersedes is not None:
            ended += [old for old in targets if may_overrule(work.claim.trust, old.trust)]
            decision = work.write(ended, "update", since=work.said_at)
        else:
            return self._admit(work, search, relation, targets)
        if decision.memory is not None:
            self._close_waiting(work, search, decision.memory)
        return decision

    def _by_hand(
        self, candidate: Candidate, existing: Neighbors, advice: Advice | None
    ) -> Decision:
        """What a person's own words mean: the value of a slot that they name is its value now,
        unless it is known that there may be several; then a judge says, where there is one.
        """
        if advice is not None and advice.decision is not None:
            return self._relation(candidate, existing, advice)
        is_named = bool(candidate.value) and not is_common(candidate.predicate)
        return relate(replace(candidate, is_update=True) if is_named else candidate, existing)

    def _wait_to_supersede(
        self, work: Settlement, search: NeighborSearch, supersedes: Memory, reason: str
    ) -> Decision:
        """Put to a person first; what it is to take the place of holds until then."""
        if supersedes.status != "pending":
            return self._wait(work, search, reason)
        decision = work.wait(reason)
        work.close(supersedes, decision.memory, "it was edited")
        return decision

    def _admit(
        self,
        work: Settlement,
        search: NeighborSearch,
        relation: Decision,
        targets: Sequence[Memory],
    ) -> Decision:
        """A new statement on request, unless a person or a better source is against it, or it is
        not for its source to say.
        """
        if not _insists(work.candidate) and self._matching(search, "rejected"):
            return work.drop("dropped", "the user ignored it before")
        reason = self._objection(work, search, targets, own_idea=False)
        reason = reason or steering_reason(work.candidate.kind, work.claim.trust)
        if reason:
            return self._wait(work, search, reason)
        return self._write(work, search, relation, targets, insists=_insists(work.candidate))

    def confirm(
        self,
        unit: Unit,
        waiting: Memory,
        *,
        operation_id: SafeName,
        now: datetime,
        advice: Advice,
        is_update: bool,
    ) -> Decision:
        """A person says a pending memory is true: it is settled against what is known now."""
        candidate = replace(candidate_of(waiting), is_update=is_update)
        work = self.settlement(
            unit,
            candidate,
            Claim(waiting.importance, 1.0, "owner", waiting.expires_at, confirms=True),
            said_at=waiting.valid_from,
            operation_id=operation_id,
            now=now,
            session=waiting.session,
            waiting=waiting,
        )
        search = NeighborSearch.of(unit, candidate, now, self.space.settings, advice.cosines)
        existing = search.neighbors("active")
        if waiting.trust != "owner":
            work.note("trust", waiting.id, **{"from": waiting.trust, "to": "owner"})
        relation = self._relation(candidate, existing, advice)
        if relation.memory is not None:
            return work.repeat(relation.memory, "same")
        targets = existing.pick(relation.replaced)
        return work.write(targets, "update" if targets else "new")

    def settlement(
        self,
        unit: Unit,
        candidate: SafeCandidate,
        claim: Claim,
        *,
        said_at: datetime,
        operation_id: SafeName,
        now: datetime,
        sources: tuple[Source, ...] = (),
        session: SafeName = EMPTY,
        waiting: Memory | None = None,
    ) -> Settlement:
        """An operation whose decision is made elsewhere; its project is spelled as it is known."""
        return Settlement(
            unit,
            spell_project(unit, candidate),
            claim,
            said_at,
            operation_id,
            now,
            self._scales,
            self.space.guard,
            sources,
            session,
            waiting,
            profile=profile_of(self.space.settings),
        )

    # --- deciding -------------------------------------------------------------------------------

    def _without_comparing(
        self, work: Settlement, search: NeighborSearch, admission: Decision
    ) -> Decision | None:
        """What is settled before the candidate is compared with existing memories."""
        candidate = work.candidate
        if candidate.kind == "credential":
            return work.drop("refused", "credentials are kept only when the user asks, encrypted")
        if candidate.withdraws:
            return self._withdraw(work, search, admission)
        if admission.outcome == "dropped":
            return work.drop("dropped", admission.reason)
        read_before = _find_learned(work.unit, candidate)
        return None if read_before is None else work.know(read_before)

    def _relation(self, candidate: Candidate, existing: Neighbors, advice: Advice) -> Decision:
        """What the rules decide or, where it still holds, the judge."""
        by_rule, judged = relate(candidate, existing), advice.decision
        if judged is None:
            return by_rule
        by_id = {memory.id: memory for memory in meeting(candidate, existing, advice.cosines)}
        if {id_: memory.updated_at for id_, memory in by_id.items()} != dict(advice.seen):
            return by_rule  # it was judged against something else
        if judged.outcome == "new":
            is_taken = existing.slot and has_one_answer(candidate.predicate)
            return by_rule if is_taken else Decision("new")
        if judged.memory is None or judged.memory.id not in by_id:
            return by_rule
        if judged.outcome == "same":
            return Decision("same", by_id[judged.memory.id])
        replaced = dict.fromkeys((judged.memory.id, *by_rule.replaced))
        if by_rule.memory is not None:
            replaced[by_rule.memory.id] = None
        return Decision(judged.outcome, replaced=tuple(replaced))

    def _objection(
        self, work: Settlement, search: NeighborSearch, targets: Sequence[Memory], *, own_idea: bool
    ) -> str:
        """Why a person is to be asked before it takes the place of what is known, if so."""
        trust = work.claim.trust
        for memory in targets:
            if not may_overrule(trust, memory.trust) or (own_idea and memory.trust == "owner"):
                return f"it contradicts what the {memory.trust} said"
        # Only the owner's own word, not that of an agent who may have read it somewhere, puts into
        # force what a lesser source said and nobody confirmed.
        if trust != "owner" and any(
            rank(waiting.trust) < rank(trust) for waiting in self._matching(search, "pending")
        ):
            return "a less trusted source said it first, and nobody confirmed it"
        return ""

    def _changes(self, work: Settlement, search: NeighborSearch, targets: Sequence[Memory]) -> bool:
        """Whether another answer may take the place of the one known, or was said before that."""
        return (
            any(work.said_at < memory.valid_from for memory in targets)
            or may_change(work.candidate, work.claim.trust, targets, work.turns)
            or is_said_elsewhere(self._matching(search, "pending"), work.turns)
        )

    # --- carrying it out ------------------------------------------------------------------------

    def _repeat(
        self, work: Settlement, search: NeighborSearch, memory: Memory, *, own_idea: bool
    ) -> Decision:
        if own_idea:  # a model that repeats itself does not make a memory more important
            importance = min(work.claim.importance, memory.importance)
            work = replace(work, claim=replace(work.claim, importance=importance))
        decision = work.repeat(memory, "same")
        self._close_waiting(work, search, memory)
        return decision

    def _wait(self, work: Settlement, search: NeighborSearch, reason: str) -> Decision:
        waiting = self._matching(search, "pending")
        return work.repeat(waiting[0], "pending", reason) if waiting else work.wait(reason)

    def _write(
        self,
        work: Settlement,
        search: NeighborSearch,
        relation: Decision,
        targets: Sequence[Memory],
        *,
        insists: bool = False,
    ) -> Decision:
        out_of_order = any(work.said_at < memory.valid_from <= work.now for memory in targets)
        if relation.outcome == "conflict" or out_of_order:
            value = search.candidate.value
            lost = [  # the same answer, where it lost a conflict earlier
                memory
                for memory in search.neighbors("rejected").slot
                if memory.superseded_by and same_value(value, memory.value)
            ]
            new = Side(work.said_at, 1 + sum(1 + memory.confirmations for memory in lost))
            strongest, scores = max(
                ((m, contest(_side(work.unit, m), new, self.space.settings)) for m in targets),
                key=lambda pair: pair[1].existing - pair[1].new,
            )
            if not scores.new_wins and not (insists and not out_of_order):
                reason = f"outweighed {scores.existing:.2f} to {scores.new:.2f}"
                return work.lose(strongest, lost[0] if lost else None, reason)
            decision = work.write(targets, "conflict")
            kept_id = EMPTY if decision.memory is None else decision.memory.id
            work.note("conflict", kept_id, kept=kept_id, lost=[m.id for m in targets])
        else:
            decision = work.write(targets, "update" if targets else "new")
        if decision.memory is not None:
            self._close_waiting(work, search, decision.memory)
        return decision

    def _withdraw(self, work: Settlement, search: NeighborSearch, admission: Decision) -> Decision:
        if (
            admission.outcome == "dropped"
            or work.claim.confidence < self.space.settings.routing.write
        ):
            return work.drop("dropped", "it is not sure enough to end what is known")
        ended = to_withdraw(search.candidate, search.neighbors("active"))
        waiting = to_withdraw(search.candidate, search.neighbors("pending"))
        if not ended and not waiting:
            return work.drop("dropped", "nothing known is withdrawn by it")
        trust = work.claim.trust
        if any(not may_overrule(trust, memory.trust) for memory in ended):
            return work.drop("refused", f"a source of trust {trust} cannot withdraw it")
        return work.withdraw(ended, waiting)

    def _close_waiting(self, work: Settlement, search: NeighborSearch, by: Memory) -> None:
        """What waits for an answer that is known by now."""
        same = self._matching(search, "pending")
        for waiting in same:
            work.close(waiting, by, "it was said clearly")
        existing = search.neighbors("pending")
        overtaken = existing.pick(relate(search.candidate, existing).replaced)
        if search.candidate.kind == "event" and says_change(search.candidate, work.turns):
            overtaken += [memory for memory in existing.near if memory.kind == "event"]
        for waiting in {memory.id: memory for memory in overtaken if memory not in same}.values():
            work.close(waiting, by, "it was overtaken")

    # --- looking --------------------------------------------------------------------------------

    def _matching(self, search: NeighborSearch, status: MemoryStatus) -> list[Memory]:
        """Memories of that status that say the same; of the rejected, those a person ignored."""
        existing = search.neighbors(status)
        unique = {m.id: m for m in (*existing.slot, *existing.near)}.values()
        return [
            memory
            for memory in unique
            if says_same(search.candidate, memory, existing)
            and not (status == "rejected" and memory.superseded_by)
        ]

    def _fill(
        self, unit: Unit, candidate: SafeCandidate, operation_id: SafeName, now: datetime
    ) -> Settlement:
        """The operation on a candidate with its gaps filled by the settings."""
        importance, confidence = candidate.importance, candidate.confidence
        if importance is None:
            importance = importance_of(candidate.kind, self.space.settings)
        confidence = DEFAULT_CONFIDENCE if confidence is None else confidence
        if _insists(candidate):
            confidence = max(confidence, self.space.settings.routing.write)
        confidence = min(confidence, self._scales.most(candidate.trust))
        turns = turns_of(unit, candidate.sources)
        latest = max(turns, key=lambda turn: turn.at, default=None)
        said_at = now if latest is None else min(latest.at, now)
        begins = counts_from(said_at, candidate.valid_from, candidate.valid_to)
        life = lifetime_of(candidate.kind, candidate.duration, self.space.settings, begins)
        expires_at = sooner(life.expires_at, candidate.valid_to)
        return self.settlement(
            unit,
            candidate,
            Claim(importance, confidence, candidate.trust, expires_at),
            said_at=said_at,
            operation_id=operation_id,
            now=now,
            sources=tuple(turn.source for turn in turns),
            session=latest.session if latest is not None and life.ends_with_session else EMPTY,
        )


def _is_one_with(candidate: SafeCandidate, memory: Memory | None) -> bool:
    """Whether an edited memory may become one with another: they are of one kind and slot."""
    return memory is None or (
        memory.kind == candidate.kind
        and slot_of(memory.subject, memory.predicate)
        == slot_of(candidate.subject, candidate.predicate)
    )


def _insists(candidate: Candidate) -> bool:
    """The owner asked for it in so many words: no threshold and no earlier "ignore" stands."""
    return candidate.asked and candidate.trust == "owner"


def _find_learned(unit: Unit, candidate: Candidate) -> Memory | None:
    """The memory that was made of the same statement in the same turns, whatever became of it."""
    slot = slot_of(candidate.subject, candidate.predicate)
    if not candidate.sources or not slot or not candidate.value:
        return None
    for memory in unit.memories.find(MemoryFilter(from_turn=candidate.sources[0])):
        if (
            slot_of(memory.subject, memory.predicate) == slot
            and same_value(candidate.value, memory.value)
            and stands_on(memory, candidate.sources)
            and not (memory.status == "superseded" and is_half(candidate.text, memory))
        ):
            return memory
    return None


def _is_over(unit: Unit, candidate: Candidate) -> bool:
    """Whether it names a value that was learned from its turns and holds no longer."""
    content = candidate.text.casefold()
    return any(
        memory.status == "superseded" and memory.value and memory.value.casefold() in content
        for source in candidate.sources
        for memory in unit.memories.find(MemoryFilter(from_turn=source))
    )


def _side(unit: Unit, memory: Memory) -> Side:
    turns = unit.ledger.turns_by_id([source.turn_id for source in memory.sources])
    times = [turn.at for turn in turns] or [memory.updated_at]
    return Side(max(memory.valid_from, *times), 1 + memory.confirmations)
