"""Opening a mind: find the database, load the settings, put the services together.

An ``Engine`` is one database and the minds of all its spaces, which share everything but what they
remember.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from mnemic.clock import Clock, SystemClock
from mnemic.documents.fallback.files import folder_beside
from mnemic.engine import parts
from mnemic.engine.background import BackgroundWork
from mnemic.engine.mind import Mind
from mnemic.engine.shared import Shared
from mnemic.engine.tokens import Tokens
from mnemic.errors import Closed, ConfigError, InvalidInput, StoreError
from mnemic.index.live_tables import VECTOR_MEMORY
from mnemic.language.guard import guard_of
from mnemic.rules import checks
from mnemic.rules.signatures import CheckedCalls, check_arguments
from mnemic.settings import Settings, load_beside
from mnemic.settings.environment import ModelSettings
from mnemic.store.contract import Store
from mnemic.store.paths import USUAL_NAME, possible_folders
from mnemic.store.postgres.address import is_address
from mnemic.store.quota import Quota
from mnemic.store.sqlite.connection import MEMORY
from mnemic.store.sqlite.keys import FileKey, choose_key
from mnemic.store.target import files_beside, is_service, open_store, redact_target
from mnemic.types import (
    DEFAULT_SPACE,
    Action,
    Drained,
    EmbeddingModel,
    EngineStats,
    Extensions,
    LanguageModel,
    Receipt,
    VectorBackend,
)

WORKERS = ("thread", "none")
_LONGEST_ADDRESS = 100_000
_MOST_THREADS = 256


class Engine(CheckedCalls):
    """One database. Close it, or use it as a context manager."""

    def __init__(
        self,
        target: str,
        settings: Settings,
        clock: Clock,
        extensions: Extensions,
        *,
        threads: int,
        threaded: bool,
        vector_memory: int = VECTOR_MEMORY,
        quota: Quota | None = None,
        key: str | bytes | None = None,
    ) -> None:
        """Use ``mnemic.connect`` instead."""
        self.settings = settings
        self._target, self._key = target, key
        path = self._path = target if target == MEMORY else str(files_beside(target))
        self._shown = redact_target(target)
        self._clock = clock
        self._guard = guard_of(settings)
        self._plain_roots = possible_folders(Path(path), settings.memory.fallback_folder)
        self._closed = False
        self._known: set[str] = set()
        self._welcomed = -float("inf")
        self._background: BackgroundWork | None = None
        if not settings.memory.enabled:
            return
        store = self._store
        store.bound(quota)
        shared = self._shared = Shared(
            store, path, settings, clock, extensions=extensions, vector_memory=vector_memory
        )
        self._background = BackgroundWork(shared, threads=threads, threaded=threaded)

    def mind(self, space: str = DEFAULT_SPACE) -> Mind:
        """The memory of one person or agent. Closing it writes down what it gathered; the database
        stays open.
        """
        name = self._guard.name(space, "space")
        background = self._background
        if background is None:
            return self._open_plain_files(name)
        self._check_open()
        self._welcome(name, background)
        services = background.open_spaces.get(name)
        return Mind(services, background, services.flush)

    def only_mind(self, space: str) -> Mind:
        """The one memory that is wanted; closing it closes the database."""
        name = self._guard.name(space, "space")
        background = self._background
        if background is None:
            return self._open_plain_files(name)
        self._welcome(name, background, now=True)
        background.wake()
        return Mind(background.open_spaces.get(name), background, self.close)

    @cached_property
    def tokens(self) -> Tokens:
        """Who may ask a service of this database."""
        return Tokens(self._store, self._clock)

    @cached_property
    def _store(self) -> Store:
        """Opened at once or, while memory is off, for the tokens alone."""
        return open_store(
            self._target,
            busy_timeout=self.settings.store.busy_timeout.total_seconds(),
            now=self._clock.now,
            key=find_key(self._target, self._key, self.settings),
            settings=self.settings.store,
        )

    def spaces(self) -> list[str]:
        """Every space that was ever written to."""
        if self._background is None:
            return []
        self._check_open()
        return self._store.spaces()

    def forget_space(self, space: str, *, dry_run: bool = False) -> Receipt:
        """Remove everything of a space for good, with its name; ``dry_run`` only counts."""
        return self.mind(space).forget_space(dry_run=dry_run)

    def stats(self) -> EngineStats:
        """What this process holds for its spaces."""
        background = self._background
        if background is None:
            return EngineStats(0, 0, 0, 0, "")
        return EngineStats(
            spaces=len(self.spaces()),
            open=len(background.open_spaces),
            vector_bytes=self._shared.vector_memory.held,
            threads=background.worker.threads,
            worker_failure=background.worker.failure,
        )

    def prometheus(self) -> str:
        """Figures of the whole database in the text format of Prometheus; those of one space are
        its mind's.
        """
        if self._background is None:
            return ""
        return parts.metrics.totals_as_prometheus(self._store.totals())

    def drain(self, timeout: timedelta | float | None = None) -> Drained:
        """Run every due job of every space now, at most for ``timeout`` seconds."""
        if self._background is None:
            return Drained(0, 0, 0)
        self._check_open()
        self._welcome_all()
        return self._background.worker.drain(timeout)

    def due_jobs(self) -> int:
        """How many jobs of all spaces could run now."""
        return 0 if self._background is None else self._store.queue.due(self._clock.now())

    def work(self) -> None:
        """Run jobs as they come due, until ``close`` is called from elsewhere."""
        if self._background is not None:
            self._welcome_all()
            self._background.worker.run()

    def _welcome_all(self) -> None:
        """The spaces of other processes too: who works for all plans the upkeep of all."""
        background, poll = self._background, self.settings.jobs.poll.total_seconds()
        if background is None or time.monotonic() < self._welcomed + poll:
            return
        self._welcomed = time.monotonic()
        for space in self._store.spaces():
            self._welcome(space, background)

    def _welcome(self, space: str, background: BackgroundWork, *, now: bool = False) -> None:
        """See to a space that is new to this process, once: its upkeep, its plain files."""
        if space in self._known:
            return
        self._known.add(space)
        background.welcome(space, now=now)
        self._take_in(space, background)

    def close(self) -> None:
        """Finish the jobs in hand and close the database. Closing twice is harmless."""
        if self._background is None:
            if "_store" in self.__dict__:
                self._store.close()
            return
        self._background.worker.stop()
        if self._closed:
            return
        self._closed = True
        try:
            self._background.close()
        finally:
            self._store.close()
            self._background.let_go()

    def _take_in(self, space: str, background: BackgroundWork) -> None:
        """Import what was recorded into plain files while memory was switched off."""
        if self._store.read_only or not any(map(os.path.isdir, self._plain_roots)):
            return  # every opening asks
        folder = folder_beside(self._path, space, self.settings.memory)
        if folder is None or not folder.path.is_dir():
            return
        folder.claim()
        services = background.open_spaces.get(space)
        try:
            parts.fallback_importer.PlainFileImporter(
                services.at,
                folder,
                recorder=services.recorder,
                memories=services.memories,
                ledger=services.ledger,
                session_ends=services.session_ends,
            ).run()
        except StoreError as error:
            # The files stay, and the next opening tries again; stats() shows this.
            background.worker.failure = str(error)

    def _open_plain_files(self, space: str) -> Mind:
        folder = folder_beside(self._path, space, self.settings.memory)
        if folder is None:
            raise ConfigError(
                "memory.enabled is false, and a memory in RAM has no folder for plain files",
                remedy="Name a file, or an absolute memory.fallback_folder",
            )
        return parts.off.PlainFileMind(folder, space, self.settings, self._clock)

    def _check_open(self) -> None:
        if self._closed:
            raise Closed(f"{self._shown} was closed", remedy="Connect to it again")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Engine preset={self.settings.preset!r}>"


@check_arguments
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
    key: str | bytes | None = None,
    **settings: Any,
) -> Mind:
    """Open or create a memory.

    ``target`` is a file, ``"postgresql://…"``, ``":memory:"``, or ``"http://…"`` of a service, with
    its ``token``; without one MNEMIC_DB or the platform's data folder decides. ``key`` opens an
    encrypted file, or encrypts a new one: a passphrase, 32 bytes, or "hex:" and 64 digits; without
    one MNEMIC_KEY or the file of the setting ``store.key_file`` decides. ``preset`` is a
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
        if extensions != Extensions(actions={}) or preset is not None or settings or given or key:
            raise ConfigError(
                "A service has its own settings, model and preset",
                remedy="Give them to `mnemic serve`; here only space= and token=",
            )
        from mnemic.engine.remote.client import open_remote

        return open_remote(path, token=token, space=space)
    chosen = _load(path, preset, settings | given)
    ticking = _check_clock(clock)
    space = guard_of(chosen).name(space, "space")  # before a file is made
    engine = Engine(
        path, chosen, ticking, extensions, threads=1, threaded=worker == "thread", key=key
    )
    try:
        return engine.only_mind(space)
    except BaseException:
        engine.close()
        raise


