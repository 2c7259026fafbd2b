"""Looking at what recall found."""

from __future__ import annotations

from typing import Any

from mnemic import Hit, Mind
from mnemic.types import RECORD_TYPES


def by_words(mind: Mind, query: str, **wanted: Any) -> list[Hit]:
    """What was found by its own words, whatever else the preset's routes and ranking add to it."""
    hits = mind.recall(query, **{"of": RECORD_TYPES, **wanted})
    return [hit for hit in hits if hit.why.terms]
