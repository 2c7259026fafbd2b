"""What all spaces of one database share, and the services that several others use."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from mnemic.clock import Clock
from mnemic.documents.cards import IdentityCards
from mnemic.documents.library import Documents, folders_of
from mnemic.errors import MissingExtra
from mnemic.index.backend import BackendEngine
from mnemic.index.embedding_job import Ask
from mnemic.index.engine import VectorEngine
from mnemic.index.vector_memory import VectorMemory
from mnemic.language.guard import Guard
from mnemic.learn import window_summary
from mnemic.learn.advice import ModelJudge
from mnemic.learn.episode_writer import EpisodeWriter
from mnemic.learn.extraction import Learner
from mnemic.learn.extractors import ModelExtractor, RuleExtractor
from mnemic.learn.memory_writer import MemoryWriter
from mnemic.learn.pending import PendingQueue
from mnemic.learn.reconciler import Reconciler
from mnemic.locks import ForkSafeLock
from mnemic.providers.breaker import Circuits
from mnemic.providers.chat.base import ChatModel
from mnemic.providers.chat.budget import SpendingLimit, journal_meter
from mnemic.providers.embedding.base import Embedder, release
from mnemic.providers.vault import Vault
from mnemic.record import daily_events
from mnemic.record.transcripts import Transcripts
from mnemic.record.triggers import OverflowListener
from mnemic.settings import Settings
from mnemic.store.contract import Store, Unit
from mnemic.store.paths import own_base, own_folder
from mnemic.store.sqlite.connection import MEMORY
from mnemic.types import Extensions, SafeName


@dataclass(frozen=True, slots=True)
class Shared:
    """What all spaces of one database share.

    ``path`` is the database file, or stands for one: documents, transcripts and keys are beside it.
    ``vector_fault`` says why another engine than that of the settings searches the vectors.
    """

    store: Store
    path: str
    settings: Settings
    clock: Clock
    guard: Guard
    embedder: Embedder | None
    model: ChatModel | None
    ask: Ask
    circuits: Circuits
    vault: Vault
    extensions: Extensions
    vector_engine: VectorEngine
    vector_memory: VectorMemory
    vector_fault: MissingExtra | None = None
    building: ForkSafeLock = field(default_factory=lambda: ForkSafeLock(reentrant=True))

    @property
    def on_disk(self) -> bool:
        return self.path != MEMORY

    @property
    def history(self) -> Path:
        """The folder of the JSONL copies of all spaces."""
        return own_folder(Path(self.path), self.settings.ledger.jsonl_folder)

    def transcript_copies(self) -> Transcripts:
        ledger = self.settings.ledger
        base = own_base(Path(self.path), ledger.jsonl_folder)
        return Transcripts(self.store, self.history, base, self.clock, ledger.jsonl_keep)

    def vector_engine_of(self, space: str) -> VectorEngine:
        """A backend of the host is asked for each space by itself."""
        if self.extensions.vectors is None:
            return self.vector_engine
        embedder = "" if self.embedder is None else self.embedder.name
        return BackendEngine(self.extensions.vectors, space, embedder)

    def overflow(self) -> tuple[int, OverflowListener] | None:
        """Where the window holds all that fits, a model sums up what does not."""
        short_term = self.settings.short_term
        if self.model is None or self.settings.context.recent_turns:
            return None

        def listen(unit: Unit, session: SafeName, now: datetime, max_attempts: int) -> None:
            info = unit.ledger.session(session)
            if info is not None and info.turns > short_term.max_messages:
                window_summary.queue(unit, session, now, max_attempts)

        return int(short_term.max_messages * short_term.compact_share), listen

    def write_views(self, space: str) -> None:
        """Documents and cards of what was just learnt; a model makes the cards at the next
        upkeep.
        """
        self.sync(space)
        self.cards_of(space).compile(None, model_later=self.model is not None)

    def close(self) -> None:
        """Close what reaches beyond this process; the store is its opener's."""
        self.vector_engine.close()
        if self.embedder is not None:
            release(self.embedder)
        if self.model is not None:
            self.model.close()

    def model_of(self, space: str) -> ChatModel | None:
        """The memory model with its calls on that space's account."""
        if self.model is None:
            return None
        budget = SpendingLimit.of(self.settings)
        return self.model.metered(journal_meter(self.store, space, self.clock, budget, self.guard))

    @property
    def digest_delay(self) -> timedelta:
        """How long the rules leave the daily event of a silent session to the model."""
        return timedelta() if self.model is None else daily_events.MODEL_FIRST

    @property
    def episodes(self) -> EpisodeWriter:
        return EpisodeWriter(
            self.store, self.clock, self.settings, model_of=self.model_of, ask=self.ask
        )

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

    def cards_of(self, space: str) -> IdentityCards:
        """The identity cards, beside the documents."""
        folder = None
        if self.on_disk:
            folder = folders_of(Path(self.path), space, self.settings).documents
        return IdentityCards(self.store, space, self.clock, self.settings, folder)

    def writer_of(self, space: str) -> MemoryWriter:
        reconciler = self.reconciler_of(space)
        return MemoryWriter(
            self.store, space, self.clock, self.settings, reconciler, vault=self.vault
        )

    def pending_of(self, space: str) -> PendingQueue:
        reconciler = self.reconciler_of(space)
        return PendingQueue(self.store, space, self.clock, self.settings.pending, reconciler)

    def documents_of(self, space: str) -> Documents:
        return Documents(
            self.store,
            space,
            self.clock,
            self.settings,
            folders_of(Path(self.path), space, self.settings),
            keeper=self.writer_of(space),
            reconciler=self.reconciler_of(space),
            guard=self.guard,
        )

    def sync(self, space: str) -> list[str]:
        """Bring documents and memory together; the names of those that were written."""
        if not self.on_disk or not self.settings.documents.write:
            return []
        done = self.documents_of(space).sync().documents
        return [document.name for document in done if document.state == "written"]

    def learner_of(self, space: str) -> Learner:
        model = self.model_of(space)
        extractor = (
            RuleExtractor.of(self.settings)
            if model is None
            else ModelExtractor(model, self.settings, self.clock)
        )
        return Learner(extractor, self.reconciler_of(space))
