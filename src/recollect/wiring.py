"""How services are put together: what each one is given, and which jobs the worker runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple

from recollect.clock import Clock, monotonic_of
from recollect.context.build import Builder
from recollect.context.window import ShortTermMemory
from recollect.documents.daily import DailyReport, DailySection
from recollect.documents.erasure import files_of, scrub
from recollect.documents.fallback import erasure as fallback
from recollect.documents.fallback.files import folder_beside
from recollect.documents.library import Documents, claim_folders, folders_of
from recollect.documents.onboarding import Onboarding
from recollect.errors import ConfigError, InvalidInput, StoreError
from recollect.forget import erasure
from recollect.forget.erasure import Erasure, ExternalCopies, RemovedRecords
from recollect.health.audit import Audit
from recollect.health.doctor import Doctor
from recollect.health.metrics import Uses
from recollect.index import embedding_job
from recollect.index.backend import BackendEngine
from recollect.index.batches import forget_chunks
from recollect.index.embedding_job import EmbeddingJob
from recollect.index.engine import VectorEngine, engine_for
from recollect.index.live_tables import LiveTables
from recollect.index.segment import forget_words
from recollect.jobs.worker import FailureListener, Handler, Pace, RecurringJob, Worker
from recollect.language.guard import Guard, forget_names, guard_of
from recollect.language.lines import forget_labels
from recollect.learn import session_end, window_summary
from recollect.learn.bulk_writer import BulkWriter
from recollect.learn.compression import Compression
from recollect.learn.disown import Disowner
from recollect.learn.echo import InjectedTexts
from recollect.learn.extraction import ExtractionJob
from recollect.learn.extractors import RuleExtractor
from recollect.learn.items import ItemWriter
from recollect.learn.memory_reader import MemoryReader
from recollect.learn.memory_writer import MemoryWriter
from recollect.learn.pending import PendingQueue, Proposals
from recollect.learn.rollback import Rollback
from recollect.learn.scratchpads import Scratchpads
from recollect.learn.session_end import SessionCloser, SessionEndJob
from recollect.learn.session_state import SessionState
from recollect.learn.window_summary import WindowSummaryJob
from recollect.providers.breaker import Circuits
from recollect.providers.chat.base import ChatModel
from recollect.providers.chat.choose import chat_model_for, object_model_for
from recollect.providers.embedding.base import Embedder
from recollect.providers.embedding.choose import embedder_for, embedder_named, object_embedder_for
from recollect.providers.vault import Vault
from recollect.recall.engine import Recall, Touches
from recollect.recall.prompt_sources import PromptSources
from recollect.recall.vectors import VectorRoute
from recollect.record import daily_events, transcripts, triggers
from recollect.record.attachments import AttachmentWriter
from recollect.record.daily_events import Digests
from recollect.record.ledger import LedgerReader
from recollect.record.recorder import FollowUps, Recorder
from recollect.record.transcripts import Transcripts
from recollect.record.triggers import OverflowListener, Watcher
from recollect.rules.backoff import Backoff
from recollect.settings import Settings
from recollect.settings.logs import log_of
from recollect.shared import Shared
from recollect.store.contract import Store, Unit
from recollect.store.paths import own_base, own_folder
from recollect.store.sqlite.connection import MEMORY
from recollect.types import Drained, Extensions, SafeName, Stats
from recollect.upkeep import bus
from recollect.upkeep import upkeep as upkeep_
from recollect.upkeep.upkeep import Upkeep
from recollect.upkeep.work import DailyReportText, StepServices

BACKOFF_FACTOR = 2.0  # each further wait is this many times longer
_NONE = Extensions()


@dataclass(frozen=True, slots=True)
class Services:
    """What a mind hands its calls to, each with its own subject."""

    recorder: Recorder
    ledger: LedgerReader
    session_ends: SessionCloser
    compression: Compression
    attachments: AttachmentWriter
    items: ItemWriter
    memories: MemoryWriter
    bulk: BulkWriter
    memory_reader: MemoryReader
    pending: PendingQueue
    proposals: Proposals
    rollback: Rollback
    scratchpads: Scratchpads
    sessions: SessionState
    recall: Recall
    touches: Touches
    injected: InjectedTexts
    context: Builder
    short_term: ShortTermMemory
    upkeep: Upkeep
    event_rules: bus.Bus
    onboarding: Onboarding
    forgetting: Erasure
    use_log: Uses
    audit: Audit
    doctor: Doctor
    worker: Worker
    transcripts_folder: Path | None
    documents_folder: Path | None
    documents: Documents | None
    vectors: VectorRoute | None
    model: ChatModel | None
    circuits: Circuits
    learns_on_drain: bool

    def require_documents(self) -> Documents:
        if self.documents is None:
            raise InvalidInput(
                "A memory that is not on disk has no documents", remedy="Open it in a file"
            )
        return self.documents

    def stats(self) -> Stats:
        return self.ledger.stats(
            worker_failure=self.worker.failure,
            recall_failure=self.recall.failure,
            unembedded=self.vectors.waiting() if self.vectors else 0,
            suspended=self.circuits.suspended(),
        )

    def drain(self, timeout: timedelta | float | None, *, due_only: bool) -> Drained:
        """Run due jobs, and what waits for a quiet moment unless only due ones are to run."""
        self.flush()
        if not due_only and self.learns_on_drain:
            self.recorder.hurry()
        return self.worker.drain(timeout)

    def flush(self) -> None:
        """Write down what was gathered in this process."""
        self.touches.flush()
        self.injected.flush()
        self.use_log.flush()
        self.pending.flush()

    def close(self) -> None:
        """Release what reaches beyond this process; the store is its opener's."""
        if self.vectors is not None:
            self.vectors.close()
        if self.model is not None:
            self.model.close()


