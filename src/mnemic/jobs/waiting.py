"""Turns that wait for a model that is away, as a person is told of them."""

from __future__ import annotations

from mnemic.rules.checks import MAX_ROWS
from mnemic.store.contract import Unit
from mnemic.types import ModelWait


def _is_suspended(reason: str) -> bool:
    """Whether it only says that nobody asked, because of another reason."""
    return reason.startswith("ModelSuspended")


def model_wait(unit: Unit) -> ModelWait | None:
    """What waits in this space, since the first of it, until the next try; None where nothing is
    waiting.
    """
    waiting = [
        (job, since)
        for job in unit.tasks.waiting_for_model(MAX_ROWS)
        if (since := job.waiting_since) is not None
    ]
    if not waiting:
        return None
    next_job = waiting[0][0]  # they come by their time
    sessions = list(dict.fromkeys(job.name_of("session") for job, _ in waiting))
    return ModelWait(
        turns=unit.ledger.count_waiting(sessions),
        since=min(since for _, since in waiting),
        next_try=next_job.run_at,
        reason=min((job.error for job, _ in waiting if job.error), key=_is_suspended, default=""),
    )
