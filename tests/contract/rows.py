"""Rows as the rooms above the store make them, with only what a test cares about spelled out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from recollect.ids import new_id
from recollect.rules import bm25
from recollect.rules.trust import trust_of
from recollect.store.base import Store
from recollect.store.rows import AttachmentRow, MemoryRow, Placed, TurnFilter, TurnRow
from recollect.types import (
    Kind,
    MemoryStatus,
    Role,
    SafeCall,
    SafeResult,
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
        content=constant(content),
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
) -> MemoryRow:
    return MemoryRow(
        id=constant(id_ or new_id(at)),
        kind=kind,
        content=constant(content),
        subject=constant("user"),
        predicate=constant("likes"),
        project=constant(project),
        topic=constant("_general"),
        tags=tuple(map(constant, tags)),
        importance=0.5,
        confidence=0.75,
        trust="owner",
        status=status,
        at=at,
        valid_from=valid_from or at,
        expires_at=expires_at,
        sources=tuple(map(constant, sources)),
        episode=constant(""),
        terms=constant(content),
    )


def attachment(
    filename: str = "cat.png",
    *,
    session: str = "s",
    at: datetime = NOON,
    terms: str = "cat png",
    **fields: Any,
) -> AttachmentRow:
    given: dict[str, Any] = {
        "id": new_id(at),
        "session": session,
        "filename": filename,
        "mime": "image/png",
        "size": 7,
        "path": f"/tmp/{filename}",
        "url": "",
        "direction": "inbound",
        "description": "",
        "transcription": "",
        "extracted_text": "",
        "tags": (),
        "memories": (),
        "at": at,
        "terms": terms,
    }
    return AttachmentRow(**{**given, **fields})


def append(store: Store, *rows: TurnRow, space: str = SPACE) -> list[Placed]:
    """Append in one transaction."""
    with store.write(space) as unit:
        return unit.ledger.append(rows)


def said(store: Store, space: str = SPACE, **wanted: Any) -> list[str]:
    """The contents of the turns a filter finds, in order."""
    return [t.content for t in found(store, space, **wanted)]


def found(store: Store, space: str = SPACE, **wanted: Any) -> list[Turn]:
    with store.read(space) as unit:
        return unit.ledger.turns(TurnFilter(**wanted))


def contents(turns: Sequence[Turn]) -> list[str]:
    return [turn.content for turn in turns]
