"""The embedder that the settings name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from mnemic.errors import ConfigError, MissingExtra
from mnemic.providers.extras import require_key
from mnemic.providers.services import EMBEDDERS, SERVICES
from mnemic.settings.plugins import EMBEDDING, make_from_plugin
from mnemic.settings.values import Secret

if TYPE_CHECKING:
    from mnemic.providers.breaker import Circuits
    from mnemic.providers.embedding.base import Embedder
    from mnemic.settings import Settings
    from mnemic.settings.environment import EmbeddingSettings
    from mnemic.types import EmbeddingModel


def embedder_for(settings: Settings, circuits: Circuits | None = None) -> Embedder | None:
    """The embedder of the settings, or None where there is none.

    Nothing is loaded or sent before the first text, but a missing key, package or file is an error
    at once. ``circuits`` suspend calls to a server that failed.
    """
    embedding = settings.embedding
    match embedding.provider:
        case "none":
            return None
        case "auto" if not embedding.folder:
            return _local_if_installed()
        case "local":
            return _find_local()
        case "folder" | "auto":
            return _cache(_make_from_folder(embedding), embedding)
        case provider if provider not in EMBEDDERS:
            model = make_from_plugin(EMBEDDING, provider, embedding)
            return object_embedder_for(settings, cast("EmbeddingModel", model), circuits)
        case _:
            return _cache(_http_embedder(embedding, circuits), embedding)


def object_embedder_for(
    settings: Settings, model: EmbeddingModel, circuits: Circuits | None = None
) -> Embedder:
    """An embedding model of the host, with the timeouts, breaker and cache of one behind HTTP."""
    from mnemic.providers.objects import GuardedObject, ObjectEmbedder, name_of

    embedding, service = settings.embedding, f"embedder {name_of(model, 'embedder')}"
    breaker = None if circuits is None else circuits.own(service)
    calls = GuardedObject(service, embedding.timeout, breaker)
    return _cache(ObjectEmbedder(model, calls, embedding), embedding)


def embedder_named(
    name: str, settings: Settings, circuits: Circuits | None = None
) -> Embedder | None:
    """An embedder of earlier settings, by the name its vectors are stored under.

    None where the present settings do not lead to it: another folder, no key, a package that is
    no longer there.
    """
    local = _local_if_installed()
    if local is not None and local.name == name:
        return local
    for candidate in _candidates(name, settings.embedding):
        try:
            embedder = embedder_for(settings.replace(embedding=candidate), circuits)
        except (ConfigError, MissingExtra):
            continue
        if embedder is not None and embedder.name == name:
            return embedder
    return None


def _candidates(name: str, now: EmbeddingSettings) -> Iterator[EmbeddingSettings]:
    """Settings that may make an embedder of this name."""
    if now.folder:
        yield now.replace(provider="folder")
    for provider in EMBEDDERS:
        if not name.startswith(f"{provider}-"):
            continue
        model = name.removeprefix(f"{provider}-")
        # A key and an address are of the provider they were given for.
        mine = now if now.provider == provider else now.replace(api_key=Secret(""), base_url="")
        yield mine.replace(provider=provider, model=model, dimensions=0)
        shorter, _, length = model.rpartition("-")
        if shorter and length.isdecimal():
            yield mine.replace(provider=provider, model=shorter, dimensions=int(length))


def _cache(embedder: Embedder, embedding: EmbeddingSettings) -> Embedder:
    if not embedding.cache_entries:
        return embedder
    from mnemic.providers.embedding.cache import CachedEmbedder

    return CachedEmbedder(embedder, embedding.cache_entries)


def _find_local() -> Embedder:
    """Without a cache: every text is another."""
    from mnemic.providers.reader.model import find_reader

    return find_reader()


def _local_if_installed() -> Embedder | None:
    try:
        return _find_local()
    except MissingExtra:
        return None


def _make_from_folder(embedding: EmbeddingSettings) -> Embedder:
    from mnemic.providers.embedding.folder import OnnxEmbedder

    if not embedding.folder:
        raise ConfigError("embedding.folder is not set", remedy="Set it to the folder of the model")
    return OnnxEmbedder(Path(embedding.folder).expanduser())


def _http_embedder(embedding: EmbeddingSettings, circuits: Circuits | None) -> Embedder:
    from mnemic.providers.embedding.http import HttpEmbedder
    from mnemic.providers.wire import Wire

    service = SERVICES[embedding.provider]
    if service.needs_key:
        require_key("embedding", embedding)
    address = embedding.base_url or service.base_url
    label = f"{embedding.provider} embeddings"
    breaker = None if circuits is None else circuits.of(label, address)
    wire = Wire(
        address, service=label, key=embedding.api_key, timeout=embedding.timeout, breaker=breaker
    )
    return HttpEmbedder(wire, embedding)
