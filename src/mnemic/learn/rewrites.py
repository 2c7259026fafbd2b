"""Statements that a model wrote in the place of others: what they are made of, and their undoing.

Both sides have an event: the new statement says which it was made of, each of those what it became
a part of. When one of them is removed, taken back or replaced, the new statement goes with it and
the others hold again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from mnemic.rules import checks
from mnemic.store.codec import as_name
from mnemic.store.contract import Unit
from mnemic.types import Fact, Memory, SafeName, constant

REWRITE = "rewrite"
_INTO, _FROM = "into", "from"


def note_rewrite(
    unit: Unit,
    new: Memory,
    old: Iterable[Memory],
    *,
    operation: SafeName,
    now: datetime,
    payload: dict[str, Fact],
) -> None:
    """Leave the events on both sides."""
    originals, begun = list(old), unit.journal.begin(operation, now)
    sources: dict[str, Fact] = {_FROM: [memory.id for memory in originals]}
    begun.note(REWRITE, new.id, **payload, **sources)
    for memory in originals:
        begun.note(REWRITE, memory.id, **{_INTO: new.id})


def basis(unit: Unit, id_: str) -> list[SafeName]:
    """The memories that a statement was made of; none for one that no model rewrote."""
    events = unit.journal.events(subject=as_name(id_), type_=REWRITE, limit=checks.MAX_ROWS)
    lists = [event.payload.get(_FROM) for event in events]
    return [as_name(str(name)) for ids in lists if isinstance(ids, list) for name in ids]


def find_rewrites(unit: Unit, ids: Iterable[str]) -> set[SafeName]:
    """Statements that were made of one of these, with what took their place since."""
    rewrites: set[SafeName] = set()
    waiting = [as_name(id_) for id_ in ids]
    while waiting:
        id_ = waiting.pop()
        events = unit.journal.events(subject=id_, type_=REWRITE, limit=checks.MAX_ROWS)
        into = [as_name(str(e.payload[_INTO])) for e in events if _INTO in e.payload]
        memory = unit.memories.get(id_) if id_ in rewrites else None
        if memory is not None and memory.superseded_by:
            into.append(memory.superseded_by)
        fresh = [new for new in into if new not in rewrites]
        rewrites.update(fresh)
        waiting += fresh
    return rewrites


def versions_of(unit: Unit, id_: str) -> list[Memory]:
    """Every version of a memory; of one that was rewritten with others, not the others."""
    chain = unit.memories.chain(id_)
    by_id = {memory.id: memory for memory in chain}
    path = [as_name(id_)]
    while (memory := by_id.get(path[-1])) is not None and memory.superseded_by in by_id:
        path.append(memory.superseded_by)
    above = find_rewrites(unit, path)
    if not above:
        return chain
    ids = {path[0]}
    while more := {m.id for m in chain if m.superseded_by in ids} - ids:
        ids |= more
    return [memory for memory in chain if memory.id in ids | above | {*path}]


def restore_originals(unit: Unit, removed: Collection[str], now: datetime) -> list[SafeName]:
    """What removed statements were made of holds again, in the core if they were there."""
    restored: list[SafeName] = []
    core = unit.tiers.core_ids()
    for id_ in removed:
        originals = [m for m in unit.memories.by_id(basis(unit, id_)) if m.id not in removed]
        for memory in originals:
            if memory.status == "archived" and memory.superseded_by == id_:
                unit.tiers.bring_back(memory.id, "active", now)
                restored.append(memory.id)
        if id_ in core:
            unit.tiers.mark_core([m.id for m in originals], core=True)
    return restored


def retire_rewritten(
    unit: Unit, replaced: Memory, by: Memory, *, operation: SafeName, now: datetime
) -> None:
    """Archive what was made of a memory that another has taken the place of."""
    for id_ in find_rewrites(unit, [replaced.id]):
        memory = unit.memories.get(id_)
        if memory is None or memory.status != "active" or memory.id == by.id:
            continue
        was_core = id_ in unit.tiers.core_ids()
        restore_originals(unit, {id_, replaced.id}, now)
        if was_core:
            unit.tiers.mark_core([by.id], core=True)
        unit.tiers.put_away(id_, now, by.id)
        reason = constant("what it was made of was replaced")
        unit.journal.begin(operation, now).note("archive", id_, reason=reason, by=by.id)
