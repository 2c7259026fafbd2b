"""Several writes of one thread as one transaction."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Generic, TypeVar

from mnemic.errors import StoreError

U = TypeVar("U")


class Together(threading.local, Generic[U]):
    """The transaction that this thread has open for all it writes to a space meanwhile."""

    unit: U | None = None
    space = ""
    failed = False

    def of(self, space: str) -> U | None:
        """The unit that a read or write of the space joins."""
        return self.unit if self.unit is not None and self.space == space else None

    @contextmanager
    def begin(self, space: str, writing: AbstractContextManager[U]) -> Iterator[U]:
        with writing as unit:
            self.unit, self.space, self.failed = unit, space, False
            try:
                yield unit
            finally:
                self.unit = None
            if self.failed:  # somebody went on without a part; half of it must not stay
                raise StoreError(
                    "A part of the request failed", remedy="Send it without an Idempotency-Key"
                )

    @contextmanager
    def joined(self, unit: U) -> Iterator[U]:
        try:
            yield unit
        except BaseException:
            self.failed = True
            raise
