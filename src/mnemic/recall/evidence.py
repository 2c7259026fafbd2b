"""Records as evidence: their text, and where it came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mnemic.language.secrets.envelope import masked
from mnemic.language.story import without
from mnemic.recall.ranker import RankedRecord, StoredRecord
from mnemic.store.contract import Unit
from mnemic.store.rows import type_of
from mnemic.types import Attachment, Episode, Hit, Memory, NewTurn, Turn, Why


def as_hits(unit: Unit, ranked: Sequence[RankedRecord]) -> list[Hit]:
    """The hits of ranked records, in their order."""
    turns = unit.ledger.turns_by_doc([one.doc for one in ranked if type_of(one.doc) == "turn"])
    return [
        _hit(record, one.score, one.why)
        for one in ranked
        if (record := one.record or turns.get(one.doc)) is not None
    ]


def _hit(record: StoredRecord | Turn, score: float, why: Why) -> Hit:
    match record:
        case Turn():
            return _turn_hit(record, score, why)
        case Memory():
            return _memory_hit(record, score, why)
        case Episode():
            return _episode_hit(record, score, why)
        case Attachment():
            return _attachment_hit(record, score, why)


def _turn_hit(turn: Turn, score: float, why: Why) -> Hit:
    return Hit(
        type="turn",
        id=turn.id,
        text=turn.text or tool_text(turn),
        score=score,
        why=why,
        sources=(turn.source,),
        at=turn.at,
        session=turn.session,
        index=turn.index,
        role=turn.role,
        sender=turn.sender,
        trust=turn.trust,
        metadata=turn.metadata,
    )


def tool_text(turn: Turn | NewTurn) -> str:
    """The tool traffic of a turn without words."""
    calls = [
        f"{call.name}({', '.join(f'{k}={v}' for k, v in call.input.items())})"
        for call in turn.tool_calls
    ]
    return "\n".join([*calls, *(result.content for result in turn.tool_results)])


def _memory_hit(memory: Memory, score: float, why: Why) -> Hit:
    return Hit(
        type="memory",
        id=memory.id,
        text=masked(memory).text,
        score=score,
        why=why,
        sources=memory.sources,
        at=memory.created_at,
        kind=memory.kind,
        trust=memory.trust,
        valid_from=memory.valid_from,
        ended=memory.valid_to if memory.status == "superseded" else None,
        importance=memory.importance,
        metadata=memory.metadata,
    )


def _episode_hit(episode: Episode, score: float, why: Why) -> Hit:
    return Hit(
        type="episode",
        id=episode.id,
        text=episode.summary,
        score=score,
        why=why,
        sources=(),
        at=episode.started_at,
        session=episode.session,
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


def without_outdated(unit: Unit, hits: Sequence[Hit]) -> list[Hit]:
    """Hits without turns, and sentences of episodes, that mention only what no longer holds."""
    turns = [hit.id for hit in hits if hit.type == "turn"]
    outdated = unit.memories.outdated(turns) if turns else frozenset()
    sessions = {hit.session for hit in hits if hit.type == "episode"}
    outdated_texts = unit.memories.outdated_in(sessions) if sessions else {}
    current = [hit for hit in hits if hit.id not in outdated]
    shortened = {
        hit.id: without(hit.text, outdated_texts[hit.session])
        for hit in current
        if hit.type == "episode" and hit.session in outdated_texts
    }
    return [
        replace(hit, text=shortened[hit.id]) if hit.id in shortened else hit
        for hit in current
        if shortened.get(hit.id) != ""
    ]
