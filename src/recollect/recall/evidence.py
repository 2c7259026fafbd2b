"""Records as evidence: what is shown of each, and where it came from."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from recollect.types import Attachment, Hit, Memory, Source, Turn, Why

Maker = Callable[[float, Why], Hit]


def turn_hit(turn: Turn) -> Maker:
    return partial(_turn_hit, turn)


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
    calls = [f"{call.name}({', '.join(f'{k}={v}' for k, v in call.input.items())})"
             for call in turn.tool_calls]  # fmt: skip
    return "\n".join([*calls, *(result.content for result in turn.tool_results)])


def memory_hit(memory: Memory) -> Maker:
    return partial(_memory_hit, memory)


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


def attachment_hit(attachment: Attachment) -> Maker:
    return partial(_attachment_hit, attachment)


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