def build(
    store: Store,
    path: str,
    space: str,
    settings: Settings,
    clock: Clock,
    *,
    threaded: bool,
    extensions: Extensions = _NONE,
) -> Services:
    """Every service of one space; ``extensions`` are the host's own parts."""
    if path != MEMORY and not store.read_only:
        claim_folders(Path(path), settings)
    store, guard = bus.with_rules(store, settings), guard_of(settings)
    circuits = Circuits(monotonic_of(clock))
    embedder = _embedder(settings, circuits, extensions)
    ask = embedding_job.asking(embedder, settings.jobs.max_attempts)
    model = _model(settings, circuits, extensions)
    vault = _vault(settings, path)
    shared = Shared(store, path, space, settings, clock, embedder, model, ask, circuits, vault)
    engine = _engine(shared, extensions)
    meaning = None if embedder is None else _by_meaning(shared, embedder, engine)
    injected = InjectedTexts(store, space, clock, settings.trust)
    extraction = ExtractionJob(store, clock, settings, shared.learner_of, before=injected.flush)
    upkeep = _upkeep(shared, extraction)
    rules = bus.Bus(store, clock, settings, extensions.actions)
    touches = Touches(store, space, enabled=settings.recall.touch and not store.read_only)
    short_term = ShortTermMemory(store, space, settings.short_term, guard=guard)
    uses = Uses(store, space, clock)
    pads = Scratchpads(store, space, clock, settings.scratchpad, guard)
    buffers = Buffers(injected, touches, short_term, uses, pads)
    eraser = _forgetting(shared, engine, meaning, buffers)
    summaries = WindowSummaryJob(settings, {space: short_term}, shared.model_of)
    worker = _worker(shared, engine, extraction, upkeep, rules, eraser=eraser, summaries=summaries)
    wake = worker.start_or_wake if threaded and not store.read_only else _stay_asleep
    recorder = _recorder(shared, guard, wake)
    recall = Recall(store, space, clock, settings=settings, vectors=meaning, touches=touches)
    pending = shared.pending_of(space)
    sources = PromptSources(store, space, clock, settings, recall).sources(
        short_term,
        scratchpad=pads.open_tasks,
        cards=shared.cards_of(space).current,
        pending=pending.fresh,
    )
    reconciler = shared.reconciler_of(space)
    if embedder is not None and not store.read_only:
        try:
            embedding_job.catch_up(store, space, embedder, clock.now(), settings.jobs.max_attempts)
        except StoreError as error:
            # A mind opens on whatever can be read; recall leaves an event, stats() shows this.
            worker.failure = str(error)
    writer = shared.writer_of(space)
    return Services(
        recorder=recorder,
        ledger=LedgerReader(store, space, clock, settings.jobs.max_attempts, guard),
        session_ends=SessionCloser(store, space, clock, settings, wake),
        compression=Compression(
            store, space, clock, settings, recorder=recorder, reconciler=reconciler, ask=ask
        ),
        attachments=AttachmentWriter(store, space, clock, guard, ask),
        items=ItemWriter(store, space, clock, guard, ask),
        memories=writer,
        bulk=BulkWriter(store, space, clock, guard, memories=writer, ask_vectors=ask),
        memory_reader=MemoryReader(store, space, clock, settings, vault=vault),
        pending=pending,
        proposals=Proposals(store, space, clock, reconciler, trust=settings.trust),
        rollback=Rollback(store, space, clock, settings),
        scratchpads=pads,
        sessions=SessionState(store, space, clock, guard, short_term=short_term, scratchpads=pads),
        recall=recall,
        touches=touches,
        injected=injected,
        context=Builder(sources, settings),
        upkeep=upkeep,
        event_rules=rules,
        forgetting=eraser,
        use_log=uses,
        audit=Audit(store, space, clock, settings),
        doctor=Doctor(
            store, space, clock, settings, forgetting=eraser, files=lambda: files_on_disk(shared)
        ),
        onboarding=Onboarding(
            store,
            space,
            clock,
            settings,
            reconciler=reconciler,
            settled=lambda: _write_views(shared, space),
        ),
        short_term=short_term,
        worker=worker,
        transcripts_folder=None
        if path == MEMORY
        else transcripts.folder_of(_history(shared), space),
        documents_folder=None
        if path == MEMORY
        else folders_of(Path(path), space, settings).documents,
        documents=None if path == MEMORY else shared.documents_of(space),
        vectors=meaning,
        model=shared.model,
        circuits=circuits,
        learns_on_drain=settings.triggers.on_drain and not store.read_only,
    )