@check_arguments
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
    key: str | bytes | None = None,
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
    return Engine(
        path,
        _load(path, preset, settings | given),
        _check_clock(clock),
        extensions,
        threads=threads,
        threaded=worker == "thread",
        vector_memory=vector_memory,
        quota=quota,
        key=key,
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


def _check_clock(clock: Clock | None) -> Clock:
    if clock is None:
        return SystemClock()
    now: object = clock.now()
    if not isinstance(now, datetime) or now.utcoffset() is None:
        raise InvalidInput(
            f"clock.now() gives a {type(now).__name__} without a time zone",
            remedy="Give a clock whose now() is an aware datetime",
        )
    return clock


def database_path(target: str | os.PathLike[str] | None) -> str:
    """The file or server a target means."""
    named = os.environ.get("MNEMIC_DB", "") if target is None else target
    if named == "":
        import platformdirs

        return str(Path(platformdirs.user_data_dir("mnemic", appauthor=False)) / USUAL_NAME)
    text = str(named)
    if is_address(text) or is_service(text):
        return checks.check_text(text, "target", _LONGEST_ADDRESS)
    if "://" in text:
        raise ConfigError(
            f"{text.split('://', 1)[0]}:// cannot be opened by this version",
            remedy="Give a file path, which is created when there is none, postgresql://… or http://…",
        )
    path = checks.check_path(named, "target")
    return path if path == MEMORY else str(Path(path).expanduser().absolute())


def find_key(target: str, given: str | bytes | None, settings: Settings) -> FileKey | None:
    """The key of a database file; nothing else has one."""
    if given is not None and (is_address(target) or is_service(target)):
        raise ConfigError("Only a file has a key", remedy="Encrypt the disk of the server")
    if is_address(target) or target == MEMORY:
        return None
    named = settings.store.key_file
    return choose_key(given, Path(target).parent / Path(named).expanduser() if named else None)


def _load(path: str, preset: str | None, overrides: Mapping[str, Any]) -> Settings:
    """With the file of MNEMIC_CONFIG, else a mnemic.toml or the preset's beside the database."""
    folder = None if path == MEMORY else files_beside(path).parent
    return load_beside(folder, preset, overrides, is_own=is_address(path))
