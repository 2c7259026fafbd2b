"""The best results put in the order of a model that reads each of them beside the query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from recollect.providers.rerank import OnnxReranker, Reranker
from recollect.settings.recall import RecallSettings
from recollect.types import Hit

PART = "cross-encoder"


def reranker_for(settings: RecallSettings) -> Reranker | None:
    """Whoever the settings name; None where nobody is asked."""
    if not settings.rerank_folder:
        return None
    return OnnxReranker(Path(settings.rerank_folder).expanduser())


def reranked(reranker: Reranker, query: str, hits: Sequence[Hit], top: int) -> list[Hit]:
    """The first ``top`` hits in the order of the model, which ``why`` shows; the rest as it was.

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
