"""Opening a mind: find the database, load the settings, put the rooms together."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

from recollect import settings as settings_
from recollect.clock import Clock, SystemClock
from recollect.errors import ConfigError, StoreError
from recollect.ingest import digests, embedding, transcripts
from recollect.ingest.accept import Limits
from recollect.ingest.digests import Digests
from recollect.ingest.embedding import Embedding
from recollect.ingest.files import Files
from recollect.ingest.ledger import LedgerBook
from recollect.ingest.memories import Keeper
from recollect.ingest.recorder import FollowUps, Recorder
from recollect.ingest.transcripts import Transcripts
from recollect.jobs.worker import Handler, Pace, Plan, Worker
from recollect.mind import Mind
from recollect.providers.embedding.base import Embedder
from recollect.providers.embedding.choose import embedder_for
from recollect.recall.engine import Recall
from recollect.recall.touches import Touches
from recollect.recall.vectors import VectorRoute
from recollect.rules import intake
from recollect.rules.backoff import Backoff
from recollect.settings import Settings
from recollect.store.base import Store
from recollect.store.sqlite.connection import MEMORY
from recollect.store.sqlite.store import open_sqlite


def open(
    target: str | os.PathLike[str] | None = None,
    *,
    space: str = transcripts.DEFAULT_SPACE,
    preset: str | None = None,
    clock: Clock | None = None,
    worker: str = "thread",
    **settings: Any,
) -> Mind:
    """Open or create a memory.

    ``target`` is a file, or ``":memory:"``; without one RECOLLECT_DB or the platform's data folder
    decides. ``preset`` is a named set of settings; without one RECOLLECT_PRESET or a settings file
    may name it. ``worker`` is "thread" (background work beside the conversation) or "none" (another
    process, or ``drain()``, does it). Further keywords are settings.
    """
    intake.check_name(space, "space")
    intake.check_choice(worker, ("thread", "none"), "worker")
    path = place(target)
    chosen = settings_.load(preset, file=_settings_file(path), overrides=settings)
    ticking = clock or SystemClock()
    store = open_sqlite(
        path, busy_timeout=chosen.store.busy_timeout.total_seconds(), now=ticking.now
    )
    return _furnish(store, path, space, chosen, ticking, threaded=worker == "thread")


def place(target: str | os.PathLike[str] | None) -> str:
    """The file a target means."""
    text = os.fspath(target) if target is not None else os.environ.get("RECOLLECT_DB", "")
    if not text:
        import platformdirs

        return str(Path(platformdirs.user_data_dir("recollect", appauthor=False)) / "memory.db")
    if "://" in text:
        raise ConfigError(
            f"{text.split('://', 1)[0]}:// cannot be opened by this version",
            remedy="Give a file path; a SQLite file is created when there is none",
        )
    return text if text == MEMORY else str(Path(text).expanduser().absolute())


def _settings_file(path: str) -> str | None:
    """What RECOLLECT_CONFIG names, else a recollect.toml beside the database."""
    beside = () if path == MEMORY else (Path(path).parent / "recollect.toml",)
    return settings_.find_file(*beside)


def _furnish(
    store: Store, path: str, space: str, settings: Settings, clock: Clock, *, threaded: bool
) -> Mind:
    limits = Limits(
        characters=settings.ledger.max_characters,
        tool_calls=settings.ledger.max_tool_calls,
        tags=settings.ledger.max_tags,
    )
    embedder = embedder_for(settings)
    touches = Touches(store, space, enabled=settings.recall.touch)
    worker = _worker(store, path, space, settings, clock, embedder=embedder)
    ask = embedding.asking(embedder, settings.jobs.max_attempts)
    recorder = Recorder(
        store,
        space,
        clock,
        limits=limits,
        follow_ups=FollowUps(
            transcripts=settings.ledger.jsonl and path != MEMORY,
            quiet_gap=settings.triggers.quiet_gap,
            ask_vectors=ask,
            max_attempts=settings.jobs.max_attempts,
        ),
        wake=worker.start_or_wake if threaded else _stay_asleep,
    )
    if embedder is not None:
        try:
            embedding.catch_up(store, space, embedder, clock.now(), settings.jobs.max_attempts)
        except StoreError as error:
            # A mind opens on whatever can be read; recall leaves an event, stats() shows this.
            worker.failure = str(error)
    if threaded:
        worker.start_or_wake()
    return Mind(
        store=store,
        space=space,
        settings=settings,
        clock=clock,
        recorder=recorder,
        book=LedgerBook(store, space, clock),
        keeper=Keeper(store, space, clock, limits, ask),
        files=Files(store, space, clock, limits, ask),
        recall=Recall(
            store,
            space,
            clock,
            settings=settings,
            vectors=None
            if embedder is None
            else VectorRoute(embedder, settings.ranking.conversation),
            touches=touches,
        ),
        touches=touches,
        worker=worker,
        embedder=embedder,
    )


def _worker(
    store: Store,
    path: str,
    space: str,
    settings: Settings,
    clock: Clock,
    *,
    embedder: Embedder | None,
) -> Worker:
    jobs = settings.jobs
    pace = Pace(
        max_attempts=jobs.max_attempts,
        backoff=Backoff(jobs.backoff_first, jobs.backoff_factor, jobs.backoff_max),
        lease=jobs.lease,
        poll=jobs.poll,
    )
    copies = Transcripts(
        store, Path(path).parent / settings.ledger.jsonl_folder, clock, settings.ledger.jsonl_keep
    )
    quiet = settings.triggers.quiet_gap or timedelta()
    handlers: dict[str, Handler] = {
        digests.KIND: Digests(store, clock, settings.extraction.summary_chars, quiet).write,
        transcripts.KIND: copies.append,
        transcripts.AGE_KIND: copies.age,
    }
    if embedder is not None:
        handlers[embedding.KIND] = Embedding(store, embedder).run
    plans = []
    if settings.ledger.jsonl and settings.ledger.jsonl_keep is not None:
        plans.append(
            Plan(space, transcripts.AGE_KIND, settings.schedule.daily, settings.schedule.zone)
        )
    return Worker(store, handlers, clock, pace, plans)


def _stay_asleep() -> None:
    """Nobody to wake: another process, or drain(), does the work."""
