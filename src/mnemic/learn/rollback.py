"""Rollback of one source: what came from it ends, what it replaced holds again, its gain is lost.

Memories that others said too stay, minus that source. Everything happens in one transaction and
leaves its events under one operation.
"""

from __future__ import annotations

from mnemic.errors import InvalidInput
from mnemic.ids import new_id
from mnemic.language.guard import Guard
from mnemic.late import dataclass
from mnemic.learn.rollback_plan import RollbackPlan, RollbackSource, What
from mnemic.rules import checks
from mnemic.space import Space
from mnemic.store.codec import as_name
from mnemic.types import EMPTY, TRUSTS, Event, Fact, RolledBack, SafeName, key_of

_WHATS: dict[str, What] = {
    "session": "session",
    "turn": "turn",
    "trust": "trust",
    "sender": "sender",
}


def origin_of(source: str, guard: Guard) -> RollbackSource:
    """Reads ``session:ID``, ``turn:ID``, ``trust:TIER`` or ``sender:NAME``."""
    what, colon, name = checks.check_name(source, "source").partition(":")
    if not colon or not name.strip() or what not in _WHATS:
        raise InvalidInput(
            f"source={source!r} does not say what it is",
            remedy="Give session:ID, turn:ID, trust:TIER or sender:NAME",
        )
    if what == "trust" and name not in TRUSTS:
        raise InvalidInput(f"trust={name!r} is unknown", remedy=f"Use one of {', '.join(TRUSTS)}")
    return RollbackSource(_WHATS[what], guard.name(name, what))


@dataclass(frozen=True, slots=True, eq=False)
class Rollback:
    """Undoes sources in one space."""

    space: Space

    def rollback(
        self, source: str, *, dry_run: bool = False, operation_id: str | None = None
    ) -> RolledBack:
        """Undo everything from one source, or with ``dry_run`` say what would change."""
        origin, now = origin_of(source, self.space.guard), self.space.now()
        if dry_run:
            with self.space.read() as unit:
                undoing = RollbackPlan(unit, origin, self.space.settings, now)
                undoing.plan()
                return undoing.report(EMPTY)
        operation = self.space.guard.name(
            operation_id or key_of("rollback", new_id(now)), "operation_id"
        )
        with self.space.write() as unit:
            before = unit.journal.operation(operation)
            if before:
                return _load_report(before[-1])
            undoing = RollbackPlan(unit, origin, self.space.settings, now)
            undoing.plan()
            report = undoing.write(operation)
            unit.journal.begin(operation, now).note("rollback", EMPTY, **self._dump(report))
            return report

    def _dump(self, report: RolledBack) -> dict[str, Fact]:
        payload = {
            "source": report.source,
            "removed": list(report.removed),
            "restored": list(report.restored),
            "revised": list(report.revised),
        }
        return self.space.guard.json(payload, "report")


def _load_report(event: Event) -> RolledBack:
    """What an earlier rollback said it did."""

    def ids(name: str) -> tuple[SafeName, ...]:
        stored = event.payload.get(name)
        return tuple(map(as_name, stored)) if isinstance(stored, list) else ()

    return RolledBack(
        source=str(event.payload.get("source", "")),
        removed=ids("removed"),
        restored=ids("restored"),
        revised=ids("revised"),
        operation_id=event.operation_id,
    )
