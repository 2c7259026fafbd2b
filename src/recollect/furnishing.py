"""Putting the rooms of a mind together: what each one is given, and which jobs the worker runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from recollect.clock import Clock
from recollect.context.build import Builder, Sources
from recollect.context.evidence import EvidenceReader
from recollect.context.window import ShortTermMemory
from recollect.errors import ConfigError, StoreError
from recollect.index.choose import engine_for
from recollect.index.engine import VectorEngine
from recollect.index.holding import Holder
from recollect.ingest import digests, embedding, transcripts
from recollect.ingest.accept import Limits
from recollect.ingest.digests import Digests
from recollect.ingest.echo import Injected
from recollect.ingest.embedding import Ask, Embedding
from recollect.ingest.files import Files
from recollect.ingest.learning import ending, triggers
from recollect.ingest.learning.compressing import Compression
from recollect.ingest.learning.ending import Closing, Ending
from recollect.ingest.learning.extraction import Extraction, Learner
from recollect.ingest.learning.extractors import ModelExtractor, RuleExtractor
from recollect.ingest.learning.judging import ModelJudge
from recollect.ingest.learning.triggers import Watcher
from recollect.ingest.ledger import LedgerBook
from recollect.ingest.memories import Keeper
from recollect.ingest.pending import Inbox
from recollect.ingest.reconcile import Reconciler
from recollect.ingest.recorder import FollowUps, Recorder
from recollect.ingest.rollback import Rollback
from recollect.ingest.scratchpads import Scratchpads
from recollect.ingest.transcripts import Transcripts
from recollect.jobs.worker import Failing, Handler, Pace, Plan, Worker
from recollect.providers.chat.base import ChatModel
from recollect.providers.chat.budget import Budget, journal_meter
from recollect.providers.chat.choose import chat_model_for
from recollect.providers.embedding.base import Embedder
from recollect.providers.embedding.choose import embedder_for, embedder_named
from recollect.providers.vault import Vault
from recollect.recall.engine import Recall
from recollect.recall.request import read_request
from recollect.recall.touches import Touches
from recollect.recall.vectors import VectorRoute
from recollect.rooms import Rooms
from recollect.rules.backoff import Backoff
from recollect.rules.secrets_looks import Bounds
from recollect.settings import Settings
from recollect.store.base import Store
from recollect.store.sqlite.connection import MEMORY
from recollect.types import RECORD_TYPES, Hit, Memory


@dataclass(frozen=True, slots=True)
class House:
    """What all rooms share."""

    store: Store
    path: str
    space: str
    settings: Settings
    clock: Clock
    embedder: Embedder | None
    model: ChatModel | None
    ask: Ask

    def model_of(self, space: str) -> ChatModel | None:
        """The memory model with its calls on that space's account."""
        if self.model is None:
            return None
        budget = Budget.of(self.settings)
        return self.model.metered(journal_meter(self.store, space, self.clock, budget))

    def reconciler_of(self, space: str) -> Reconciler:
        model = self.model_of(space)
        return Reconciler(
            self.store,
            space,
            self.settings,
            self.ask,
            embedder=self.embedder,
            judge=None if model is None else ModelJudge(model, self.settings),
        )

    def learner_of(self, space: str) -> Learner:
        model = self.model_of(space)
        extractor = (
            RuleExtractor(self.settings) if model is None else ModelExtractor(model, self.settings)
        )
        return Learner(extractor, self.reconciler_of(space))


def furnish(
    store: Store, path: str, space: str, settings: Settings, clock: Clock, *, threaded: bool
) -> Rooms:
    """All rooms of one space."""
    embedder = embedder_for(settings) if settings.index.vectors != "none" else None
    ask = embedding.asking(embedder, settings.jobs.max_attempts)
    house = House(store, path, space, settings, clock, embedder, _model(settings), ask)
    engine = engine_for(settings, path, on_disk=path != MEMORY)
    meaning = None if embedder is None else _by_meaning(house, embedder, engine)
    injected = Injected(store, space, clock, settings.trust)
    worker = _worker(house, engine, injected)
    wake = worker.start_or_wake if threaded else _stay_asleep
    limits = _limits(settings)
    recorder = _recorder(house, limits, wake)
    touches = Touches(store, space, enabled=settings.recall.touch)
    recall = Recall(store, space, clock, settings=settings, vectors=meaning, touches=touches)
    pads = Scratchpads(store, space, clock, settings.scratchpad)
    short_term = ShortTermMemory(store, space, settings.short_term)
    reconciler = house.reconciler_of(space)
    if embedder is not None:
        try:
            embedding.catch_up(store, space, embedder, clock.now(), settings.jobs.max_attempts)
        except StoreError as error:
            # A mind opens on whatever can be read; recall leaves an event, stats() shows this.
            worker.failure = str(error)
    return Rooms(
        recorder=recorder,
        book=LedgerBook(store, space, clock),
        closing=Closing(store, space, clock, settings, wake),
        compression=Compression(
            store, space, clock, settings, recorder=recorder, reconciler=reconciler, ask=ask
        ),
        files=Files(store, space, clock, limits, ask),
        keeper=Keeper(store, space, clock, limits, ask, vault=_vault(settings, path)),
        inbox=Inbox(store, space, clock, settings.pending, reconciler),
        rollback=Rollback(store, space, clock, settings),
        pads=pads,
        recall=recall,
        touches=touches,
        injected=injected,
        context=Builder(_sources(house, recall, pads, short_term), settings),
        short_term=short_term,
        worker=worker,
        meaning=meaning,
        model=house.model,
    )


