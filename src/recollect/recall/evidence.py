"""Records as evidence: what is shown of each, and where it came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from recollect.recall.ranker import Ranked
from recollect.rules.secrets_sealed import masked
from recollect.store.base import Unit
from recollect.store.documents import type_of
from recollect.types import Attachment, Episode, Hit, Memory, RecordType, Source, Turn, Why

Maker = Callable[[float, Why], Hit]


def as_hits(unit: Unit, ranked: Sequence[Ranked]) -> list[Hit]:
    """Whole records for what was ranked, in its order."""
    docs = [one.doc for one in ranked]
    turns = unit.ledger.turns_by_doc([doc for doc in docs if type_of(doc) == "turn"])
    makers: dict[int, Maker] = {doc: partial(_turn_hit, turn) for doc, turn in turns.items()}
    others = [doc for doc in docs if doc not in turns]
    if others:
        makers.update(_makers(unit, others))
    return [makers[one.doc](one.score, one.why) for one in ranked if one.doc in makers]


def _makers(unit: Unit, docs: Sequence[int]) -> dict[int, Maker]:
    records = unit.text.records(docs)
    makers: dict[int, Maker] = {}
    for type_, read in _READERS.items():
        ids = {id_: doc for doc, (kind, id_) in records.items() if kind == type_}
        if ids:
            makers.update((ids[id_], maker) for id_, maker in read(unit, list(ids)).items())
    return makers


def _memories(unit: Unit, ids: list[str]) -> dict[str, Maker]:
    return {memory.id: partial(_memory_hit, memory) for memory in unit.memories.by_id(ids)}


def _episodes(unit: Unit, ids: list[str]) -> dict[str, Maker]:
    return {episode.id: partial(_episode_hit, episode) for episode in unit.episodes.by_id(ids)}


def _attachments(unit: Unit, ids: list[str]) -> dict[str, Maker]:
    return {file.id: partial(_attachment_hit, file) for file in unit.attachments.by_id(ids)}


_READERS: dict[RecordType, Callable[[Unit, list[str]], dict[str, Maker]]] = {
    "memory": _memories,
    "episode": _episodes,
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
        trust=turn.trust,
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
        text=masked(memory).content,
        score=score,
        why=why,
        sources=memory.sources,
        at=memory.created_at,
        kind=memory.kind,
        trust=memory.trust,
        valid_from=memory.valid_from,
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
