"""How relevant each candidate is: by its conversation, or by the ranks its routes gave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from recollect.index.segment import STOP_WEIGHT, query_terms
from recollect.recall.candidates import Gathered
from recollect.recall.conversation import Surroundings, as_candidates, look_around
from recollect.recall.fusion import WEIGHTS, Floats, Fused, fuse
from recollect.recall.request import Request
from recollect.rules.ranking import rank_share
from recollect.settings.recall import RankingSettings
from recollect.store.contract import Unit

RRF_K = 60  # the usual constant of reciprocal rank fusion
_SAME = 1e-9
_SAYS_LITTLE = 0.2
_PROMISING = 12  # of a route's list: the turns around these are looked at too


@dataclass(frozen=True, slots=True)
class Relevance:
    """Candidates, best first; the arrays hold one entry for each, in that order."""

    docs: list[int]
    moments: list[int | None]
    relevance: Floats
    keyword: Floats
    semantic: Floats
    parts: Mapping[str, Floats]


def by_conversation(unit: Unit, request: Request, gathered: Gathered) -> Relevance:
    """Words, meaning, neighbours, session, speaker and date together; neighbours join in."""
    around = look_around(unit.ledger, gathered.docs, _promising(gathered))
    docs = around.docs
    text = _text_scores(unit, gathered, docs)
    vectors = gathered.vector.scores(docs, gathered.trust) if gathered.vector else None
    fused = fuse(
        as_candidates(unit, around, text, request.query, request.asking),
        vectors,
        request.asking,
    )
    fused = _with_exact(fused, docs, request, gathered)
    return _ordered(
        around,
        relevance=_share_of_range(fused.total) * _strength(gathered),
        keyword=text,
        semantic=np.zeros(len(docs)) if vectors is None else vectors.similarity,
        parts=fused.parts,
    )


def _promising(gathered: Gathered) -> list[int]:
    """Turns that may well stand beside the answer. What is only near in meaning seldom does, and
    is asked for its neighbours only where nothing else was found.
    """
    lists = {route: docs for route, docs in gathered.lists.items() if route != "vector"}
    return [doc for found in (lists or gathered.lists).values() for doc in found[:_PROMISING]]


def _with_exact(
    fused: Fused,
    docs: Sequence[int],
    request: Request,
    gathered: Gathered,
) -> Fused:
    """The latest or the first of a kind, when that is what was asked for."""
    ordered = gathered.lists.get("exact", [])
    if not ordered or request.exact is None or request.exact.kind not in ("latest", "earliest"):
        return fused
    places = {doc: place for place, doc in enumerate(ordered)}
    share = np.array([1 / (1 + places[doc]) if doc in places else 0.0 for doc in docs])
    part = WEIGHTS.exact_order * share
    return Fused(fused.total + part, {**fused.parts, request.exact.kind: part})


def by_ranks(unit: Unit, gathered: Gathered, ranking: RankingSettings) -> Relevance:
    """Reciprocal ranks over the routes, or the best score that any of them gave."""
    around = look_around(unit.ledger, gathered.docs)
    docs = around.docs
    text = _text_scores(unit, gathered, docs)
    vectors = gathered.vector.scores(docs, gathered.trust) if gathered.vector else None
    likeness = np.zeros(len(docs)) if vectors is None else np.maximum(vectors.similarity, 0.0)
    words = text / max(float(text.max(initial=0.0)), 1e-9)
    if ranking.fusion == "rrf":
        lists = len(gathered.lists)
        joined = np.array([rank_share(gathered.ranks(doc), RRF_K, lists) for doc in docs])
    else:
        joined = np.maximum(words, likeness)
    return _ordered(
        around,
        relevance=joined,
        keyword=text,
        semantic=likeness,
        parts={"text": words, "vector": likeness},
    )


def _strength(gathered: Gathered) -> float:
    """Less where nothing was found but by words that are in every text."""
    if gathered.text is None or set(gathered.lists) - {"text"}:
        return 1.0
    said = query_terms(" ".join(gathered.text.words.values()))
    telling = any(term.weight > STOP_WEIGHT for term in said)
    return 1.0 if telling or not gathered.text.matches else _SAYS_LITTLE


def _share_of_range(total: Floats) -> Floats:
    """From 0 for the lowest to 1 for the highest; all are the best when none is better."""
    lowest, spread = float(total.min()), float(np.ptp(total))
    shares: Floats = (total - lowest) / spread if spread > _SAME else np.ones(len(total))
    return shares


def _text_scores(unit: Unit, gathered: Gathered, docs: Sequence[int]) -> Floats:
    if gathered.text is None:
        return np.zeros(len(docs))
    return np.array(unit.text.score(gathered.text, docs))


def _ordered(
    around: Surroundings,
    *,
    relevance: Floats,
    keyword: Floats,
    semantic: Floats,
    parts: Mapping[str, Floats],
) -> Relevance:
    """By relevance, newer first among equals; the text score as a share of the best."""
    order = np.lexsort((np.array(around.docs), relevance))[::-1]
    return Relevance(
        docs=[around.docs[n] for n in order],
        moments=[around.moment(n) for n in order],
        relevance=relevance[order],
        keyword=keyword[order] / max(float(keyword.max(initial=0.0)), 1e-9),
        semantic=semantic[order],
        parts={name: values[order] for name, values in parts.items()},
    )
