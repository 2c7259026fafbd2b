"""Working out what the memory would be had one source never spoken, and writing that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from typing import Literal

from mnemic.learn.claims import (
    CLAIMING,
    VOID,
    Contribution,
    contributions,
    find_voided,
    load_claim,
    sources_of,
)
from mnemic.learn.rewrites import basis
from mnemic.rules import checks
from mnemic.rules.reconcile import route
from mnemic.rules.slots import has_one_answer
from mnemic.rules.support import Claim, Scales, fold_claims, is_untrusted
from mnemic.settings import Settings
from mnemic.store.contract import Unit
from mnemic.store.rows import MemoryFilter
from mnemic.types import (
    EMPTY,
    TRUSTS,
    Fact,
    Memory,
    MemoryStatus,
    RolledBack,
    SafeName,
    SafeText,
    constant,
    join_key,
    key_of,
)

What = Literal["session", "turn", "trust", "sender", "speech"]
_HOLDING: tuple[MemoryStatus, ...] = ("active", "pending")


@dataclass(frozen=True, slots=True)
class RollbackSource:
    """A source to undo: a session, a turn, a tier of trust, or a sender; or ("speech") those turns
    of a session that turned out not to be the owner's.
    """

    what: What
    name: SafeName
    turns: frozenset[str] = frozenset()

    @property
    def source(self) -> SafeName:
        return key_of(self.what, self.name)

    @property
    def reason(self) -> SafeText:
        if self.what == "speech":
            return constant("several people speak as the user")
        return join_key(constant("rollback of"), self.source, by=" ")

    def __str__(self) -> str:
        return self.source


@dataclass(slots=True)
class RollbackPlan:
    """One rollback, first planned on copies, then written."""

    unit: Unit
    origin: RollbackSource
    settings: Settings
    now: datetime
    before: dict[SafeName, Memory] = field(default_factory=dict)
    after: dict[SafeName, Memory] = field(default_factory=dict)
    void: dict[str, list[SafeName]] = field(default_factory=dict)
    dropped: dict[SafeName, list[SafeName]] = field(default_factory=dict)
    removed: list[SafeName] = field(default_factory=list)

    def plan(self) -> None:
        touched = self._find_touched()
        for memory in sorted(touched, key=lambda m: (m.created_at, m.id)):
            self._take_back(memory)
        for id_ in self.removed:
            self._unlink(id_)
        for id_ in self.removed:  # out of its chain; the event says where it stood
            self._set(self.after[id_], superseded_by=EMPTY)
        self._resume()
        self._repair()

    # --- what is touched -------------------------------------------------------------------------

    def _find_touched(self) -> list[Memory]:
        what, name = self.origin.what, self.origin.name
        if what == "trust":
            return self.unit.memories.by_id(sorted(self._find_claimed(name)))
        wanted = MemoryFilter(
            from_session=name if what in ("session", "speech") else None,
            from_turn=name if what == "turn" else None,
            from_sender=name if what == "sender" else None,
            limit=checks.MAX_ROWS,
        )
        return self.unit.memories.find(wanted)

    def _find_claimed(self, trust: str) -> set[SafeName]:
        tier = next(tier for tier in TRUSTS if tier == trust)
        wanted = MemoryFilter(trust=tier, limit=checks.MAX_ROWS)
        ids = {memory.id for memory in self.unit.memories.find(wanted)}
        for type_ in CLAIMING:
            for event in self.unit.journal.events(type_=type_, limit=checks.MAX_ROWS):
                claim = load_claim(event.payload.get("claim"))
                if claim is not None and claim.trust == trust:
                    ids.add(event.subject)
        return ids

    def _is_blamed(self, claim: Claim, sources: tuple[str, ...]) -> bool:
        """Whether a statement came from this source and from no other."""
        if claim.confirms:
            return False  # a person's own word
        if self.origin.what == "trust":
            return claim.trust == self.origin.name
        if self.origin.what == "speech":
            ours = claim.trust == "owner" and bool(self._ours(sources))
            return ours and not self._has_owner(sources)
        return bool(sources) and len(self._ours(sources)) == len(sources)

    def _ours(self, turns: Iterable[str]) -> set[str]:
        """Those of the turns that belong to the source."""
        ids, what, name = list(turns), self.origin.what, self.origin.name
        if what == "trust":
            return set()
        if what == "turn":
            return {turn for turn in ids if turn == name}
        if what == "speech":
            return set(self.origin.turns.intersection(ids))
        turns_read = self.unit.ledger.turns_by_id(ids)
        return {turn.id for turn in turns_read if getattr(turn, what) == name}

    def _has_owner(self, turns: Iterable[str]) -> bool:
        """Whether one of the turns is the owner's all the same."""
        return any(turn.trust == "owner" for turn in self.unit.ledger.turns_by_id(list(turns)))

    # --- what it means for each memory -----------------------------------------------------------

    def _take_apart(self, memory: Memory) -> bool:
        """A statement that a model made of others, one of them from this source: the others hold
        again, each as far as it stands without the source.
        """
        originals = basis(self.unit, memory.id) if memory.status == "active" else []
        turns = [source.turn_id for source in memory.sources]
        blamed = self.origin.what == "trust" and memory.trust == self.origin.name
        if not originals or not (blamed or self._ours(turns)):
            return False
        self.removed.append(memory.id)
        self._set(self._look(memory.id), status="archived")
        for original in self.unit.memories.by_id(originals):
            self._look(original.id)
            if original.status == "archived" and original.superseded_by == memory.id:
                self._set(original, status="active", superseded_by=EMPTY, superseded_at=None)
                self._take_back(self.after[original.id])
        return True

    def _take_back(self, memory: Memory) -> None:
        if self._take_apart(memory):
            return
        if memory.status == "archived" or (
            memory.status == "rejected" and not memory.superseded_by
        ):
            return  # put away already, or ignored by a person, which stays so
        claimed = contributions(self.unit, memory)
        withdrawn = [c for c in claimed if self._is_blamed(c.claim, c.sources)]
        kept = [c for c in claimed if c not in withdrawn]
        turns = {source.turn_id for source in memory.sources}
        stay = {turn for c in kept for turn in c.sources} - self._ours(turns)
        lost = turns - stay if withdrawn or self._ours(turns) else set()
        if not withdrawn and not lost:
            return
        self.void[memory.id] = [c.event for c in withdrawn]
        if not kept:
            self.removed.append(memory.id)
            self._set(self._look(memory.id), status="archived")
            return
        self.dropped[memory.id] = sorted(lost)
        if withdrawn:
            self._refold(memory, claimed, kept)

    def _refold(
        self, memory: Memory, claimed: list[Contribution], kept: list[Contribution]
    ) -> None:
        scales = Scales.of(self.settings)
        revised = fold_claims(memory, (c.claim for c in kept), scales)
        claim = Claim(revised.importance, revised.confidence, revised.trust)
        admission = route(memory.kind, claim, self.settings)
        if kept[0] is not claimed[0]:
            since = kept[0].at  # it is known since somebody else said it
            revised = replace(revised, created_at=since, valid_from=self._find_time(kept[0]))
        waits = is_untrusted(revised.trust) and admission.outcome == "pending"
        if waits and memory.status == "active":
            revised = replace(revised, status="pending")
        self._look(memory.id)
        self.after[memory.id] = revised

    def _find_time(self, contribution: Contribution) -> datetime:
        turns = self.unit.ledger.turns_by_id(contribution.sources)
        return max((turn.at for turn in turns), default=contribution.at)

    def _unlink(self, id_: SafeName) -> None:
        """Whatever a removed memory replaced takes over its end, as if it had never been there."""
        removed = self.before[id_]
        now = self.after[id_]
        for earlier in self._chain(id_):
            if earlier.superseded_by != id_:
                continue
            if earlier.status == "archived" and earlier.id not in self.removed:
                self._set(earlier, status="pending", superseded_by=EMPTY, superseded_at=None)
            elif earlier.status in ("superseded", "rejected"):
                ended = removed.status not in ("active", "pending")
                self._set(
                    earlier,
                    status="superseded" if ended else "active",
                    superseded_by=now.superseded_by,
                    superseded_at=now.superseded_at,
                    valid_to=now.valid_to,
                )

    def _resume(self) -> None:
        """What only this source withdrew holds again."""
        for event in self.unit.journal.events(type_="withdraw", limit=checks.MAX_ROWS):
            claim = load_claim(event.payload.get("claim"))
            if claim is None or not self._is_blamed(claim, sources_of(event.payload)):
                continue
            memory = self._look(event.subject)
            void = find_voided(self.unit.journal.events(subject=memory.id, limit=checks.MAX_ROWS))
            if event.id in void or memory.status != "superseded" or memory.superseded_by:
                continue
            self.void.setdefault(memory.id, []).append(event.id)
            self._set(memory, status="active", superseded_at=None, valid_to=None)

    def _repair(self) -> None:
        """A question with one answer has one: of several that hold again the latest."""
        for memory in list(self.after.values()):
            if memory.status != "active" or not has_one_answer(memory.predicate):
                continue
            slot = self.unit.memories.in_slot(
                memory.subject,
                memory.predicate,
                project=memory.project,
                status="active",
                now=self.now,
            )
            there = {m.id for m in slot}
            there |= {m.id for m in self.after.values() if _slot(m) == _slot(memory)}
            active = [m for id_ in there if (m := self._look(id_)).status == "active"]
            active.sort(key=lambda m: (m.created_at, m.id))
            for older, newer in pairwise(active):
                self._set(
                    older,
                    status="superseded",
                    superseded_by=newer.id,
                    superseded_at=newer.created_at,
                    valid_to=newer.valid_from,
                )

    # --- copies ----------------------------------------------------------------------------------

    def _look(self, id_: SafeName) -> Memory:
        """A memory as it will be."""
        if id_ not in self.after:
            (memory,) = self.unit.memories.by_id([id_])
            self.before[id_] = self.after[id_] = memory
        return self.after[id_]

    def _chain(self, id_: SafeName) -> list[Memory]:
        return [self._look(memory.id) for memory in self.unit.memories.chain(id_)]

    def _set(self, memory: Memory, **changes: object) -> None:
        self.after[memory.id] = replace(memory, **changes)  # type: ignore[arg-type]

    # --- the result ------------------------------------------------------------------------------

    def report(self, operation: str) -> RolledBack:
        restored: list[SafeName] = []
        revised: list[SafeName] = []
        for id_ in sorted({*self.after, *self.dropped}):
            if id_ in self.removed:
                continue
            changed = self.before.get(id_) != self.after.get(id_)
            if changed and self.before[id_].status != self.after[id_].status in _HOLDING:
                restored.append(id_)
            elif changed or id_ in self.dropped:
                revised.append(id_)
        return RolledBack(
            source=str(self.origin),
            removed=tuple(self.removed),
            restored=tuple(restored),
            revised=tuple(revised),
            operation_id=operation,
            dry_run=not operation,
        )

    def write(self, operation: SafeName) -> RolledBack:
        report = self.report(operation)
        for type_, ids in (
            ("archive", report.removed),
            ("restore", report.restored),
            ("revise", report.revised),
        ):
            for id_ in ids:
                self.unit.memories.drop_sources(id_, self.dropped.get(id_, ()))
                if id_ in self.after:
                    if type_ == "restore" and self.before[id_].status == "archived":
                        self.unit.tiers.bring_back(id_, self.after[id_].status, self.now)
                    self.unit.memories.revise(replace(self.after[id_], updated_at=self.now))
                payload: dict[str, Fact] = {"reason": self.origin.reason}
                if type_ == "archive":
                    payload["was"] = self.before[id_].status
                    payload["superseded_by"] = self.before[id_].superseded_by
                if id_ in self.void:
                    payload[VOID] = list(self.void[id_])
                self.unit.journal.begin(operation, self.now).note(type_, id_, **payload)
        return report


def _slot(memory: Memory) -> tuple[SafeName, ...]:
    return memory.subject, memory.predicate, memory.project
