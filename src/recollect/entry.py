"""Opening a mind: find the database, load the settings, put the services together."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect import settings as settings_
from recollect.clock import Clock, SystemClock
from recollect.documents.fallback.files import Folder, folder_beside
from recollect.documents.fallback.importer import PlainFileImporter
from recollect.documents.library import USUAL_NAME
from recollect.errors import ConfigError, InvalidInput, StoreError
from recollect.language.guard import guard_of
from recollect.mind import Mind
from recollect.off import open_off
from recollect.record.transcripts import DEFAULT_SPACE
from recollect.rules import checks
from recollect.rules.signatures import checked
from recollect.settings.environment import ModelSettings
from recollect.store.sqlite.connection import MEMORY
from recollect.store.sqlite.store import open_sqlite
from recollect.types import Action, EmbeddingModel, Extensions, LanguageModel, VectorBackend
from recollect.wiring import build

_LONGEST_PATH = 100_000


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
    **settings: Any,
) -> Mind:
    """Open or create a memory.

    ``target`` is a file, or ``":memory:"``; without one RECOLLECT_DB or the platform's data folder
    decides. ``preset`` is a named set of settings; without one RECOLLECT_PRESET or a settings file
    may name it. ``worker`` is "thread" (background work beside the conversation) or "none" (another
    process, or ``drain()``, does it). ``model``, ``embedder``, ``vectors`` and ``actions`` are the
    host's own objects, in the place of what the settings name; ``model`` may be settings as well.
    Further keywords are settings.
    """
    extensions, given = _extensions(model, embedder, vectors, actions)
    checks.check_choice(worker, ("thread", "none"), "worker")
    path = database_path(target)
    chosen = settings_.load(preset, file=_settings_file(path, preset), overrides=settings | given)
    space = guard_of(chosen).name(space, "space")
    ticking = SystemClock() if clock is None else _checked_clock(clock)
    folder = folder_beside(path, space, chosen.memory)
    if not chosen.memory.enabled:
        return _switched_off(folder, space, chosen, ticking)
    store = open_sqlite(
        path, busy_timeout=chosen.store.busy_timeout.total_seconds(), now=ticking.now
    )
    services = build(
        store, path, space, chosen, ticking, threaded=worker == "thread", extensions=extensions
    )
    if store.read_only:  # nothing can be taken in, and there is no work that could be done
        return Mind(store, space, chosen, ticking, services)
    if folder is not None and folder.path.is_dir():
        folder.claim()
        try:
            PlainFileImporter(
                store,
                space,
                chosen,
                ticking.now,
                folder,
                recorder=services.recorder,
                memories=services.memories,
                ledger=services.ledger,
                session_ends=services.session_ends,
            ).run()
        except StoreError as error:
            # The files stay, and the next opening tries again; stats() shows this.
            services.worker.failure = str(error)
    if worker == "thread":
        services.worker.start_or_wake()
    return Mind(store, space, chosen, ticking, services)


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


def _switched_off(
    folder: Folder | None, space: str, chosen: settings_.Settings, clock: Clock
) -> Mind:
    if folder is None:
        raise ConfigError(
            "memory.enabled is false, and a memory in RAM has no folder for plain files",
            remedy="Name a file, or an absolute memory.fallback_folder",
        )
    return open_off(folder, space, chosen, clock)


def _checked_clock(clock: Clock) -> Clock:
    now: object = clock.now()
    if not isinstance(now, datetime) or now.utcoffset() is None:
        raise InvalidInput(
            f"clock.now() gives a {type(now).__name__} without a time zone",
            remedy="Give a clock whose now() is an aware datetime",
        )
    return clock


def database_path(target: str | os.PathLike[str] | None) -> str:
    """The file a target means."""
    named = os.fspath(target) if target is not None else os.environ.get("RECOLLECT_DB", "")
    text = checks.check_text(named, "target", _LONGEST_PATH)
    if "\0" in text:
        raise InvalidInput("target holds a NUL", remedy="Give the path of a file")
    if not text:
        import platformdirs

        return str(Path(platformdirs.user_data_dir("recollect", appauthor=False)) / USUAL_NAME)
    if "://" in text:
        raise ConfigError(
            f"{text.split('://', 1)[0]}:// cannot be opened by this version",
            remedy="Give a file path; a SQLite file is created when there is none",
        )
    return text if text == MEMORY else str(Path(text).expanduser().absolute())


def _settings_file(path: str, preset: str | None) -> str | None:
    """What RECOLLECT_CONFIG names, else a recollect.toml beside the database, or the file of the
    system that the preset is of.
    """
    if path == MEMORY:
        return settings_.find_file()
    folder = Path(path).parent
    return settings_.find_file(*(folder / name for name in settings_.file_of(preset)))
