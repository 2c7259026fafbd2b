"""Records as evidence: what is shown of each, and where it came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from recollect.recall.ranker import Ranked
from recollect.store.base import Unit
from recollect.types import Attachment, Hit, Memory, RecordType, Source, Turn, Why

Maker = Callable[[float, Why], Hit]


def as_hits(unit: Unit, ranked: Sequence[Ranked]) -> list[Hit]:
    """Whole records for what was ranked, in its order."""
    records = unit.text.records([one.doc for one in ranked])
    makers: dict[str, Maker] = {}
    for type_, read in _READERS.items():
        ids = [id_ for kind, id_ in records.values() if kind == type_]
        if ids:
            makers.update(read(unit, ids))
    return [
        makers[records[one.doc][1]](one.score, one.why)
        for one in ranked
        if one.doc in records and records[one.doc][1] in makers
    ]


def _turns(unit: Unit, ids: list[str]) -> dict[str, Maker]:
    return {turn.id: partial(_turn_hit, turn) for turn in unit.ledger.turns_by_id(ids)}


def _memories(unit: Unit, ids: list[str]) -> dict[str, Maker]:
    return {memory.id: partial(_memory_hit, memory) for memory in unit.memories.by_id(ids)}


def _attachments(unit: Unit, ids: list[str]) -> dict[str, Maker]:
    return {file.id: partial(_attachment_hit, file) for file in unit.attachments.by_id(ids)}


_READERS: dict[RecordType, Callable[[Unit, list[str]], dict[str, Maker]]] = {
    "turn": _turns,
    "memory": _memories,
    "attachment": _attachments,
}


def _turn_hit(turn: Turn, score: float, why: Why) -> Hit:
    return Hit(
        type="turn",
        id=turn.id,
        text=turn.content or _tool_text(turn),
        score=score,
        why=why,
        sources=(Source(turn.session, turn.index, turn.id),),
        at=turn.at,
        session=turn.session,
        index=turn.index,
        role=turn.role,
        sender=turn.sender,
    )


def _tool_text(turn: Turn) -> str:
    """A turn without words is shown by its tool traffic."""
    calls = [
        f"{call.name}({', '.join(f'{k}={v}' for k, v in call.input.items())})"
        for call in turn.tool_calls
    ]
    return "\n".join([*calls, *(result.content for result in turn.tool_results)])


def _memory_hit(memory: Memory, score: float, why: Why) -> Hit:
    return Hit(
        type="memory",
        id=memory.id,
        text=memory.content,
        score=score,
        why=why,
        sources=memory.sources,
        at=memory.created_at,
    )


def _attachment_hit(attachment: Attachment, score: float, why: Why) -> Hit:
    about = attachment.description or attachment.transcription or attachment.extracted_text
    place = attachment.path or attachment.url
    return Hit(
        type="attachment",
        id=attachment.id,
        text=f"{place}: {about}" if about else place,
        score=score,
        why=why,
        sources=(),
        at=attachment.created_at,
        session=attachment.session,
    )
