"""Turns that belong together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.context.fit import how_many, share_out
from mnemic.language.exchanges import exchanges, latest_rounds
from mnemic.types import Turn
from tests.context.talks import talks, turn

CALL, RESULT = "call", "result"


def shape(turns: list[Turn]) -> list[list[int]]:
    return [[one.index for one in group] for group in exchanges(turns)]


def test_a_call_stays_with_its_results() -> None:
    turns = [
        turn(0, "user", "list the files"),
        turn(1, "assistant", "", calls=["a", "b"]),
        turn(2, "tool", "", results=["a"]),
        turn(3, "tool", "", results=["b"]),
        turn(4, "assistant", "two files"),
        turn(5, "user", "thanks"),
    ]
    assert shape(turns) == [[0], [1, 2, 3], [4], [5]]


def test_what_was_said_before_a_late_result_stays_between() -> None:
    turns = [
        turn(0, "assistant", "", calls=["slow"]),
        turn(1, "user", "still there?"),
        turn(2, "assistant", "", calls=["quick"]),
        turn(3, "tool", "", results=["quick"]),
        turn(4, "tool", "", results=["slow"]),
        turn(5, "user", "well"),
        turn(6, "tool", "", results=["quick"]),
    ]
    assert shape(turns) == [[0, 1, 2, 3, 4, 5, 6]]
    assert shape(turns[:6]) == [[0, 1, 2, 3, 4], [5]]


def test_a_result_without_an_id_answers_what_came_before() -> None:
    turns = [turn(0, "tool", "orphan"), turn(1, "assistant", "run"), turn(2, "tool", "done")]
    assert shape(turns) == [[0], [1, 2]]


@given(talks())
def test_nothing_is_lost_and_no_call_loses_its_result(turns: list[Turn]) -> None:
    groups = exchanges(turns)
    assert [one for group in groups for one in group] == turns
    home = {call.id: place for place, g in enumerate(groups) for t in g for call in t.tool_calls}
    for place, group in enumerate(groups):
        for one in group:
            for result in one.tool_results:
                assert home.get(result.call_id, place) == place


@pytest.mark.parametrize(("rounds", "start"), [(0, 0), (1, 3), (2, 0), (3, 0), (9, 0)])
def test_rounds_begin_with_the_user(rounds: int, start: int) -> None:
    roles = ["assistant", "user", "assistant", "user", "assistant"]
    groups = [(turn(index, role, "x"),) for index, role in enumerate(roles)]
    assert latest_rounds(groups, rounds) == start


@given(st.lists(st.integers(0, 500), max_size=12), st.integers(-5, 2_000))
def test_sharing(costs: list[int], room: int) -> None:
    shares = share_out(costs, room)
    assert sum(shares) <= max(0, room)
    assert all(0 <= share <= cost for share, cost in zip(shares, costs, strict=True))
    if sum(costs) <= room:
        assert shares == costs
    many = how_many(costs, room, 40)
    assert 0 <= many <= len(costs)
    first = share_out(costs[:many], room)
    assert all(share >= min(cost, 40) for share, cost in zip(first, costs, strict=False))
