"""A cross-encoder's judgment of the best candidates, fused with their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mnemic.days import Zone, day_of
from mnemic.late import np
from mnemic.providers.rerank import OnnxReranker, Passage, fused, share
from mnemic.settings.recall import RecallSettings
from mnemic.types import Hit, Why

PART = "cross-encoder"
RERANKED = 20  # candidates that a cross-encoder reads before the cut: more cost too much time
_WEIGHT = 0.5  # of the model, where the score itself counts as one


def reranker_for(settings: RecallSettings) -> OnnxReranker | None:
    """The reranker that the settings name, if any."""
    if not settings.rerank_folder:
        return None
    return OnnxReranker(Path(settings.rerank_folder).expanduser())


def reranked(
    reranker: OnnxReranker, query: str, hits: Sequence[Hit], top: int, zone: Zone
) -> list[Hit]:
    """The first ``top`` hits in the order of their scores and the model together; then the others.

    The scores stay with their places, so that they still fall from the first to the last.
    """
    first = hits[:top]
    passages = [Passage(hit.text, hit.sender, day_of(hit.at, zone)) for hit in first]
    logits = reranker.judge(query, passages)
    strengths = fused([hit.score for hit in first], logits, _WEIGHT)
    moved = [
        replace(first[at], score=first[place].score, why=_judged(first[at].why, logits[at]))
        for place, at in enumerate(np.argsort(-strengths, kind="stable"))
    ]
    return [*moved, *hits[top:]]


def _judged(why: Why, logit: float) -> Why:
    """``why`` with what the model says, where it judged."""
    if np.isnan(logit):
        return why
    return replace(why, parts={**why.parts, PART: share(logit)})
