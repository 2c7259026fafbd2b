"""Each way of searching may fail alone: the next one answers, and an event says what failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from recollect.clock import Clock
from recollect.errors import ModelError, StoreError
from recollect.ids import new_id
from recollect.rules.guard import Guard
from recollect.store.base import Store, Unit
from recollect.types import constant, key_of

R = TypeVar("R")


class Attempts:
    """The tries of one recall, each in a snapshot of its own."""

    def __init__(self, store: Store, space: str, guard: Guard) -> None:
        self._store = store
        self._space = space
        self._guard = guard
        self.failures: dict[str, str] = {}

    def run(self, route: str, work: Callable[[Unit], R]) -> R | None:
        """What ``work`` found, or None when the store or the model failed it."""
        try:
            with self._store.read(self._space) as unit:
                return work(unit)
        except (StoreError, ModelError) as error:
            self.failures[route] = f"{type(error).__name__}: {error.message}"
            return None

    def note(self, clock: Clock) -> None:
        """Leave an event for each failure. Where even that fails, the recall's owner shows it."""
        now = clock.now()
        operation = key_of("recall", new_id(now))
        try:
            with self._store.write(self._space) as unit:
                for route, error in self.failures.items():
                    unit.journal.add_event(
                        "retrieval_fail",
                        operation_id=operation,
                        subject=key_of("route", constant(route)),
                        payload={"error": self._guard.error(error)},
                        at=now,
                    )
        except StoreError as error:
            self.failures["events"] = error.message