def _model(settings: Settings) -> ChatModel | None:
    """The model that learns; None where the rules do."""
    engine = settings.extraction.engine
    model = None if engine == "rules" else chat_model_for(settings)
    if engine == "model" and model is None:
        raise ConfigError(
            "extraction.engine is model and there is none",
            remedy="Set model.provider and model.name, or extraction.engine to auto",
        )
    return model


def _limits(settings: Settings) -> Limits:
    secrets = settings.secrets
    kept = secrets.at_write != "redact"
    return Limits(
        characters=settings.ledger.max_characters,
        tool_calls=settings.ledger.max_tool_calls,
        tags=settings.ledger.max_tags,
        secrets=None if kept else Bounds(secrets.min_length, secrets.min_entropy),
    )


def _vault(settings: Settings, path: str) -> Vault:
    beside = None if path == MEMORY else Path(path).parent / settings.secrets.key_file
    return Vault(settings.secrets.key.reveal(), beside)


def _by_meaning(house: House, embedder: Embedder, engine: VectorEngine) -> VectorRoute:
    settings = house.settings
    return VectorRoute(
        embedder,
        settings.ranking.conversation,
        Holder(engine, house.store, house.space),
        lambda name: embedder_named(name, settings),
    )


def _recorder(house: House, limits: Limits, wake: Callable[[], None]) -> Recorder:
    settings = house.settings
    return Recorder(
        house.store,
        house.space,
        house.clock,
        limits=limits,
        follow_ups=FollowUps(
            transcripts=settings.ledger.jsonl and house.path != MEMORY,
            quiet_gap=settings.triggers.quiet_gap,
            ask_vectors=house.ask,
            watcher=Watcher(settings.triggers, settings.jobs.max_attempts),
            max_attempts=settings.jobs.max_attempts,
        ),
        wake=wake,
    )


def _sources(
    house: House, recall: Recall, pads: Scratchpads, short_term: ShortTermMemory
) -> Sources:
    store, space, settings, clock = house.store, house.space, house.settings, house.clock

    def find(query: str, *, k: int, persona: str | None) -> list[Hit]:
        return recall.recall(
            read_request(query, k=k, of=RECORD_TYPES, persona=persona, now=clock.now())
        )

    def core() -> list[Memory]:
        with store.read(space) as unit:
            return unit.memories.most_important(
                least=settings.upkeep.core_importance,
                now=clock.now(),
                limit=settings.capacity.core,
            )

    return Sources(
        gate=recall.gate,
        recall=find,
        read=EvidenceReader(store, space),
        window=short_term.window,
        core=core,
        scratchpad=lambda: pads.get().text,
        cards=dict,
    )


def _worker(house: House, engine: VectorEngine, injected: Injected) -> Worker:
    store, clock, settings = house.store, house.clock, house.settings
    jobs = settings.jobs
    pace = Pace(
        max_attempts=jobs.max_attempts,
        backoff=Backoff(jobs.backoff_first, jobs.backoff_factor, jobs.backoff_max),
        lease=jobs.lease,
        poll=jobs.poll,
    )
    ledger = settings.ledger
    copies = Transcripts(
        store, Path(house.path).parent / ledger.jsonl_folder, clock, ledger.jsonl_keep
    )
    quiet = settings.triggers.quiet_gap or timedelta()
    extraction = Extraction(store, clock, settings, house.learner_of, before=injected.flush)
    end = Ending(
        store, clock, settings, extraction=extraction, model_of=house.model_of, ask=house.ask
    )
    handlers: dict[str, Handler] = {
        digests.KIND: Digests(store, clock, settings.extraction.summary_chars, quiet).write,
        transcripts.KIND: copies.append,
        transcripts.AGE_KIND: copies.age,
        triggers.KIND: extraction.run,
        ending.KIND: end.run,
    }
    failing: dict[str, Failing] = {triggers.KIND: extraction.failed, ending.KIND: end.failed}
    if house.embedder is not None:
        filled = engine if engine.lasting else None
        handlers[embedding.KIND] = Embedding(store, house.embedder, filled).run
    plans = []
    if ledger.jsonl and ledger.jsonl_keep is not None:
        plans.append(
            Plan(house.space, transcripts.AGE_KIND, settings.schedule.daily, settings.schedule.zone)
        )
    return Worker(store, handlers, clock, pace, plans, failing=failing)


def _stay_asleep() -> None:
    """Nobody to wake: another process, or drain(), does the work."""
