"""Counting tokens without a tokenizer: held to what real tokenizers counted."""

from __future__ import annotations

import json
import time
from pathlib import Path
from statistics import mean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.tokens import count_tokens, estimate_tokens

# Texts with the counts of o200k, Qwen, DeepSeek, cl100k and an older Claude.
COUNTED = json.loads(Path(__file__).with_name("token_counts.json").read_text(encoding="utf-8"))


def error(text: str, counts: dict[str, int]) -> float:
    middle = median(counts.values())
    return abs(count_tokens(text) - middle) / middle


@pytest.mark.feature("M14", "P1")
@pytest.mark.parametrize(
    ("language", "most"), [("en", 0.10), ("zh", 0.15), ("code", 0.15), ("mixed", 0.15)]
)
def test_it_is_near_the_middle_of_five_tokenizers(language: str, most: float) -> None:
    errors = [error(r["text"], r["counts"]) for r in COUNTED if r["language"] == language]
    assert len(errors) >= 4
    assert mean(errors) <= most
    assert max(errors) <= 0.35


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("", 0, 0),
        ("a", 1, 1),
        ("The quick brown fox jumps over the lazy dog", 9, 13),
        ("我升级到了新的版本，以后都用它", 9, 15),
        ("用 Python 3.12 写代码", 6, 12),
        ("茶" * 4_000, 2_500, 4_200),
        ("\U0001f600", 1, 3),
        ("    " * 100, 1, 100),
    ],
)
def test_it_is_about_right(text: str, low: int, high: int) -> None:
    assert low <= count_tokens(text) <= high


@pytest.mark.parametrize("count", [count_tokens, estimate_tokens])
@given(text=st.text(), more=st.text())
def test_more_text_never_costs_less(count: object, text: str, more: str) -> None:
    assert callable(count)
    assert (count(text) > 0) == bool(text)
    assert count(text) <= 4 * len(text)
    assert count(text + more) >= max(count(text), count(more))
    assert count(text + more) <= count(text) + count(more) + 1


@given(st.text(st.sampled_from("a \n茶"), max_size=30))
def test_every_longer_beginning_costs_as_much_or_more(text: str) -> None:
    costs = [count_tokens(text[:end]) for end in range(len(text) + 1)]
    assert costs == sorted(costs)


@pytest.mark.parametrize("count", [count_tokens, estimate_tokens])
def test_half_a_surrogate_pair_can_be_counted(count: object) -> None:
    assert callable(count)
    assert count("\ud800") > 0


@pytest.mark.parametrize("language", ["en", "zh", "code"])
def test_it_is_quick_enough_for_recording(language: str) -> None:
    text = "".join(row["text"] for row in COUNTED if row["language"] == language)[:200]
    assert len(text) == 200
    best = min(_seconds(text) for _ in range(20))
    # 5 µs on a quiet machine; ten times that would be another algorithm.
    assert best < 50e-6


def _seconds(text: str) -> float:
    start = time.perf_counter()
    for _ in range(100):
        count_tokens(text)
    return (time.perf_counter() - start) / 100