def _embedder(settings: Settings, circuits: Circuits, extensions: Extensions) -> Embedder | None:
    if settings.index.vectors == "none":
        return None
    if extensions.embedder is not None:
        return object_embedder_for(settings, extensions.embedder, circuits)
    return embedder_for(settings, circuits)


def _engine(shared: Shared, extensions: Extensions) -> VectorEngine:
    if extensions.vectors is not None:
        embedder = "" if shared.embedder is None else shared.embedder.name
        return BackendEngine(extensions.vectors, shared.space, embedder)
    return engine_for(shared.settings, shared.path, on_disk=shared.path != MEMORY)


def _model(settings: Settings, circuits: Circuits, extensions: Extensions) -> ChatModel | None:
    """The model that learns; None where the rules do."""
    engine = settings.extraction.engine
    if engine == "rules":
        return None
    if extensions.model is not None:
        return object_model_for(settings, extensions.model, circuits)
    model = chat_model_for(settings, circuits)
    if engine == "model" and model is None:
        raise ConfigError(
            "extraction.engine is model and there is none",
            remedy="Set model.provider and model.name, or extraction.engine to auto",
        )
    return model


def _vault(settings: Settings, path: str) -> Vault:
    beside = None if path == MEMORY else Path(path).parent / settings.secrets.key_file
    return Vault(settings.secrets.key.reveal(), beside)


def _history(shared: Shared) -> Path:
    return own_folder(Path(shared.path), shared.settings.ledger.jsonl_folder)


def _copies(shared: Shared) -> Transcripts:
    ledger = shared.settings.ledger
    base = own_base(Path(shared.path), ledger.jsonl_folder)
    return Transcripts(shared.store, _history(shared), base, shared.clock, ledger.jsonl_keep)


def _by_meaning(shared: Shared, embedder: Embedder, engine: VectorEngine) -> VectorRoute:
    settings = shared.settings
    return VectorRoute(
        embedder,
        LiveTables(engine, shared.store, shared.space),
        lambda name: embedder_named(name, settings, shared.circuits),
    )


