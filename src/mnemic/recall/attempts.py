"""Each retrieval route may fail alone: the others answer, and an event says what failed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Self, TypeVar

from mnemic.errors import MnemicError, ModelError, ModelSuspended, StoreError, StoreUnavailable
from mnemic.ids import new_id
from mnemic.settings.logs import OperationLog
from mnemic.space import Space
from mnemic.store.contract import Unit
from mnemic.tracing import span
from mnemic.types import constant, key_of

R = TypeVar("R")


class Attempts:
    """The tries of one recall, in one snapshot; after a failure the next takes a new one."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self.failures: dict[str, str] = {}
        self._errors: dict[str, MnemicError] = {}
        self._worked = False
        self._from_replica = space.store.has_replica
        self._reading: AbstractContextManager[Unit] | None = None
        self._unit: Unit | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._leave(error)

    def run(self, route: str, work: Callable[[Unit], R]) -> R | None:
        """The result of ``work``, or None when the store or the model failed."""
        try:
            with self._snapshot() as unit, span(f"recall {route}"):
                result = work(unit)
        except (StoreError, ModelError) as error:
            if isinstance(error, StoreError) and self._from_replica:
                self._from_replica = False  # it went away, or had to let go of its snapshot
                return self.run(route, work)
            self.report(route, error)
            return None
        self._worked |= result is not None
        return result

    @contextmanager
    def _snapshot(self) -> Iterator[Unit]:
        if self._unit is None:
            store = self._space.store
            read = store.read_replica if self._from_replica else store.read
            self._reading = read(self._space.name)
            self._unit = self._reading.__enter__()
        try:
            yield self._unit
        except BaseException as error:
            self._leave(error)
            raise

    def _leave(self, error: BaseException | None) -> None:
        """End the snapshot; the store may say in its own words what an error was."""
        reading, entered = self._reading, self._unit is not None
        self._reading = self._unit = None
        if reading is not None and entered:
            reading.__exit__(type(error) if error else None, error, None)

    def run_outside(self, route: str, work: Callable[[], R]) -> R | None:
        """The same for work on vectors that are not in the store."""
        try:
            return work()
        except StoreError as error:
            self.report(route, error)
            return None

    def report(self, route: str, error: MnemicError) -> None:
        """Note what is wrong with a route."""
        self.failures[route] = f"{type(error).__name__}: {error.message}"
        self._errors[route] = error

    def has_lost(self, route: str) -> bool:
        """Whether a route failed because the database cannot be read."""
        return isinstance(self._errors.get(route), StoreError)

    @property
    def all_failed(self) -> bool:
        """Whether there were failures and no route answered."""
        return bool(self._errors) and not self._worked

    def to_error(self) -> StoreError:
        """The error for a caller when nothing could be read, with the store's own remedy."""
        of_store = [error for error in self._errors.values() if isinstance(error, StoreError)]
        first = of_store[0] if of_store else next(iter(self._errors.values()))
        kind = type(first) if isinstance(first, StoreError) else StoreUnavailable
        reasons = "; ".join(f"{route}: {why}" for route, why in self.failures.items())
        return kind(f"Recall could read nothing ({reasons})", remedy=first.remedy)

    def note(self, log: OperationLog) -> None:
        """Add an event for each failure; where even that fails, ``failures`` says so.

        A suspended model has left its event when the suspension began.
        """
        reasons = {
            route: why
            for route, why in self.failures.items()
            if not isinstance(self._errors[route], ModelSuspended)
        }
        for why in reasons.values():
            log.log_failure("retrieve", self._space.guard.error(why))
        if not reasons or self._space.store.read_only:
            return
        now = self._space.now()
        operation = key_of("recall", new_id(now))
        try:
            with self._space.write() as unit:
                for route, error in reasons.items():
                    unit.journal.begin(operation, now).note(
                        "retrieval_fail",
                        key_of("route", constant(route)),
                        error=self._space.guard.error(error),
                    )
        except StoreError as error:
            self.failures["events"] = error.message
