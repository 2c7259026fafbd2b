"""What every way of writing a memory shares: index terms, sources, events, the end of a session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from mnemic.errors import NotFound
from mnemic.index.segment import index_text
from mnemic.language.secrets.envelope import drop_envelope
from mnemic.rules import checks
from mnemic.store.contract import Unit
from mnemic.store.rows import MemoryFilter
from mnemic.types import Memory, MemoryStatus, SafeName, SafeText, Turn, constant, lines_of

_ENDINGS: tuple[tuple[MemoryStatus, MemoryStatus], ...] = (
    ("active", "superseded"),  # so that as_of still answers it for the time it held
    ("pending", "archived"),
)


def note_important(unit: Unit, memory: Memory, operation: SafeName, at: datetime) -> None:
    """Tell that something important was written."""
    unit.journal.begin(operation, at).note(
        "memory.write.important", memory.id, importance=memory.importance, kind=memory.kind
    )


def memory_terms(memory: Memory) -> SafeText:
    """What a memory is found by; of a credential only its label."""
    texts = (memory.subject, memory.predicate, drop_envelope(memory.text), *memory.tags)
    return index_text(lines_of(texts))


def turns_of(unit: Unit, ids: Sequence[SafeName]) -> list[Turn]:
    """The turns that a statement came from, or NotFound."""
    if not ids:
        return []
    turns: dict[str, Turn] = {turn.id: turn for turn in unit.ledger.turns_by_id(ids)}
    if len(turns) != len(ids):
        raise NotFound("A source is not a turn of this space", remedy="Pass ids of turns")
    return [turns[id_] for id_ in ids]


def end_with_session(
    unit: Unit, session: SafeName, *, operation_id: SafeName, now: datetime
) -> int:
    """End what lives only in this session, in the caller's transaction; says how many."""
    ended, ending = 0, unit.journal.begin(operation_id, now)
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
            ending.note("archive", memory.id, reason=constant("its session ended"))
            ended += 1
    return ended


def existing_memory(unit: Unit, id_: str) -> Memory:
    """The memory with that id, or NotFound."""
    memory = unit.memories.get(checks.check_name(id_, "id"))
    if memory is None:
        raise NotFound(f"No memory {id_}", remedy="See memories(), questions() or recall()")
    return memory
