"""Scores token by token, against the definition."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mnemic.providers.reader.model import TOKEN, AskedQuestion, score_passages


def unit_rows(seed: int, rows: int) -> NDArray[np.float32]:
    values = np.random.default_rng(seed).normal(size=(rows, TOKEN)).astype(np.float32)
    unit: NDArray[np.float32] = values / np.linalg.norm(values, axis=1, keepdims=True)
    return unit


@given(sizes=st.lists(st.integers(0, 7), min_size=1, max_size=6), tokens=st.integers(1, 5))
def test_score_is_the_weighted_mean_of_the_best_likeness(sizes: list[int], tokens: int) -> None:
    asked = unit_rows(1, tokens)
    weights = np.arange(1, tokens + 1, dtype=np.float32)
    weights /= weights.sum()
    question = AskedQuestion(asked[0], asked, weights)
    passages = [
        np.round(unit_rows(2 + n, size) * 127).astype(np.int8) for n, size in enumerate(sizes)
    ]
    scores = score_passages(question, [p.tobytes() or None for p in passages])
    for passage, score in zip(passages, scores, strict=True):
        if not len(passage):
            assert np.isnan(score), "it was not read"
            continue
        best = (passage.astype(np.float32) / 127 @ asked.T).max(axis=0)
        assert abs(float(best @ weights) - score) < 1e-5