def _overflow(shared: Shared) -> tuple[int, OverflowListener] | None:
    """Where the window holds all that fits, a model sums up what does not."""
    short_term = shared.settings.short_term
    if shared.model is None or shared.settings.context.recent_turns:
        return None

    def listen(unit: Unit, session: SafeName, now: datetime, max_attempts: int) -> None:
        info = unit.ledger.session(session)
        if info is not None and info.turns > short_term.max_messages:
            window_summary.queue(unit, session, now, max_attempts)

    return int(short_term.max_messages * short_term.compact_share), listen


def _recorder(shared: Shared, guard: Guard, wake: Callable[[], None]) -> Recorder:
    settings = shared.settings
    return Recorder(
        shared.store,
        shared.space,
        shared.clock,
        guard=guard,
        follow_ups=FollowUps(
            transcripts=settings.ledger.jsonl and shared.path != MEMORY,
            quiet_gap=settings.triggers.quiet_gap,
            digest_delay=shared.digest_delay,
            ask_vectors=shared.ask,
            watcher=Watcher(settings.triggers, settings.jobs.max_attempts, _overflow(shared)),
            max_attempts=settings.jobs.max_attempts,
            disown=Disowner(settings, guard.owners),
        ),
        wake=wake,
    )


def _upkeep(shared: Shared, extraction: ExtractionJob) -> Upkeep:
    settings, ledger = shared.settings, shared.settings.ledger
    copies = _copies(shared)
    on_disk = shared.path != MEMORY

    def write_report(space: str, day: date, text: DailyReportText) -> str:
        if not on_disk:
            return ""
        sections = tuple(DailySection(title, tuple(lines)) for title, lines in text.sections)
        report = DailyReport(day, sections, text.language)
        return str(shared.documents_of(space).write_report(report))

    tools = StepServices(
        extraction=extraction,
        episodes=shared.episodes,
        model_of=shared.model_of,
        reconciler_of=shared.reconciler_of,
        ask=shared.ask,
        embedder=shared.embedder,
        sync=shared.sync,
        write_report=write_report,
        cards=lambda space: shared.cards_of(space).compile(shared.model_of(space)),
        lapse=lambda space: shared.pending_of(space).lapse(),
        forget_old_files=lambda space: copies.age_space(space) if on_disk and ledger.jsonl else 0,
        database=Path(shared.path) if on_disk else None,
    )
    return Upkeep(shared.store, shared.clock, settings, tools)


class Buffers(NamedTuple):
    """What is gathered or cached in this process."""

    injected: InjectedTexts
    touches: Touches
    short_term: ShortTermMemory
    uses: Uses
    pads: Scratchpads


def _forgetting(
    shared: Shared, engine: VectorEngine, meaning: VectorRoute | None, buffers: Buffers
) -> Erasure:
    settings, on_disk = shared.settings, shared.path != MEMORY
    copies = _copies(shared)

    def gather() -> None:
        for buffer in (buffers.touches, buffers.injected, buffers.uses):
            buffer.flush()

    def transcript(space: str, session: SafeName) -> None:
        if on_disk:
            copies.erase(space, session, settings.jobs.max_attempts)

    def documents(space: str, removed: RemovedRecords) -> None:
        text_tests = {"quotes": removed.traces.quotes, "repeats": removed.traces.repeats}
        if on_disk:
            scrub(
                shared.store,
                space,
                folders_of(Path(shared.path), space, settings),
                settings,
                memories=removed.memories,
                now=shared.clock.now(),
                renamed=partial(removed.traces.renamed, "project"),
                **text_tests,
            )
        plain_files = folder_beside(shared.path, space, settings.memory)
        if plain_files is not None:
            target = fallback.ErasureTarget(
                removed.turns, removed.memories, **text_tests, renamed=removed.traces.renamed
            )
            fallback.scrub(shared.store, space, plain_files, target, shared.clock.now())

    def caches() -> None:
        buffers.short_term.clear()
        buffers.pads.clear()
        buffers.uses.forget()
        forget_words()
        forget_chunks()
        forget_names()
        forget_labels()

    return Erasure(
        shared.store,
        shared.space,
        shared.clock,
        settings,
        ask=shared.ask,
        copies=ExternalCopies(
            gather=gather,
            transcript=transcript,
            documents=documents,
            vectors=engine.erase if meaning is None else meaning.forget,
            caches=caches,
        ),
    )


