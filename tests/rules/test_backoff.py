"""How long a failed job waits."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.rules.backoff import Backoff

USUAL = Backoff(timedelta(seconds=30), 2.0, timedelta(hours=1))


@pytest.mark.parametrize(
    ("attempts", "seconds"),
    [(0, 30), (1, 30), (2, 60), (3, 120), (7, 1920), (8, 3600), (100, 3600), (10**9, 3600)],
)
def test_it_doubles_up_to_the_ceiling(attempts: int, seconds: int) -> None:
    assert USUAL.after(attempts) == timedelta(seconds=seconds)


@given(
    first=st.integers(1, 3_600),
    factor=st.floats(1, 1e12),
    ceiling=st.integers(3_600, 10**9),
    attempts=st.integers(-5, 10_000),
)
def test_it_never_shrinks_and_stays_in_bounds(
    first: int, factor: float, ceiling: int, attempts: int
) -> None:
    wait = Backoff(timedelta(seconds=first), factor, timedelta(seconds=ceiling))
    assert timedelta(seconds=first) <= wait.after(attempts) <= timedelta(seconds=ceiling)
    assert wait.after(attempts) <= wait.after(attempts + 1)


def test_a_factor_of_one_waits_the_same_each_time() -> None:
    steady = Backoff(timedelta(seconds=5), 1.0, timedelta(hours=1))
    assert {steady.after(n) for n in range(50)} == {timedelta(seconds=5)}
