"""What the worker of a process does, for every space of its database."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from weakref import WeakValueDictionary

from mnemic import upkeep
from mnemic.engine import parts
from mnemic.engine.services import Services, service
from mnemic.engine.shared import Shared
from mnemic.errors import StoreError
from mnemic.index import embedding_job
from mnemic.index.embedding_job import EmbeddingJob
from mnemic.jobs.worker import Handler, Handlers, Pace, RecurringJob, Worker
from mnemic.locks import ForkSafeLock
from mnemic.record import transcripts, triggers
from mnemic.rules.backoff import Backoff
from mnemic.settings.logs import log_of
from mnemic.store.sqlite.connection import MEMORY
from mnemic.store.target import open_store
from mnemic.types import DailyReport, Job, NewTurn

_SYNC = "sync"
BACKOFF_FACTOR = 2.0  # each further wait is this many times longer
# Statements, dates and names in both languages: what reads them is made at its first use.
_REHEARSED = (
    "My name is Ann, I moved to Oslo last May and I prefer tea. See app.py on 2024-01-03.",
    "我叫李安，去年五月搬到杭州，喜欢喝茶。以后都要写测试，明天部署 app.py。",
    "Could you write a report? Since May our app uses Redis and Kafka, I will start on Monday.",
    "帮我写一份上线报告，好吗？",
)
KEPT = 1_000  # spaces whose services stay although nobody holds their mind


class OpenSpaces:
    """The services of the spaces in use; older ones that nobody holds go, flushed."""

    def __init__(self, make: Callable[[str], Services]) -> None:
        self._make = make
        self._guard = ForkSafeLock()
        self._alive: WeakValueDictionary[str, Services] = WeakValueDictionary()
        self._recent: OrderedDict[str, Services] = OrderedDict()

    def get(self, space: str) -> Services:
        """The services of a space, made if it is not open."""
        with self._guard:
            services = self._alive.get(space)
            if services is None:
                services = self._alive[space] = self._make(space)
            self._recent[space] = services
            self._recent.move_to_end(space)
            oldest = self._recent.popitem(last=False) if len(self._recent) > KEPT else None
        if oldest is not None:
            try:
                oldest[1].flush()
            except StoreError:
                with self._guard:  # what could not be written yet must not go
                    self._recent.setdefault(*oldest)
        return services

    def find(self, space: str) -> Services | None:
        """The services of a space that is open."""
        with self._guard:
            return self._alive.get(space)

    def all(self) -> list[Services]:
        with self._guard:
            return list(self._alive.values())

    def __len__(self) -> int:
        return len(self._alive)


class BackgroundWork:
    """The worker, and what it hands the jobs of each kind to."""

    def __init__(self, shared: Shared, *, threads: int, threaded: bool) -> None:
        """``threaded``: whether threads of this process do the work as it comes."""
        self.shared = shared
        self._wakes = threaded and not shared.store.read_only
        self.open_spaces = OpenSpaces(lambda space: Services(shared, space, self.wake))
        self.worker = self._worker(threads)

    @service
    def extraction(self) -> parts.extraction.ExtractionJob:
        shared = self.shared
        return parts.extraction.ExtractionJob(
            *shared.base, shared.guard, shared.learner_of, self._note_shown, self._stopping
        )

    @service
    def event_rules(self) -> parts.bus.Bus:
        return parts.bus.Bus(*self.shared.base, self.shared.extensions.actions)

    def wake(self) -> None:
        """There may be work: a memory was opened, or something was written."""
        if self._wakes:
            self.worker.start_or_wake()

    def welcome(self, space: str, *, now: bool) -> None:
        """Plan the recurring work of a space; ``now``: queue at once what has no job."""
        if self.shared.store.read_only:
            return
        for plan in self._plans(space):
            self.worker.plan(plan)
        if now:
            self._catch_up(space)
        elif self.shared.embedder is not None:
            self.worker.prepare(partial(self._catch_up, space))

    def _catch_up(self, space: str) -> None:
        shared = self.shared
        if shared.embedder is None:
            return
        try:
            embedding_job.catch_up(shared.store, space, shared.embedder, shared.clock.now())
        except StoreError as error:
            # A mind opens on whatever can be read; recall leaves an event, stats() shows this.
            self.worker.failure = str(error)

    def _stopping(self) -> bool:
        return self.worker.stopping

    def _note_shown(self, space: str) -> None:
        services = self.open_spaces.find(space)
        if services is not None:
            services.injected.flush()

    def _window_of(self, space: str) -> parts.short_term.ShortTermMemory | None:
        services = self.open_spaces.find(space)
        return None if services is None else services.short_term

    def _exchange(self, job: Job) -> None:
        shared = self.shared
        folder = Path(shared.path).parent / shared.settings.sync.folder
        self.open_spaces.get(job.space).devices.exchange(folder)

    def _plans(self, space: str) -> list[RecurringJob]:
        settings = self.shared.settings
        schedule, ledger, sync = settings.schedule, settings.ledger, settings.sync
        daily = settings.upkeep.daily or settings.backup.folder
        weekly = settings.upkeep.weekly and schedule.weekly != "never"
        ages = ledger.jsonl and ledger.jsonl_keep is not None
        return [
            RecurringJob(space, kind, cron, schedule.zone)
            for kind, cron, wanted in (
                (upkeep.DAILY_KIND, schedule.daily, daily and schedule.daily != "never"),
                (upkeep.WEEKLY_KIND, schedule.weekly, weekly),
                (transcripts.AGE_KIND, schedule.daily, ages),
                (_SYNC, sync.every, sync.folder and sync.every != "never"),
            )
            if wanted
        ]

    @service
    def upkeep(self) -> parts.upkeep.Upkeep:
        shared, ledger = self.shared, self.shared.settings.ledger
        copies = shared.transcript_copies()

        def write_report(space: str, report: DailyReport) -> str:
            return str(shared.documents_of(space).write_report(report)) if shared.on_disk else ""

        def forget_old_files(space: str) -> int:
            return copies.age_space(space) if shared.on_disk and ledger.jsonl else 0

        tools = parts.work.StepServices(
            extraction=self.extraction,
            episodes=shared.episodes,
            model_of=shared.model_of,
            reconciler_of=shared.reconciler_of,
            embedder=shared.embedder,
            sync=shared.sync,
            write_report=write_report,
            cards=lambda space: shared.cards_of(space).compile(shared.model_of(space)),
            lapse=lambda space: shared.pending_of(space).lapse(),
            forget_old_files=forget_old_files,
            database=Path(shared.path) if shared.on_disk else None,
        )
        return parts.upkeep.Upkeep(*shared.base, tools, stopping=self._stopping)

    def _worker(self, threads: int) -> Worker:
        shared, settings = self.shared, self.shared.settings
        jobs = settings.jobs
        backoff = Backoff(jobs.backoff_first, BACKOFF_FACTOR, jobs.backoff_max)
        pace = Pace(backoff=backoff, lease=jobs.lease, poll=jobs.poll)
        worker = Worker(
            shared.store, lambda: self.handlers, shared.clock, pace,
            guard=shared.guard, log=log_of(settings), threads=threads,
        )  # fmt: skip
        if settings.triggers.compression_rules:  # the hook before a compression is in one's way
            if settings.extraction.patterns:  # a file that cannot be used is said at once
                parts.extractors.RuleExtractor.of(settings)
            worker.warm_up(self._warm_up())
        return worker

    def _warm_up(self) -> Iterator[None]:
        """What the first hook before a compression would wait for: at last, one of a rehearsal."""
        shared = self.shared
        yield from parts.extractors.RuleExtractor.of(shared.settings).compile_all()
        with closing(open_store(MEMORY, busy_timeout=0, now=shared.clock.now)) as store:
            services = Services(shared.rehearse_on(store), "rehearsal", lambda: None)
            for text in _REHEARSED:
                services.recorder.record(NewTurn("s", "user", text))
            services.compression.before("s")

    @service
    def handlers(self) -> Handlers:
        """What runs the jobs; made for the first, since most processes only record or ask."""
        shared = self.shared
        store, clock, settings = shared.base
        copies = shared.transcript_copies()
        quiet = (settings.triggers.quiet_gap or timedelta()) + shared.digest_delay
        end = parts.session_end.SessionEndJob(store, self.extraction, shared.episodes)
        handlers: dict[str, Handler] = {
            parts.daily_events.KIND: parts.daily_events.Digests(
                store, clock, quiet, shared.guard, zone=settings.schedule.zone
            ).write,
            transcripts.KIND: copies.append,
            transcripts.AGE_KIND: copies.age,
            triggers.KIND: self.extraction.run,
            parts.session_end.KIND: end.run,
            upkeep.DAILY_KIND: self.upkeep.daily,
            upkeep.WEEKLY_KIND: self.upkeep.weekly,
            upkeep.STEP_KIND: self.upkeep.step,
            upkeep.DOCUMENTS_KIND: lambda job: shared.write_views(job.space),
            parts.bus.KIND: self.event_rules.run,
            parts.window_summary.KIND: parts.window_summary.WindowSummaryJob(
                settings, shared.guard, self._window_of, shared.model_of
            ).run,
            parts.bus.ACTION_KIND: self.event_rules.act,
            parts.erasure.KIND: lambda job: self.open_spaces.get(job.space).forgetting.finish(job),
            _SYNC: self._exchange,
        }
        failing = {
            triggers.KIND: self.extraction.note_failure,
            parts.session_end.KIND: end.note_failure,
        }
        if shared.embedder is None:
            # Nobody wants vectors; once there is a model again, they are caught up on.
            handlers[embedding_job.KIND] = lambda job: None
        else:
            filled = shared.vector_engine if shared.vector_engine.lasting else None
            handlers[embedding_job.KIND] = EmbeddingJob(store, shared.embedder, clock, filled).run
        return handlers, failing

    def close(self) -> None:
        """Finish the jobs in hand and write down what was gathered."""
        self.worker.stop()
        for services in self.open_spaces.all():
            services.flush()
        if not self.shared.store.read_only:  # or the first night would not be caught up
            with suppress(StoreError):
                self.worker.register_plans()

    def let_go(self) -> None:
        """Let go of what reaches beyond this process."""
        for services in self.open_spaces.all():
            with suppress(StoreError):
                services.close()
        self.shared.close()
