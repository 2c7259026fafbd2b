"""Memories put away by a person's word, and brought back."""

from __future__ import annotations

from dataclasses import dataclass, replace

from recollect.clock import Clock
from recollect.errors import Conflict, NotFound
from recollect.ids import new_id
from recollect.language.secrets.envelope import masked
from recollect.rules import checks
from recollect.store.contract import Store, Unit
from recollect.types import Memory, constant, key_of

_REASON = constant("a person's word")


@dataclass(frozen=True, slots=True)
class Archive:
    """Archives and restores the memories of one space."""

    store: Store
    space: str
    clock: Clock

    def archive(self, id_: str) -> Memory:
        """Archived, with an event; repeating it changes nothing."""
        now = self.clock.now()
        with self.store.write(self.space) as unit:
            memory = _existing(unit, id_)
            unit.document_states.drop_choices(memory.id)
            if memory.status == "archived":
                return masked(memory)
            if memory.status != "active":
                raise Conflict(
                    f"Memory {id_} is {memory.status}", remedy="Archive a current one: memories()"
                )
            unit.memories.revise(replace(memory, status="archived", updated_at=now))
            unit.journal.add_event(
                "archive",
                operation_id=key_of("archive", new_id(now)),
                subject=memory.id,
                payload={"reason": _REASON},
                at=now,
            )
            return masked(_existing(unit, id_))

    def restore(self, id_: str) -> Memory:
        """Active again, with an event; one that is active stays, and its question is answered."""
        now = self.clock.now()
        with self.store.write(self.space) as unit:
            memory = _existing(unit, id_)
            unit.document_states.drop_choices(memory.id)
            if memory.status == "active":
                return masked(memory)
            if memory.status != "archived":
                raise Conflict(
                    f"Memory {id_} is {memory.status}, not archived",
                    remedy="See its history(), and remember() what holds",
                )
            unit.tiers.bring_back(memory.id, "active", now)
            unit.journal.add_event(
                "restore",
                operation_id=key_of("restore", new_id(now)),
                subject=memory.id,
                payload={"reason": _REASON},
                at=now,
            )
            return masked(_existing(unit, id_))


def _existing(unit: Unit, id_: str) -> Memory:
    memory = unit.memories.get(checks.check_name(id_, "id"))
    if memory is None:
        raise NotFound(f"No memory {id_}", remedy="See memories(), questions() or recall()")
    return memory