def files_on_disk(shared: Shared) -> list[Path]:
    """Every file that the engine writes: the database and its log, copies and documents."""
    if shared.path == MEMORY:
        return []
    database, settings = Path(shared.path), shared.settings
    paths = [database, *(database.with_name(f"{database.name}{end}") for end in ("-wal", "-shm"))]
    paths += sorted(transcripts.folder_of(_history(shared), shared.space).glob("*.jsonl"))
    paths += files_of(folders_of(database, shared.space, settings), settings)
    plain_files = folder_beside(shared.path, shared.space, settings.memory)
    paths += [plain_files.notes, *plain_files.logs().values()] if plain_files is not None else []
    chroma = database.with_name(f"{database.name}.chroma")
    return [*paths, *(path for path in sorted(chroma.rglob("*")) if path.is_file())]


def _write_views(shared: Shared, space: str) -> None:
    """Documents and cards of what was just learnt; a model makes the cards at the next upkeep."""
    shared.sync(space)
    shared.cards_of(space).compile(None, model_later=shared.model is not None)


def _worker(
    shared: Shared,
    engine: VectorEngine,
    extraction: ExtractionJob,
    upkeep: Upkeep,
    rules: bus.Bus,
    *,
    eraser: Erasure,
    summaries: WindowSummaryJob,
) -> Worker:
    store, clock, settings = shared.store, shared.clock, shared.settings
    jobs, guard = settings.jobs, guard_of(settings)
    pace = Pace(
        max_attempts=jobs.max_attempts,
        backoff=Backoff(jobs.backoff_first, BACKOFF_FACTOR, jobs.backoff_max),
        lease=jobs.lease,
        poll=jobs.poll,
    )
    ledger = settings.ledger
    copies = _copies(shared)
    quiet = (settings.triggers.quiet_gap or timedelta()) + shared.digest_delay
    end = SessionEndJob(store, clock, settings, extraction=extraction, episodes=shared.episodes)
    handlers: dict[str, Handler] = {
        daily_events.KIND: Digests(store, clock, quiet, guard).write,
        transcripts.KIND: copies.append,
        transcripts.AGE_KIND: copies.age,
        triggers.KIND: extraction.run,
        session_end.KIND: end.run,
        upkeep_.DAILY_KIND: upkeep.daily,
        upkeep_.WEEKLY_KIND: upkeep.weekly,
        upkeep_.STEP_KIND: upkeep.step,
        upkeep_.DOCUMENTS_KIND: lambda job: _write_views(shared, job.space),
        bus.KIND: rules.run,
        window_summary.KIND: summaries.run,
        bus.ACTION_KIND: rules.act,
        erasure.KIND: eraser.finish,
    }
    failing: dict[str, FailureListener] = {
        triggers.KIND: extraction.failed,
        session_end.KIND: end.failed,
    }
    if shared.embedder is not None:
        filled = engine if engine.lasting else None
        handlers[embedding_job.KIND] = EmbeddingJob(store, shared.embedder, filled).run
    plans = [
        RecurringJob(shared.space, kind, cron, settings.schedule.zone)
        for kind, cron, steps in (
            (
                upkeep_.DAILY_KIND,
                settings.schedule.daily,
                settings.upkeep.daily or settings.backup.folder,
            ),
            (upkeep_.WEEKLY_KIND, settings.schedule.weekly, settings.upkeep.weekly),
        )
        if cron != "never" and steps
    ]
    if ledger.jsonl and ledger.jsonl_keep is not None:
        plans.append(
            RecurringJob(
                shared.space, transcripts.AGE_KIND, settings.schedule.daily, settings.schedule.zone
            )
        )
    prepare = None
    if settings.triggers.compression_rules:  # the hook before a compression is in somebody's way
        prepare = partial(RuleExtractor.of(settings).prepare, clock.now())
    log = log_of(settings)
    return Worker(
        store, handlers, clock, pace, plans, failing=failing, guard=guard, log=log, prepare=prepare
    )


def _stay_asleep() -> None:
    """Nobody to wake: another process, or drain(), does the work."""
