"""One space of a database, with which every service of a memory begins, and its user's zone."""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import datetime

from mnemic.clock import Clock
from mnemic.days import Zone, home_zone
from mnemic.language.guard import Guard, guard_of
from mnemic.late import dataclass
from mnemic.settings import Settings
from mnemic.store.contract import Store, Unit
from mnemic.store.rows import TurnFilter


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Where a memory is kept, what it is set to, and what guards the text written to it."""

    store: Store
    name: str
    clock: Clock
    settings: Settings
    guard: Guard

    @classmethod
    def of(cls, store: Store, name: str, clock: Clock, settings: Settings) -> Space:
        return cls(store, name, clock, settings, guard_of(settings))

    def read(self) -> AbstractContextManager[Unit]:
        return self.store.read(self.name)

    def write(self) -> AbstractContextManager[Unit]:
        return self.store.write(self.name)

    def zone(self, unit: Unit) -> Zone:
        """The zone of the user's days."""
        return user_zone(unit, self.settings.schedule.zone)

    def now(self) -> datetime:
        return self.clock.now()


def user_zone(unit: Unit, configured: str) -> Zone:
    """The zone that the user's latest turn states, else the one that is set."""
    latest = unit.ledger.turns(TurnFilter(role="user", newest_first=True, limit=1))
    return home_zone(latest[0].at if latest else None, configured)
