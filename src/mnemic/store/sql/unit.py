"""A unit of work: the parts of one space inside one transaction."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from mnemic.store.sql.attachments import SqlAttachments
from mnemic.store.sql.cleanup import SqlCleanup
from mnemic.store.sql.episodes import SqlEpisodes
from mnemic.store.sql.erasure import SqlEraser
from mnemic.store.sql.journal import SqlCounters, SqlJournal
from mnemic.store.sql.ledger import SqlLedger
from mnemic.store.sql.memories import SqlMemories
from mnemic.store.sql.names import SqlNames
from mnemic.store.sql.part import SqlConnection
from mnemic.store.sql.postings import TermIndex, TextStats
from mnemic.store.sql.queue import SqlTasks
from mnemic.store.sql.runs import SqlRuns
from mnemic.store.sql.state import (
    SqlCards,
    SqlDocumentStates,
    SqlEchoes,
    SqlOnboardings,
    SqlReplies,
    SqlScratchpads,
)
from mnemic.store.sql.sync import SqlSync
from mnemic.store.sql.text import SqlText
from mnemic.store.sql.tiers import SqlTiers
from mnemic.store.sql.tokens import SqlAccesses
from mnemic.store.sql.transfer import SqlTransfer
from mnemic.store.sql.vectors import SqlVectors

if TYPE_CHECKING:
    from mnemic.store.contract import Store

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class UnitPart(Generic[T_co]):
    """A part of a unit, made at first use; without a lock, since one thread has the unit."""

    def __init__(self, make: Callable[[Any], T_co]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, unit: Any, owner: type | None = None) -> T_co:
        made = unit.__dict__[self._name] = self._make(unit)
        return made


class Unit:
    """All parts of one space on one connection. Each database names its text index, how it
    compares a column of vectors with a given one, and how it lists the tables with a space.
    """

    make_index: type[TermIndex]
    cosine: str
    tables: str

    def __init__(
        self,
        conn: SqlConnection,
        space: int,
        store: Store,
        *,
        reading: bool = False,
        text_stats: TextStats | None = None,
    ) -> None:
        """``text_stats`` are those of a replica."""
        self.conn = conn
        self.space = space
        self.text_stats = text_stats or store.text_stats
        self.admission = store.admission
        self.habits = store.habits
        self._answers: dict[Hashable, Any] | None = {} if reading else None

    index: UnitPart[TermIndex] = UnitPart(lambda unit: unit.make_index(unit.conn, unit.space))
    ledger = UnitPart(SqlLedger)
    memories = UnitPart(SqlMemories)
    episodes = UnitPart(SqlEpisodes)
    scratchpads = UnitPart(SqlScratchpads)
    echoes = UnitPart(SqlEchoes)
    document_states = UnitPart(SqlDocumentStates)
    attachments = UnitPart(SqlAttachments)
    journal = UnitPart(SqlJournal)
    text = UnitPart(SqlText)
    vectors = UnitPart(SqlVectors)
    tasks = UnitPart(SqlTasks)
    tiers = UnitPart(SqlTiers)
    runs = UnitPart(SqlRuns)
    cards = UnitPart(SqlCards)
    onboarding = UnitPart(SqlOnboardings)
    eraser = UnitPart(SqlEraser)
    names = UnitPart(SqlNames)
    cleanup = UnitPart(SqlCleanup)
    counters = UnitPart(SqlCounters)
    transfer = UnitPart(SqlTransfer)
    replies = UnitPart(SqlReplies)
    accesses = UnitPart(SqlAccesses)
    sync = UnitPart(SqlSync)

    def once(self, question: Hashable, ask: Callable[[], T]) -> T:
        """The answer, asked for once in a snapshot; each time where something is written."""
        if self._answers is None:
            return ask()
        if question not in self._answers:
            self._answers[question] = ask()
        return cast("T", self._answers[question])

    def first_rows(self, statement: str, bindings: Iterable[Mapping[str, Any]]) -> list[Any]:
        """The first row of a statement for each of the values; None where it has none."""
        return [self.conn.execute(statement, values).fetchone() for values in bindings]

    def encode_vector(self, vector: bytes) -> Any:
        """A vector as the database takes it."""
        return vector

    def tables_with_space(self) -> list[str]:
        """Every table whose rows belong to spaces."""
        return [table for (table,) in self.conn.execute(self.tables)]

    def overwrite(self) -> None:
        """Leave no bytes of what is removed from now on, where the database can."""
