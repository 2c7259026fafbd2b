"""mnemic jobs, worker"""

from __future__ import annotations

import json
import os
import select
import signal
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Self

from mnemic import tracing
from mnemic.cli.conversations import show_turns
from mnemic.cli.failures import error_line
from mnemic.cli.health import turn_states
from mnemic.cli.output import (
    ListEntry,
    answer,
    emit,
    entries,
    facts,
    heading,
    join_parts,
    note,
    say,
    waiting_line,
    when,
)
from mnemic.cli.params import whole_id
from mnemic.cli.phrases import count_things, phrase, sentence, term
from mnemic.cli.progress import bar
from mnemic.cli.state import State
from mnemic.engine.mind import Mind
from mnemic.engine.open import Engine
from mnemic.errors import NotFound, StoreError
from mnemic.plain import plain
from mnemic.types import Drained, Job, JobState, Turn, TurnState

_ALL = 1_000_000
_COLORS: dict[JobState, str] = {"ready": "green", "running": "blue", "dead": "red"}
_UNLEARNED: tuple[TurnState, ...] = ("new", "failed", "dead")
_MAX_LISTED = 20  # turns of a job


def jobs(state: State, job_state: JobState | None, limit: int) -> None:
    with state.open() as mind:
        listed = mind.jobs(state=job_state, limit=limit)
        stats = mind.stats()
    if state.json:
        emit(listed)
        return
    if not listed:
        note(phrase("There are no such jobs.") if job_state else phrase("There are no jobs."))
    entries(map(_entry, listed))
    states = turn_states(stats)
    note(phrase("Turns: {states}.", states=states) if states else phrase("There are no turns."))
    if stats.model_wait is not None:
        wait = waiting_line(stats.model_wait)
        note(phrase("{wait}. To try now: mnemic jobs redrive", wait=wait))


def _entry(job: Job) -> ListEntry:
    what = f"{job.kind}  {job.key}" if job.key else job.kind
    below = (join_parts(job.id, explain(job)), sentence(job.error))
    return ListEntry(term(job.state), what, below, _COLORS[job.state])


def explain(job: Job) -> str:
    """What a job is waiting for."""
    tries = phrase("{n} of {tries}", n=job.attempts, tries=count_things(job.max_attempts, "try"))
    due = when(job.run_at)
    if job.state == "dead":
        return phrase("gave up after {tries}; to retry: mnemic jobs redrive", tries=tries)
    if job.state == "running":
        held = when(job.lease_until)
        return phrase("running, {tries}, held until {time}", tries=tries, time=held)
    if job.waiting_since is not None:
        since = when(job.waiting_since)
        return phrase("waiting for the model since {since}; next try {time}", since=since, time=due)
    if job.attempts:
        return phrase("failed, {tries}; next try {time}", tries=tries, time=due)
    if job.error:
        return phrase("put off until {time}", time=due)
    return phrase("due {time}", time=due)


def show(state: State, job: str) -> None:
    with state.open() as mind:
        id_ = whole_id(mind, job)
        chosen = next((entry for entry in mind.jobs(limit=_ALL) if entry.id == id_), None)
        if chosen is None:
            raise NotFound(f"No unfinished job {job}", remedy="See mnemic jobs")
        turns = _turns(mind, chosen)
    if state.json:
        emit({**plain(chosen), "explained": explain(chosen), "turns": turns})
        return
    _show(chosen)
    if turns:
        heading(phrase("Turns that depend on it"))
        show_turns(turns[:_MAX_LISTED])
        if len(turns) > _MAX_LISTED:
            say(phrase("and {n:,} more", n=len(turns) - _MAX_LISTED))


def _turns(mind: Mind, job: Job) -> list[Turn]:
    """The turns not learned yet of the session that a job learns from."""
    session = job.payload.get("session")
    if job.kind not in ("extract", "session_end") or not isinstance(session, str):
        return []
    pages = (mind.turns(session=session, state=state) for state in _UNLEARNED)
    return sorted((turn for page in pages for turn in page), key=lambda turn: turn.index)


def _show(job: Job) -> None:
    facts(
        [
            ("id", job.id),
            ("kind", job.kind),
            ("key", job.key),
            ("state", term(job.state)),
            ("that is", explain(job)),
            ("tries", phrase("{n} of {tries}", n=job.attempts, tries=job.max_attempts)),
            ("due", when(job.run_at)),
            ("queued", when(job.created_at)),
            ("held until", when(job.lease_until)),
            ("payload", json.dumps(job.payload, ensure_ascii=False)),
            ("error", sentence(job.error)),
        ]
    )


