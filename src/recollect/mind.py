"""The one entry: ``recollect.open(...)`` gives a Mind, which wires the rooms together.

A Mind holds no logic of its own: each door checks nothing and decides nothing, it leads to a room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from recollect.clock import Clock
from recollect.ids import new_id
from recollect.ingest.files import Files
from recollect.ingest.ledger import LedgerBook
from recollect.ingest.memories import GENERAL_TOPIC, GLOBAL_PROJECT, Keeper
from recollect.ingest.recorder import Recorder
from recollect.ingest.reindex import repair_text_index
from recollect.jobs.worker import Worker
from recollect.providers.embedding.base import Embedder, release
from recollect.recall.engine import Recall
from recollect.recall.request import read_request
from recollect.recall.touches import Touches
from recollect.rules.gate import Verdict
from recollect.session import Session
from recollect.settings import Settings
from recollect.store.base import Store
from recollect.types import (
    RECORD_TYPES,
    Attachment,
    DailyEvent,
    Direction,
    Drained,
    Event,
    Finding,
    History,
    Hit,
    Job,
    JobState,
    Kind,
    Memory,
    NewTurn,
    Recorded,
    RecordType,
    Role,
    SessionInfo,
    Stats,
    ToolCall,
    ToolResult,
    Trust,
    Turn,
    TurnState,
    UsageTotal,
)


class Mind:
    """The memory of one space. Close it, or use it as a context manager."""

    def __init__(
        self,
        *,
        store: Store,
        space: str,
        settings: Settings,
        clock: Clock,
        recorder: Recorder,
        book: LedgerBook,
        keeper: Keeper,
        files: Files,
        recall: Recall,
        touches: Touches,
        worker: Worker,
        embedder: Embedder | None,
    ) -> None:
        self.space = space
        self.settings = settings
        self._store = store
        self._clock = clock
        self._recorder = recorder
        self._book = book
        self._keeper = keeper
        self._files = files
        self._recall = recall
        self._touches = touches
        self._worker = worker
        self._embedder = embedder

    # --- what happened --------------------------------------------------------------------------

    def record(
        self,
        *,
        session: str,
        role: Role,
        content: str,
        sender: str = "",
        channel: str = "",
        tool_calls: Iterable[ToolCall] = (),
        tool_results: Iterable[ToolResult] = (),
        at: datetime | str | None = None,
        index: int | None = None,
    ) -> Turn:
        """Record one turn: durable and findable when this returns."""
        return self.record_turn(
            NewTurn(
                session=session,
                role=role,
                content=content,
                sender=sender,
                channel=channel,
                tool_calls=tuple(tool_calls),
                tool_results=tuple(tool_results),
                at=at,
                index=index,
            )
        )

    def record_turn(self, new: NewTurn) -> Turn:
        """Record a turn that is already a value."""
        return self._recorder.record(new)

    def record_many(self, turns: Iterable[NewTurn]) -> Recorded:
        """Record many turns quickly; repeating an interrupted call adds nothing twice."""
        return self._recorder.record_many(turns)

    def session(
        self, id: str | None = None, *, project: str | None = None, topic: str | None = None
    ) -> Session:
        """Open a conversation, or go on with one."""
        id_ = new_id(self._clock.now()) if id is None else id
        self._book.open_session(id_, project or "", topic or "")
        return Session(self, id_)

    def end_session(self, session: str) -> None:
        """Mark a conversation as ended."""
        self._book.end_session(session)

    def sessions(self, *, limit: int = 100, offset: int = 0) -> list[SessionInfo]:
        """Conversations, the latest first."""
        return self._book.sessions(limit=limit, offset=offset)

    def turns(
        self,
        *,
        session: str | None = None,
        project: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        role: Role | None = None,
        tool: str | None = None,
        state: TurnState | None = None,
        newest_first: bool = False,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Turn]:
        """Turns by session, time, role, tool or state."""
        return self._book.turns(
            session=session,
            project=project,
            since=since,
            until=until,
            role=role,
            tool=tool,
            state=state,
            newest_first=newest_first,
            limit=limit,
            offset=offset,
        )

    def attach(
        self,
        path_or_url: str | Path,
        *,
        session: str = "",
        direction: Direction = "inbound",
        mime: str = "",
        description: str = "",
        transcription: str = "",
        extracted_text: str = "",
        tags: Iterable[str] = (),
        memories: Iterable[str] = (),
    ) -> Attachment:
        """Remember a file that was sent or made."""
        return self._files.attach(
            path_or_url,
            session=session,
            direction=direction,
            mime=mime,
            description=description,
            transcription=transcription,
            extracted_text=extracted_text,
            tags=tags,
            memories=memories,
        )

    def describe_attachment(
        self,
        id: str,
        *,
        description: str | None = None,
        transcription: str | None = None,
        extracted_text: str | None = None,
    ) -> Attachment:
        """Fill in what is in a file, once it is known."""
        return self._files.describe(id, description, transcription, extracted_text)

    def attachments(
        self, *, session: str | None = None, direction: Direction | None = None, limit: int = 100
    ) -> list[Attachment]:
        """Files, the latest first."""
        return self._files.latest(session=session, direction=direction, limit=limit)

    def daily_events(self, *, day: date | None = None, limit: int = 100) -> list[DailyEvent]:
        """One short line per stretch of conversation, the latest first."""
        return self._book.daily_events(day, limit)

    def events(
        self, *, subject: str | None = None, type: str | None = None, limit: int = 100
    ) -> list[Event]:
        """What changed and what failed, the latest first."""
        return self._book.events(subject=subject, type_=type, limit=limit)

    def record_usage(
        self,
        *,
        purpose: str,
        model: str,
        input_tokens: int,
        output_tokens: int,
        cost: float | None = None,
    ) -> None:
        """Note what a model call cost."""
        self._book.record_usage(purpose, model, input_tokens, output_tokens, cost)

    def usage(self, *, since: datetime | str | None = None) -> list[UsageTotal]:
        """Tokens and cost by purpose and model."""
        return self._book.usage(since)

    # --- what is known --------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        kind: Kind,
        subject: str = "",
        predicate: str = "",
        project: str = GLOBAL_PROJECT,
        topic: str = GENERAL_TOPIC,
        tags: Iterable[str] = (),
        importance: float = 0.5,
        confidence: float = 1.0,
        trust: Trust = "owner",
        valid_from: datetime | str | None = None,
        expires_at: datetime | str | None = None,
        sources: Iterable[str] = (),
        supersedes: str | None = None,
        operation_id: str | None = None,
    ) -> Memory:
        """Keep a statement; with ``supersedes`` as the next version of another."""
        return self._keeper.remember(
            text,
            kind=kind,
            subject=subject,
            predicate=predicate,
            project=project,
            topic=topic,
            tags=tags,
            importance=importance,
            confidence=confidence,
            trust=trust,
            valid_from=valid_from,
            expires_at=expires_at,
            sources=sources,
            supersedes=supersedes,
            operation_id=operation_id,
        )

    def memories(
        self, *, kind: Kind | None = None, project: str | None = None, limit: int = 100
    ) -> list[Memory]:
        """Memories that hold now, the latest first."""
        return self._keeper.current(kind=kind, project=project, limit=limit)

    def history(self, id: str) -> History:
        """Every version of a memory and what happened to it."""
        return self._keeper.history(id)

    def recall(
        self,
        query: str,
        *,
        k: int | None = None,
        of: Iterable[RecordType] = RECORD_TYPES,
        session: str | None = None,
        project: str | None = None,
        topic: str | None = None,
        kind: Kind | None = None,
        speaker: str | None = None,
        trust: Trust | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        as_of: datetime | str | None = None,
        persona: str | None = None,
    ) -> list[Hit]:
        """The best evidence for a query, with reasons."""
        request = read_request(
            query,
            k=self.settings.recall.limit if k is None else k,
            of=of,
            session=session,
            project=project,
            topic=topic,
            kind=kind,
            speaker=speaker,
            trust=trust,
            since=since,
            until=until,
            as_of=as_of,
            persona=persona,
            now=self._clock.now(),
        )
        return self._recall.recall(request)

    def gate(self, message: str) -> Verdict:
        """Whether a message wants memory, by rule and at once."""
        return self._recall.gate(message)

    # --- living with it -------------------------------------------------------------------------

    def jobs(self, *, state: JobState | None = None, limit: int = 100) -> list[Job]:
        """Background work that waits, runs, or died."""
        return self._book.jobs(state, limit)

    def redrive(self, ids: Sequence[str] | None = None) -> int:
        """Give dead jobs (all, or these) a fresh start; says how many."""
        return self._book.redrive(ids)

    def discard(self, ids: Sequence[str]) -> int:
        """Remove dead jobs for good; says how many."""
        return self._book.discard(ids)

    def drain(self, timeout: timedelta | float | None = None) -> Drained:
        """Run every due job now."""
        self._touches.flush()
        return self._worker.drain(timeout)

    def work(self) -> None:
        """Run jobs as they come due, until ``close`` is called from elsewhere."""
        self._worker.run()

    def stats(self) -> Stats:
        """The size and the health of this memory."""
        return self._book.stats(
            worker_failure=self._worker.failure, recall_failure=self._recall.failure
        )

    def doctor(self, *, deep: bool = True) -> list[Finding]:
        """Check the database; changes nothing."""
        return self._store.check(self.space, deep=deep)

    def repair(self, progress: Callable[[int], None] = lambda done: None) -> int:
        """Rebuild the text index of every space from the records; says how many were indexed."""
        return repair_text_index(self._store, progress)

    def close(self) -> None:
        """Finish the job in hand and close the database. Closing twice is harmless."""
        self._worker.stop()
        try:
            self._touches.flush()
        finally:
            self._store.close()
            if self._embedder is not None:
                release(self._embedder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Mind space={self.space!r} preset={self.settings.preset!r}>"
