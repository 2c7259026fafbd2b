"""What all spaces of one database share: its model, its embedder, its keys, its vector engine, and
the services that several others use.
"""

from __future__ import annotations

import warnings
from copy import copy
from datetime import datetime, timedelta
from pathlib import Path

from mnemic.clock import Clock, monotonic_of
from mnemic.documents.folders import claim_folders, folders_of
from mnemic.engine import parts
from mnemic.errors import ConfigError, MissingExtra
from mnemic.index.backend import BackendEngine
from mnemic.index.engine import VectorEngine, engine_for
from mnemic.index.live_tables import VECTOR_MEMORY, VectorMemory
from mnemic.language.guard import guard_of
from mnemic.locks import ForkSafeLock
from mnemic.providers.breaker import Circuits
from mnemic.providers.chat.choose import chat_model_for, object_model_for
from mnemic.providers.embedding.base import Embedder, release
from mnemic.providers.embedding.choose import embedder_for, object_embedder_for
from mnemic.providers.reader.model import TrainedReader
from mnemic.providers.vault import Vault
from mnemic.record.transcripts import Transcripts
from mnemic.record.triggers import OverflowListener, queue_sessions
from mnemic.settings import Settings
from mnemic.space import Space
from mnemic.store.contract import Store, Unit
from mnemic.store.paths import own_base, own_folder
from mnemic.store.sql.queue import Habits
from mnemic.store.sqlite.connection import MEMORY
from mnemic.types import Extensions, SafeName

_NONE = Extensions()


