"""What the services of one memory have in common, and the services that several others use."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from recollect.clock import Clock
from recollect.documents.cards import IdentityCards
from recollect.documents.library import Documents, folders_of
from recollect.index.embedding_job import Ask
from recollect.language.guard import guard_of
from recollect.learn.advice import ModelJudge
from recollect.learn.episode_writer import EpisodeWriter
from recollect.learn.extraction import Learner
from recollect.learn.extractors import ModelExtractor, RuleExtractor
from recollect.learn.memory_writer import MemoryWriter
from recollect.learn.pending import PendingQueue
from recollect.learn.reconciler import Reconciler
from recollect.providers.breaker import Circuits
from recollect.providers.chat.base import ChatModel
from recollect.providers.chat.budget import SpendingLimit, journal_meter
from recollect.providers.embedding.base import Embedder
from recollect.providers.vault import Vault
from recollect.record import daily_events
from recollect.settings import Settings
from recollect.store.contract import Store
from recollect.store.sqlite.connection import MEMORY


@dataclass(frozen=True, slots=True)
class Shared:
    """What the services of one memory have in common."""

    store: Store
    path: str
    space: str
    settings: Settings
    clock: Clock
    embedder: Embedder | None
    model: ChatModel | None
    ask: Ask
    circuits: Circuits
    vault: Vault

    def model_of(self, space: str) -> ChatModel | None:
        """The memory model with its calls on that space's account."""
        if self.model is None:
            return None
        budget = SpendingLimit.of(self.settings)
        return self.model.metered(
            journal_meter(self.store, space, self.clock, budget, guard_of(self.settings))
        )

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
        if self.path != MEMORY:
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
        guard = guard_of(self.settings)
        return Documents(
            self.store,
            space,
            self.clock,
            self.settings,
            folders_of(Path(self.path), space, self.settings),
            keeper=self.writer_of(space),
            reconciler=self.reconciler_of(space),
            guard=guard,
            ask=self.ask,
        )

    def sync(self, space: str) -> list[str]:
        """Bring documents and memory together; the names of those that were written."""
        if self.path == MEMORY or not self.settings.documents.write:
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
