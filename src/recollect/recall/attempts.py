"""Each retrieval route may fail alone: the others answer, and an event says what failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from recollect.clock import Clock
from recollect.errors import (
    ModelError,
    ModelSuspended,
    RecollectError,
    StoreError,
    StoreUnavailable,
)
from recollect.ids import new_id
from recollect.language.guard import Guard
from recollect.store.contract import Store, Unit
from recollect.types import constant, key_of

R = TypeVar("R")


class Attempts:
    """The tries of one recall, each in a snapshot of its own."""

    def __init__(self, store: Store, space: str, guard: Guard) -> None:
        self._store = store
        self._space = space
        self._guard = guard
        self.failures: dict[str, str] = {}
        self._errors: dict[str, RecollectError] = {}
        self._worked = False

    def run(self, route: str, work: Callable[[Unit], R]) -> R | None:
        """The result of ``work``, or None when the store or the model failed."""
        try:
            with self._store.read(self._space) as unit:
                result = work(unit)
        except (StoreError, ModelError) as error:
            self.failures[route] = f"{type(error).__name__}: {error.message}"
            self._errors[route] = error
            return None
        self._worked |= result is not None
        return result

    @property
    def all_failed(self) -> bool:
        """Whether there were failures and no route answered."""
        return bool(self._errors) and not self._worked

    def unanswered(self) -> StoreError:
        """The error for a caller when nothing could be read, with the store's own remedy."""
        of_store = [error for error in self._errors.values() if isinstance(error, StoreError)]
        first = of_store[0] if of_store else next(iter(self._errors.values()))
        kind = type(first) if isinstance(first, StoreError) else StoreUnavailable
        reasons = "; ".join(f"{route}: {why}" for route, why in self.failures.items())
        return kind(f"Recall could read nothing ({reasons})", remedy=first.remedy)

    def note(self, clock: Clock) -> None:
        """Add an event for each failure; where even that fails, ``failures`` says so.

        A suspended model has left its event when the suspension began.
        """
        reasons = {
            route: why
            for route, why in self.failures.items()
            if not isinstance(self._errors[route], ModelSuspended)
        }
        if not reasons or self._store.read_only:
            return
        now = clock.now()
        operation = key_of("recall", new_id(now))
        try:
            with self._store.write(self._space) as unit:
                for route, error in reasons.items():
                    unit.journal.add_event(
                        "retrieval_fail",
                        operation_id=operation,
                        subject=key_of("route", constant(route)),
                        payload={"error": self._guard.error(error)},
                        at=now,
                    )
        except StoreError as error:
            self.failures["events"] = error.message
