"""Finishing extraction: the sessions in the queue first, then every turn not yet extracted; and
the episodes of sessions that nobody ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from mnemic.days import day_bounds
from mnemic.errors import ModelError
from mnemic.language.story import EpisodeDraft
from mnemic.learn import session_end
from mnemic.learn.episode_writer import MOST_TURNS
from mnemic.record import triggers
from mnemic.record.ledger import model_wait
from mnemic.rules import checks
from mnemic.store.rows import TurnFilter
from mnemic.types import EMPTY, Job, SafeName, constant, join_key
from mnemic.upkeep.work import Step

_KINDS = (triggers.KIND, session_end.KIND)
_SESSIONS = 500  # looked at in one snapshot, and given an episode in one night
_TRIED_AGAIN = timedelta(days=7)  # a text that no model reads is not paid for night after night
_REVIVED = constant("tried again with the daily work")


def finish_queue(step: Step) -> None:
    """Learn from sessions put off or failed, then, once, from those given up."""
    with step.store.read(step.space) as unit:
        waiting = unit.tasks.list_unfinished("ready", checks.MAX_ROWS)
        dead = unit.tasks.list_unfinished("dead", checks.MAX_ROWS)
    sessions = dict.fromkeys(job.name_of("session") for job in waiting if job.kind in _KINDS)
    if not _learn(step, list(sessions)):
        return
    since = step.now - _TRIED_AGAIN
    for job in dead:
        if job.kind in _KINDS and job.run_at >= since and not _try_again(step, job):
            return


def learn_turns(step: Step) -> None:
    """Extract sessions that no trigger has queued; each of an earlier day gets its episode."""
    if not step.settings.triggers.daily_sweep:
        return
    tried: set[SafeName] = set()
    while True:
        with step.store.read(step.space) as unit:
            sessions = unit.ledger.sessions_to_extract(_SESSIONS + len(tried))
        fresh = [session for session in sessions if session not in tried]
        tried.update(fresh)
        if not fresh:
            break
        if not _learn(step, fresh):
            return
        if step.dry_run:
            break
    # Where the end of a session leaves no episode, the night does not write one either.
    if step.settings.triggers.session_end:
        _write_episodes(step)


def _learn(step: Step, sessions: Sequence[SafeName]) -> bool:
    """False when the model is away: it is asked once, and all that is left waits for it."""
    for number, session in enumerate(sessions):
        if step.dry_run:
            step.did(sessions=1)
            continue
        try:
            step.give_way()
            while not step.tools.extraction.learn(_job(step, session), session, probe=True):
                step.give_way()
                step.did()  # it takes long: the lease goes on
        except ModelError as error:
            _requeue(step, sessions[number:] if error.away else [session], error)
            if error.away:
                return False
            continue
        step.did(sessions=1)
    return True


def _try_again(step: Step, dead: Job) -> bool:
    """Try a job again that was given up; False when the model is away. A failure stays dead."""
    session = dead.name_of("session")
    step.give_way()  # not in between: what is revived would no longer be known as given up
    if step.dry_run:
        step.did(sessions=1)
        return True
    with step.store.write(step.space) as unit:
        revived = unit.ledger.revive(session, _REVIVED)
    job = replace(_job(step, session), attempts=dead.max_attempts, max_attempts=dead.max_attempts)
    failure: ModelError | None = None
    try:
        while revived and not step.tools.extraction.learn(job, session, probe=True):
            step.did()
    except ModelError as error:
        failure = error
        if error.away:
            _requeue(step, [session], error)
        else:
            step.tools.extraction.note_failure(job, str(error), dead=True)
    if failure is None or failure.away:
        with step.store.write(step.space) as unit:
            unit.tasks.discard([dead.id])
            step.progress(unit, {} if failure else {"sessions": 1})
    return failure is None or not failure.away


def _job(step: Step, session: SafeName) -> Job:
    now = step.now
    return Job(
        id=join_key(step.operation, session),
        space=step.space,
        kind=triggers.KIND,
        key=session,
        payload={"session": session},
        state="running",
        attempts=1,
        max_attempts=step.settings.jobs.max_attempts,
        run_at=now,
        created_at=now,
        lease_until=now + step.settings.jobs.lease,
        error=EMPTY,
    )


def _requeue(step: Step, sessions: Sequence[SafeName], error: ModelError) -> None:
    """Leave sessions to the queue, which retries, waits and reports failures."""
    now, first = step.now, step.settings.jobs.backoff_first
    with step.store.write(step.space) as unit:
        jobs = unit.tasks.list_unfinished("ready", checks.MAX_ROWS)
        waiting = {
            job.name_of("session") for job in jobs if job.waiting_since and job.kind in _KINDS
        }
        triggers.queue(
            unit,
            [session for session in sessions if session not in waiting],
            now=now,
            run_at=now + max(first, error.retry_after or first),
            waiting_since=now if error.away else None,
        )
        unit.journal.begin(join_key(step.operation, sessions[0]), now).note(
            "retry",
            sessions[0],
            kind=constant(triggers.KIND),
            sessions=len(sessions),
            error=step.guard.error(str(error)),
        )
        if error.away:
            step.waits_for = str(model_wait(unit) or error)
        step.progress(unit, {"waiting" if error.away else "failed": len(sessions)})


def _write_episodes(step: Step) -> None:
    """The episode of each session of an earlier day, in the user's zone, that has none yet."""
    with step.store.read(step.space) as unit:
        jobs = unit.tasks.list_unfinished(None, checks.MAX_ROWS)
        sessions = unit.ledger.sessions_untold(day_bounds(step.day, step.zone)[0], _SESSIONS)
    ends = [job for job in jobs if job.kind == session_end.KIND and job.state != "dead"]
    ending = {job.name_of("session") for job in ends}  # whose own job writes it
    for session in sessions:
        if session in ending:
            continue
        step.give_way()
        if step.dry_run:
            step.did(episodes=1)
        elif not _write_episode(step, session):
            return


def _write_episode(step: Step, session: SafeName) -> bool:
    """From the turns that no other episode covers; False when the model is away."""
    with step.store.read(step.space) as unit:
        covered = unit.episodes.list_covered(session, None)
        latest = TurnFilter(session=session, newest_first=True, limit=MOST_TURNS)
        turns = unit.ledger.turns(latest)[::-1]
        turns = [turn for turn in turns if not covered or turn.index > covered[-1]]
    draft: EpisodeDraft | None = None
    reason = ""
    try:
        draft = step.tools.episodes.draft(step.space, turns)
    except ModelError as error:
        reason = str(error)
        if error.away:
            step.waits_for = reason
            return False
    with step.store.write(step.space) as unit:
        if step.tools.episodes.write(
            unit, session, turns, "daily_consolidation", draft=draft, reason=reason
        ):
            step.progress(unit, {"episodes": 1})
    return True
