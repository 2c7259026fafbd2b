"""Settling candidates in a test: a mind, and the rooms that learn beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.learn.advice import Adviser, Judge
from mnemic.learn.pending import PendingQueue
from mnemic.learn.reconciler import Reconciler
from mnemic.learn.rollback import Rollback
from mnemic.providers.embedding.base import Embedder
from mnemic.space import Space
from mnemic.store.contract import Store
from mnemic.store.rows import MemoryFilter
from mnemic.types import Candidate, Decision, Memory, MemoryStatus, Turn, constant


def candidate(content: str = "", **fields: Any) -> Candidate:
    """A candidate that is sure of itself unless told otherwise."""
    given: dict[str, Any] = {"kind": "fact", "confidence": 0.95, "importance": 0.5, **fields}
    said = " ".join(
        filter(None, (given.get("subject"), given.get("predicate"), given.get("value")))
    )
    return Candidate(text=content or said, **given)


def version(value: str, **fields: Any) -> Candidate:
    """Which Python somebody uses: a question with one answer."""
    given = {
        "kind": "config",
        "subject": "Python",
        "predicate": "version",
        "value": value,
        **fields,
    }
    return candidate(f"Python {value}", **given)


def likes(value: str, **fields: Any) -> Candidate:
    """What somebody likes: a question with many answers."""
    given = {"kind": "fact", "subject": "user", "predicate": "likes", "value": value, **fields}
    return candidate(f"likes {value}", **given)


@dataclass
class Learning:
    """The rooms that learn, over the store of a mind."""

    mind: Mind
    clock: ManualClock
    embedder: Embedder | None = None
    judge: Judge | None = None
    _operations: count[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        space = Space.of(self.store, self.mind.space, self.clock, self.mind.settings)
        adviser = Adviser(space, self.embedder, self.judge)
        self.reconciler = Reconciler(space, adviser)
        self.inbox = PendingQueue(space, self.reconciler)
        self.undo = Rollback(space)

    @property
    def store(self) -> Store:
        return self.mind._store

    def settle(self, told: Candidate, operation_id: str = "") -> Decision:
        operation = operation_id or f"op-{next(self._operations)}"
        now = self.clock.now()
        advice = self.reconciler.advise(told, now)
        with self.store.write(self.mind.space) as unit:
            return self.reconciler.settle(
                unit, told, operation_id=operation, now=now, advice=advice
            )

    def say(self, text: str, *, session: str = "s", sender: str = "", **fields: Any) -> Turn:
        given = {"role": "user", "text": text, **fields}
        return self.mind.record(session=session, sender=sender, **given)

    def all(self, status: MemoryStatus | None = None) -> list[Memory]:
        with self.store.read(self.mind.space) as unit:
            return unit.memories.find(MemoryFilter(status=status, limit=10_000))

    def values(self) -> list[str]:
        """What holds now, oldest first."""
        return [memory.value for memory in reversed(self.mind.memories(limit=10_000))]

    def events(self, operation_id: str) -> list[str]:
        with self.store.read(self.mind.space) as unit:
            return [event.type for event in unit.journal.operation(constant(operation_id))]
