"""What a database is opened with: its model, its embedder, its keys and its vector engine."""

from __future__ import annotations

import warnings
from pathlib import Path

from mnemic.clock import Clock, monotonic_of
from mnemic.documents.library import claim_folders
from mnemic.engine.shared import Shared
from mnemic.errors import ConfigError, MissingExtra
from mnemic.index import embedding_job
from mnemic.index.engine import VectorEngine, engine_for
from mnemic.index.memory import MemoryEngine
from mnemic.index.vector_memory import VECTOR_MEMORY, VectorMemory
from mnemic.language.guard import guard_of
from mnemic.providers.breaker import Circuits
from mnemic.providers.chat.base import ChatModel
from mnemic.providers.chat.choose import chat_model_for, object_model_for
from mnemic.providers.embedding.base import Embedder
from mnemic.providers.embedding.choose import embedder_for, object_embedder_for
from mnemic.providers.vault import Vault
from mnemic.settings import Settings
from mnemic.store.contract import Store
from mnemic.store.sqlite.connection import MEMORY
from mnemic.types import Extensions
from mnemic.upkeep import bus

_NONE = Extensions()


def share(
    store: Store,
    path: str,
    settings: Settings,
    clock: Clock,
    *,
    extensions: Extensions = _NONE,
    vector_memory: int = VECTOR_MEMORY,
) -> Shared:
    """What all spaces of a database share; ``extensions`` are the host's own parts."""
    on_disk = path != MEMORY
    if on_disk and not store.read_only:
        claim_folders(Path(path), settings)
    circuits = Circuits(monotonic_of(clock))
    embedder = _embedder(settings, circuits, extensions)
    vector_engine, vector_fault = _vector_engine(settings, path, on_disk=on_disk)
    return Shared(
        store=bus.with_rules(store, settings),
        path=path,
        settings=settings,
        clock=clock,
        guard=guard_of(settings),
        embedder=embedder,
        model=_model(settings, circuits, extensions),
        ask=embedding_job.asking(embedder, settings.jobs.max_attempts),
        circuits=circuits,
        vault=_vault(settings, path),
        extensions=extensions,
        vector_engine=vector_engine,
        vector_fault=vector_fault,
        vector_memory=VectorMemory(vector_memory),
    )


def _vector_engine(
    settings: Settings, path: str, *, on_disk: bool
) -> tuple[VectorEngine, MissingExtra | None]:
    """The engine of the settings or, where its package is missing, the one that needs none."""
    try:
        return engine_for(settings, path, on_disk=on_disk), None
    except MissingExtra as error:
        said = f"{error.message}: vectors are searched in memory. {error.remedy}"
        warnings.warn(said, RuntimeWarning, stacklevel=2)
        return MemoryEngine(), error


def _embedder(settings: Settings, circuits: Circuits, extensions: Extensions) -> Embedder | None:
    if settings.index.vectors == "none":
        return None
    if extensions.embedder is not None:
        return object_embedder_for(settings, extensions.embedder, circuits)
    return embedder_for(settings, circuits)


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
