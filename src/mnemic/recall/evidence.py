"""Records as evidence: their text, and where it came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from mnemic.language.secrets.envelope import mask
from mnemic.language.story import without
from mnemic.recall.ranker import RankedRecord, StoredRecord
from mnemic.store.contract import Unit
from mnemic.store.rows import type_of
from mnemic.types import Attachment, Episode, Hit, Memory, NewTurn, Turn, Why


def as_hits(unit: Unit, ranked: Sequence[RankedRecord]) -> list[Hit]:
    """The hits of ranked records, in their order."""
    docs = [candidate.doc for candidate in ranked if type_of(candidate.doc) == "turn"]
    turns = unit.ledger.turns_by_doc(docs) if docs else {}
    return [
        _hit(record, candidate.score, candidate.why)
        for candidate in ranked
        if (record := candidate.record or turns.get(candidate.doc)) is not None
    ]


def _hit(record: StoredRecord | Turn, score: float, why: Why) -> Hit:
    hit = partial(Hit, id=record.id, score=score, why=why)
    match record:
        case Turn():
            return hit(
                type="turn",
                text=record.text or tool_text(record),
                sources=(record.source,),
                at=record.at,
                session=record.session,
                index=record.index,
                role=record.role,
                sender=record.sender,
                trust=record.trust,
                metadata=record.metadata,
            )
        case Memory():
            return hit(
                type="memory",
                text=mask(record).text,
                sources=record.sources,
                at=record.created_at,
                kind=record.kind,
                trust=record.trust,
                valid_from=record.valid_from,
                ended=record.valid_to if record.status == "superseded" else None,
                importance=record.importance,
                metadata=record.metadata,
            )
        case Episode():
            at, session = record.started_at, record.session
            return hit(type="episode", text=record.summary, sources=(), at=at, session=session)
        case Attachment():
            about = record.description or record.transcription or record.extracted_text
            place, at, session = record.path or record.url, record.created_at, record.session
            text = f"{place}: {about}" if about else place
            return hit(type="attachment", text=text, sources=(), at=at, session=session)


def tool_text(turn: Turn | NewTurn) -> str:
    """The tool traffic of a turn without words."""
    calls = [
        f"{call.name}({', '.join(f'{k}={v}' for k, v in call.input.items())})"
        for call in turn.tool_calls
    ]
    return "\n".join([*calls, *(result.content for result in turn.tool_results)])


def without_outdated(unit: Unit, hits: Sequence[Hit]) -> list[Hit]:
    """Hits without turns, and sentences of episodes, that mention only what no longer holds."""
    turns = [hit.id for hit in hits if hit.type == "turn"]
    outdated = unit.memories.find_outdated(turns) if turns else frozenset()
    sessions = {hit.session for hit in hits if hit.type == "episode"}
    outdated_texts = unit.memories.read_outdated(sessions) if sessions else {}
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
