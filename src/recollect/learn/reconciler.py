"""Reconciling: what a candidate means for what is known, decided and written in one transaction.

``prepare`` does what takes time (vectors, a model's judgement) before the transaction, ``settle``
decides inside it, from what is known then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.errors import InvalidInput, NotFound
from recollect.index.embedding_job import Ask
from recollect.language.guard import Guard, guard_of
from recollect.learn.candidates import Judge, Prepared, Preparing
from recollect.learn.neighbours import Surroundings
from recollect.learn.settlement import (
    Draft,
    Settlement,
    settled_before,
    stands_on,
)
from recollect.providers.embedding.base import Embedder
from recollect.rules import checks
from recollect.rules.conflict import Contest, Side, contest
from recollect.rules.importance import DEFAULT_CONFIDENCE, DEFAULT_IMPORTANCE
from recollect.rules.lifetimes import life_of
from recollect.rules.likeness import same_value
from recollect.rules.reconcile import Relation, relate, says_same, to_withdraw
from recollect.rules.routing import Route, route
from recollect.rules.slots import has_one_answer, slot_of
from recollect.rules.support import Claim, Scales, may_overrule, rank
from recollect.settings import Settings
from recollect.store.base import Store, Unit
from recollect.store.rows import MemoryFilter
from recollect.types import (
    EMPTY,
    GENERAL_TOPIC,
    GLOBAL_PROJECT,
    KINDS,
    TRUSTS,
    Candidate,
    Memory,
    MemoryStatus,
    SafeName,
    Settled,
    Statement,
)

_LONGEST = 1_000_000  # characters of a statement


class Reconciler:
    """Settles the candidates of one space."""

    def __init__(
        self,
        store: Store,
        space: str,
        settings: Settings,
        ask: Ask,
        *,
        embedder: Embedder | None = None,
        judge: Judge | None = None,
    ) -> None:
        self._settings = settings
        self._ask = ask
        self.guard = guard_of(settings)
        self._preparing = Preparing(store, space, settings.reconcile, embedder, judge)
        self.scales = Scales(settings.upkeep.core_importance)

    def prepare(self, candidate: Candidate, now: datetime) -> Prepared:
        """Find out before the transaction what models can tell about it."""
        return self._preparing.prepare(checked(candidate, self.guard), now)

    # --- inside it ------------------------------------------------------------------------------

    def settle(
        self,
        unit: Unit,
        candidate: Candidate,
        *,
        operation_id: str,
        now: datetime,
        prepared: Prepared | None = None,
        own_idea: bool = False,
    ) -> Settled:
        """Decide and write; the same operation again changes nothing and says what it did.

        ``own_idea``: a model asked for it to be kept, not somebody's words in a conversation.
        """
        operation = self.guard.name(operation_id, "operation_id")
        before = settled_before(unit, unit.journal.operation(operation))
        if before is not None:
            return before
        prepared = prepared or Prepared()
        draft = self._draft(unit, checked(candidate, self.guard), now)
        work = self._work(unit, draft, operation, now)
        if prepared.failure:
            work.note("judge_fail", EMPTY, {"error": self.guard.error(prepared.failure)})
        around = self._around(unit, draft.candidate, now, prepared.cosines)
        way = self._route(draft, own_idea=own_idea)
        settled = self._at_once(work, around, way)
        if settled is not None:
            return settled
        relation = self._relation(draft.candidate, around, prepared)
        own_idea = own_idea and draft.claim.trust == "agent"
        if relation.verdict == "same":
            known = relation.targets[0]
            return self._same(_modest(work, known) if own_idea else work, around, known)
        if not _insists(draft.candidate) and self._matching(around, "rejected"):
            return work.drop("dropped", "the user ignored it before")
        overruled = [
            memory
            for memory in relation.targets
            if not may_overrule(draft.claim.trust, memory.trust)
            or (own_idea and memory.trust == "owner")
        ]
        if way.way == "write" and overruled:
            way = Route("pending", f"it contradicts what the {overruled[0].trust} said")
        if way.way == "write" and self._waits_unconfirmed(around, draft.claim):
            way = Route("pending", "a less trusted source said it first, and nobody confirmed it")
        if way.way == "pending":
            return self._wait(work, around, way.reason)
        return self._write(work, around, relation)

    def confirm(
        self,
        unit: Unit,
        waiting: Memory,
        *,
        operation_id: SafeName,
        now: datetime,
        prepared: Prepared,
        is_update: bool,
    ) -> Settled:
        """A person says a pending memory is true: it is settled against what is known now."""
        candidate = replace(candidate_of(waiting), is_update=is_update)
        claim = Claim(waiting.importance, 1.0, "owner", waiting.expires_at, confirms=True)
        draft = Draft(candidate, claim, waiting.valid_from, waiting.session, waiting)
        work = self._work(unit, draft, operation_id, now)
        around = self._around(unit, candidate, now, prepared.cosines)
        if waiting.trust != "owner":
            work.note("trust", waiting.id, {"from": waiting.trust, "to": "owner"})
        relation = self._relation(candidate, around, prepared)
        if relation.verdict == "same":
            return work.repeat(relation.targets[0], "same")
        return work.write(relation.targets, "update" if relation.targets else "new")

    def _at_once(self, work: Settlement, around: Surroundings, way: Route) -> Settled | None:
        """What is decided without comparing it with what is known."""
        candidate = work.draft.candidate
        if candidate.kind == "credential":
            return work.drop("refused", "credentials are kept only when the user asks, encrypted")
        if candidate.withdraws:
            return self._withdraw(work, around, way)
        if way.way == "drop":
            return work.drop("dropped", way.reason)
        read_before = _learnt_from(work.unit, candidate)
        return None if read_before is None else work.know(read_before)

    def _same(self, work: Settlement, around: Surroundings, memory: Memory) -> Settled:
        settled = work.repeat(memory, "same")
        self._close_waiting(work, around, memory)
        return settled

    def _wait(self, work: Settlement, around: Surroundings, reason: str) -> Settled:
        waiting = self._matching(around, "pending")
        return work.repeat(waiting[0], "pending", reason) if waiting else work.wait(reason)

    def _write(self, work: Settlement, around: Surroundings, relation: Relation) -> Settled:
        draft, targets = work.draft, relation.targets
        told_late = any(draft.said_at < memory.valid_from for memory in targets)
        if relation.verdict == "conflict" or told_late:
            lost = self._lost_before(around)
            strongest, scores = self._contest(work, targets, lost)
            if not scores.new_wins:
                reason = f"outweighed {scores.known:.2f} to {scores.new:.2f}"
                return work.lose(strongest, lost[0] if lost else None, reason)
            settled = work.write(targets, "conflict")
            kept = EMPTY if settled.memory is None else settled.memory.id
            work.note("conflict", kept, {"kept": kept, "lost": [m.id for m in targets]})
        else:
            settled = work.write(targets, "update" if targets else "new")
        if settled.memory is not None:
            self._close_waiting(work, around, settled.memory)
        return settled

    def _withdraw(self, work: Settlement, around: Surroundings, way: Route) -> Settled:
        if way.way == "drop" or work.draft.claim.confidence < self._settings.routing.write:
            return work.drop("dropped", "it is not sure enough to end what is known")
        ended = to_withdraw(around.candidate, around.known("active"))
        waiting = to_withdraw(around.candidate, around.known("pending"))
        if not ended and not waiting:
            return work.drop("dropped", "nothing known is withdrawn by it")
        trust = work.draft.claim.trust
        if any(not may_overrule(trust, memory.trust) for memory in ended):
            return work.drop("refused", f"a source of trust {trust} cannot withdraw it")
        return work.withdraw(ended, waiting)

    # --- looking --------------------------------------------------------------------------------

    def _relation(self, candidate: Candidate, around: Surroundings, prepared: Prepared) -> Relation:
        known = around.known("active")
        by_rule = relate(candidate, known)
        judgement = prepared.judgement
        if judgement is None:
            return by_rule
        there: dict[str, Memory] = {m.id: m for m in (*known.slot, *known.opposed, *known.near)}
        if {id_: memory.updated_at for id_, memory in there.items()} != dict(prepared.seen):
            return by_rule  # it was judged against something else
        if judgement.verdict == "new":
            taken = known.slot and has_one_answer(candidate.kind, candidate.predicate)
            return by_rule if taken else Relation("new")
        meant = there.get(judgement.memory)
        if meant is None:
            return by_rule
        rest = () if judgement.verdict == "same" else by_rule.targets
        others = tuple(memory for memory in rest if memory.id != meant.id)
        return Relation(judgement.verdict, (meant, *others))

    def _matching(self, around: Surroundings, status: MemoryStatus) -> list[Memory]:
        """Memories of that status that say the same; of the rejected, those a person ignored."""
        known = around.known(status)
        found = {m.id: m for m in (*known.slot, *known.near)}.values()
        return [
            memory
            for memory in found
            if says_same(around.candidate, memory, known)
            and not (status == "rejected" and memory.superseded_by)
        ]

    def _waits_unconfirmed(self, around: Surroundings, claim: Claim) -> bool:
        """Whether a lesser source's statement waits for a person: only the owner's own word, not
        that of an agent who may have read it somewhere, puts it into force.
        """
        return claim.trust != "owner" and any(
            rank(waiting.trust) < rank(claim.trust) for waiting in self._matching(around, "pending")
        )

    def _lost_before(self, around: Surroundings) -> list[Memory]:
        """The same answer where it lost a conflict earlier."""
        return [
            memory
            for memory in around.known("rejected").slot
            if memory.superseded_by and same_value(around.candidate.value, memory.value)
        ]

    def _contest(
        self, work: Settlement, targets: Sequence[Memory], lost: Sequence[Memory]
    ) -> tuple[Memory, Contest]:
        half_life = self._settings.ranking.recency_half_life
        new = Side(work.draft.said_at, 1 + sum(1 + memory.confirmations for memory in lost))
        results = [(m, contest(_side(work.unit, m), new, half_life)) for m in targets]
        return max(results, key=lambda result: result[1].known - result[1].new)

    def _close_waiting(self, work: Settlement, around: Surroundings, by: Memory) -> None:
        for waiting in self._matching(around, "pending"):
            work.close(waiting, by, "it was said clearly")

    # --- filling in -----------------------------------------------------------------------------

    def _draft(self, unit: Unit, candidate: Statement, now: datetime) -> Draft:
        importance, confidence = candidate.importance, candidate.confidence
        importance = DEFAULT_IMPORTANCE if importance is None else importance
        confidence = DEFAULT_CONFIDENCE if confidence is None else confidence
        if _insists(candidate):
            confidence = max(confidence, self._settings.routing.write)
        turns = unit.ledger.turns_by_id(candidate.sources)
        if len(turns) != len(candidate.sources):
            raise NotFound("A source is not a turn of this space", remedy="Pass ids of turns")
        life = life_of(candidate.kind, candidate.duration, self._settings.lifetimes, now)
        latest = max(turns, key=lambda turn: turn.at, default=None)
        confidence = min(confidence, self.scales.most(candidate.trust))
        return Draft(
            candidate,
            Claim(importance, confidence, candidate.trust, life.expires_at),
            said_at=now if latest is None else min(latest.at, now),
            session=latest.session if latest is not None and life.ends_with_session else EMPTY,
        )

    def _route(self, draft: Draft, *, own_idea: bool) -> Route:
        settings = self._settings
        return route(
            draft.candidate.kind,
            draft.claim,
            settings.routing,
            settings.trust,
            settings.upkeep.core_importance,
            own_idea=own_idea,
        )

    def _around(
        self, unit: Unit, candidate: Statement, now: datetime, cosines: Mapping[str, float]
    ) -> Surroundings:
        return Surroundings(unit, candidate, now, self._settings.reconcile, cosines)

    def _work(self, unit: Unit, draft: Draft, operation_id: SafeName, now: datetime) -> Settlement:
        return Settlement(unit, draft, operation_id, now, self.scales, self._ask, self.guard)


def checked(candidate: Candidate, guard: Guard) -> Statement:
    """The candidate as it may be stored, or InvalidInput that says what is wrong."""
    limit = min(guard.characters, _LONGEST)
    if not checks.check_text(candidate.content, "content", limit).strip():
        raise InvalidInput("A candidate says nothing", remedy="Give it a content")
    checks.check_choice(candidate.kind, KINDS, "kind")
    checks.check_choice(candidate.trust, TRUSTS, "trust")
    for name in ("importance", "confidence"):
        share = getattr(candidate, name)
        if share is not None:
            checks.check_share(share, name)
    content = guard.text(candidate.content.strip(), "content", limit)
    labels = checks.check_tags(candidate.tags, guard.tags)

    def part(told: str, what: str) -> SafeName:
        """Nothing of a part that is only a secret of the statement."""
        checks.check_text(told, what, checks.MAX_NAME)
        return guard.label(guard.part(told, candidate.content, content, what), what)

    return Statement(
        kind=candidate.kind,
        content=content,
        subject=part(candidate.subject, "subject"),
        predicate=part(candidate.predicate, "predicate"),
        value=guard.part(candidate.value, candidate.content, content, "value"),
        importance=candidate.importance,
        confidence=candidate.confidence,
        duration=candidate.duration,
        project=guard.name(candidate.project or GLOBAL_PROJECT, "project"),
        topic=guard.name(candidate.topic or GENERAL_TOPIC, "topic"),
        tags=guard.labels(filter(None, (part(tag, "tag") for tag in labels))),
        is_update=candidate.is_update,
        withdraws=candidate.withdraws,
        asked=candidate.asked,
        trust=candidate.trust,
        sources=tuple(dict.fromkeys(guard.label(id_, "source") for id_ in candidate.sources)),
    )


def candidate_of(memory: Memory) -> Statement:
    """A memory as it was proposed."""
    return Statement(
        kind=memory.kind,
        content=memory.content,
        subject=memory.subject,
        predicate=memory.predicate,
        value=memory.value,
        importance=memory.importance,
        confidence=memory.confidence,
        project=memory.project,
        topic=memory.topic,
        tags=memory.tags,
        trust=memory.trust,
        sources=tuple(source.turn_id for source in memory.sources),
    )


def _insists(candidate: Candidate) -> bool:
    """The owner asked for it in so many words: no threshold and no earlier "ignore" stands."""
    return candidate.asked and candidate.trust == "owner"


def _modest(work: Settlement, known: Memory) -> Settlement:
    """A model that repeats itself does not make a memory more important."""
    claim = work.draft.claim
    claim = replace(claim, importance=min(claim.importance, known.importance))
    return replace(work, draft=replace(work.draft, claim=claim))


def _learnt_from(unit: Unit, candidate: Candidate) -> Memory | None:
    """The memory that was made of the same statement in the same turns, whatever became of it."""
    slot = slot_of(candidate.subject, candidate.predicate)
    if not candidate.sources or not slot or not candidate.value:
        return None
    for memory in unit.memories.find(MemoryFilter(from_turn=candidate.sources[0])):
        if (
            slot_of(memory.subject, memory.predicate) == slot
            and same_value(candidate.value, memory.value)
            and stands_on(memory, candidate.sources)
        ):
            return memory
    return None


def _side(unit: Unit, memory: Memory) -> Side:
    turns = unit.ledger.turns_by_id([source.turn_id for source in memory.sources])
    said = [turn.at for turn in turns] or [memory.updated_at]
    return Side(max(memory.valid_from, *said), 1 + memory.confirmations)
