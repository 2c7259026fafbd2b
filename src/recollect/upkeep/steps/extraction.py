"""Finishing extraction: the sessions in the queue first, then every turn not yet extracted."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.errors import ModelError
from recollect.jobs.waiting import model_wait
from recollect.learn import session_end
from recollect.learn.episodes import write_episode
from recollect.record import triggers
from recollect.rules import checks
from recollect.store.rows import TurnFilter
from recollect.types import EMPTY, Job, SafeName, Turn, constant, joined
from recollect.upkeep.work import Step

_KINDS = (triggers.KIND, session_end.KIND)
_SESSIONS = 500  # looked at in one snapshot
_STORY = 10_000  # turns of one episode, the latest


def finish_queue(step: Step) -> None:
    """Sessions whose extraction was put off, or failed and waits for another try."""
    with step.store.read(step.space) as unit:
        waiting = unit.tasks.unfinished("ready", checks.MAX_ROWS)
    sessions = dict.fromkeys(job.name_of("session") for job in waiting if job.kind in _KINDS)
    _learn(step, list(sessions))


def learn_turns(step: Step) -> None:
    """Extract sessions that no trigger has queued; each ended one gets its episode."""
    if not step.settings.triggers.daily_sweep:
        return
    tried: set[SafeName] = set()
    while True:
        with step.store.read(step.space) as unit:
            sessions = unit.ledger.sessions_to_extract(_SESSIONS + len(tried))
        fresh = [session for session in sessions if session not in tried]
        tried.update(fresh)
        if not fresh:
            return
        if not _learn(step, fresh) or step.dry_run:
            return
        for session in fresh:
            _write_episode(step, session)


def _learn(step: Step, sessions: Sequence[SafeName]) -> bool:
    """False when the model is away: it is asked once, and all that is left waits for it."""
    for number, session in enumerate(sessions):
        if step.dry_run:
            step.did(sessions=1)
            continue
        try:
            while not step.tools.extraction.learn(_job(step, session), session, probe=True):
                step.did()  # it takes long: the lease goes on
        except ModelError as error:
            _requeue(step, sessions[number:] if error.away else [session], error)
            if error.away:
                return False
            continue
        step.did(sessions=1)
    return True


def _job(step: Step, session: SafeName) -> Job:
    """The extraction of one session as a job."""
    now = step.now
    return Job(
        id=joined(step.operation, session),
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
    """Leave sessions to the queue, which retries, waits and reports a final failure; those that
    wait there already go on waiting.
    """
    now, first = step.now, step.settings.jobs.backoff_first
    with step.store.write(step.space) as unit:
        jobs = unit.tasks.unfinished("ready", checks.MAX_ROWS)
        waiting = {
            job.name_of("session") for job in jobs if job.waiting_since and job.kind in _KINDS
        }
        triggers.queue(
            unit,
            [session for session in sessions if session not in waiting],
            now=now,
            run_at=now + max(first, error.retry_after or first),
            max_attempts=step.settings.jobs.max_attempts,
            quiet=False,
            waiting_since=now if error.away else None,
        )
        unit.journal.add_event(
            "retry",
            operation_id=joined(step.operation, sessions[0]),
            subject=sessions[0],
            payload={
                "kind": constant(triggers.KIND),
                "sessions": len(sessions),
                "error": step.guard.error(str(error)),
            },
            at=now,
        )
        if error.away:
            step.waits_for = str(model_wait(unit) or error)
        step.progress(unit, {"waiting" if error.away else "failed": len(sessions)})


def _write_episode(step: Step, session: SafeName) -> None:
    """The episode of a session that nobody ended, from its turns that no other episode covers."""
    with step.store.write(step.space) as unit:
        info = unit.ledger.session(session)
        if info is None or info.last_at.date() >= step.day:
            return
        episodes = unit.episodes.latest(session=session, since=None, until=None, limit=100)
        since = max((episode.ended_at for episode in episodes), default=None)
        turns: list[Turn] = [
            turn
            for turn in reversed(
                unit.ledger.turns(TurnFilter(session=session, newest_first=True, limit=_STORY))
            )
            if since is None or turn.at > since
        ]
        if not turns:
            return
        write_episode(
            unit,
            session,
            turns,
            "daily_consolidation",
            now=step.now,
            ask_vectors=step.tools.ask,
            guard=step.guard,
        )
        step.progress(unit, {"episodes": 1})
