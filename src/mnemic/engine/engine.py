"""One database and the minds of all its spaces, which share everything but what they remember."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from mnemic.clock import Clock
from mnemic.documents.fallback.files import Folder, folder_beside
from mnemic.documents.fallback.importer import PlainFileImporter
from mnemic.engine.background import BackgroundWork
from mnemic.engine.mind import Mind
from mnemic.engine.off import PlainFileMind
from mnemic.engine.wiring import share
from mnemic.errors import Closed, ConfigError, StoreError
from mnemic.index.vector_memory import VECTOR_MEMORY
from mnemic.language.guard import guard_of
from mnemic.record.transcripts import DEFAULT_SPACE
from mnemic.rules.signatures import CheckedCalls
from mnemic.settings import Settings
from mnemic.store.paths import possible_folders
from mnemic.store.quota import Quota
from mnemic.store.sqlite.connection import MEMORY
from mnemic.store.target import files_beside, open_store, shown
from mnemic.types import Drained, EngineStats, Extensions


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
    ) -> None:
        """Use ``mnemic.connect`` instead."""
        self.settings = settings
        path = self._path = target if target == MEMORY else str(files_beside(target))
        self._shown = shown(target)
        self._clock = clock
        self._guard = guard_of(settings)
        self._plain_roots = possible_folders(Path(path), settings.memory.fallback_folder)
        self._closed = False
        self._known: set[str] = set()
        self._welcomed = -float("inf")
        self._background: BackgroundWork | None = None
        if not settings.memory.enabled:
            return
        store = open_store(
            target, busy_timeout=settings.store.busy_timeout.total_seconds(), now=clock.now
        )
        store.bound(quota)
        self._store = store
        shared = share(
            store,
            path,
            settings,
            clock,
            extensions=extensions,
            vector_memory=vector_memory,
        )
        self._shared = shared
        self._background = BackgroundWork(shared, threads=threads, threaded=threaded)

    def mind(self, space: str = DEFAULT_SPACE) -> Mind:
        """The memory of one person or agent. Closing it writes down what it gathered; the database
        stays open.
        """
        name = self._guard.name(space, "space")
        background = self._background
        if background is None:
            return self._switched_off(name)
        self._check_open()
        self._welcome(name, background)
        services = background.open_spaces.get(name)
        return Mind(services, background, services.flush)

    def only_mind(self, space: str) -> Mind:
        """The one memory that is wanted; closing it closes the database."""
        name = self._guard.name(space, "space")
        background = self._background
        if background is None:
            return self._switched_off(name)
        self._welcome(name, background, now=True)
        background.wake()
        return Mind(background.open_spaces.get(name), background, self.close)

    def spaces(self) -> list[str]:
        """Every space that was ever written to."""
        if self._background is None:
            return []
        self._check_open()
        return self._store.spaces()

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

    def drain(self, timeout: timedelta | float | None = None) -> Drained:
        """Run every due job of every space now, at most for ``timeout`` seconds."""
        if self._background is None:
            return Drained(0, 0, 0)
        self._check_open()
        self._welcome_all()
        return self._background.worker.drain(timeout)

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
        folder = self._plain_files(space)
        if self._store.read_only or folder is None or not folder.path.is_dir():
            return
        folder.claim()
        services = background.open_spaces.get(space)
        try:
            PlainFileImporter(
                services.shared.store,
                space,
                self.settings,
                self._clock.now,
                folder,
                recorder=services.recorder,
                memories=services.memories,
                ledger=services.ledger,
                session_ends=services.session_ends,
            ).run()
        except StoreError as error:
            # The files stay, and the next opening tries again; stats() shows this.
            background.worker.failure = str(error)

    def _plain_files(self, space: str) -> Folder | None:
        """The folder of a space, if any space has one; every opening asks."""
        if not any(map(os.path.isdir, self._plain_roots)):
            return None
        return folder_beside(self._path, space, self.settings.memory)

    def _switched_off(self, space: str) -> Mind:
        folder: Folder | None = folder_beside(self._path, space, self.settings.memory)
        if folder is None:
            raise ConfigError(
                "memory.enabled is false, and a memory in RAM has no folder for plain files",
                remedy="Name a file, or an absolute memory.fallback_folder",
            )
        return PlainFileMind(folder, space, self.settings, self._clock)

    def _check_open(self) -> None:
        if self._closed:
            raise Closed(f"{self._shown} was closed", remedy="Connect to it again")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Engine preset={self.settings.preset!r}>"
