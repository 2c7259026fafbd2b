"""The turns of one extraction: as many as a model reads well, a tool call with its result."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.language.exchanges import exchanges
from recollect.types import Turn


def first_batch(turns: Sequence[Turn], most_tokens: int) -> list[Turn]:
    """The first turns that fit together, at least one exchange."""
    batch: list[Turn] = []
    tokens = 0
    for exchange in exchanges(turns):
        tokens += sum(turn.tokens for turn in exchange)
        if batch and tokens > most_tokens:
            break
        batch += exchange
    return batch
