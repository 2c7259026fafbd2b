"""What every door needs: the rooms it leads to."""

from __future__ import annotations

from recollect.clock import Clock
from recollect.language.guard import guard_of
from recollect.rooms import Rooms
from recollect.rules.signatures import CheckedCalls
from recollect.settings import Settings
from recollect.store.base import Store


class Led(CheckedCalls):
    """One space with its rooms."""

    def __init__(
        self, store: Store, space: str, settings: Settings, clock: Clock, rooms: Rooms
    ) -> None:
        self.space = space
        self.settings = settings
        self._store = store
        self._clock = clock
        self._rooms = rooms
        self._guard = guard_of(settings)
        self._closed = False
