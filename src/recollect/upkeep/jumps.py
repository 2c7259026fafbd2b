"""A clock that jumps: nothing fades at a moment that was seen once, and what faded comes back.

Ahead: after a long gap in everything that was recorded, the steps that go by age wait until the new
time has been seen a day before. Back: what runs of the future put away is taken back.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from recollect.settings import Settings
from recollect.store.contract import Store
from recollect.types.safe import constant, key_of
from recollect.upkeep.changes import undo

# Steps that put something away because of its age.
BY_AGE = frozenset({"decay", "expiry", "attachments"})
_HELD = timedelta(hours=20)  # how long a new time has to hold; daily work may be a little early
_TOLERANCE = timedelta(hours=1)  # by which clocks of two machines, or of two zones' rules, differ


def unconfirmed_gap(
    store: Store, space: str, settings: Settings, now: datetime
) -> timedelta | None:
    """The gap before ``now`` in what was recorded, while nothing else confirms the new time."""
    longest = settings.upkeep.longest_gap
    if longest is None:
        return None
    with store.read(space) as unit:
        seen = unit.runs.last_activity(now - _HELD)
    if seen is None or now - seen <= longest:
        return None
    return now - seen


def take_back(store: Store, space: str, now: datetime) -> int:
    """Undo the ageing of runs that began in what is now the future; says how many records."""
    with store.read(space) as unit:
        ahead = unit.runs.begun_after(now + _TOLERANCE)
    restored = 0
    for work, run in ahead:
        for step in sorted(BY_AGE):
            operation = key_of("upkeep", *map(constant, (work, run, step)))
            with store.write(space) as unit:
                restored += len(undo(unit, operation, now).restored)
    return restored
