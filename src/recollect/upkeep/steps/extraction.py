"""Finishing extraction: the sessions in the queue first, then every turn not yet extracted."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.errors import ModelError
from recollect.learn import session_end
from recollect.learn.episodes import write_episode
from recollect.record import triggers
from recollect.rules import checks
from recollect.store.rows import TurnFilter
from recollect.types import EMPTY, Job, SafeName, Turn, constant, joined
from recollect.upkeep.work import Step

_SESSIONS = 500  # looked at in one snapshot
_STORY = 10_000  # turns of one episode, the latest


def finish_queue(step: Step) -> None:
    """Sessions whose extraction was put off, or failed and waits for another try."""
    with step.store.read(step.space) as unit:
        waiting = unit.tasks.unfinished("ready", checks.MAX_ROWS)
    kinds = (triggers.KIND, session_end.KIND)
    sessions = dict.fromkeys(job.name_of("session") for job in waiting if job.kind in kinds)
    _learn(step, sessions)


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
        _learn(step, fresh)
        if step.dry_run:
            return
        for session in fresh:
            _write_episode(step, session)


def _learn(step: Step, sessions: Iterable[SafeName]) -> None:
    for session in sessions:
        if step.dry_run:
            step.did(sessions=1)
            continue
        try:
            while not step.tools.extraction.learn(_job(step, session), session):
                step.did()  # it takes long: the lease goes on
        except ModelError as error:
            _requeue(step, session, str(error))
            continue
        step.did(sessions=1)


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


def _requeue(step: Step, session: SafeName, reason: str) -> None:
    """Leave the session to the queue, which retries and reports the final failure."""
    with step.store.write(step.space) as unit:
        triggers.queue(
            unit,
            [session],
            now=step.now,
            run_at=step.now + step.settings.jobs.backoff_first,
            max_attempts=step.settings.jobs.max_attempts,
            quiet=False,
        )
        unit.journal.add_event(
            "retry",
            operation_id=joined(step.operation, session),
            subject=session,
            payload={"kind": constant(triggers.KIND), "error": step.guard.error(reason)},
            at=step.now,
        )
        step.progress(unit, {"failed": 1})


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
