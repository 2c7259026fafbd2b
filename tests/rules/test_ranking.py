"""The presets' formulas, with figures worked out by hand."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.rules.decay import class_of, fade, fading
from mnemic.rules.ranking import (
    ScoreParts,
    access,
    combine,
    persona_boost,
    rank_share,
    reciprocal_rank,
    unit,
)
from mnemic.settings import load
from mnemic.settings.recall import RankingWeights
from mnemic.types import Kind


def days(number: float) -> timedelta:
    return timedelta(days=number)


@pytest.mark.feature("R5", preset="openakita")
@pytest.mark.parametrize(
    ("relevance", "recent", "importance", "used", "score"),
    [
        (1.0, 1.0, 1.0, 1.0, 1.0),
        (1.0, 0.0, 0.0, 0.0, 0.40),
        (0.0, 1.0, 0.0, 0.0, 0.25),
        (0.0, 0.0, 1.0, 0.0, 0.20),
        (0.0, 0.0, 0.0, 1.0, 0.15),
        (0.9, 0.5, 0.7, 0.2, 0.655),  # .36 + .125 + .14 + .03
        (0.3, 0.8, 0.5, 0.0, 0.42),  # .12 + .2 + .1
        (0.0, 0.0, 0.0, 0.0, 0.0),
    ],
)
def test_openakita(
    relevance: float, recent: float, importance: float, used: float, score: float
) -> None:
    weights = load("openakita", env={}).ranking.weights
    parts = ScoreParts(relevance=relevance, recency=recent, importance=importance, access=used)
    assert combine(parts, weights) == pytest.approx(score)


@pytest.mark.feature("R5", preset="openakita")
@pytest.mark.parametrize(
    ("kind", "persona", "score"),
    [
        ("skill", "tech_expert", 0.786),  # 0.655 x 1.2
        ("lesson", "tech_expert", 0.786),
        ("fact", "tech_expert", 0.655),
        ("preference", "tech_expert", 0.655),
        ("skill", "butler", 0.655),
        ("skill", None, 0.655),
        ("skill", "", 0.655),
        (None, "tech_expert", 0.655),  # a turn has no kind
    ],
)
def test_openakita_boosts_what_the_persona_cares_about(
    kind: str | None, persona: str | None, score: float
) -> None:
    ranking = load("openakita", env={}).ranking
    parts = ScoreParts(relevance=0.9, recency=0.5, importance=0.7, access=0.2)
    boost = persona_boost(kind, ranking.personas, persona)
    assert combine(parts, ranking.weights) * boost == pytest.approx(score)


@pytest.mark.feature("R5", preset="shiyi")
@pytest.mark.parametrize(
    ("semantic", "keyword", "fresh", "score"),
    [
        (1.0, 1.0, 1.0, 1.0),
        (1.0, 0.0, 0.0, 0.55),
        (0.0, 1.0, 0.0, 0.30),
        (0.0, 0.0, 1.0, 0.15),
        (0.8, 0.6, 0.5, 0.695),  # .44 + .18 + .075
        (0.2, 0.9, 1.0, 0.53),  # .11 + .27 + .15
    ],
)
def test_shiyi(semantic: float, keyword: float, fresh: float, score: float) -> None:
    weights = load("shiyi", env={}).ranking.weights
    parts = ScoreParts(semantic=semantic, keyword=keyword, recency=fresh)
    assert combine(parts, weights) == pytest.approx(score)
    assert combine(ScoreParts(relevance=1, importance=1, access=1), weights) == 0


@pytest.mark.feature("R5", preset="semibot")
@pytest.mark.parametrize(
    ("age", "decayed", "score"),
    [  # similarity 0.8 and importance 0.6: .48 + .15 + .15 x 0.5^(age / 30)
        (0, 1.0, 0.78),
        (15, 0.707107, 0.736066),
        (30, 0.5, 0.705),
        (90, 0.125, 0.64875),
    ],
)
def test_semibot(age: int, decayed: float, score: float) -> None:
    ranking = load("semibot", env={}).ranking
    fresh = fading(days(age), ranking.recency_half_life)
    assert fresh == pytest.approx(decayed, abs=1e-6)
    parts = ScoreParts(semantic=0.8, importance=0.6, recency=fresh)
    assert combine(parts, ranking.weights) == pytest.approx(score, abs=1e-6)


@pytest.mark.feature("R5", preset="myclaw")
@pytest.mark.parametrize(
    ("kind", "scores"),
    [  # importance 0.8 after 0, 7, 30, 180 and 365 days without use
        ("identity", (0.8, 0.8, 0.8, 0.8, 0.8)),
        ("config", (0.8, 0.8, 0.8, 0.8, 0.8)),
        ("decision", (0.8, 0.784537, 0.736675, 0.512581, 0.370052)),
        ("skill", (0.8, 0.784537, 0.736675, 0.512581, 0.370052)),
        ("event", (0.8, 0.692930, 0.441135, 0.091464, 0.080163)),
        ("temp", (0.8, 0.400059, 0.041043, 0.0, 0.0)),
    ],
)
def test_myclaw(kind: Kind, scores: tuple[float, ...]) -> None:
    settings = load("myclaw", env={})
    assert settings.ranking.importance_decays
    found = [
        combine(
            ScoreParts(
                relevance=0.9,  # the document orders by faded importance and nothing else
                recency=1.0,
                importance=fade(0.8, days(idle), class_of(kind, settings.decay)),
            ),
            settings.ranking.weights,
        )
        for idle in (0, 7, 30, 180, 365)
    ]
    assert found == pytest.approx(scores, abs=1e-6)


@pytest.mark.parametrize(
    ("age", "half_life", "expected"),
    [
        (days(0), days(30), 1.0),
        (days(30), days(30), 0.5),
        (days(60), days(30), 0.25),
        (timedelta(hours=12), days(1), math.sqrt(0.5)),
        (days(-1), days(30), 1.0),
        (days(3_000_000), days(1), 0.0),
        (days(1), days(0), 0.0),
        (days(0), days(0), 1.0),
    ],
)
def test_recency(age: timedelta, half_life: timedelta, expected: float) -> None:
    assert fading(age, half_life) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("count", "saturation", "expected"),
    [(0, 10, 0.0), (1, 10, 0.1), (5, 10, 0.5), (10, 10, 1.0), (99, 10, 1.0), (1, 1, 1.0)],
)
def test_access(count: int, saturation: int, expected: float) -> None:
    assert access(count, saturation) == pytest.approx(expected)


def test_a_part_out_of_range_is_held_to_it() -> None:
    weights = RankingWeights(relevance=0.5, semantic=0.5, recency=0, importance=0, access=0)
    assert combine(ScoreParts(relevance=7, semantic=-3), weights) == 0.5
    assert combine(ScoreParts(relevance=math.nan, semantic=math.inf), weights) == 0.5


def test_reciprocal_rank() -> None:
    assert reciprocal_rank([1], 60) == pytest.approx(1 / 61)
    assert reciprocal_rank([1, 3], 60) == pytest.approx(1 / 61 + 1 / 63)
    assert reciprocal_rank([], 60) == 0


def test_rank_share() -> None:
    assert rank_share([1, 1], 60, 2) == pytest.approx(1.0)
    assert rank_share([1], 60, 2) == pytest.approx(0.5)
    assert rank_share([2, 2], 60, 2) == pytest.approx(61 / 62)
    assert rank_share([], 60, 2) == 0
    assert rank_share([], 60, 0) == 0


def test_two_middling_places_beat_one_good_one() -> None:
    assert rank_share([5, 5], 60, 2) > rank_share([1], 60, 2)


@given(st.lists(st.floats(), min_size=6, max_size=6))
def test_a_score_is_never_out_of_range(values: list[float]) -> None:
    for preset in ("default", "openakita", "shiyi", "myclaw", "semibot"):
        assert 0 <= combine(ScoreParts(*values), load(preset, env={}).ranking.weights) <= 1 + 1e-12


@given(st.floats())
def test_unit_is_from_0_to_1(value: float) -> None:
    assert 0 <= unit(value) <= 1