class Shared:
    """What all spaces of one database share.

    ``path`` is the database file, or stands for one: documents, transcripts and keys are beside it.
    ``vector_fault`` says why another engine than that of the settings searches the vectors.
    """

    def __init__(
        self,
        store: Store,
        path: str,
        settings: Settings,
        clock: Clock,
        *,
        extensions: Extensions = _NONE,
        vector_memory: int = VECTOR_MEMORY,
    ) -> None:
        """``extensions`` are the host's own parts."""
        self.path, self.settings, self.clock, self.extensions = path, settings, clock, extensions
        self.guard, self.circuits = guard_of(settings), Circuits(monotonic_of(clock))
        self.building = ForkSafeLock(reentrant=True)
        if self.on_disk and not store.read_only:
            claim_folders(Path(path), settings)
        self.embedder: Embedder | None = None
        if settings.index.vectors != "none" and extensions.embedder is not None:
            self.embedder = object_embedder_for(settings, extensions.embedder, self.circuits)
        elif settings.index.vectors != "none":
            self.embedder = embedder_for(settings, self.circuits)
        store.habits = Habits(settings.jobs.max_attempts, self.embedder is not None)
        if any(rule.enabled for rule in settings.events.rules.values()):
            store = parts.bus.with_rules(store, settings)
        self.store = store
        key_file = Path(path).parent / settings.secrets.key_file
        self.vault = Vault(settings.secrets.key.reveal(), key_file if self.on_disk else None)
        self.vector_engine, self.vector_fault = _vector_engine(settings, path, self.on_disk)
        self.vector_memory = VectorMemory(vector_memory)
        self.model = _model(settings, self.circuits, extensions)

    def rehearse_on(self, store: Store) -> Shared:
        """The same for a store in RAM, without models."""
        stage = copy(self)
        stage.store, stage.path, stage.embedder, stage.model = store, MEMORY, None, None
        return stage

    def at(self, space: str) -> Space:
        """What every service of a space begins with."""
        return Space(self.store, space, self.clock, self.settings, self.guard)

    @property
    def base(self) -> tuple[Store, Clock, Settings]:
        """What every job begins with."""
        return self.store, self.clock, self.settings

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

        def listen(unit: Unit, session: SafeName, now: datetime) -> None:
            info = unit.ledger.session(session)
            if info is not None and info.turns > short_term.max_messages:
                queue_sessions(unit, parts.window_summary.KIND, [session], now=now)

        return int(short_term.max_messages * short_term.compact_share), listen

    def write_views(self, space: str) -> None:
        """Documents and cards of what was just learned; a model makes the cards at upkeep."""
        self.sync(space)
        self.cards_of(space).compile(None, model_later=self.model is not None)

    def close(self) -> None:
        """Close what reaches beyond this process; the store is its opener's."""
        self.vector_engine.close()
        if self.embedder is not None:
            release(self.embedder)
        if self.model is not None:
            self.model.close()

    def model_of(self, space: str) -> parts.chat.ChatModel | None:
        """The memory model with its calls on that space's account."""
        if self.model is None:
            return None
        budget = parts.chat_budget.SpendingLimit.of(self.settings)
        return self.model.add_meter(
            parts.chat_budget.journal_meter(self.store, space, self.clock, budget, self.guard)
        )

    @property
    def digest_delay(self) -> timedelta:
        """How long the rules leave the daily event of a silent session to the model."""
        return timedelta() if self.model is None else parts.daily_events.MODEL_FIRST

    @property
    def episodes(self) -> parts.episode_writer.EpisodeWriter:
        return parts.episode_writer.EpisodeWriter(
            self.clock, self.settings, self.guard, self.model_of
        )

    def reconciler_of(self, space: str) -> parts.reconciler.Reconciler:
        model, at = self.model_of(space), self.at(space)
        judge = None
        if model is not None and self.settings.reconcile.judge:
            judge = parts.advice.ModelJudge(model, self.settings)
        return parts.reconciler.Reconciler(at, parts.advice.Adviser(at, self.embedder, judge))

    def cards_of(self, space: str) -> parts.cards.IdentityCards:
        """The identity cards, beside the documents."""
        folder = None
        if self.on_disk:
            folder = folders_of(Path(self.path), space, self.settings).documents
        return parts.cards.IdentityCards(self.at(space), folder)

    def writer_of(self, space: str) -> parts.memory_writer.MemoryWriter:
        reconciler = self.reconciler_of(space)
        return parts.memory_writer.MemoryWriter(self.at(space), reconciler, self.vault)

    def pending_of(self, space: str) -> parts.pending.PendingQueue:
        return parts.pending.PendingQueue(self.at(space), self.reconciler_of(space))

    def documents_of(self, space: str) -> parts.library.Documents:
        folders = folders_of(Path(self.path), space, self.settings)
        return parts.library.Documents(
            self.at(space), folders, self.writer_of(space), self.reconciler_of(space)
        )

    def sync(self, space: str) -> list[str]:
        """Bring documents and memory together; the names of those that were written."""
        if not self.on_disk or not self.settings.documents.write:
            return []
        done = self.documents_of(space).sync().documents
        return [document.name for document in done if document.state == "written"]

    def learner_of(self, space: str) -> parts.extraction.Learner:
        model = self.model_of(space)
        reconciler = self.reconciler_of(space)
        reader = self.embedder if isinstance(self.embedder, TrainedReader) else None
        voices = parts.voices.judge_by(reader.hear) if reader else None
        ends = parts.voices.EndingReader(reader) if reader else None
        extractor: parts.extractors.Extractor
        if model is None:
            note = reader.note if reader else None
            extractor = parts.extractors.RuleExtractor.of(self.settings, note, voices)
        else:
            extractor = parts.extractors.ModelExtractor(model, self.settings, self.clock)
        return parts.extraction.Learner(extractor, reconciler, voices, ends)


def _vector_engine(
    settings: Settings, path: str, on_disk: bool
) -> tuple[VectorEngine, MissingExtra | None]:
    """The engine of the settings or, where its package is missing, the one that needs none."""
    try:
        return engine_for(settings, path, on_disk=on_disk), None
    except MissingExtra as error:
        message = f"{error.message}: vectors are searched in memory. {error.remedy}"
        warnings.warn(message, RuntimeWarning, stacklevel=2)
        return VectorEngine(), error


def _model(
    settings: Settings, circuits: Circuits, extensions: Extensions
) -> parts.chat.ChatModel | None:
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
