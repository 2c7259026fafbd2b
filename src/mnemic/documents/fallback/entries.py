"""Entries of plain files as what the engine takes, checked like any input: a person may have
changed the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from mnemic.documents.fallback.logs import Ended, Entry, LoggedTurn
from mnemic.documents.fallback.notes import Note
from mnemic.errors import InvalidInput, NotFound
from mnemic.ids import is_id
from mnemic.language.guard import Guard
from mnemic.record.recorder import accept_turns
from mnemic.rules.speakers import FOREIGN, voice_of
from mnemic.store.contract import Unit
from mnemic.store.rows import TurnRow
from mnemic.types import NewMemory, NewTurn, SafeName, Turn


def turn_rows(
    logged: Sequence[LoggedTurn], guard: Guard, now: datetime
) -> list[tuple[LoggedTurn, TurnRow]]:
    """Logged turns with their rows, each for the end of its session; those that cannot be recorded
    are left out.
    """
    if not logged:
        return []
    try:
        rows = accept_turns([_new_turn(entry.turn, guard.owners) for entry in logged], now, guard)
        ids = [id_ if is_id(id_ := entry.turn.id) else guard.label(id_, "id") for entry in logged]
    except InvalidInput:
        if len(logged) == 1:
            return []
        half = len(logged) // 2
        return turn_rows(logged[:half], guard, now) + turn_rows(logged[half:], guard, now)
    return [
        (entry, row._replace(id=id_)) for entry, row, id_ in zip(logged, rows, ids, strict=True)
    ]


def _new_turn(turn: Turn, owners: frozenset[int]) -> NewTurn:
    """A log keeps the trust a turn had when it was recorded. Whose words they are is judged anew,
    so that a changed file makes nobody the owner.
    """
    claim = voice_of(turn.role, turn.sender, None, owners).claim
    rests_on_speaker = claim is not None and (turn.trust == "owner" or claim == FOREIGN)
    return NewTurn(
        turn.session,
        turn.role,
        turn.content,
        turn.sender,
        turn.channel,
        turn.tool_calls,
        turn.tool_results,
        turn.at,
        trust=None if rests_on_speaker else turn.trust,
        metadata=turn.metadata,
    )


def new_memory(note: Note, supersedes: str | None) -> NewMemory:
    """The statement of a note; one of a person's own holds from when it is read."""
    memory = note.memory
    return NewMemory(
        memory.content,
        kind=memory.kind,
        subject=memory.subject,
        predicate=memory.predicate,
        value=memory.value,
        project=memory.project,
        topic=memory.topic,
        tags=memory.tags,
        metadata=memory.metadata,
        importance=memory.importance,
        confidence=memory.confidence,
        trust=memory.trust,
        valid_from=memory.valid_from if note.ours else None,
        expires_at=memory.expires_at,
        supersedes=supersedes or None,
        duration="" if memory.expires_at else "permanent",
        origin=memory.origin if note.ours else "migration",
    )


def last_ends(entries: Iterable[Entry]) -> list[Ended]:
    """The ends of sessions in which nobody spoke afterwards."""
    ends: dict[str, Ended] = {}
    for entry in entries:
        if isinstance(entry, LoggedTurn):
            ends.pop(entry.turn.session, None)
        elif isinstance(entry, Ended):
            ends[entry.session] = entry
    return list(ends.values())


def turn_at(unit: Unit, session: SafeName, index: int) -> Turn | None:
    """What was said there, if anything."""
    try:
        return unit.ledger.turn_at(session, index)
    except NotFound:
        return None
