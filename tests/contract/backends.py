"""How each backend is opened for a test."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mnemic.clock import Clock, ManualClock
from mnemic.store.contract import Store
from mnemic.store.postgres.store import PostgresStore
from mnemic.store.sqlite.store import SqliteStore
from tests.conftest import NOON
from tests.postgres.server import database_for


@dataclass(frozen=True, slots=True)
class Backend:
    """A kind of store.

    ``lasts`` when opening the same folder again finds what was written; ``examples`` is how many
    random ones a property gets, fewer where opening is dear.
    """

    name: str
    open: Callable[[Path, Clock], Store]
    lasts: bool
    examples: int

    @contextlib.contextmanager
    def fresh(self) -> Iterator[Store]:
        """An empty store for one example of a property."""
        with tempfile.TemporaryDirectory() as folder:
            store = self.open(Path(folder), ManualClock(NOON))
            try:
                yield store
            finally:
                store.close()


def _sqlite_file(folder: Path, clock: Clock) -> Store:
    return SqliteStore(str(folder / "contract.db"), busy_timeout=30, now=clock.now)


def _sqlite_memory(folder: Path, clock: Clock) -> Store:
    return SqliteStore(":memory:", busy_timeout=30, now=clock.now)


def _postgres(folder: Path, clock: Clock) -> Store:
    return PostgresStore(database_for(folder), busy_timeout=30, now=clock.now)


BACKENDS = (
    Backend("sqlite-file", _sqlite_file, lasts=True, examples=6),
    Backend("sqlite-memory", _sqlite_memory, lasts=False, examples=20),
    Backend("postgres", _postgres, lasts=True, examples=3),
)
