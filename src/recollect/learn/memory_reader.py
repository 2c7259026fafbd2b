"""Reading memories: one, many by filters, or every version of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recollect.clock import Clock
from recollect.errors import InvalidInput, NotFound
from recollect.language.dates.moments import maybe_moment
from recollect.language.guard import Guard
from recollect.language.secrets.envelope import masked
from recollect.learn.memories import existing_memory
from recollect.providers.vault import Vault
from recollect.rules import checks
from recollect.rules.slots import predicate_of, subject_of
from recollect.store.contract import Store
from recollect.store.rows import MemoryFilter
from recollect.types import ORDERS, STATUSES, TRUSTS, History, Memory, MemoryQuery, SafeName

_STORED = {"text": "contains", "metadata": "having"}  # as a filter of the store calls them


class MemoryReader:
    """The memories of one space, with secrets masked."""

    def __init__(
        self, store: Store, space: str, clock: Clock, guard: Guard, *, vault: Vault
    ) -> None:
        self._store = store
        self._space = space
        self._clock = clock
        self._guard = guard
        self._vault = vault

    def get(self, id_: str) -> Memory:
        """One version of a memory, of whatever status."""
        with self._store.read(self._space) as unit:
            return masked(existing_memory(unit, id_))

    def find(self, query: MemoryQuery) -> list[Memory]:
        """Memories by filters, in order."""
        wanted = self._filter(**query)
        with self._store.read(self._space) as unit:
            memories = unit.memories.find(wanted)
        return [masked(memory) for memory in memories]

    def _filter(self, *, order: Any = "newest", limit: int = 100, **given: Any) -> MemoryFilter:
        """The filter of a query; without a status it is what holds, now or as of then."""
        guard = self._guard
        read: dict[str, Callable[[Any], Any]] = {
            "kind": guard.kind,
            "project": lambda name: guard.filter(name, "project"),
            "topic": lambda name: guard.filter(name, "topic"),
            "subject": lambda name: subject_of(guard.label(name, "subject")),
            "predicate": lambda name: predicate_of(guard.label(name, "predicate")),
            "tag": lambda name: guard.label(name, "tag"),
            "trust": lambda trust: checks.check_choice(trust, TRUSTS, "trust"),
            "text": lambda text: checks.check_text(text, "text", guard.characters),
            "metadata": lambda metadata: _as_text(guard.metadata(metadata)),
            "since": lambda at: maybe_moment(at, "since"),
            "until": lambda at: maybe_moment(at, "until"),
            "as_of": lambda at: maybe_moment(at, "as_of"),
            "offset": checks.check_offset,
        }
        status = given.pop("status", None)
        wanted = {
            _STORED.get(name, name): read[name](value)
            for name, value in given.items()
            if value is not None
        }
        if status is None:
            status = "all" if "as_of" in wanted else "active"
        if checks.check_choice(status, (*STATUSES, "all"), "status") != "all":
            wanted["status"] = status
        if status == "active":
            wanted["holds_at"] = self._clock.now()
        return MemoryFilter(
            order=checks.check_choice(order, ORDERS, "order"),
            limit=checks.check_limit(limit),
            **wanted,
        )

    def projects(self) -> list[SafeName]:
        """The projects of current memories."""
        with self._store.read(self._space) as unit:
            return unit.memories.projects()

    def history(self, id_: str) -> History:
        """Every version of a memory, oldest first, and every event about them.

        Of a deleted memory no version is there any more, only the event.
        """
        checks.check_name(id_, "id")
        with self._store.read(self._space) as unit:
            versions = unit.memories.chain(id_)
            events = [
                event
                for version in [memory.id for memory in versions] or [self._guard.short(id_)]
                for event in unit.journal.events(subject=version, limit=checks.MAX_ROWS)
            ]
        if not versions and not any(event.type == "delete" for event in events):
            raise NotFound(f"No memory {id_}", remedy="See memories() or recall()")
        ordered = sorted(events, key=lambda event: (event.at, event.id))
        return History(tuple(map(masked, versions)), tuple(ordered))

    def reveal(self, id_: str) -> str:
        """The text of a credential."""
        with self._store.read(self._space) as unit:
            memory = existing_memory(unit, id_)
        return self._vault.open(memory.content)


def _as_text(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Values to compare with: a host may look for the number 3 by the text "3"."""
    words = {True: "true", False: "false", None: "null"}
    texts: dict[str, str] = {}
    for key, value in metadata.items():
        if isinstance(value, list | dict):
            raise InvalidInput(
                f"metadata={key!r} is compared with {checks.brief_value(value)}",
                remedy="Compare it with text, a number, True, False or None",
            )
        plain = isinstance(value, bool) or value is None
        texts[key] = words[value] if plain else str(value)
    return texts
