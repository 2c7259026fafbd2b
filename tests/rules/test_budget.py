"""The budget law, with the figures of each document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.errors import InvalidInput
from mnemic.rules.budget import PROMPT_ORDER, TokenBudget, allot, budget_of, giving_way
from mnemic.settings import load
from mnemic.settings.recall import SectionName

PRESETS = ("default", "openakita", "shiyi", "myclaw", "semibot")


def budget(preset: str, total: int | None = None, model: str = "") -> TokenBudget:
    return budget_of(load(preset, env={}).context, total=total, model=model)


@pytest.mark.feature("P1", preset="openakita")
def test_openakita() -> None:
    """A §8.1; the guide is B's, which gives it no figure. A gives the core 400 tokens for the 1500
    characters of MEMORY.md, which Chinese does not fit in: it has what the others leave.
    """
    found = budget("openakita")
    assert found.total == 3000
    assert found.sizes == {
        "guide": 200,
        "identity": 350,
        "persona": 200,
        "runtime": 150,
        "rules": 300,
        "scratchpad": 500,
        "core": 880,
        "evidence": 300,
        "user": 120,
        "catalogs": 800,
    }
    assert found.separate == ("catalogs",), "the catalogs have a budget of their own"
    counted = [size for name, size in found.sizes.items() if name not in found.separate]
    assert sum(counted) <= found.room == 3000


@pytest.mark.feature("P1", "P2", preset="shiyi")
def test_shiyi() -> None:
    """C §5."""
    found = budget("shiyi")
    assert found.total == 4000
    assert found.sizes == {"cards": 600, "recent": 2000, "evidence": 900}
    assert found.reply == 500
    assert sum(found.sizes.values()) + found.reply == found.total
    assert found.cut == ("evidence", "recent")
    assert found.keep == ("cards",)


@pytest.mark.feature("P1", preset="semibot")
@pytest.mark.parametrize(
    ("window", "sizes"),
    [
        (8192, (1228, 1228, 4096, 1638)),
        (100_000, (15_000, 15_000, 50_000, 20_000)),
        (128_000, (19_200, 19_200, 64_000, 25_600)),
    ],
)
def test_semibot(window: int, sizes: tuple[int, int, int, int]) -> None:
    """E §4.3: shares of the window of the model that answers, rounded down."""
    settings = load("semibot", env={}, overrides={"context": {"windows": {"big": window}}})
    found = budget_of(settings.context, model="big")
    parts: tuple[SectionName, ...] = ("system", "evidence", "recent")
    assert found.total == window
    assert (*(found.sizes[name] for name in parts), found.reply) == sizes
    assert set(found.sizes) == {*parts, "core"}, "the rules, where the others leave room"


@pytest.mark.feature("P1", preset="semibot")
def test_semibot_takes_8192_for_a_model_it_does_not_know() -> None:
    assert budget("semibot", model="nobody-knows-it").total == 8192


def test_myclaw() -> None:
    """D gives no figures in tokens: the core, about 20 messages and the best 5 pieces."""
    settings = load("myclaw", env={})
    assert settings.capacity.core == 100
    assert settings.short_term.recent_limit == 20
    assert settings.recall.evidence == 5
    found = budget("myclaw")
    assert {"core", "recent", "evidence"} <= set(found.sizes)
    assert "core" in found.keep


@pytest.mark.feature("P2", preset="shiyi")
@pytest.mark.parametrize(
    ("cards", "rooms"),
    [
        (600, (900, 2000)),  # as in the document
        (601, (899, 2000)),
        (1500, (0, 2000)),  # evidence gives all before recent gives any
        (1501, (0, 1999)),
        (3500, (0, 0)),
    ],
)
def test_evidence_gives_way_first_and_cards_never(cards: int, rooms: tuple[int, int]) -> None:
    found = allot(budget("shiyi"), {"cards": cards, "evidence": 900, "recent": 2000})
    assert (found["evidence"], found["recent"]) == rooms
    assert found["cards"] == cards


@pytest.mark.feature("P2", preset="shiyi")
def test_cards_give_way_only_where_nothing_else_is_left() -> None:
    found = allot(budget("shiyi"), {"cards": 3501, "evidence": 900})
    assert found == {"cards": 3500, "evidence": 0}
    kept: dict[SectionName, int] = {"identity": 500, "user": 500, "core": 4_000}
    assert allot(budget("default", 700), kept) == {"identity": 500, "user": 200, "core": 0}


def test_a_budget_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidInput, match="budget=0"):
        budget("default", total=0)


def test_a_callers_total_is_shared_by_the_parts_that_can_be_any_size() -> None:
    small, usual, large = (budget("default", total) for total in (2_000, None, 20_000))
    for name in ("identity", "user", "scratchpad", "core"):
        assert small.sizes[name] == usual.sizes[name] == large.sizes[name]
    for found in (small, large):
        assert found.sizes["evidence"] * 4 == pytest.approx(found.sizes["recent"] * 5, abs=9)
        assert found.total - 5 <= sum(found.sizes.values()) <= found.total


def test_shares_are_of_the_callers_total_where_the_window_is_the_total() -> None:
    found = budget("semibot", 4_000)
    assert found.sizes == {"system": 600, "core": 800, "evidence": 600, "recent": 2000}
    assert found.reply == 800


def test_separate_parts_cost_the_total_nothing() -> None:
    found = budget("openakita")
    costs: dict[SectionName, int] = {"core": 2900, "evidence": 100, "catalogs": 800}
    assert allot(found, costs) == costs


costs = st.dictionaries(st.sampled_from(PROMPT_ORDER), st.integers(0, 3_000))


@given(st.sampled_from(PRESETS), costs, st.none() | st.integers(1, 20_000))
def test_the_total_holds_and_cards_are_whole_where_they_fit(
    preset: str, costs: dict[SectionName, int], total: int | None
) -> None:
    found = budget(preset, total)
    kept = {n: c for n, c in costs.items() if n in found.keep and n not in found.separate}
    rooms = allot(found, costs)
    counted = [room for name, room in rooms.items() if name not in found.separate]
    assert sum(counted) <= found.room
    assert kept.items() <= rooms.items() or sum(kept.values()) > found.room
    assert all(0 <= rooms[name] <= cost for name, cost in costs.items())
    order = [name for name in giving_way(found) if costs.get(name)]
    touched = [rooms[name] < costs[name] for name in order]
    assert touched == sorted(touched, reverse=True), "nothing is cut before its turn"
    emptied = [rooms[name] == 0 for name in order]
    assert all(emptied[: max(0, sum(touched) - 1)]), "each gives all before the next gives any"
