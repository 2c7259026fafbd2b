"""How well passages answer a question, token by token.

For each token of the question the most similar token of the passage counts; the score is their
weighted mean. Token vectors are kept as 8-bit numbers, 64 a token.
"""

from __future__ import annotations

from collections.abc import Sequence

from mnemic.late import NDArray, np
from mnemic.providers.reader.model import LEVELS, TOKEN, AskedQuestion

# Rows multiplied at once: with more, BLAS wakes threads, which costs more than it saves.
_AT_ONCE = 128


def score_passages(
    question: AskedQuestion, passages: Sequence[bytes | None]
) -> NDArray[np.float64]:
    """The score of each passage; NaN for one that was not read yet."""
    scores = np.full(len(passages), np.nan)
    read = [n for n, tokens in enumerate(passages) if tokens]
    if not read:
        return scores
    kept = [passages[n] or b"" for n in read]
    sizes = np.array([len(tokens) // TOKEN for tokens in kept])
    tokens = np.frombuffer(b"".join(kept), np.int8).reshape(-1, TOKEN).astype(np.float32)
    asked = question.tokens.T
    parts = [tokens[at : at + _AT_ONCE] @ asked for at in range(0, len(tokens), _AT_ONCE)]
    likeness = np.concatenate(parts)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    best = np.maximum.reduceat(likeness, starts, axis=0)
    scores[read] = best @ question.weights / LEVELS
    return scores
