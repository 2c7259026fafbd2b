"""The order of evidence: relevance, recency, importance and use by the preset's weights, and a
cross-encoder that reads each result beside the query where one is set.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from recollect.providers.rerank import OnnxReranker, Reranker
from recollect.recall.candidates import CandidateLists
from recollect.recall.relevance import Relevance, by_conversation, by_ranks
from recollect.recall.request import Request
from recollect.rules import ranking as rules
from recollect.rules.decay import class_of, faded, fading
from recollect.settings import Settings
from recollect.settings.recall import RecallSettings
from recollect.store import codec
from recollect.store.contract import Unit
from recollect.store.rows import type_of
from recollect.types import Attachment, Episode, Hit, Memory, RecordType, Why

StoredRecord = Memory | Episode | Attachment

_READERS: dict[RecordType, Callable[[Unit, Sequence[str]], Sequence[StoredRecord]]] = {
    "memory": lambda unit, ids: unit.memories.by_id(ids),
    "episode": lambda unit, ids: unit.episodes.by_id(ids),
    "attachment": lambda unit, ids: unit.attachments.by_id(ids),
}


def stored_records(unit: Unit, docs: Sequence[int]) -> dict[int, StoredRecord]:
    """The records among the documents that are no turns."""
    others = [doc for doc in docs if type_of(doc) != "turn"]
    ids: dict[RecordType, dict[str, int]] = {}
    for doc, (type_, id_) in unit.text.records(others).items() if others else ():
        ids.setdefault(type_, {})[id_] = doc
    return {
        mine[record.id]: record
        for type_, mine in ids.items()
        for record in _READERS[type_](unit, list(mine))
    }


_ACCESS_SATURATION = 10  # uses at which the access part is full

_POOL = 2  # candidates for each wanted result that are weighed to the end
_LEAST_POOL = 20
_PLAIN_IMPORTANCE = 0.5


@dataclass(frozen=True, slots=True)
class RankedRecord:
    """One piece of evidence with its score; ``record`` is None for a turn."""

    doc: int
    score: float
    why: Why
    record: StoredRecord | None = None


class Ranker:
    """Ranks candidates by the weights of a preset."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def rank(self, unit: Unit, request: Request, lists: CandidateLists) -> list[RankedRecord]:
        """The best ``k``, best first."""
        ranking = self._settings.ranking
        if ranking.fusion == "conversation":
            relevant = by_conversation(unit, request, lists)
        else:
            relevant = by_ranks(unit, lists, ranking)
        slots = {doc: place for place, doc in enumerate(lists.lists.get("slot", ()))}
        pool = _with_answers(_pool(unit, request, relevant), relevant, slots)
        docs = [relevant.docs[n] for n in pool]
        records = stored_records(unit, docs)
        weighed = []
        for n, doc in zip(pool, docs, strict=True):
            record = records.get(doc)
            parts = self._parts(relevant, n, record, request.now)
            kind = record.kind if isinstance(record, Memory) else None
            boost = rules.persona_boost(kind, ranking.personas, request.persona)
            score = 1.0 if doc in slots else rules.combine(parts, ranking.weights) * boost
            weighed.append((score, n, parts, boost))
        last = len(slots)
        order = sorted(weighed, key=lambda one: (slots.get(relevant.docs[one[1]], last), -one[0]))
        best = order[: request.k]
        docs = [relevant.docs[n] for _, n, _, _ in best]
        words = unit.text.matched(lists.text, docs) if lists.text else {}
        return [
            RankedRecord(
                doc,
                score,
                Why(
                    lists.routes(doc) or ("neighbour",),
                    _score_parts(relevant, n, parts, lists)
                    | ({"slot": 1.0} if doc in slots else {})
                    | ({"persona": boost} if boost != 1 else {}),
                    words.get(doc, ()),
                ),
                records.get(doc),
            )
            for doc, (score, n, parts, boost) in zip(docs, best, strict=True)
        ]

    def _parts(
        self, relevant: Relevance, n: int, record: StoredRecord | None, now: datetime
    ) -> rules.ScoreParts:
        ranking = self._settings.ranking
        importance, uses = _PLAIN_IMPORTANCE, 0
        at = codec.maybe_from_micros(relevant.moments[n])
        if isinstance(record, Attachment):
            at = record.created_at
        elif isinstance(record, Episode):
            importance, uses, at = record.importance, record.access_count, record.ended_at
        elif record is not None:
            importance, uses = record.importance, record.access_count
            at = {
                "created": record.created_at,
                "updated": record.updated_at,
                "accessed": record.last_accessed_at,
            }[ranking.recency_clock]
            if ranking.importance_decays:
                law = class_of(record.kind, self._settings.decay)
                importance = faded(importance, now - record.last_accessed_at, law)
        return rules.ScoreParts(
            relevance=float(relevant.relevance[n]),
            semantic=float(relevant.semantic[n]),
            keyword=float(relevant.keyword[n]),
            recency=fading(now - at, ranking.recency_half_life) if at else 0.0,
            importance=importance,
            access=rules.access(uses, _ACCESS_SATURATION),
        )


def _pool(unit: Unit, request: Request, relevant: Relevance) -> list[int]:
    """The best candidates within the scope: neighbours and near vectors may lie outside of it."""
    size = max(_LEAST_POOL, _POOL * request.k)
    pool: list[int] = []
    for start in range(0, len(relevant.docs), size):
        docs = relevant.docs[start : start + size]
        allowed = frozenset(unit.text.in_scope(docs, request.scope))
        pool += [n for n, doc in enumerate(docs, start) if doc in allowed]
        if len(pool) >= size:
            break
    return pool[:size]


def _with_answers(pool: list[int], relevant: Relevance, slots: Collection[int]) -> list[int]:
    """The pool and what answers by its slot, which may be a version that no longer holds."""
    answers = [n for n, doc in enumerate(relevant.docs) if doc in slots] if slots else []
    return [*answers, *(n for n in pool if n not in answers)]


def _score_parts(
    relevant: Relevance, n: int, parts: rules.ScoreParts, lists: CandidateLists
) -> dict[str, float]:
    """Every part of a score that is not zero."""
    all_parts = {name: float(values[n]) for name, values in relevant.parts.items()}
    all_parts |= {
        "relevance": parts.relevance,
        "recency": parts.recency,
        "importance": parts.importance,
        "access": parts.access,
    }
    if lists.total and relevant.docs[n] in lists.lists.get("exact", ()):
        all_parts["of exactly"] = float(lists.total)
    return {name: value for name, value in all_parts.items() if value}


PART = "cross-encoder"


def reranker_for(settings: RecallSettings) -> Reranker | None:
    """The reranker that the settings name, if any."""
    if not settings.rerank_folder:
        return None
    return OnnxReranker(Path(settings.rerank_folder).expanduser())


def reranked(reranker: Reranker, query: str, hits: Sequence[Hit], top: int) -> list[Hit]:
    """The first ``top`` hits in the order of the model, which ``why`` shows; then the others.

    The scores stay with their places, so that they still fall from the first to the last.
    """
    judged = list(hits[:top])
    shares = reranker.judge(query, [hit.text for hit in judged])
    order = sorted(range(len(judged)), key=lambda at: -shares[at])
    moved = [
        replace(
            judged[at],
            score=judged[place].score,
            why=replace(judged[at].why, parts={**judged[at].why.parts, PART: float(shares[at])}),
        )
        for place, at in enumerate(order)
    ]
    return [*moved, *hits[top:]]
