"""Minds as the benchmarks open them, and the one place that says which routes take part."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from recollect.mind import Mind
from recollect.opening import open as open_mind

# Recall as people get it, without vectors: a text baseline has none either.
NO_VECTORS: Mapping[str, Any] = {"embedding.provider": "none"}

# The order of the text scores alone, which is what an exhaustive BM25 can be compared with.
_AROUND = (
    "adjacent_turn",
    "second_turn",
    "answered_question",
    "session",
    "assistant_turn",
    "named_speaker",
    "time_words",
    "matching_date",
)
TEXT_ORDER: Mapping[str, Any] = {
    **NO_VECTORS,
    **{f"ranking.conversation.{name}": 0.0 for name in _AROUND},
}


def bench_mind(target: str | os.PathLike[str], settings: Mapping[str, Any] = NO_VECTORS) -> Mind:
    """A mind of the default preset that does nothing in the background."""
    return open_mind(target, preset="default", worker="none", **settings)
