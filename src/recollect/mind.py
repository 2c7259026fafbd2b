"""The one entry: ``recollect.open(...)`` gives a Mind, which wires the rooms together.

A Mind holds no logic of its own: each door checks nothing and decides nothing, it leads to a room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from recollect.clock import Clock
from recollect.identity.onboarding import OnboardingState
from recollect.ids import new_id
from recollect.ingest.memories import GENERAL_TOPIC, GLOBAL_PROJECT
from recollect.ingest.scratchpads import Writer
from recollect.recall.request import read_request
from recollect.rooms import Rooms
from recollect.rules.gate import Verdict
from recollect.rules.tokens import TokenCounter, count_tokens
from recollect.session import Session
from recollect.settings import Settings
from recollect.settings.reading import SectionName
from recollect.store.base import Store
from recollect.types import (
    RECORD_TYPES,
    Attachment,
    AuditReport,
    Candidate,
    Context,
    DailyEvent,
    Direction,
    Drained,
    Episode,
    Event,
    Finding,
    History,
    Hit,
    Job,
    JobState,
    Kind,
    Memory,
    Metrics,
    NewTurn,
    Receipt,
    Recorded,
    RecordType,
    Role,
    RolledBack,
    Scratchpad,
    SessionInfo,
    Settled,
    Stats,
    ToolCall,
    ToolResult,
    Trust,
    Turn,
    TurnState,
    UsageTotal,
)
from recollect.upkeep.metrics import as_prometheus, measure
from recollect.upkeep.report import Report, Undone, Work

__all__ = ["Mind", "OnboardingState", "Report", "Undone"]


class Mind:
    """The memory of one space. Close it, or use it as a context manager."""

    def __init__(
        self, store: Store, space: str, settings: Settings, clock: Clock, rooms: Rooms
    ) -> None:
        self.space = space
        self.settings = settings
        self._store = store
        self._clock = clock
        self._rooms = rooms

    @property
    def transcripts(self) -> Path | None:
        """The folder of this space's JSONL copies, beside the database; it may not exist."""
        return self._rooms.transcripts

    @property
    def documents_folder(self) -> Path | None:
        """The folder of this space's markdown documents, beside the database; it may not exist."""
        return self._rooms.documents

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
        trust: Trust | None = None,
    ) -> Turn:
        """Record one turn: durable and findable when this returns.

        ``trust`` says whose words they are where the role does not, as for a stranger's message.
        """
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
                trust=trust,
            )
        )

    def record_turn(self, new: NewTurn) -> Turn:
        """Record a turn that is already a value."""
        turn = self._rooms.recorder.record(new)
        self._rooms.uses.replied(turn)
        return turn

    def record_many(self, turns: Iterable[NewTurn]) -> Recorded:
        """Record many turns quickly; repeating an interrupted call adds nothing twice."""
        return self._rooms.recorder.record_many(turns)

    def session(
        self, id: str | None = None, *, project: str | None = None, topic: str | None = None
    ) -> Session:
        """Open a conversation, or go on with one."""
        id_ = new_id(self._clock.now()) if id is None else id
        self._rooms.book.open_session(id_, project or "", topic or "")
        return Session(self, id_)

    def end_session(self, session: str) -> None:
        """Mark a conversation as ended; what it leaves is worked out in the background."""
        self._rooms.closing.end(session)

    def compressing(self, session: str, messages: Iterable[NewTurn] | None = None) -> Episode:
        """Call before dropping messages from a prompt: what they say is kept, quickly.

        Gives the episode of the stretch; hand its id to ``compressed`` with the host's summary.
        """
        return self._rooms.compression.compressing(session, messages)

    def compressed(self, episode: str, summary: str) -> Episode:
        """The summary that the host has made of the dropped messages."""
        return self._rooms.compression.compressed(episode, summary)

    def sessions(self, *, limit: int = 100, offset: int = 0) -> list[SessionInfo]:
        """Conversations, the latest first."""
        return self._rooms.book.sessions(limit=limit, offset=offset)

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
        return self._rooms.book.turns(
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
        return self._rooms.files.attach(
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
        return self._rooms.files.describe(id, description, transcription, extracted_text)

    def attachments(
        self, *, session: str | None = None, direction: Direction | None = None, limit: int = 100
    ) -> list[Attachment]:
        """Files, the latest first."""
        return self._rooms.files.latest(session=session, direction=direction, limit=limit)

    def daily_events(self, *, day: date | None = None, limit: int = 100) -> list[DailyEvent]:
        """One short line per stretch of conversation, the latest first."""
        return self._rooms.book.daily_events(day, limit)

    def events(
        self, *, subject: str | None = None, type: str | None = None, limit: int = 100
    ) -> list[Event]:
        """What changed and what failed, the latest first."""
        return self._rooms.book.events(subject=subject, type_=type, limit=limit)

    def note_failure(self, where: str, error: str) -> Event:
        """Record that a part of the host could not use memory; the host itself went on."""
        return self._rooms.book.note_failure(where, error)

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
        self._rooms.book.record_usage(purpose, model, input_tokens, output_tokens, cost)

    def usage(self, *, since: datetime | str | None = None) -> list[UsageTotal]:
        """Tokens and cost by purpose and model."""
        return self._rooms.book.usage(since)

    # --- what is known --------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        kind: Kind,
        subject: str = "",
        predicate: str = "",
        value: str = "",
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
        return self._rooms.keeper.remember(
            text,
            kind=kind,
            subject=subject,
            predicate=predicate,
            value=value,
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

    def propose(self, candidate: Candidate, *, operation_id: str | None = None) -> Settled:
        """What a model wants kept; rules, core, changes of the owner's word wait for a person."""
        return self._rooms.proposals.propose(candidate, operation_id=operation_id)

    def memories(
        self,
        *,
        kind: Kind | None = None,
        project: str | None = None,
        as_of: datetime | str | None = None,
        limit: int = 100,
    ) -> list[Memory]:
        """Memories that hold now, or were known to hold then, the latest first."""
        return self._rooms.keeper.current(kind=kind, project=project, limit=limit, as_of=as_of)

    def projects(self) -> list[str]:
        """Every project that a current memory belongs to."""
        return self._rooms.keeper.projects()

    def pending(self, limit: int | None = None) -> list[Memory]:
        """A few statements to put to the user at the end of a reply; each offer is counted."""
        return self._rooms.inbox.offer(limit)

    def waiting(self, *, limit: int = 100, offset: int = 0) -> list[Memory]:
        """Every statement that waits for the user's word, the latest first."""
        return self._rooms.inbox.waiting(limit=limit, offset=offset)

    def confirm(self, id: str, *, operation_id: str | None = None) -> Settled:
        """The user says that a pending statement is true."""
        return self._rooms.inbox.confirm(id, operation_id=operation_id)

    def ignore(self, id: str, *, operation_id: str | None = None) -> Memory:
        """The user does not want it kept; it is not offered again, in other words either."""
        return self._rooms.inbox.ignore(id, operation_id=operation_id)

    def later(self, id: str, *, operation_id: str | None = None) -> Memory:
        """The user will answer another time."""
        return self._rooms.inbox.later(id, operation_id=operation_id)

    def rollback(
        self, source: str, *, dry_run: bool = False, operation_id: str | None = None
    ) -> RolledBack:
        """Undo all that came from one source: session:ID, turn:ID, trust:TIER or sender:NAME."""
        return self._rooms.rollback.rollback(source, dry_run=dry_run, operation_id=operation_id)

    def episodes(
        self,
        *,
        session: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        limit: int = 100,
    ) -> list[Episode]:
        """The stories of sessions, the latest first."""
        return self._rooms.book.episodes(session=session, since=since, until=until, limit=limit)

    def scratchpad(self) -> Scratchpad:
        """What the agent is working on."""
        return self._rooms.pads.get()

    def write_scratchpad(self, markdown: str, *, by: Writer = "user") -> Scratchpad:
        """The user's or the agent's own text in place of it."""
        return self._rooms.pads.put(markdown, by)

    def reveal(self, id: str) -> str:
        """The secret of a credential, which nothing else shows."""
        return self._rooms.keeper.reveal(id)

    def history(self, id: str) -> History:
        """Every version of a memory and what happened to it."""
        return self._rooms.keeper.history(id)

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
        around: Sequence[str] = (),
    ) -> list[Hit]:
        """The best evidence for a query, with reasons.

        ``around`` is what was said just before it, which helps a query that says little by itself.
        """
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
            around=around,
            now=self._clock.now(),
        )
        hits = self._rooms.recall.recall(request)
        self._rooms.injected.add(None, (hit.text for hit in hits if hit.type == "memory"))
        self._rooms.uses.recalled(len(hits))
        return hits

    def context(
        self,
        query: str,
        *,
        session: str | None = None,
        budget: int | None = None,
        model: str = "",
        persona: str | None = None,
        host: Mapping[SectionName, str] | None = None,
        count: TokenCounter = count_tokens,
    ) -> Context:
        """What the agent should see before it answers, within ``budget`` tokens.

        ``host`` are parts only the host knows (system, runtime, rules, catalogs); ``count`` is its
        tokenizer, ``model`` the one whose window counts where the preset goes by that.
        """
        built = self._rooms.context.build(
            query,
            session=session,
            budget=budget,
            model=model,
            persona=persona,
            host=host,
            count=count,
        )
        self._rooms.injected.add(session, [built.text])
        self._rooms.uses.composed(session, query, built)
        return built

    def gate(self, message: str) -> Verdict:
        """Whether a message wants memory, by rule and at once."""
        return self._rooms.recall.gate(message)

    # --- living with it -------------------------------------------------------------------------

    def jobs(self, *, state: JobState | None = None, limit: int = 100) -> list[Job]:
        """Background work that waits, runs, or died."""
        return self._rooms.book.jobs(state, limit)

    def redrive(self, ids: Sequence[str] | None = None) -> int:
        """Give dead jobs (all, or these) a fresh start; says how many."""
        return self._rooms.book.redrive(ids)

    def discard(self, ids: Sequence[str]) -> int:
        """Remove dead jobs for good; says how many."""
        return self._rooms.book.discard(ids)

    def upkeep(self, work: Work = "daily", *, dry_run: bool = False) -> Report:
        """Do the daily or weekly work now, or with ``dry_run`` say what it would change and why.

        A run that was interrupted goes on; what another process is doing is left to it.
        """
        self._rooms.touches.flush()
        return self._rooms.upkeep.run(self.space, work, dry_run=dry_run)

    def undo_upkeep(self, operation: str) -> Undone:
        """Take one step of upkeep back, by the operation that its report names."""
        return self._rooms.upkeep.undo(self.space, operation)

    def waiting_rules(self) -> list[Event]:
        """Rules of the bus that ask before they act, the latest first."""
        return self._rooms.rules.waiting(self.space)

    def approve_rule(self, event: str) -> None:
        """Let a rule act that asked."""
        self._rooms.rules.approve(self.space, event)

    def onboarding(self, *, begin: bool = False) -> OnboardingState:
        """Where the first talk about agent and user stands, and what to ask next.

        ``begin`` asks also where the preset does not; what was confirmed is never asked again.
        """
        return self._rooms.onboarding.begin() if begin else self._rooms.onboarding.state()

    def onboard(self, answer: str) -> OnboardingState:
        """Take the user's answer to what was asked last."""
        return self._rooms.onboarding.answer(answer)

    def drain(self, timeout: timedelta | float | None = None) -> Drained:
        """Run every due job now."""
        self._rooms.touches.flush()
        self._rooms.injected.flush()
        self._rooms.uses.flush()
        return self._rooms.worker.drain(timeout)

    def work(self) -> None:
        """Run jobs as they come due, until ``close`` is called from elsewhere."""
        self._rooms.worker.run()

    def stats(self) -> Stats:
        """The size and the health of this memory."""
        return self._rooms.book.stats(
            worker_failure=self._rooms.worker.failure,
            recall_failure=self._rooms.recall.failure,
            unembedded=self._rooms.meaning.waiting() if self._rooms.meaning else 0,
        )

    def metrics(self, *, days: int | None = None) -> Metrics:
        """How well memory serves, over the last days or over all time."""
        self._rooms.uses.flush()
        return measure(self._store, self.space, self._clock, days)

    def prometheus(self) -> str:
        """The same in the text format of Prometheus."""
        return as_prometheus([self.metrics()])

    def audit(self) -> AuditReport:
        """How much is said twice, faded, contradictory, unfounded, secret or orphaned."""
        return self._rooms.audit.audit()

    def forget(
        self,
        *,
        id: str | None = None,
        query: str | None = None,
        session: str | None = None,
        source: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        dry_run: bool = False,
    ) -> Receipt:
        """Remove for good whatever an id, words, a session, a source or a time range names.

        ``source`` is session:ID, turn:ID, trust:TIER or sender:NAME. With ``dry_run`` nothing is
        removed, and the receipt lists what would go and why. Keep the receipt: ``doctor`` checks
        with it that nothing is left.
        """
        return self._rooms.forgetting.forget(
            id=id,
            query=query,
            session=session,
            source=source,
            since=since,
            until=until,
            dry_run=dry_run,
        )

    def doctor(self, *, deep: bool = True, forgotten: Receipt | str | None = None) -> list[Finding]:
        """Check the database; changes nothing.

        With ``forgotten``, a receipt or its JSON, also that nothing is left of what it is for.
        """
        return self._rooms.doctor.check(deep=deep, forgotten=forgotten)

    def repair(self, progress: Callable[[int], None] = lambda done: None) -> int:
        """Rebuild the text index of every space, remove what leads to nothing, ask for missing
        vectors and finish what was being forgotten; says how many records were indexed.
        """
        return self._rooms.doctor.repair(progress)

    def close(self) -> None:
        """Finish the job in hand and close the database. Closing twice is harmless."""
        self._rooms.worker.stop()
        try:
            self._rooms.touches.flush()
            self._rooms.injected.flush()
            self._rooms.uses.flush()
        finally:
            self._store.close()
            if self._rooms.meaning is not None:
                self._rooms.meaning.close()
            if self._rooms.model is not None:
                self._rooms.model.close()

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
