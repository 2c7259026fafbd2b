"""The one entry: ``mnemic.open(...)`` gives a Mind.

A Mind holds no logic of its own: each method hands its arguments to the service of its subject.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Self, Unpack

from mnemic.documents.report import DocumentReport, OnboardingState, Question, SyncReport
from mnemic.engine import parts
from mnemic.engine.background import BackgroundWork
from mnemic.engine.services import Services
from mnemic.engine.session import Session
from mnemic.health.metrics import decay_curve, growth
from mnemic.ids import new_id
from mnemic.language.gate import Verdict
from mnemic.language.tokens import TokenCounter, count_tokens
from mnemic.learn.echo import NOW, Shown
from mnemic.rules import checks
from mnemic.rules.signatures import CheckedCalls
from mnemic.rules.words import words_of
from mnemic.settings.recall import SectionName
from mnemic.sync.report import DevicesReport, ExchangeReport, MergeReport, PairingOptions
from mnemic.types import (
    TRUSTS,
    AddedRecords,
    Attachment,
    AttachmentDetails,
    AuditReport,
    Candidate,
    Context,
    DailyEvent,
    DayGrowth,
    DecayCurve,
    Decision,
    Direction,
    DocumentText,
    Drained,
    Episode,
    EpisodeQuery,
    Event,
    Evidence,
    Finding,
    ForgetQuery,
    History,
    Hit,
    HostMessage,
    Job,
    JobState,
    JournalQuery,
    Json,
    Kind,
    Memory,
    MemoryChanges,
    MemoryDetails,
    MemoryQuery,
    MemoryStatus,
    Metrics,
    NewMemory,
    NewRecord,
    NewTurn,
    PadWriter,
    RecallQuery,
    Receipt,
    Recorded,
    Role,
    RolledBack,
    Scratchpad,
    SessionInfo,
    SessionQuery,
    Stats,
    Trust,
    Turn,
    TurnDetails,
    TurnQuery,
    UsageTotal,
)
from mnemic.upkeep.report import Report, Undone, Work

__all__ = ["DocumentReport", "Mind", "OnboardingState", "Question", "Report", "Undone"]


class Mind(CheckedCalls):
    """The memory of one space. Close it, or use it as a context manager."""

    def __init__(
        self, services: Services, background: BackgroundWork, closing: Callable[[], None]
    ) -> None:
        """``closing`` is called when it is closed: to close the database, or only this space."""
        shared = services.shared
        self.space = services.space
        self.settings = shared.settings
        self._store = shared.store
        self._clock = shared.clock
        self._services = services
        self._background = background
        self._guard = shared.guard
        self._closing = closing

    def session(
        self, id: str | None = None, *, project: str | None = None, topic: str | None = None
    ) -> Session:
        """Open a conversation, or go on with one."""
        id_ = new_id(self._clock.now()) if id is None else id
        stored = self._services.ledger.open_session(id_, project or "", topic or "")
        return Session(self, stored, self._services.sessions)

    @property
    def transcripts(self) -> Path | None:
        """The folder of this space's JSONL copies, beside the database; it may not exist."""
        return self._services.transcripts_folder

    @property
    def documents_folder(self) -> Path | None:
        """The folder of this space's markdown documents, beside the database; it may not exist."""
        return self._services.documents_folder

    # --- the record -----------------------------------------------------------------------------

    def record(
        self, *, session: str, role: Role, text: str, **details: Unpack[TurnDetails]
    ) -> Turn:
        """Record one turn: durable and findable when this returns.

        Who speaks as the user is the owner as long as nobody else does in that session, unless the
        setting `trust.owners` names who is. ``trust`` is the host's own word on whose words they
        are; for other roles than user it can only lower the trust.
        """
        calls = checks.check_several(details.pop("tool_calls", ()), "tool_calls")
        results = checks.check_several(details.pop("tool_results", ()), "tool_results")
        new = {**details, "tool_calls": calls, "tool_results": results}
        return self.record_turn(NewTurn(session, role, text, **new))  # type: ignore[arg-type]

    def record_turn(self, new: NewTurn) -> Turn:
        """Record a turn that is already a value."""
        turn = self._services.recorder.record(new)
        self._services.use_log.keep_reply(turn)
        return turn

    def record_many(
        self,
        turns: Iterable[NewTurn],
        *,
        topics: Mapping[str, str] | None = None,
        project: str = "",
    ) -> Recorded:
        """Record many turns quickly; repeating an interrupted call adds nothing twice. ``topics``
        say what their sessions are about, ``project`` is that of all of them.
        """
        return self._services.recorder.record_many(turns, topics, project)

    def end_session(self, session: str) -> None:
        """Mark a conversation as ended; what it leaves is worked out in the background."""
        self._services.end_session(session)

    def before_compression(
        self, session: str, messages: Iterable[HostMessage] | None = None
    ) -> Episode:
        """Call before dropping messages from a prompt: what they say is kept, quickly.

        Messages are ``NewTurn`` values, or dicts as the host sends them to its model. Gives the
        episode of the stretch; ``after_compression`` takes its id and the host's summary.
        """
        return self._services.compression.before(session, messages)

    def after_compression(self, episode: str, summary: str) -> Episode:
        """The summary that the host has made of the dropped messages."""
        return self._services.compression.after(episode, summary)

    def sessions(self, **query: Unpack[SessionQuery]) -> list[SessionInfo]:
        """Conversations, the latest first."""
        return self._services.ledger.sessions(query)

    def turns(self, **query: Unpack[TurnQuery]) -> list[Turn]:
        """Turns by session, time, role, tool, state or metadata."""
        return self._services.ledger.turns(query)

    def attach(self, path_or_url: str | Path, **details: Unpack[AttachmentDetails]) -> Attachment:
        """Remember a file that was sent or made."""
        return self._services.attachments.attach(path_or_url, details)

    def describe_attachment(
        self,
        id: str,
        *,
        description: str | None = None,
        transcription: str | None = None,
        extracted_text: str | None = None,
    ) -> Attachment:
        """Fill in what is in a file, once it is known."""
        return self._services.attachments.describe(id, description, transcription, extracted_text)

    def attachments(
        self, *, session: str | None = None, direction: Direction | None = None, limit: int = 100
    ) -> list[Attachment]:
        """Files, the latest first."""
        return self._services.attachments.latest(session=session, direction=direction, limit=limit)

    def daily_events(
        self, *, day: date | None = None, text: str | None = None, limit: int = 100
    ) -> list[DailyEvent]:
        """One line per stretch of conversation, the latest first, with all words of ``text``."""
        return self._services.ledger.daily_events(day, text, limit)

    def events(self, **query: Unpack[JournalQuery]) -> list[Event]:
        """What changed and what failed, the latest first."""
        return self._services.ledger.events(query)

    def emit(
        self, type: str, payload: Mapping[str, Json] | None = None, *, subject: str = ""
    ) -> Event:
        """An event of the host, ``host.NAME``: rules of the settings may act on it."""
        return self._background.event_rules.emit(self.space, type, payload or {}, subject)

    def note_failure(self, where: str, error: str) -> Event:
        """Record that a part of the host could not use memory; the host itself went on."""
        return self._services.ledger.note_failure(where, error)

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
        self._services.ledger.record_usage(purpose, model, input_tokens, output_tokens, cost)

    def usage(self, *, since: datetime | str | None = None) -> list[UsageTotal]:
        """Tokens and cost by purpose and model."""
        return self._services.ledger.usage(since)

    # --- memories and recall --------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        kind: Kind | str = "",
        sources: Iterable[str] = (),
        supersedes: str | None = None,
        operation_id: str | None = None,
        **details: Unpack[MemoryDetails],
    ) -> Decision:
        """Keep a statement, unless it is known already; says what became of it.

        Without a ``kind`` it is of the kind that it reads like, else a fact. Another value of the
        same subject and predicate takes the place of the one known; where there may be several, a
        configured model is asked.

        With ``supersedes`` it is the next version of another memory, whose details it has unless
        others are given; its value is its own.
        """
        listed = checks.check_tags(sources, self._guard.tags, "sources")
        new = NewMemory(text, kind, sources=listed, supersedes=supersedes, **details)
        return self._services.memories.remember(new, operation_id=operation_id)

    def add_many(self, records: Mapping[str, NewRecord]) -> AddedRecords:
        """Add memories, episodes and daily events of another memory, with their own times.

        Each has a key, under which it is added once. All are added, or none when one is refused.
        """
        return self._services.bulk.add(records)

    def propose(self, candidate: Candidate, *, operation_id: str | None = None) -> Decision:
        """What a model wants kept; rules, core, changes of the owner's word wait for a person.

        What repeats words of a tool or an outsider out of a prompt is trusted no better than they.
        """
        self._services.injected.flush()
        return self._services.proposals.propose(candidate, operation_id=operation_id)

    def memories(self, **query: Unpack[MemoryQuery]) -> list[Memory]:
        """Memories that hold now, the latest first, or whatever the query says."""
        return self._services.memory_reader.find(query)

    def get(self, id: str) -> Memory:
        """One memory, of whatever status."""
        return self._services.memory_reader.get(id)

    def find_id(self, prefix: str) -> str:
        """The whole id of the only memory, turn, episode, file or job whose id begins so."""
        return self._services.ledger.find_id(prefix)

    def edit(
        self, id: str, *, operation_id: str | None = None, **changes: Unpack[MemoryChanges]
    ) -> Memory:
        """The next version of a memory, which differs in what is given."""
        return self._services.memories.edit(id, changes, operation_id=operation_id)

    def delete(self, id: str) -> Memory:
        """Remove a memory, all versions; its turns stay, and it is not learned from them again."""
        return self._services.forgetting.delete(id)

    def projects(self, *, status: MemoryStatus = "active") -> list[str]:
        """Every project that a memory of that status belongs to; without one, a current memory."""
        return list(self._services.memory_reader.projects(status))

    def put_item(
        self, project: str, key: str, value: Mapping[str, Json], *, text: str = ""
    ) -> Memory:
        """Keep a value of the host's own under a key, found by ``memories`` and, by its ``text``,
        by ``recall`` with ``status="item"`` only: nothing else reads, learns or fades it.
        """
        return self._services.items.put(project, key, value, text)

    def pending(
        self, *, offer: bool = False, limit: int | None = None, offset: int = 0
    ) -> list[Memory]:
        """Statements that wait for the user's word, the latest first.

        ``offer`` gives only the few to put to the user at the end of a reply, and counts the offer.
        """
        if not offer:
            most = 100 if limit is None else limit
            return self._services.pending.waiting(limit=most, offset=offset)
        offered = self._services.pending.offer(limit)
        self._services.injected.add(None, [Shown(memory.text, memory.id) for memory in offered])
        return offered

    def note_shown(
        self,
        texts: Iterable[str],
        *,
        record: str = "",
        trust: Trust = "external",
        session: str | None = None,
    ) -> None:
        """Say that texts went into a prompt by another way than ``recall`` and ``context``.

        They are not learned again, and an agent who repeats them makes them no better trusted than
        ``record``, the turn, memory, episode or file they come from; without one than ``trust``.
        """
        most = self.settings.ledger.max_characters
        checked = [checks.check_text(text, "text", most) for text in texts]
        tier = checks.check_choice(trust, TRUSTS, "trust")
        shown = [Shown(text, record, tier, NOW) for text in checked]
        self._services.injected.add(self._guard.filter(session, "session"), shown)

    def confirm(self, id: str, *, operation_id: str | None = None) -> Decision:
        """The user says that a pending statement is true."""
        return self._services.pending.confirm(id, operation_id=operation_id)

    def ignore(self, id: str, *, operation_id: str | None = None) -> Memory:
        """The user does not want it kept; it is not offered again, in other words either."""
        return self._services.pending.ignore(id, operation_id=operation_id)

    def snooze(self, id: str, *, operation_id: str | None = None) -> Memory:
        """The user will answer another time."""
        return self._services.pending.snooze(id, operation_id=operation_id)

    def rollback(
        self, source: str, *, dry_run: bool = False, operation_id: str | None = None
    ) -> RolledBack:
        """Undo all that came from one source: session:ID, turn:ID, trust:TIER or sender:NAME."""
        return self._services.rollback.rollback(source, dry_run=dry_run, operation_id=operation_id)

    def episodes(self, **query: Unpack[EpisodeQuery]) -> list[Episode]:
        """The stories of sessions, the latest first."""
        return self._services.ledger.episodes(query)

    def scratchpad(self) -> Scratchpad:
        """What the agent is working on."""
        return self._services.scratchpads.get()

    def write_scratchpad(self, markdown: str, *, by: PadWriter = "user") -> Scratchpad:
        """The user's or the agent's own text in place of it."""
        return self._services.scratchpads.put(markdown, by)

    def set_task(self, task: str, *, session: str | None = None) -> Scratchpad:
        """The task at hand as the host states it, as ``Session.set_task`` does."""
        return self._services.sessions.set_task(task, session)

    def reveal(self, id: str) -> str:
        """The secret of a credential, which nothing else shows."""
        return self._services.memory_reader.reveal(id)

    def history(self, id: str) -> History:
        """Every version of a memory and what happened to it."""
        return self._services.memory_reader.history(id)

    def recall(self, query: str, **narrowed: Unpack[RecallQuery]) -> list[Hit]:
        """The best evidence for a query, with reasons; ``[]`` where nothing scores enough."""
        request = self._services.recall.request(query, usual=self.settings.recall, **narrowed)
        hits = self._services.recall.recall(request)
        self._services.injected.add_hits(hits)
        self._services.use_log.count_recall(len(hits))
        return hits

    def retrieve(
        self, query: str, *, max_tokens: int = 700, **narrowed: Unpack[RecallQuery]
    ) -> str:
        """The same evidence as text for a prompt, fenced as data, of at most ``max_tokens``."""
        checks.check_count(max_tokens, "max_tokens", checks.MAX_INDEX)
        hits = self.recall(query, **narrowed)
        return self._services.context.evidence_text(query, hits, max_tokens)

    def evidence(self, query: str, hits: Sequence[Hit]) -> list[Evidence]:
        """Hits as fenced records with date and speaker, without what fits too little or repeats."""
        return self._services.context.evidence(query, hits)

    def words(self, record: Memory | Hit) -> dict[str, str]:
        """How the preset's document calls the kind, scope, priority and source of a memory."""
        return words_of(record, self.settings)

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
        shown: Iterable[str] | None = None,
    ) -> Context:
        """What the agent should see before it answers, within ``budget`` tokens.

        ``host`` are parts only the host knows (system, runtime, rules, catalogs), ``shown`` texts
        or ids of turns in its prompt, ``count`` its tokenizer, ``model`` decides the window.
        """
        named = self._guard.filter(session, "session")
        built = self._services.context.build(
            query, session=named, budget=budget, model=model, persona=persona, host=host,
            count=count, shown=shown,
        )  # fmt: skip
        self._services.injected.add_context(named, built)
        self._services.use_log.count_context(named, query, built)
        return built

    def gate(self, message: str) -> Verdict:
        """Whether a message wants memory, by rule and at once."""
        return self._services.recall.gate(message)

    # --- jobs, upkeep, health -------------------------------------------------------------------

    def jobs(self, *, state: JobState | None = None, limit: int = 100) -> list[Job]:
        """BackgroundWork work that waits, runs, or died."""
        return self._services.ledger.jobs(state, limit)

    def redrive(self, ids: Sequence[str] | None = None) -> int:
        """Give dead jobs (all, or these) a fresh start; says how many."""
        return self._services.ledger.redrive(ids)

    def discard(self, ids: Sequence[str]) -> int:
        """Remove dead jobs for good; says how many."""
        return self._services.ledger.discard(ids)

    def upkeep(self, work: Work = "daily", *, dry_run: bool = False) -> Report:
        """Do the daily or weekly work now, or with ``dry_run`` say what it would change and why.

        A run that was interrupted goes on; what another process is doing is left to it.
        """
        self._services.touches.flush()
        return self._background.upkeep.run(self.space, work, dry_run=dry_run)

    def undo_upkeep(self, operation: str) -> Undone:
        """Take one step of upkeep back, by the operation that its report names."""
        return self._background.upkeep.undo(self.space, operation)

    def waiting_rules(self) -> list[Event]:
        """Rules of the bus that ask before they act, the latest first."""
        return self._background.event_rules.waiting(self.space)

    def approve_rule(self, event: str) -> None:
        """Let a rule act that asked."""
        self._background.event_rules.approve(self.space, event)

    def onboarding(self, *, begin: bool = False) -> OnboardingState:
        """Where the first talk about agent and user stands; ``begin`` asks where no preset does."""
        return self._services.onboarding.begin() if begin else self._services.onboarding.state()

    def onboard(self, answer: str) -> OnboardingState:
        """Take the user's answer to what was asked last."""
        return self._services.onboarding.answer(answer)

    def sync(self) -> SyncReport:
        """Bring the documents and memory together, in both directions."""
        return self._services.require_documents().sync()

    def documents(self) -> list[DocumentText]:
        """The documents as they are on disk."""
        return self._services.require_documents().texts()

    def write_document(self, name: str, markdown: str, *, digest: str | None = None) -> SyncReport:
        """A person's own text of a document; with a ``digest`` only if it is still that one."""
        return self._services.require_documents().write(name, markdown, digest)

    def questions(self) -> list[Question]:
        """Memories that a person took out of a document: are they to be forgotten?"""
        return self._services.require_documents().questions()

    def archive(self, id: str) -> Memory:
        """Put a memory away: it is not recalled, and ``restore`` brings it back."""
        return self._services.memories.archive(id)

    def restore(self, id: str) -> Memory:
        """A memory that was archived holds again; one that was only asked about stays."""
        return self._services.memories.restore(id)

    def drain(self, timeout: timedelta | float | None = None, *, due_only: bool = False) -> Drained:
        """Run every due job of this space now, at most for ``timeout`` seconds, and learn from
        conversations that are still going on (``triggers.on_drain``), unless ``due_only``.

        When the time is over no further job begins, and one that waits for a model's server is put
        off. Local work in hand is finished.
        """
        self._services.flush()
        if not due_only and self.settings.triggers.on_drain and not self._store.read_only:
            self._services.recorder.hurry()
        return self._background.worker.drain(timeout, self.space)

    def work(self) -> None:
        """Run jobs of all spaces as they come due, until ``close`` is called from elsewhere."""
        self._background.worker.run()

    def stats(self) -> Stats:
        """The size and the health of this memory."""
        return self._services.stats(self._background.worker.failure)

    def metrics(self, *, days: int | None = None) -> Metrics:
        """How well memory serves, over the last days or over all time."""
        self._services.use_log.flush()
        return parts.metrics.measure(self._services.at, days)

    def prometheus(self) -> str:
        """The same in the text format of Prometheus."""
        return parts.metrics.as_prometheus([self.metrics()])

    def growth(self, *, days: int = 30) -> list[DayGrowth]:
        """Turns said and memories learned on each of the last days, oldest first."""
        return growth(self._services.at, days)

    def decay_curve(self, id: str, *, days: int = 90) -> DecayCurve:
        """How a memory fades if nobody uses it, since its last use and for so many days more."""
        return decay_curve(self.get(id), self.settings.decay, self._clock.now(), days)

    def audit(self, *, progress: Callable[[int, int], None] | None = None) -> AuditReport:
        """How much is said twice, faded, contradictory, unfounded, secret or orphaned."""
        return parts.audit.audit(self._services.at, progress)

    def forget(self, *, dry_run: bool = False, **query: Unpack[ForgetQuery]) -> Receipt:
        """Remove for good whatever an id, words, a session, a source or a time range names.

        ``source`` is session:ID, turn:ID, trust:TIER or sender:NAME. ``dry_run`` only lists what
        would go and why. ``doctor`` checks with the receipt that nothing is left.
        """
        return self._services.forgetting.forget(dry_run=dry_run, **query)

    def forget_space(self, *, dry_run: bool = False) -> Receipt:
        """Remove this whole memory for good, with its name; ``dry_run`` only counts it."""
        return self._services.forget_space(dry_run=dry_run)

    def merge(self, other: str | Path, *, mine: bool = False, preview: bool = False) -> MergeReport:
        """Unite another database with this one; unless it is ``mine``, as an outsider's word."""
        return self._services.devices.merge(other, mine=mine, preview=preview)

    def sync_folder(self, folder: str | Path, **options: Unpack[PairingOptions]) -> ExchangeReport:
        """Exchange changes with other devices through a folder that is carried between them."""
        return self._services.devices.exchange(folder, **options)

    def devices(self) -> DevicesReport:
        """The devices of this memory, what was forgotten on them, and their contradictions."""
        return self._services.devices.report()

    def doctor(self, *, deep: bool = True, forgotten: Receipt | str | None = None) -> list[Finding]:
        """Check the database; changes nothing.

        With ``forgotten``, a receipt or its JSON, also that nothing is left of what it is for.
        """
        return self._services.doctor.check(deep=deep, forgotten=forgotten)

    def repair(self, progress: Callable[[int], None] = lambda done: None) -> int:
        """Rebuild the text index of every space, remove what leads to nothing, ask for missing
        vectors and finish what was being forgotten; says how many records were indexed.
        """
        return self._services.doctor.repair(progress)

    def close(self) -> None:
        """Finish the job in hand and close the database, or the space of an ``Engine``."""
        self._closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Mind space={self.space!r} preset={self.settings.preset!r}>"
