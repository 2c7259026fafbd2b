"""The pending queue: statements that wait for a person's answer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from mnemic.errors import Conflict, InvalidInput, NotFound
from mnemic.ids import new_id
from mnemic.learn.candidates import candidate_of, check_candidate
from mnemic.learn.echo import load_untrusted, taint
from mnemic.learn.reconciler import Reconciler
from mnemic.learn.settlement import load_decision
from mnemic.locks import ForkSafeLock
from mnemic.rules import checks
from mnemic.rules.importance import PROPOSED_CONFIDENCE
from mnemic.space import Space
from mnemic.store.contract import Unit
from mnemic.store.rows import MemoryFilter
from mnemic.types import EMPTY, Candidate, Decision, Memory, SafeName, constant, key_of, stamp


@dataclass(frozen=True, slots=True, eq=False)
class Proposals:
    """Takes candidates into one space."""

    space: Space
    reconciler: Reconciler

    def propose(self, candidate: Candidate, *, operation_id: str | None = None) -> Decision:
        """Settle it now; the same operation again changes nothing and says what it did."""
        now = self.space.now()
        if not isinstance(candidate, Candidate):
            raise InvalidInput(
                f"a candidate is a {type(candidate).__name__}",
                remedy="Pass mnemic.Candidate(kind, text)",
            )
        safe = replace(check_candidate(candidate, self.space.guard), origin="proposal")
        if safe.confidence is None:
            safe = replace(safe, confidence=PROPOSED_CONFIDENCE)
        if safe.trust == "agent":
            with self.space.read() as unit:
                safe = taint(safe, (), load_untrusted(unit, now, self.space.settings.trust))
        # A secret is refused below, and shown to no model before that.
        advice = None if safe.kind == "credential" else self.reconciler.advise(safe, now)
        with self.space.write() as unit:
            return self.reconciler.settle(
                unit,
                safe,
                operation_id=operation_id or f"propose:{new_id(now)}",
                now=now,
                advice=advice,
                own_idea=True,
            )


_LAPSED = 500  # in one transaction
_GIVEN = 100  # offers that are counted together


@dataclass(slots=True, eq=False)
class PendingQueue:
    """The pending memories of one space."""

    space: Space
    reconciler: Reconciler
    _lock: ForkSafeLock = field(default_factory=ForkSafeLock)
    # Offered with a context, and not counted yet.
    _uncounted: dict[str, None] = field(default_factory=dict)

    def waiting(self, *, limit: int = 100, offset: int = 0) -> list[Memory]:
        """Everything that waits, snoozed or not, the latest first."""
        checks.check_limit(limit)
        wanted = MemoryFilter(
            status="pending",
            holds_at=self.space.now(),
            limit=limit,
            offset=checks.check_offset(offset),
        )
        with self.space.read() as unit:
            oldest = self._oldest(self.space.now())
            pending = unit.memories.find(wanted)
        return [memory for memory in pending if oldest is None or memory.created_at > oldest]

    def offer(self, limit: int | None = None) -> list[Memory]:
        """The few to put to the user at the end of a reply; each offer is counted."""
        most = self.space.settings.pending.offer
        limit = most if limit is None else min(most, checks.check_limit(limit))
        now = self.space.now()
        if not limit:
            return []
        self.flush()
        with self.space.write() as unit:
            offered = unit.memories.to_offer(now=now, since=self._oldest(now), limit=limit)
            unit.memories.count_offer([memory.id for memory in offered], now)
        return [replace(memory, offered=memory.offered + 1) for memory in offered]

    def fresh(self) -> list[Memory]:
        """The few to ask about once: those that the last turns left, or whose cool-down is over.

        Nothing is written, since a context is waited for; ``flush`` counts the offers.
        """
        most = self.space.settings.pending.offer
        if not most:
            return []
        now = self.space.now()
        with self._lock:
            limit = most + len(self._uncounted)
            with self.space.read() as unit:
                waiting = unit.memories.to_offer(now=now, since=self._oldest(now), limit=limit)
            due = filter(_is_due, waiting)
            offered = [memory for memory in due if memory.id not in self._uncounted][:most]
            self._uncounted.update(dict.fromkeys(memory.id for memory in offered))
            full = len(self._uncounted) >= _GIVEN
        if full:
            self.flush()
        return offered

    def flush(self) -> None:
        """Count what was offered with contexts."""
        with self._lock:
            offered, self._uncounted = self._uncounted, {}
        if offered and not self.space.store.read_only:
            with self.space.write() as unit:
                unit.memories.count_offer(list(offered), self.space.now())

    def confirm(self, id_: str, *, operation_id: str | None = None) -> Decision:
        """It is true: settled against what is known now, which it may update."""
        operation = self._operation("confirm", id_, operation_id)
        now = self.space.now()
        with self.space.read() as unit:
            candidate = candidate_of(_memory(unit, id_))
        advice = self.reconciler.advise(candidate, now)
        with self.space.write() as unit:
            before = load_decision(unit, unit.journal.operation(operation))
            if before is not None:
                return before
            memory = _still_pending(unit, id_)
            decision = self.reconciler.confirm(
                unit,
                memory,
                operation_id=operation,
                now=now,
                advice=advice,
                is_update=_was_update(unit, memory.id),
            )
            memory_id = EMPTY if decision.memory is None else decision.memory.id
            unit.journal.begin(operation, now).note("confirm", memory.id, memory=memory_id)
        return decision

    def ignore(self, id_: str, *, operation_id: str | None = None) -> Memory:
        """Not to be kept, nor offered again in other words."""
        operation = self._operation("ignore", id_, operation_id)
        now = self.space.now()
        with self.space.write() as unit:
            memory = _memory(unit, id_)
            if unit.journal.operation(operation):
                return memory
            memory = _still_pending(unit, id_)
            unit.memories.revise(replace(memory, status="rejected", updated_at=now))
            unit.journal.begin(operation, now).note("reject", memory.id, by=constant("user"))
            return _memory(unit, id_)

    def snooze(self, id_: str, *, operation_id: str | None = None) -> Memory:
        """Not now; while its cool-down lasts, saying so again changes nothing."""
        now = self.space.now()
        operation = self._operation("snooze", new_id(now), operation_id)
        self.flush()
        until = now + self.space.settings.pending.cooldown
        with self.space.write() as unit:
            memory = _memory(unit, id_)
            if unit.journal.operation(operation):
                return memory
            memory = _still_pending(unit, id_)
            if memory.snoozed_until is not None and memory.snoozed_until > now:
                return memory
            unit.memories.revise(replace(memory, snoozed_until=until, updated_at=now))
            unit.journal.begin(operation, now).note("snooze", memory.id, until=stamp(until))
            return _memory(unit, id_)

    def lapse(self) -> int:
        """Put away what nobody answered for too long; says how many."""
        now = self.space.now()
        oldest, done = self._oldest(now), 0
        if oldest is None:
            return 0
        while True:
            with self.space.write() as unit:
                late = unit.memories.list_lapsed(oldest, _LAPSED)
                for memory in late:
                    unit.memories.revise(replace(memory, status="archived", updated_at=now))
                    lapse = unit.journal.begin(key_of("lapse", memory.id), now)
                    lapse.note("archive", memory.id, reason=constant("nobody answered"))
            done += len(late)
            if len(late) < _LAPSED:
                return done

    def _operation(self, verb: str, id_: str, operation_id: str | None) -> SafeName:
        checks.check_name(id_, "id")
        name = operation_id or f"{verb}:{id_}"
        return self.space.guard.name(name, "operation_id")

    def _oldest(self, now: datetime) -> datetime | None:
        expire = self.space.settings.pending.expire
        return None if expire is None else now - expire


def _memory(unit: Unit, id_: str) -> Memory:
    memory = unit.memories.get(checks.check_name(id_, "id"))
    if memory is None:
        raise NotFound(f"No memory {id_}", remedy="See pending()")
    return memory


def _is_due(memory: Memory) -> bool:
    """Whether nobody was asked about it, or not since it was put off."""
    until = memory.snoozed_until
    return not memory.offered or (until is not None and memory.updated_at < until)


def _still_pending(unit: Unit, id_: str) -> Memory:
    memory = _memory(unit, id_)
    if memory.status != "pending":
        raise Conflict(
            f"Memory {id_} is not pending but {memory.status}", remedy="See its history()"
        )
    return memory


def _was_update(unit: Unit, id_: SafeName) -> bool:
    proposed = unit.journal.events(subject=id_, type_="pending", limit=1)
    return bool(proposed and proposed[0].payload.get("is_update"))
