"""Minds as the benchmarks open them, and the one place that says which routes take part."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from mnemic.clock import Clock
from mnemic.engine.mind import Mind
from mnemic.engine.open import open as open_mind
from mnemic.settings import load
from mnemic.settings.dump import as_flat

# Recall as people get it, without vectors: a text baseline has none either.
NO_VECTORS: Mapping[str, Any] = {"embedding.provider": "none"}


def text_order() -> Mapping[str, Any]:
    """Settings for the order of the text scores alone, to hold against an exhaustive BM25:
    nothing of the conversation, nothing of age or importance.
    """
    known = as_flat(load("default"))
    parts = [key for key in known if key.startswith("ranking.weights.")]
    return {
        **NO_VECTORS,
        "ranking.fusion": "best",
        **{key: float(key.endswith(".relevance")) for key in parts},
    }


def bench_mind(
    target: str | os.PathLike[str],
    settings: Mapping[str, Any] = NO_VECTORS,
    preset: str = "default",
    clock: Clock | None = None,
    *,
    space: str = "default",
) -> Mind:
    """A mind that does nothing in the background, and leaves out no result for its score."""
    given = {"recall.min_score": 0.0, **settings}
    return open_mind(target, space=space, preset=preset, worker="none", clock=clock, **given)
