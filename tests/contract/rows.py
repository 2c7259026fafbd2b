"""Rows as the rooms above the store make them, with only what a test cares about spelled out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from mnemic.ids import new_id
from mnemic.rules import bm25
from mnemic.rules.speakers import trust_of
from mnemic.store.contract import Store, Unit
from mnemic.store.rows import Placed, TurnFilter, TurnRow
from mnemic.types import (
    Attachment,
    Kind,
    Memory,
    MemoryStatus,
    Role,
    SafeCall,
    SafeResult,
    Source,
    ToolCall,
    ToolResult,
    Turn,
    constant,
)
from tests.conftest import NOON

SPACE = "default"


def after(**parts: float) -> datetime:
    """A moment that far from noon."""
    return NOON + timedelta(**parts)


def turn(
    content: str = "hello",
    *,
    session: str = "s",
    index: int | None = None,
    role: Role = "user",
    at: datetime = NOON,
    calls: tuple[ToolCall, ...] = (),
    results: tuple[ToolResult, ...] = (),
    sender: str = "",
    channel: str = "",
    id_: str = "",
) -> TurnRow:
    return TurnRow(
        id=constant(id_ or new_id(at)),
        session=constant(session),
        idx=index,
        role=role,
        text=constant(content),
        tool_calls=tuple(map(SafeCall, calls)),
        tool_results=tuple(map(SafeResult, results)),
        at=at,
        tokens=len(content),
        channel=constant(channel),
        sender=constant(sender),
        trust=trust_of(role),
        terms=constant(content),
        packed=bm25.pack(content),
    )


def memory(
    content: str = "likes tea",
    *,
    kind: Kind = "fact",
    project: str = "_global",
    at: datetime = NOON,
    valid_from: datetime | None = None,
    expires_at: datetime | None = None,
    sources: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
    status: MemoryStatus = "active",
    id_: str = "",
) -> Memory:
    return Memory(
        id=constant(id_ or new_id(at)),
        kind=kind,
        text=constant(content),
        subject=constant("user"),
        predicate=constant("likes"),
        project=constant(project),
        topic=constant("_general"),
        tags=tuple(map(constant, tags)),
        importance=0.5,
        confidence=0.75,
        trust="owner",
        status=status,
        created_at=at,
        updated_at=at,
        last_accessed_at=at,
        valid_from=valid_from or at,
        expires_at=expires_at,
        sources=tuple(Source(constant("s"), 0, constant(id_)) for id_ in sources),
    )


def keep(unit: Unit, new: Memory, terms: str = "") -> Memory:
    """Store a memory, found by its content unless other words are given."""
    return unit.memories.add(new, constant(terms or new.text))


def attachment(
    filename: str = "cat.png",
    *,
    session: str = "s",
    at: datetime = NOON,
    **fields: Any,
) -> Attachment:
    given: dict[str, Any] = {
        "id": new_id(at),
        "session": session,
        "filename": filename,
        "mime": "image/png",
        "size": 7,
        "path": f"/tmp/{filename}",
        "url": "",
        "direction": "inbound",
        "created_at": at,
    }
    return Attachment(**{**given, **fields})


def attach(unit: Unit, new: Attachment, terms: str = "cat png") -> Attachment:
    """Store an attachment with the words it is found by."""
    return unit.attachments.add(new, constant(terms))


def append(store: Store, *rows: TurnRow, space: str = SPACE) -> list[Placed]:
    """Append in one transaction."""
    with store.write(space) as unit:
        return unit.ledger.append(rows)


def said(store: Store, space: str = SPACE, **wanted: Any) -> list[str]:
    """The contents of the turns a filter finds, in order."""
    return [t.text for t in found(store, space, **wanted)]


def found(store: Store, space: str = SPACE, **wanted: Any) -> list[Turn]:
    with store.read(space) as unit:
        return unit.ledger.turns(TurnFilter(**wanted))


def contents(turns: Sequence[Turn]) -> list[str]:
    return [turn.text for turn in turns]
