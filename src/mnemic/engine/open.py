"""Opening a mind: find the database, load the settings, put the services together."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from mnemic import settings as settings_
from mnemic.clock import Clock, SystemClock
from mnemic.engine.engine import Engine
from mnemic.engine.mind import Mind
from mnemic.errors import ConfigError, InvalidInput
from mnemic.index.vector_memory import VECTOR_MEMORY
from mnemic.language.guard import guard_of
from mnemic.record.transcripts import DEFAULT_SPACE
from mnemic.rules import checks
from mnemic.rules.signatures import checked
from mnemic.settings.environment import ModelSettings
from mnemic.store.paths import USUAL_NAME
from mnemic.store.quota import Quota
from mnemic.store.sqlite.connection import MEMORY
from mnemic.store.target import files_beside, is_address, is_service
from mnemic.types import Action, EmbeddingModel, Extensions, LanguageModel, VectorBackend

WORKERS = ("thread", "none")
_LONGEST_PATH = 100_000
_MOST_THREADS = 256


@checked
def open(
    target: str | os.PathLike[str] | None = None,
    *,
    space: str = DEFAULT_SPACE,
    preset: str | None = None,
    clock: Clock | None = None,
    worker: str = "thread",
    model: LanguageModel | ModelSettings | Mapping[str, Any] | None = None,
    embedder: EmbeddingModel | None = None,
    vectors: VectorBackend | None = None,
    actions: Mapping[str, Action] | None = None,
    token: str | None = None,
    **settings: Any,
) -> Mind:
    """Open or create a memory.

    ``target`` is a file, ``"postgresql://…"``, ``":memory:"``, or ``"http://…"`` of a service, with
    its ``token``; without one MNEMIC_DB or the platform's data folder decides. ``preset`` is a
    named set of settings; without one MNEMIC_PRESET or a settings file may name it. ``worker``
    is "thread" (background work beside the conversation) or "none" (another process, or
    ``drain()``, does it). ``model``, ``embedder``, ``vectors`` and ``actions`` are the host's own
    objects, in the place of what the settings name; ``model`` may be settings as well.
    Further keywords are settings.
    """
    extensions, given = _extensions(model, embedder, vectors, actions)
    checks.check_choice(worker, WORKERS, "worker")
    path = database_path(target)
    if is_service(path):
        if extensions != Extensions(actions={}) or preset is not None or settings or given:
            raise ConfigError(
                "A service has its own settings, model and preset",
                remedy="Give them to `mnemic serve`; here only space= and token=",
            )
        from mnemic.engine.remote.client import open_remote

        return open_remote(path, token=token, space=space)
    chosen = _load(path, preset, settings | given)
    ticking = SystemClock() if clock is None else _checked_clock(clock)
    space = guard_of(chosen).name(space, "space")  # before a file is made
    engine = Engine(path, chosen, ticking, extensions, threads=1, threaded=worker == "thread")
    try:
        return engine.only_mind(space)
    except BaseException:
        engine.close()
        raise


@checked
def connect(
    target: str | os.PathLike[str] | None = None,
    *,
    preset: str | None = None,
    clock: Clock | None = None,
    worker: str = "thread",
    threads: int = 2,
    vector_memory: int = VECTOR_MEMORY,
    quota: Quota | None = None,
    model: LanguageModel | ModelSettings | Mapping[str, Any] | None = None,
    embedder: EmbeddingModel | None = None,
    vectors: VectorBackend | None = None,
    actions: Mapping[str, Action] | None = None,
    **settings: Any,
) -> Engine:
    """Open a database for many people: ``connect(target).mind("alice")`` is the memory of one.

    All of them share its connections, ``threads`` of background work and ``vector_memory`` bytes of
    vectors in memory; ``quota`` bounds what each may store. Everything else is as in ``open``.
    """
    extensions, given = _extensions(model, embedder, vectors, actions)
    checks.check_choice(worker, WORKERS, "worker")
    checks.check_count(threads, "threads", _MOST_THREADS)
    checks.check_count(vector_memory, "vector_memory", checks.MAX_INDEX)
    path = database_path(target)
    if is_service(path):
        raise ConfigError(
            "A service is connected to its database itself",
            remedy="Open each space of it: mnemic.open(url, space=…)",
        )
    chosen = _load(path, preset, settings | given)
    ticking = SystemClock() if clock is None else _checked_clock(clock)
    return Engine(
        path,
        chosen,
        ticking,
        extensions,
        threads=threads,
        threaded=worker == "thread",
        vector_memory=vector_memory,
        quota=quota,
    )


def _extensions(
    model: LanguageModel | ModelSettings | Mapping[str, Any] | None,
    embedder: EmbeddingModel | None,
    vectors: VectorBackend | None,
    actions: Mapping[str, Action] | None,
) -> tuple[Extensions, dict[str, Any]]:
    """The host's own parts, and the settings of a model where no object was given."""
    named: dict[str, Action] = dict(actions or {})
    for name, action in named.items():
        checks.check_name(name, "the name of an action")
        if not callable(action):
            raise InvalidInput(
                f"actions[{name!r}] is a {type(action).__name__}", remedy="Pass a function"
            )
    if model is None or isinstance(model, ModelSettings | Mapping):
        settings = {} if model is None else {"model": model}
        return Extensions(None, embedder, vectors, named), settings
    return Extensions(model, embedder, vectors, named), {}


def _checked_clock(clock: Clock) -> Clock:
    now: object = clock.now()
    if not isinstance(now, datetime) or now.utcoffset() is None:
        raise InvalidInput(
            f"clock.now() gives a {type(now).__name__} without a time zone",
            remedy="Give a clock whose now() is an aware datetime",
        )
    return clock


def database_path(target: str | os.PathLike[str] | None) -> str:
    """The file or server a target means."""
    named = os.fspath(target) if target is not None else os.environ.get("MNEMIC_DB", "")
    text = checks.check_text(named, "target", _LONGEST_PATH)
    if "\0" in text:
        raise InvalidInput("target holds a NUL", remedy="Give the path of a file")
    if not text:
        import platformdirs

        return str(Path(platformdirs.user_data_dir("mnemic", appauthor=False)) / USUAL_NAME)
    if is_address(text) or is_service(text):
        return text
    if "://" in text:
        raise ConfigError(
            f"{text.split('://', 1)[0]}:// cannot be opened by this version",
            remedy="Give a file path, which is created when there is none, postgresql://… or http://…",
        )
    return text if text == MEMORY else str(Path(text).expanduser().absolute())


def _load(path: str, preset: str | None, overrides: Mapping[str, Any]) -> settings_.Settings:
    """With the file that MNEMIC_CONFIG names, else a mnemic.toml beside the database, or the file
    of the system that the preset is of.
    """
    folder = None if path == MEMORY else files_beside(path).parent
    return settings_.load_beside(folder, preset, overrides, own=is_address(path))
