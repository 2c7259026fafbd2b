"""Fading against the documents' own formulas."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.rules.decay import FadingLaw, Fate, class_of, fade, fading, judge
from mnemic.settings import load
from mnemic.types import KINDS, Kind

DAYS = (0, 1, 3, 7, 14, 30, 60, 90, 180, 270, 365)


def days(number: float) -> timedelta:
    return timedelta(days=number)


# D §8.2, by class: the kinds of ours that it covers, and what the document computes.
MYCLAW: list[tuple[tuple[Kind, ...], Callable[[float], float]]] = [
    (("identity", "config", "credential"), lambda day: 1.0),
    (("decision", "skill", "lesson"), lambda day: 0.3 + 0.7 * math.exp(-0.004 * day)),
    (("event",), lambda day: 0.1 + 0.9 * math.exp(-0.023 * day)),
    (("temp",), lambda day: math.exp(-0.099 * day)),
]


@pytest.mark.feature("U5", preset="myclaw")
@pytest.mark.parametrize("importance", [1.0, 0.8, 0.5, 0.2, 0.0])
@pytest.mark.parametrize(("kinds", "law"), MYCLAW)
def test_myclaw_fades_by_class(
    kinds: tuple[Kind, ...], law: Callable[[float], float], importance: float
) -> None:
    decay = load("myclaw", env={}).decay
    for kind in kinds:
        for day in DAYS:
            expected = importance * law(day)
            found = fade(importance, days(day), class_of(kind, decay))
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-18)


@pytest.mark.feature("U5", preset="myclaw")
@pytest.mark.parametrize(
    ("kind", "day", "expected"),
    [  # computed by hand for an importance of 0.8
        ("config", 365, 0.8),
        ("decision", 0, 0.8),
        ("decision", 180, 0.512581),
        ("decision", 365, 0.370052),
        ("event", 7, 0.692930),
        ("event", 30, 0.441135),
        ("event", 365, 0.080163),
        ("temp", 7, 0.400059),
        ("temp", 30, 0.041043),
    ],
)
def test_myclaw_by_hand(kind: Kind, day: int, expected: float) -> None:
    decay = load("myclaw", env={}).decay
    assert fade(0.8, days(day), class_of(kind, decay)) == pytest.approx(expected, abs=1e-6)


@pytest.mark.feature("U5", preset="openakita")
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "credential"])
def test_openakita_fades_every_kind_by_a_tenth_a_day(kind: Kind) -> None:
    # A §7.4 with the rate of A §4.6, whatever the kind; of credentials it knows nothing.
    decay = class_of(kind, load("openakita", env={}).decay)
    for day in DAYS:
        for importance in (1.0, 0.5, 0.1):
            expected = importance * (1 - 0.1) ** day
            found = fade(importance, days(day), decay)
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-18)


@pytest.mark.feature("U5", preset="openakita")
@pytest.mark.parametrize(
    ("score", "accesses", "fate"),
    [
        (0.0999, 0, "delete"),  # B §7: under 0.1 it goes, however often it was used
        (0.0999, 9, "delete"),
        (0.1, 0, "demote"),
        (0.2999, 5, "demote"),
        (0.3, 0, "keep"),
        (1.0, 0, "keep"),
    ],
)
def test_openakita_deletes_and_demotes(score: float, accesses: int, fate: Fate) -> None:
    assert judge(score, accesses, class_of("fact", load("openakita", env={}).decay)) == fate


@pytest.mark.feature("U5", preset="openakita")
@pytest.mark.parametrize(
    ("score", "accesses", "fate"),
    [
        (0.0999, 0, "archive"),  # A §7.4: under 0.1 and used less than twice
        (0.0999, 1, "archive"),
        (0.0999, 2, "keep"),
        (0.1, 0, "keep"),
    ],
)
def test_openakita_archives_when_the_later_word_is_set_aside(
    score: float, accesses: int, fate: Fate
) -> None:
    first = {"decay": {"delete_below": 0.0, "demote_below": 0.0}}
    decay = load("openakita", env={}, overrides=first).decay
    assert judge(score, accesses, class_of("fact", decay)) == fate


@pytest.mark.feature("U5", preset="openakita")
@pytest.mark.parametrize(
    ("day", "fate"), [(5, "keep"), (6, "demote"), (16, "demote"), (17, "delete")]
)
def test_openakita_from_day_to_day(day: int, fate: Fate) -> None:
    # 0.55 x 0.9^5 = 0.325, then 0.292; 0.55 x 0.9^16 = 0.102, then 0.092
    decay = class_of("fact", load("openakita", env={}).decay)
    assert judge(fade(0.55, days(day), decay), 0, decay) == fate


@pytest.mark.feature("U5", preset="myclaw")
def test_myclaw_archives_only_what_can_fade_to_nothing() -> None:
    decay = load("myclaw", env={}).decay
    for kind in KINDS:
        fading_class = class_of(kind, decay)
        fate = judge(fade(0.2, days(365), fading_class), 0, fading_class)
        assert fate == ("archive" if kind == "temp" else "keep")
    fast = class_of("temp", decay)
    assert judge(fade(0.2, days(7), fast), 0, fast) == "keep"


def test_deletion_comes_before_archiving_and_that_before_demotion() -> None:
    decay = FadingLaw(delete_below=0.1, archive_below=0.2, archive_accesses=2, demote_below=0.3)
    fates = [judge(score, 0, decay) for score in (0.05, 0.15, 0.25, 0.35)]
    assert fates == ["delete", "archive", "demote", "keep"]
    assert judge(0.15, 2, decay) == "demote"
    assert judge(0.05, 2, decay) == "delete"


def test_a_class_without_limits_keeps_everything() -> None:
    assert judge(0.0, 0, FadingLaw()) == "keep"


def test_a_use_in_the_future_is_a_use_now() -> None:
    assert fading(days(-3), days(30)) == 1.0


@given(
    importance=st.floats(0, 1),
    idle=st.timedeltas(timedelta(0), timedelta(days=36_500)),
    later=st.timedeltas(timedelta(0), timedelta(days=36_500)),
    half_life=st.none() | st.timedeltas(timedelta(seconds=1), timedelta(days=3650)),
    floor=st.floats(0, 1),
)
def test_fading_only_ever_falls_and_never_below_the_floor(
    importance: float,
    idle: timedelta,
    later: timedelta,
    half_life: timedelta | None,
    floor: float,
) -> None:
    decay = FadingLaw(half_life=half_life, floor=floor)
    now, then = fade(importance, idle, decay), fade(importance, idle + later, decay)
    assert importance + 1e-12 >= now >= then - 1e-12
    assert then >= importance * floor - 1e-12
