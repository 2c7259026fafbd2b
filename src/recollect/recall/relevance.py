"""How relevant each candidate is: by its conversation, or by the ranks its routes gave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from recollect.recall.conversation import as_candidates, look_around
from recollect.recall.gathering import Gathered
from recollect.recall.request import Request
from recollect.rules.fusion import Floats, fuse
from recollect.rules.ranking import rank_share
from recollect.settings.reading import Ranking
from recollect.store.base import Unit


@dataclass(frozen=True, slots=True)
class Relevance:
    """Candidates, best first; the arrays hold one entry for each, in that order."""

    docs: list[int]
    relevance: Floats
    keyword: Floats
    semantic: Floats
    parts: Mapping[str, Floats]


def by_conversation(
    unit: Unit, request: Request, gathered: Gathered, ranking: Ranking
) -> Relevance:
    """Words, meaning, neighbours, session, speaker and date together; neighbours join in."""
    around = look_around(unit.ledger, gathered.docs)
    docs = around.docs
    text = _text_scores(unit, gathered, docs)
    vectors = gathered.vector.scores(docs, gathered.trust) if gathered.vector else None
    fused = fuse(
        as_candidates(around, text, request.query, request.asking),
        vectors,
        ranking.conversation,
        asks_assistant=request.asking.of_assistant,
    )
    spread = max(float(np.ptp(fused.total)), 1e-9)
    return _ordered(
        docs,
        relevance=(fused.total - fused.total.min()) / spread,
        keyword=text,
        semantic=np.zeros(len(docs)) if vectors is None else vectors.similarity,
        parts=fused.parts,
    )


def by_ranks(unit: Unit, gathered: Gathered, ranking: Ranking) -> Relevance:
    """Reciprocal ranks over the routes, or the best score that any of them gave."""
    docs = gathered.docs
    text = _text_scores(unit, gathered, docs)
    vectors = gathered.vector.scores(docs, gathered.trust) if gathered.vector else None
    likeness = np.zeros(len(docs)) if vectors is None else np.maximum(vectors.similarity, 0.0)
    words = text / max(float(text.max(initial=0.0)), 1e-9)
    if ranking.fusion == "rrf":
        lists = len(gathered.lists)
        joined = np.array([rank_share(gathered.ranks(doc), ranking.rrf_k, lists) for doc in docs])
    else:
        joined = np.maximum(words, likeness)
    return _ordered(
        docs,
        relevance=joined,
        keyword=text,
        semantic=likeness,
        parts={"text": words, "vector": likeness},
    )


def _text_scores(unit: Unit, gathered: Gathered, docs: Sequence[int]) -> Floats:
    if gathered.text is None:
        return np.zeros(len(docs))
    return np.array(unit.text.score(gathered.text, docs))


def _ordered(
    docs: Sequence[int],
    *,
    relevance: Floats,
    keyword: Floats,
    semantic: Floats,
    parts: Mapping[str, Floats],
) -> Relevance:
    """By relevance, newer first among equals; the text score as a share of the best."""
    order = np.lexsort((np.array(docs), relevance))[::-1]
    return Relevance(
        docs=[docs[n] for n in order],
        relevance=relevance[order],
        keyword=keyword[order] / max(float(keyword.max(initial=0.0)), 1e-9),
        semantic=semantic[order],
        parts={name: values[order] for name, values in parts.items()},
    )
