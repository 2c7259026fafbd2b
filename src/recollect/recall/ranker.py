"""The order of evidence: relevance, recency, importance and use, by the preset's weights."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recollect.recall.candidates import Gathered
from recollect.recall.records import Known, known_records
from recollect.recall.relevance import Relevance, by_conversation, by_ranks
from recollect.recall.request import Request
from recollect.rules import ranking as rules
from recollect.rules.decay import class_of, faded
from recollect.settings import Settings
from recollect.store import codec
from recollect.store.contract import Unit
from recollect.types import Attachment, Episode, Memory, Why

_ACCESS_SATURATION = 10  # uses at which the access part is full

_POOL = 2  # candidates for each wanted result that are weighed to the end
_LEAST_POOL = 20
_PLAIN_IMPORTANCE = 0.5


@dataclass(frozen=True, slots=True)
class Ranked:
    """One piece of evidence in its place; ``record`` is what it is, unless it is a turn."""

    doc: int
    score: float
    why: Why
    record: Known | None = None


class Ranker:
    """Ranks candidates by a preset's law."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def rank(self, unit: Unit, request: Request, gathered: Gathered) -> list[Ranked]:
        """The best ``k``, best first."""
        ranking = self._settings.ranking
        if ranking.fusion == "conversation":
            found = by_conversation(unit, request, gathered)
        else:
            found = by_ranks(unit, gathered, ranking)
        pool = _pool(unit, request, found)
        docs = [found.docs[n] for n in pool]
        records = known_records(unit, docs)
        weighed = []
        for n, doc in zip(pool, docs, strict=True):
            record = records.get(doc)
            parts = self._parts(found, n, record, request.now)
            kind = record.kind if isinstance(record, Memory) else None
            boost = rules.persona_boost(kind, ranking.personas, request.persona)
            weighed.append((rules.combine(parts, ranking.weights) * boost, n, parts, boost))
        best = sorted(weighed, key=lambda one: -one[0])[: request.k]
        docs = [found.docs[n] for _, n, _, _ in best]
        words = unit.text.matched(gathered.text, docs) if gathered.text else {}
        return [
            Ranked(
                doc,
                score,
                Why(
                    gathered.routes(doc) or ("neighbour",),
                    _shown(found, n, parts, gathered) | ({"persona": boost} if boost != 1 else {}),
                    words.get(doc, ()),
                ),
                records.get(doc),
            )
            for doc, (score, n, parts, boost) in zip(docs, best, strict=True)
        ]

    def _parts(
        self, found: Relevance, n: int, record: Known | None, now: datetime
    ) -> rules.ScoreParts:
        ranking = self._settings.ranking
        importance, uses = _PLAIN_IMPORTANCE, 0
        at = codec.maybe_from_micros(found.moments[n])
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
            relevance=float(found.relevance[n]),
            semantic=float(found.semantic[n]),
            keyword=float(found.keyword[n]),
            recency=rules.recency(now - at, ranking.recency_half_life) if at else 0.0,
            importance=importance,
            access=rules.access(uses, _ACCESS_SATURATION),
        )


def _pool(unit: Unit, request: Request, found: Relevance) -> list[int]:
    """The best that the scope allows: a neighbour or a near one may lie outside of it."""
    wanted = max(_LEAST_POOL, _POOL * request.k)
    pool: list[int] = []
    for start in range(0, len(found.docs), wanted):
        docs = found.docs[start : start + wanted]
        allowed = frozenset(unit.text.in_scope(docs, request.scope))
        pool += [n for n, doc in enumerate(docs, start) if doc in allowed]
        if len(pool) >= wanted:
            break
    return pool[:wanted]


def _shown(
    found: Relevance, n: int, parts: rules.ScoreParts, gathered: Gathered
) -> dict[str, float]:
    """Every part of a score that is not nothing."""
    shown = {name: float(values[n]) for name, values in found.parts.items()}
    shown |= {
        "relevance": parts.relevance,
        "recency": parts.recency,
        "importance": parts.importance,
        "access": parts.access,
    }
    if gathered.total and found.docs[n] in gathered.lists.get("exact", ()):
        shown["of exactly"] = float(gathered.total)
    return {name: value for name, value in shown.items() if value}
