"""Transactions that collect what goes into the plain files: turns, ends, failures, statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import apsw

from mnemic.documents.fallback.logs import Ended, Entry, Failed, LoggedTurn
from mnemic.documents.fallback.notes import Note
from mnemic.errors import Conflict
from mnemic.learn.session_end import ENDED
from mnemic.store.rows import Placed, TurnRow
from mnemic.store.sql.journal import SqlJournal
from mnemic.store.sql.ledger import SqlLedger
from mnemic.store.sql.postings import TextStats
from mnemic.store.sql.tasks import SqlTasks
from mnemic.store.sqlite.store import SqliteUnit
from mnemic.types import EMPTY, Event, Fact, SafeName, Turn, key_of, no_metadata

HOST_FAIL = "host_fail"
Older = Callable[[str], Mapping[int, Turn]]


class MirroredUnit(SqliteUnit):
    """A transaction that notes what has to go into the files."""

    def __init__(
        self, conn: apsw.Connection, space: int, text_stats: TextStats, older: Older
    ) -> None:
        super().__init__(conn, space, text_stats)
        self.entries: list[Entry] = []
        self.notes: list[Note] = []
        self.opened: dict[SafeName, tuple[SafeName, SafeName, datetime]] = {}
        # Parts of a unit are made when they are first asked for; these are made already.
        vars(self).update(
            ledger=_MirroredLedger(self, older),
            journal=_MirroredJournal(self),
            tasks=_NoTasks(self),
        )


class _MirroredLedger(SqlLedger):
    """Notes turns that are added, at indexes that also the logs that are not shown leave free."""

    _unit: MirroredUnit

    def __init__(self, unit: MirroredUnit, older: Older) -> None:
        super().__init__(unit)
        self._older = older

    def open_session(
        self, session: SafeName, project: SafeName, topic: SafeName, at: datetime
    ) -> None:
        super().open_session(session, project, topic, at)
        if project or topic:
            self._unit.opened[session] = project, topic, at

    def append(self, rows: Sequence[TurnRow]) -> list[Placed]:
        sessions = {row.session: self.session(row.session) for row in rows}
        begun = {session for session, info in sessions.items() if info is not None and info.turns}
        placed: list[Placed | None] = []
        fresh: list[TurnRow] = []
        for new in rows:
            row = new
            if row.idx is not None and row.idx in (older := self._older(row.session)):
                placed.append(_same(older[row.idx], row))
                continue
            if row.idx is None and row.session not in begun:
                row = row._replace(idx=max(self._older(row.session), default=-1) + 1)
            begun.add(row.session)
            placed.append(None)
            fresh.append(row)
        added = iter(super().append(fresh) if fresh else ())
        done = [next(added) if place is None else place for place in placed]
        for row, place in zip(rows, done, strict=True):
            if place.added:
                info = sessions[row.session]
                about = (EMPTY, EMPTY) if info is None else (info.project, info.topic)
                turn = _turn(row, place.idx)
                self._unit.entries.append(LoggedTurn(turn, *about, placed=row.idx is not None))
        return done

    def turn_at(self, session: SafeName, index: int) -> Turn:
        older = self._older(session).get(index)
        return super().turn_at(session, index) if older is None else older


class _MirroredJournal(SqlJournal):
    """Notes statements, ends of sessions and failures of the host by their events."""

    _unit: MirroredUnit

    def add_event(
        self,
        type_: str,
        *,
        operation_id: SafeName,
        subject: SafeName,
        payload: Mapping[str, Fact],
        at: datetime,
    ) -> Event:
        event = super().add_event(
            type_, operation_id=operation_id, subject=subject, payload=payload, at=at
        )
        if type_ == ENDED:
            self._unit.entries.append(Ended(subject, at))
        elif type_ == HOST_FAIL:
            self._unit.entries.append(Failed(event.id, subject, str(payload["error"]), at))
        elif type_ == "write":
            (memory,) = self._unit.memories.by_id([subject])
            ours = operation_id == key_of("remember", memory.id)
            self._unit.notes.append(
                Note(memory, str(payload["supersedes"]), "" if ours else operation_id)
            )
        return event


class _NoTasks(SqlTasks):
    """Nothing is queued: nothing is learnt here, and what is recorded is learnt from later."""

    def enqueue(
        self,
        kind: str,
        *,
        key: SafeName,
        payload: Mapping[str, Fact],
        run_at: datetime,
        now: datetime,
        max_attempts: int,
    ) -> None: ...

    def enqueue_many(
        self,
        kind: str,
        payloads: Mapping[SafeName, Mapping[str, Fact]],
        *,
        run_at: datetime,
        now: datetime,
        max_attempts: int,
    ) -> None: ...


def _same(existing: Turn, row: TurnRow) -> Placed:
    stored = (existing.role, existing.content, existing.tool_calls, existing.tool_results)
    if stored != (row.role, row.content, row.tool_calls, row.tool_results):
        raise Conflict(
            f"Session {row.session!r} already has another turn at index {existing.index}",
            remedy="Leave index out to append, or give the next free one",
        )
    return Placed(existing.index, added=False)


def _turn(row: TurnRow, index: int) -> Turn:
    return Turn(
        id=row.id,
        session=row.session,
        index=index,
        role=row.role,
        content=row.content,
        at=row.at,
        sender=row.sender,
        channel=row.channel,
        tool_calls=row.tool_calls,
        tool_results=row.tool_results,
        tokens=row.tokens,
        trust=row.trust,
        metadata=row.metadata or no_metadata(),
    )
