"""Reading memories: one, many by filters, or every version of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from mnemic.days import Zone
from mnemic.errors import NotFound
from mnemic.language.dates.moments import maybe_moment
from mnemic.language.guard import word_filters
from mnemic.language.secrets.envelope import mask
from mnemic.late import dataclass
from mnemic.learn.memories import existing_memory
from mnemic.providers.vault import Vault
from mnemic.rules import checks
from mnemic.rules.slots import predicate_of, subject_of
from mnemic.rules.words import span_of_priority
from mnemic.settings.upkeep import PRIORITIES
from mnemic.space import Space
from mnemic.store.rows import Life, MemoryFilter
from mnemic.types import (
    ORDERS,
    ORIGINS,
    STATUSES,
    TRUSTS,
    History,
    Memory,
    MemoryOrigin,
    MemoryQuery,
    MemoryStatus,
    SafeName,
)

_STORED = {
    "text": "contains",
    "metadata": "having",
    "origin": "origins",
    "priority": "life",
}  # as a filter of the store calls them


@dataclass(frozen=True, slots=True, eq=False)
class MemoryReader:
    """The memories of one space, with secrets masked."""

    space: Space
    vault: Vault

    def get(self, id_: str) -> Memory:
        """One version of a memory, of whatever status."""
        with self.space.read() as unit:
            return mask(existing_memory(unit, id_))

    def find(self, query: MemoryQuery) -> list[Memory]:
        """Memories by filters, in order."""
        with self.space.read() as unit:
            zone = self.space.zone(unit)
            memories = unit.memories.find(self._filter(zone, **query))
        return [mask(memory) for memory in memories]

    def _filter(
        self, zone: Zone, *, order: Any = "newest", limit: int = 100, **query: Any
    ) -> MemoryFilter:
        """The filter of a query; without a status it is what holds, now or as of then."""
        guard = self.space.guard
        readers: dict[str, Callable[[Any], Any]] = {
            "origin": self._origins,
            "priority": self._life,
            "min_importance": lambda least: checks.check_share(least, "min_importance"),
            "project": lambda name: guard.filter(name, "project"),
            "topic": lambda name: guard.filter(name, "topic"),
            "subject": lambda name: subject_of(guard.label(name, "subject")),
            "predicate": lambda name: predicate_of(guard.label(name, "predicate")),
            "tag": lambda name: guard.label(name, "tag"),
            "trust": lambda trust: checks.check_choice(trust, TRUSTS, "trust"),
            "text": lambda text: checks.check_text(text, "text", guard.characters),
            "metadata": guard.metadata_texts,
            "since": lambda at: maybe_moment(at, "since", zone),
            "until": lambda at: maybe_moment(at, "until", zone),
            "as_of": lambda at: maybe_moment(at, "as_of", zone),
            "known_at": lambda at: maybe_moment(at, "known_at", zone),
            "offset": checks.check_offset,
        }
        status = query.pop("status", None)
        words = word_filters(guard, query.pop("kind", None), query.pop("scope", None))
        wanted = {
            _STORED.get(name, name): readers[name](value)
            for name, value in query.items()
            if value is not None
        }
        if status is None:
            status = "all" if wanted.keys() & {"as_of", "known_at"} else "active"
        if checks.check_choice(status, (*STATUSES, "all"), "status") != "all":
            wanted["status"] = status
        if status == "active":
            wanted["holds_at"] = self.space.now()
        return MemoryFilter(
            order=checks.check_choice(order, ORDERS, "order"),
            limit=checks.check_limit(limit),
            words=words,
            **wanted,
        )

    def _origins(self, word: str) -> tuple[MemoryOrigin, ...]:
        """The origins that a word stands for."""
        origins = self.space.guard.words.origins
        origin = self.space.guard.find_word(origins, word, ORIGINS)
        return cast("tuple[MemoryOrigin, ...]", origins.table.get(origin, (origin,)))

    def _life(self, word: str) -> Life:
        """The lives of a priority."""
        priorities = self.space.guard.words.priorities
        name = self.space.guard.find_word(priorities, word, PRIORITIES)
        (priority,) = priorities.table.get(name, (name,))
        return Life(*span_of_priority(priority, self.space.settings.lifetimes))

    def projects(self, status: MemoryStatus) -> list[SafeName]:
        """The projects of memories of a status."""
        checks.check_choice(status, STATUSES, "status")
        with self.space.read() as unit:
            return unit.memories.projects(status)

    def history(self, id_: str) -> History:
        """Every version of a memory, oldest first, and every event about them.

        Of a deleted memory no version is there any more, only the event.
        """
        checks.check_name(id_, "id")
        with self.space.read() as unit:
            versions = unit.memories.chain(id_)
            events = [
                event
                for version in [memory.id for memory in versions] or [self.space.guard.short(id_)]
                for event in unit.journal.events(subject=version, limit=checks.MAX_ROWS)
            ]
        if not versions and not any(event.type == "delete" for event in events):
            raise NotFound(f"No memory {id_}", remedy="See memories() or recall()")
        ordered = sorted(events, key=lambda event: (event.at, event.id))
        return History(tuple(map(mask, versions)), tuple(ordered))

    def reveal(self, id_: str) -> str:
        """The text of a credential."""
        with self.space.read() as unit:
            memory = existing_memory(unit, id_)
        return self.vault.open(memory.text)
