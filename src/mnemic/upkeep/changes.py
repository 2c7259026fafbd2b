"""Applying a change that upkeep decided on, with an event that can undo it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from mnemic.language.guard import guard_of
from mnemic.learn.claims import dump_claim
from mnemic.learn.rewrites import note_rewrite
from mnemic.rules.support import Claim, Scales, repeat
from mnemic.settings import Settings
from mnemic.store.contract import Unit
from mnemic.types import (
    Event,
    Fact,
    Json,
    Memory,
    MemoryStatus,
    SafeName,
    constant,
    join_key,
    key_of,
    stamp,
)
from mnemic.upkeep.report import Change, Undone

_REMOVALS = ("archive", "delete", "expire")
_BEFORE = "before"
_FIGURES = ("importance", "confidence", "confirmations")
_ABSENT = "absent"  # it was written by the operation itself


@dataclass(frozen=True, slots=True)
class ChangeWriter:
    """The changes of one operation, in the caller's transaction."""

    unit: Unit
    settings: Settings
    operation: SafeName
    now: datetime

    def make(self, change: Change) -> bool:
        """False when the record is no longer as it was when the change was decided."""
        if change.action == "forget_file":
            self.unit.attachments.put_away(change.subject, self.now)
            self._note(change, {})
            return True
        memory = self.unit.memories.get(change.subject)
        if memory is None or memory.status not in ("active", "pending"):
            return False
        if change.action in _REMOVALS:
            self._archive(change, memory)
        elif change.action == "merge":
            return self._merge(change, memory)
        elif change.action == "demote":
            self._demote(change, memory)
        else:
            enters = change.action == "core"
            self.unit.tiers.mark_core([memory.id], core=enters)
            self._note(change, {"core": not enters})
        return True

    def note_new(self, memory: Memory, old: Sequence[Memory], reason: str) -> None:
        """The event of a statement that was written in the place of others."""
        payload: dict[str, Fact] = {
            "reason": guard_of(self.settings).error(reason),
            _BEFORE: {_ABSENT: True},
        }
        note_rewrite(
            self.unit, memory, old, operation=self.operation, now=self.now, payload=payload
        )

    def _archive(self, change: Change, memory: Memory) -> None:
        core = memory.id in self.unit.tiers.core_ids()
        if change.action == "expire" and memory.superseded_by:  # Its successor's day has come.
            self.unit.memories.supersede(memory.id, memory.superseded_by, self.now)
        else:
            self.unit.tiers.put_away(memory.id, self.now, self._into(change))
        self._note(change, {"status": memory.status, "core": core})

    def _demote(self, change: Change, memory: Memory) -> None:
        life = self.settings.lifetimes.transient
        until = None if life is None else self.now + life
        self.unit.memories.revise(replace(memory, expires_at=until, updated_at=self.now))
        self._note(change, {"expires_at": _moment(memory.expires_at)})

    def _merge(self, change: Change, memory: Memory) -> bool:
        """The survivor gains this memory's evidence, as if the statement had been repeated."""
        survivor = self.unit.memories.get(change.into)
        if survivor is None or survivor.status != "active":
            return False
        claim = Claim(memory.importance, memory.confidence, memory.trust, memory.expires_at)
        self.unit.memories.revise(
            replace(
                repeat(survivor, claim, Scales.of(self.settings)),
                valid_from=min(survivor.valid_from, memory.valid_from),
                updated_at=self.now,
            )
        )
        existing = {source.turn_id for source in survivor.sources}
        gained = [source.turn_id for source in memory.sources if source.turn_id not in existing]
        self.unit.memories.add_sources(survivor.id, gained)
        if memory.access_count:
            self.unit.memories.touch(survivor.id, memory.access_count, memory.last_accessed_at)
        payload: dict[str, Fact] = {"claim": dump_claim(claim), "sources": list(gained)}
        self.unit.journal.begin(self.operation, self.now).note("repeat", survivor.id, **payload)
        if core := memory.id in self.unit.tiers.core_ids():
            self.unit.tiers.mark_core([survivor.id], core=True)
        self.unit.tiers.put_away(memory.id, self.now, survivor.id)
        figures = {name: getattr(survivor, name) for name in _FIGURES}
        before: dict[str, Fact] = {
            "status": memory.status,
            "core": core,
            "kept": {**figures, "expires_at": _moment(survivor.expires_at)},
            "gained": list(gained),
        }
        self._note(change, before)
        return True

    def _into(self, change: Change) -> SafeName:
        return guard_of(self.settings).short(change.into)

    def _note(self, change: Change, before: dict[str, Fact]) -> None:
        guard = guard_of(self.settings)
        payload: dict[str, Fact] = {"reason": guard.error(change.reason), _BEFORE: before}
        if change.into:
            payload["into"] = self._into(change)
        self.unit.journal.begin(self.operation, self.now).note(
            change.action, guard.short(change.subject), **payload
        )


# --- undo ---------------------------------------------------------------------------


def undo(unit: Unit, operation: SafeName, now: datetime) -> Undone:
    """Undo every change of an operation, the last first; records changed since are left."""
    undoing = key_of("undo", operation)
    if unit.journal.operation(undoing):
        return Undone(operation, (), ())
    restored: list[SafeName] = []
    unchanged: list[SafeName] = []
    for event in reversed(unit.journal.operation(operation)):
        before = event.payload.get(_BEFORE)
        if isinstance(before, dict):
            (restored if _restore(unit, event, before, now) else unchanged).append(event.subject)
    reason = join_key(constant("undo of"), operation, by=" ")
    for id_ in restored:
        unit.journal.begin(undoing, now).note("undo", id_, reason=reason)
    return Undone(operation, tuple(restored), tuple(unchanged))


def _restore(unit: Unit, event: Event, before: dict[str, Json], now: datetime) -> bool:
    if event.type == "forget_file":
        unit.attachments.put_away(event.subject, None)
        return True
    memory = unit.memories.get(event.subject)
    if memory is None:
        return False
    if _ABSENT in before:
        if memory.status != "active":
            return False
        unit.tiers.put_away(memory.id, now)
        return True
    if "status" in before:
        if memory.status != "archived":
            return False
        status: MemoryStatus = "pending" if before["status"] == "pending" else "active"
        unit.tiers.bring_back(memory.id, status, now)
        if event.type == "merge":
            _restore_survivor(unit, str(event.payload.get("into")), before)
    if "expires_at" in before:
        unit.memories.revise(replace(memory, expires_at=_read_moment(before["expires_at"])))
    if "core" in before:
        unit.tiers.mark_core([memory.id], core=bool(before["core"]))
    return True


def _restore_survivor(unit: Unit, survivor_id: str, before: dict[str, Json]) -> None:
    """Take from the survivor of a merge what it gained by it."""
    survivor, standing = unit.memories.get(survivor_id), before.get("kept")
    if survivor is None or not isinstance(standing, dict):
        return
    figures: dict[str, Any] = {name: standing[name] for name in _FIGURES}
    expires_at = _read_moment(standing["expires_at"])
    unit.memories.revise(replace(survivor, **figures, expires_at=expires_at))
    gained = before.get("gained")
    if isinstance(gained, list):
        unit.memories.drop_sources(survivor_id, [str(turn) for turn in gained])


def _moment(moment: datetime | None) -> SafeName | None:
    return None if moment is None else stamp(moment)


def _read_moment(value: Json) -> datetime | None:
    return datetime.fromisoformat(value) if isinstance(value, str) else None
