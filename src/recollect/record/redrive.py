"""Trying again what was given up: dead jobs start afresh, and their turns wait to be read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from recollect.record import triggers
from recollect.rules import checks
from recollect.store.base import Unit
from recollect.store.rows import TurnFilter
from recollect.types import SafeName, constant

_REASON = constant("to be tried again")
_READ = 500  # dead turns looked at in one go


def redrive(unit: Unit, ids: Sequence[str] | None, now: datetime, max_attempts: int) -> int:
    """Dead jobs, all or these, and the turns they gave up; says how many jobs there are to run.

    With all of them come the dead turns whose job somebody has removed.
    """
    dead = unit.tasks.unfinished("dead", checks.MAX_ROWS)
    chosen = [job for job in dead if ids is None or job.id in ids]
    started = unit.tasks.redrive(ids, now)
    sessions = {
        job.name_of("session")
        for job in chosen
        if job.kind in (triggers.KIND, triggers.SESSION_END)
    }
    _revive(unit, sessions, now, max_attempts)
    if ids is not None:
        return started
    while orphans := unit.ledger.turns(TurnFilter(state="dead", limit=_READ)):
        left = {turn.session for turn in orphans}
        _revive(unit, left, now, max_attempts)
        started += len(left)
    return started


def _revive(unit: Unit, sessions: Collection[SafeName], now: datetime, max_attempts: int) -> None:
    for session in sorted(sessions):
        if unit.ledger.revive(session, _REASON):
            triggers.queue(
                unit, session, now=now, run_at=now, max_attempts=max_attempts, quiet=False
            )
