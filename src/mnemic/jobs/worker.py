"""The worker: claims due jobs, runs their handlers, and records how each one ended.

The same worker serves a thread beside the conversation, a process of its own, and a drain by hand.
A handler may run again after a crash, so each one leaves the same result when repeated.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Literal, Protocol, TypeVar

from mnemic import errors
from mnemic.clock import Clock
from mnemic.days import in_zone
from mnemic.ids import new_id
from mnemic.language.guard import DEFAULT, Guard
from mnemic.late import dataclass
from mnemic.providers.deadline import until
from mnemic.rules.backoff import Backoff
from mnemic.rules.checks import check_seconds
from mnemic.settings.logs import OperationLog
from mnemic.store.contract import Store
from mnemic.tracing import span
from mnemic.types import Drained, Job, SafeText, constant


def next_run(cron: str, zone: str, after: datetime) -> datetime:
    """The first moment after ``after`` that the cron expression names in that zone."""
    from cronsim import CronSim, CronSimError  # and with it the calendar of each language

    try:
        moment = next(CronSim(cron, in_zone(after, zone)))
    except CronSimError as error:
        raise errors.ConfigError(
            f"schedule {cron!r} is not a cron expression: {error}",
            remedy="Give five fields, such as '0 3 * * *' for 03:00 every day",
        ) from error
    except StopIteration as error:
        raise errors.ConfigError(
            f"schedule {cron!r} never comes up", remedy="Give a date that exists"
        ) from error
    return moment.astimezone(UTC)


Handler = Callable[[Job], None]


class FailureListener(Protocol):
    """Called with the reason of a failed attempt, and whether it was the last."""

    def __call__(self, job: Job, reason: str, *, dead: bool) -> None: ...


# By kinds of jobs: what runs them, and who is told before a failure is recorded.
Handlers = tuple[Mapping[str, Handler], Mapping[str, FailureListener]]


class JobPutOff(Exception):
    """A job cannot run in this process, or not yet; the try does not count."""

    def __init__(self, message: str, until: datetime) -> None:
        super().__init__(message)
        self.until = until


Ending = Literal["done", "retried", "dead"]
_ERROR = 2_000  # characters of an error that are kept
_BLINK = 0.05  # a due job may have to wait for its twin to finish: look again soon, not at once
_AT_ONCE = 16  # spaces or schedules that are seen to before the next job
_OPERATIONS = {"extract": "extraction"}  # as log lines call kinds of jobs
_LONGEST_WAIT = timedelta(days=1)  # that a server is believed when it says to come back later


@dataclass(frozen=True, slots=True)
class Pace:
    """How often a worker tries, waits and looks."""

    backoff: Backoff
    lease: timedelta
    poll: timedelta


@dataclass(frozen=True, slots=True)
class RecurringJob:
    """A recurring job this process wants scheduled."""

    space: str
    kind: str
    cron: str
    zone: str


class Worker:
    """Runs due jobs of a store with the handlers it was given."""

    def __init__(
        self,
        store: Store,
        handlers: Callable[[], Handlers],
        clock: Clock,
        pace: Pace,
        *,
        guard: Guard = DEFAULT,
        log: OperationLog | None = None,
        threads: int = 1,
    ) -> None:
        """``handlers`` are asked for when there is a job; ``threads`` is how many run at once."""
        self._store = store
        self._handlers = handlers
        self._clock = clock
        self._pace = pace
        self._unplanned: deque[RecurringJob] = deque()
        self._unprepared: deque[Callable[[], None]] = deque()
        self._warming: Iterator[None] = iter(())
        self._guard = guard
        self._log = log or OperationLog()
        self._count = threads
        self.failure = ""
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._one_warms = threading.Lock()
        self._owner = f"{self._pid}-{new_id(self._clock.now())}"
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._starting = threading.Lock()
        self._threads: list[threading.Thread] = []

    @property
    def threads(self) -> int:
        """How many of them live."""
        return sum(thread.is_alive() for thread in self._threads)

    @property
    def stopping(self) -> bool:
        """Whether its threads are to end, so that a long job had better go on another time."""
        return self._stop.is_set()

    def _check_fork(self) -> None:
        """A forked child gets its own owner name and events, and no thread yet."""
        if self._pid != os.getpid():
            self._reset()

    def plan(self, plan: RecurringJob) -> None:
        """Have a recurring job registered, as soon as its space has been written to."""
        self._unplanned.append(plan)

    def prepare(self, work: Callable[[], None]) -> None:
        """Have something done when there is nothing else to do."""
        self._unprepared.append(work)

    def warm_up(self, steps: Iterator[None]) -> None:
        """Do this step by step after a quiet while; a process that ends soon never does."""
        self._warming = steps

    # --- running --------------------------------------------------------------------------------

    def run_one(self, space: str | None = None) -> Ending | None:
        """Run the next due job, or that of one space, to its end; None when nothing is due."""
        self._check_fork()
        self._queue_overdue_schedules()
        now = self._clock.now()
        job = self._store.queue.claim(self._owner, now, now + self._pace.lease, space)
        if job is None:
            return None
        if job.attempts > job.max_attempts:
            return self._bury(job, constant("its process died each time it ran"))
        handler = self._handlers()[0].get(job.kind)
        if handler is None:
            return self._bury(job, self._guard.error(f"nothing here handles {job.kind!r} jobs"))
        try:
            with self._store.pin(job.space), span(f"job {job.kind}", attempt=job.attempts):
                handler(job)
        except Exception as error:  # noqa: BLE001 - the boundary that records every failure
            return self._settle_failure(job, error)
        self._store.queue.finish(job, self._owner)
        if job.waiting_since is not None:
            self._store.queue.resume(job.space, self._clock.now())
        return "done"

    def drain(self, timeout: timedelta | float | None = None, space: str | None = None) -> Drained:
        """Run every job that is due now, or those of one space, and wait for those other workers
        are running.

        When the time is over no further job begins, and a job that waits for a model's server stops
        waiting and is put off, without counting as a failed try. Local work is finished: the job in
        hand may take as long as it takes.
        """
        seconds = check_seconds(timeout, "timeout")
        deadline = None if seconds is None else time.monotonic() + seconds
        counts: dict[Ending, int] = {"done": 0, "retried": 0, "dead": 0}
        for work in _take(self._unprepared, len(self._unprepared)):
            work()  # nobody else may, where there is no worker
        while deadline is None or time.monotonic() < deadline:
            with until(deadline):
                ending = self.run_one(space)
            if ending is not None:
                counts[ending] += 1
            elif self._store.queue.running(self._clock.now(), space) == 0:
                break
            else:
                time.sleep(0.02)
        return Drained(**counts)

    def _settle_failure(self, job: Job, error: Exception) -> Ending:
        """Try again later, unless it was the last try or no later one can do better."""
        reason = self._guard.error(f"{type(error).__name__}: {error}", _ERROR)
        if isinstance(error, errors.BudgetExhausted | JobPutOff) and error.until is not None:
            return self._put_off(job, error.until, reason)
        if isinstance(error, errors.DeadlineReached):
            return self._put_off(job, self._clock.now(), reason)
        if isinstance(error, errors.ModelError) and error.away:
            return self._wait_for_model(job, error, reason)
        if isinstance(error, errors.ModelRefused) or job.attempts >= job.max_attempts:
            return self._bury(job, reason)
        wait = self._pace.backoff.after(job.attempts)
        self._report_failure(job, reason, dead=False)
        now = self._clock.now()
        self._store.queue.retry(job, self._owner, run_at=now + wait, now=now, error=reason)
        return "retried"

    def _wait_for_model(self, job: Job, error: errors.ModelError, reason: SafeText) -> Ending:
        """Not a failure of the job: it waits for as long as the model is away, and uses up no try.

        Nobody hears of a key or a name that is wrong before a person has corrected it, so that
        waits longest.
        """
        now, backoff = self._clock.now(), self._pace.backoff
        since = min(job.waiting_since or now, now)
        requested = min(error.retry_after or timedelta(), _LONGEST_WAIT)
        if isinstance(error, errors.ModelSuspended):
            wait, reason = requested, job.error or reason  # why it was suspended
        else:
            self._report_failure(job, reason, dead=False)
            refused = isinstance(error, errors.ModelRefused)
            usual = backoff.ceiling if refused else backoff.after_waiting(now - since)
            wait = max(requested, usual)
        self._store.queue.retry(
            job, self._owner, run_at=now + wait, now=now, error=reason, waiting_since=since
        )
        return "retried"

    def _put_off(self, job: Job, moment: datetime, reason: SafeText) -> Ending:
        """Not a failure: the try does not count."""
        queue, now = self._store.queue, self._clock.now()
        queue.retry(job, self._owner, run_at=moment, now=now, error=reason, counted=False)
        return "retried"

    def _report_failure(self, job: Job, reason: SafeText, *, dead: bool) -> None:
        self._log.log_failure(_OPERATIONS.get(job.kind, job.kind), reason)
        if (listener := self._handlers()[1].get(job.kind)) is not None:
            listener(job, reason, dead=dead)

    def _bury(self, job: Job, error: SafeText) -> Ending:
        self._report_failure(job, error, dead=True)
        self._store.queue.bury(job, self._owner, now=self._clock.now(), error=error)
        return "dead"

    def _queue_overdue_schedules(self) -> None:
        """An overdue schedule runs once, however many times it was missed."""
        now = self._clock.now()
        self.register_plans()
        for due in self._store.queue.overdue(now, _AT_ONCE):
            self._store.queue.advance(
                due, next_at=next_run(due.cron, due.zone, now), now=now, run=due.next_at <= now
            )

    def register_plans(self) -> None:
        """Schedule what was planned for spaces that have been written to since."""
        now = self._clock.now()
        for plan in _take(self._unplanned, _AT_ONCE):
            registered = False
            try:
                first = next_run(plan.cron, plan.zone, now)  # False before the first write
                where = plan.space, plan.kind, plan.cron, plan.zone
                registered = self._store.queue.schedule(*where, first)
            finally:
                if not registered:
                    self._unplanned.append(plan)

    # --- as a thread or a process ----------------------------------------------------------------

    def start_or_wake(self) -> None:
        """Have the threads of this process look for work now; a forked child gets its own."""
        self._check_fork()
        if not self._threads or not all(thread.is_alive() for thread in self._threads):
            self._start_threads()
        self._wake.set()

    def _start_threads(self) -> None:
        with self._starting:
            self._stop.clear()
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            while len(self._threads) < self._count:
                thread = threading.Thread(target=self.run, name="mnemic-worker", daemon=True)
                self._threads.append(thread)
                thread.start()

    def stop(self) -> None:
        """Finish the jobs in hand, then end the threads."""
        self._check_fork()
        self._stop.set()
        self._wake.set()
        for thread in self._threads:
            thread.join()
        self._threads = []

    def run(self) -> None:
        """Work until stopped. A store that fails is tried again, and its failure is shown."""
        while not self._stop.is_set():
            try:
                rest = 0.0 if self.run_one() else self._rest()
                self.failure = ""
                for work in _take(self._unprepared, _AT_ONCE if rest else 0):
                    work()
                    rest = 0.0
            except errors.Closed:
                if not self._stop.is_set():
                    raise
                return  # closed from elsewhere, which is how work() ends
            except errors.StoreError as error:
                rest, self.failure = self._pace.poll.total_seconds(), str(error)
            if rest:
                woken = self._wake.wait(rest)
                if not self._stop.is_set():  # every thread has to see that
                    self._wake.clear()
                if not woken:
                    self._warm()

    def _warm(self) -> None:
        """Until something comes; of several threads one does it, and the others see to the rest."""
        if not self._one_warms.acquire(blocking=False):
            return
        try:
            for _ in self._warming:
                if self._wake.is_set() or self._stop.is_set():
                    return
        finally:
            self._one_warms.release()

    def _rest(self) -> float:
        """Until the next job is due, but no longer than a poll: other processes queue jobs too."""
        now = self._clock.now()
        due = self._store.queue.next_due(now)
        poll = self._pace.poll.total_seconds()
        return poll if due is None else min(poll, max(_BLINK, (due - now).total_seconds()))


T = TypeVar("T")


def _take(waiting: deque[T], most: int) -> Iterator[T]:
    """The first few of those that wait now; other threads take from the same ones."""
    for _ in range(min(len(waiting), most)):
        try:
            yield waiting.popleft()
        except IndexError:
            return