def redrive(state: State, job: tuple[str, ...]) -> int:
    with state.open() as mind:
        count = mind.redrive([whole_id(mind, id_) for id_ in job] or None)
    return _report_settled("redriven", count, len(job))


def discard(state: State, job: tuple[str, ...]) -> int:
    with state.open() as mind:
        count = mind.discard([whole_id(mind, id_) for id_ in job])
    return _report_settled("discarded", count, len(job))


def _report_settled(word: str, count: int, requested: int) -> int:
    """Print the count; fewer than requested is a failure."""
    line = phrase("{jobs} {done}.", jobs=count_things(count, "job"), done=term(word))
    answer({word: count}, lambda: say(line))
    if count >= requested:
        return 0
    ids = count_things(requested - count, "id")
    note(phrase("{ids} named no dead job; see mnemic jobs --state dead.", ids=ids))
    return 1


_SLICE = 0.2  # seconds of jobs between two checks for signals; a running job is always finished


class Stopping:
    """Records SIGTERM and SIGINT instead of ending the process, and can wait for one."""

    def __enter__(self) -> Self:
        self.requested = False
        self._ends = os.pipe()
        os.set_blocking(self._ends[1], False)
        self._before = {s: signal.signal(s, self._note) for s in (signal.SIGTERM, signal.SIGINT)}
        self._wakeup = signal.set_wakeup_fd(self._ends[1])
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        for end in self._ends:
            os.close(end)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.requested = True

    def wait(self, seconds: float) -> None:
        select.select([self._ends[0]], [], [], seconds)


def worker(state: State, once: bool) -> int:
    tracing.start_from_environment()
    with state.connect(create=not once) as engine:
        if once:
            drained = _drain(state, engine)
            _report_drained(state, drained, always=True)
            return 1 if drained.dead else 0
        with Stopping() as stopping:
            if not state.json:
                note(phrase("Working for all spaces. Ctrl-C stops after the current job."))
            work_until(stopping, engine, partial(_report_drained, state))
    return 0


def _drain(state: State, engine: Engine) -> Drained:
    """Run what is due, with a bar; Ctrl-C leaves after the job in hand."""
    mind = engine.mind(state.space_name)
    total, most = Drained(0, 0, 0), 0
    with Stopping() as stopping, bar(phrase("Working")) as report:
        further = mind.drain(timeout=_SLICE)  # this one learns from open sessions as well
        while not stopping.requested:
            total = _add(total, further)
            ran = total.done + total.retried + total.dead
            waiting = engine.due_jobs()
            most = max(most, ran + waiting)
            report(ran, most)
            if further == Drained(0, 0, 0) and not waiting:
                return total
            further = engine.drain(timeout=_SLICE)
        total = _add(total, further)
    waiting = engine.due_jobs()
    note(phrase("Stopped: {jobs} done, {left} left; mnemic worker --once goes on.",
                jobs=count_things(total.done, "job"), left=f"{waiting:,}"))  # fmt: skip
    return total


def _add(total: Drained, more: Drained) -> Drained:
    return Drained(total.done + more.done, total.retried + more.retried, total.dead + more.dead)


def work_until(
    stopping: Stopping, engine: Engine, report: Callable[[Drained], None] = lambda drained: None
) -> None:
    """Run jobs as they come due until a signal comes."""
    idle = engine.settings.jobs.poll.total_seconds()
    failing = ""
    while not stopping.requested:
        try:
            drained = engine.drain(timeout=_SLICE)
            failing = ""
        except StoreError as error:
            # Shown once, and tried again: a full disk or a long lock passes.
            if str(error) != failing:
                failing = str(error)
                note(error_line(error))
            drained = Drained(0, 0, 0)
        report(drained)
        if drained == Drained(0, 0, 0):
            stopping.wait(idle)


def _report_drained(state: State, drained: Drained, *, always: bool = False) -> None:
    counts = {"done": drained.done, "retried": drained.retried, "dead": drained.dead}
    if not any(counts.values()) and not always:
        return
    kinds = (f"{number:,} {term(word)}" for word, number in counts.items() if number)
    summary = phrase(", ").join(kinds)
    jobs = count_things(sum(counts.values()), "job")
    line = phrase("{jobs}: {summary}.", jobs=jobs, summary=summary) if summary else ""
    answer(drained, lambda: say(line or phrase("No jobs were due.")))
