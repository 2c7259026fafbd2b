"""Memories that were meant for one session end with it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from recollect.rules import checks
from recollect.store.base import Unit
from recollect.store.rows import MemoryFilter
from recollect.types import MemoryStatus, SafeName, constant

_ENDINGS: tuple[tuple[MemoryStatus, MemoryStatus], ...] = (
    ("active", "superseded"),  # so that as_of still answers it for the time it held
    ("pending", "archived"),
)


def end_with_session(
    unit: Unit, session: SafeName, *, operation_id: SafeName, now: datetime
) -> int:
    """End what lives only in this session, in the caller's transaction; says how many."""
    ended = 0
    for status, after in _ENDINGS:
        wanted = MemoryFilter(status=status, session=session, limit=checks.MAX_ROWS)
        for memory in unit.memories.find(wanted):
            unit.memories.revise(
                replace(
                    memory,
                    status=after,
                    valid_to=max(now, memory.valid_from),
                    superseded_at=now,
                    updated_at=now,
                )
            )
            unit.journal.add_event(
                "archive",
                operation_id=operation_id,
                subject=memory.id,
                payload={"reason": constant("its session ended")},
                at=now,
            )
            ended += 1
    return ended
