"""The contract every store keeps: what the rest of the engine may ask of SQLite or PostgreSQL.

A unit of work belongs to one space from the moment it is opened, so no call can reach another
owner's rows. ``write`` is one durable transaction; ``read`` is one consistent snapshot.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from pathlib import Path

from mnemic.errors import Conflict, StoreError
from mnemic.store.quota import Admission, Quota
from mnemic.store.rows import NOBODY
from mnemic.store.sql.part import SqlConnection
from mnemic.store.sql.postings import TextStats
from mnemic.store.sql.queue import Habits, SqlQueue
from mnemic.store.sql.unit import Unit
from mnemic.store.sqlite.keys import FileKey
from mnemic.types import Backup, Finding, PageProgress, Stats

__all__ = ["Store", "Unit"]

_NUMBER = "SELECT space FROM spaces WHERE name = ? AND forgotten_at IS NULL"
_JOBS = "SELECT state, count(*) FROM jobs GROUP BY state"
_SPACES = "SELECT count(*) FROM spaces WHERE forgotten_at IS NULL"
MADE_AT = "SELECT min(applied_at) FROM migrations"
_NAMES = "SELECT name FROM spaces WHERE forgotten_at IS NULL ORDER BY space"


class Pinned(threading.local):
    """The space whose work this thread does, with its number when that began."""

    space: tuple[str, int | None] = ("", None)


def forgotten_meanwhile(space: str) -> Conflict:
    return Conflict(f"{space!r} was forgotten meanwhile", remedy="Nothing was written; call again")


class Together(threading.local):
    """The transaction that this thread has open for all it writes to a space meanwhile."""

    unit: Unit | None = None
    space = ""
    failed = False

    def of(self, space: str) -> Unit | None:
        """The unit that a read or write of the space joins."""
        return self.unit if self.unit is not None and self.space == space else None

    @contextmanager
    def begin(self, space: str, writing: AbstractContextManager[Unit]) -> Iterator[Unit]:
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
    def join(self, unit: Unit) -> Iterator[Unit]:
        try:
            yield unit
        except BaseException:
            self.failed = True
            raise


class Store(ABC):
    """One database."""

    queue: SqlQueue
    key: FileKey | None = None  # of an encrypted file
    has_replica = False

    def __init__(self, now: Callable[[], datetime]) -> None:
        self.now = now
        self.text_stats = TextStats()
        self.admission: Admission | None = None
        self.habits = Habits()
        self._together = Together()
        self._pinned = Pinned()

    @property
    @abstractmethod
    def read_only(self) -> bool:
        """Whether nothing can be written, so that nobody should try."""

    def bound(self, quota: Quota | None) -> None:
        """Refuse what goes beyond the quota from now on."""
        self.admission = None if quota in (None, Quota()) else Admission(quota)

    # --- units of work --------------------------------------------------------------------------

    def read(self, space: str) -> AbstractContextManager[Unit]:
        unit = self._together.of(space)
        return self.open_read(space) if unit is None else nullcontext(unit)

    def read_replica(self, space: str) -> AbstractContextManager[Unit]:
        """The same from a second server, if there is one that keeps up."""
        return self.read(space)

    def write(self, space: str) -> AbstractContextManager[Unit]:
        unit = self._together.of(space)
        return self.open_write(space) if unit is None else self._together.join(unit)

    def together(self, space: str) -> AbstractContextManager[Unit]:
        """A transaction that everything joins which this thread reads and writes meanwhile."""
        unit = self._together.of(space)
        if unit is not None:
            return self._together.join(unit)
        return self._together.begin(space, self.open_write(space))

    @contextmanager
    def pin(self, space: str) -> Iterator[None]:
        """This thread writes to the space as it is now or not at all: a forgotten one stays so."""
        before = self._pinned.space
        self._pinned.space = space, self.find_number(space)
        try:
            yield
        finally:
            self._pinned.space = before

    def check_pinned(self, space: str, number: int) -> None:
        """Refuse to write to another space than the one that is pinned under its name."""
        name, pinned = self._pinned.space
        if name == space and pinned not in (None, number):
            raise forgotten_meanwhile(space)

    @abstractmethod
    def open_read(self, space: str) -> AbstractContextManager[Unit]:
        """A snapshot of its own."""

    @abstractmethod
    def open_write(self, space: str) -> AbstractContextManager[Unit]:
        """A transaction of its own."""

    @abstractmethod
    def read_queue(self) -> AbstractContextManager[SqlConnection]:
        """A snapshot of the names and the jobs of all spaces."""

    @abstractmethod
    def write_queue(self) -> AbstractContextManager[SqlConnection]:
        """A transaction on the jobs of all spaces."""

    @abstractmethod
    def enter(self, conn: SqlConnection, space: str) -> Unit:
        """A space inside a transaction on the queue, as its only writer."""

    def number_of(self, conn: SqlConnection, space: str) -> int | None:
        """The number of a space; None for one that was never written to, or was forgotten."""
        number: int | None = conn.execute(_NUMBER, (space,)).get
        return number

    def owner_of(self, conn: SqlConnection, space: str) -> int:
        """The number whose rows are the space's."""
        number = self.number_of(conn, space)
        return NOBODY if number is None else number

    def find_number(self, space: str) -> int | None:
        """The number of a space outside a transaction."""
        with self.read_queue() as conn:
            return self.number_of(conn, space)

    # --- the database ---------------------------------------------------------------------------

    def spaces(self) -> list[str]:
        with self.read_queue() as conn:
            return [name for (name,) in conn.execute(_NAMES)]

    def stats(self, space: str) -> Stats:
        """Counts of one space, and the size of the database."""
        with self.read(space) as unit:
            return unit.cleanup.stats(space, self.size())

    def totals(self) -> dict[str, int]:
        """Figures of the database that need no count row by row: spaces, jobs by state, size."""
        with self.read_queue() as conn:
            jobs: dict[str, int] = dict(conn.execute(_JOBS).fetchall())
            spaces = int(conn.execute(_SPACES).get)
        counted = {f"jobs_{state}": jobs.get(state, 0) for state in ("ready", "running", "dead")}
        return {"spaces": spaces, **counted, "bytes": self.size()}

    @abstractmethod
    def size(self) -> int:
        """Bytes of the database."""

    @abstractmethod
    def check(self, space: str, *, deep: bool) -> list[Finding]:
        """Look for what is wrong, from cheap to dear; nothing is changed."""

    @abstractmethod
    def clear_text_index(self) -> None:
        """Start the text index afresh, for all spaces; what to index comes from the records."""

    def index_vectors(self, space: str, embedder: int) -> None:  # noqa: B027 - most need none
        """Build what ``SqlVectors.nearest`` needs where a space has grown large; nobody waits."""

    @abstractmethod
    def compact(self) -> None:
        """Remove what is left of removed records; docs/backup.md says what stays."""

    def settle(self) -> None:  # noqa: B027 - most have none
        """Bring a log of the database into its file and empty it."""

    @abstractmethod
    def vocabulary(self, space: str) -> Iterator[str]:
        """Every term that the files of a space may hold: of a shared file, those of all spaces."""

    @abstractmethod
    def names(self, space: str) -> list[str]:
        """Likewise every name beside what people said."""

    @abstractmethod
    def backup(
        self, target: Path, *, replace: bool, patience: float, progress: PageProgress
    ) -> Backup:
        """A checked copy of all spaces as a whole file; waits ``patience`` seconds for another."""

    def read_origin(self) -> int:
        """The microsecond in which its first schema was made, which its backups bear, too."""
        with self.read_queue() as conn:
            return int(conn.execute(MADE_AT).get)

    def is_backup(self, file: Path) -> bool:
        """Whether a file is a backup of this database."""
        from mnemic.store.sqlite.backup import is_backup_of

        return is_backup_of(self, file)

    @abstractmethod
    def close(self) -> None: ...
