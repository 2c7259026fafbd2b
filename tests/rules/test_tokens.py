"""The estimate of tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.tokens import estimate_tokens


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("", 0, 0),
        ("a", 1, 1),
        ("The quick brown fox jumps over the lazy dog", 9, 13),
        ("我升级到了新的版本，以后都用它", 9, 15),
        ("用 Python 3.12 写代码", 6, 12),
        ("x" * 4_000, 900, 1_100),
        ("茶" * 4_000, 2_500, 4_200),
        ("\U0001f600", 1, 3),
    ],
)
def test_it_is_about_right(text: str, low: int, high: int) -> None:
    assert low <= estimate_tokens(text) <= high


@given(st.text())
def test_it_is_never_negative_and_nothing_costs_nothing(text: str) -> None:
    assert (estimate_tokens(text) > 0) == bool(text)
    assert estimate_tokens(text) <= 4 * len(text)


@given(st.text(), st.text())
def test_more_text_never_costs_less(text: str, more: str) -> None:
    assert estimate_tokens(text + more) >= max(estimate_tokens(text), estimate_tokens(more))
    assert estimate_tokens(text + more) <= estimate_tokens(text) + estimate_tokens(more) + 1


def test_half_a_surrogate_pair_can_be_counted() -> None:
    assert estimate_tokens("\ud800") > 0
