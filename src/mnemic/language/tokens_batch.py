"""How many tokens each of many texts costs, counted together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mnemic.language.batches import together
from mnemic.language.tokens import WEIGHTS_OF_BYTES, count_tokens


def count_many(texts: Sequence[str]) -> list[int]:
    """``count_tokens`` of each text."""
    return together(texts, _is_plain, _count_plain, count_tokens)


def _is_plain(text: str) -> bool:
    return text.isascii() and "  " not in text


def _count_plain(texts: Sequence[str]) -> list[int]:
    weights = "\n".join((*texts, "")).encode("ascii").translate(WEIGHTS_OF_BYTES)
    ends = np.cumsum([len(text) + 1 for text in texts])
    starts = np.concatenate(([0], ends[:-1]))
    sums = np.add.reduceat(np.frombuffer(weights, np.uint8), starts, dtype=np.int64)
    counts: list[int] = (-(-(sums - WEIGHTS_OF_BYTES[ord("\n")]) // 100)).tolist()
    return counts
