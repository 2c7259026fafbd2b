"""Each preset's law over a year, against the documents' formulas and values computed by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from bench.decay_plot import DAYS, PRESETS, markdown, svg
from mnemic.rules.decay import class_of, fade
from mnemic.settings import load
from mnemic.types import KINDS, Kind

DOCS = Path(__file__).parents[2] / "docs"
NEVER: tuple[Kind, ...] = ("identity", "preference", "rule", "config", "credential", "trait")
SLOW: tuple[Kind, ...] = ("decision", "skill", "lesson")
Law = Callable[[float], float]


def half(days: float, floor: float) -> Law:
    return lambda day: floor + (1 - floor) * 2 ** (-day / days)


def steady(day: float) -> float:
    return 1.0


# What each document says, by kind; written down here a second time, not read from the presets.
LAWS: dict[str, dict[tuple[Kind, ...], Law]] = {
    "default": {
        NEVER: steady,
        SLOW: half(180, 0.3),
        ("fact", "event"): half(30, 0.1),
        ("temp",): half(7, 0.0),
    },
    "openakita": {tuple(k for k in KINDS if k != "credential"): lambda day: 0.9**day},
    "shiyi": {NEVER: steady},
    "myclaw": {
        ("identity", "config", "credential"): steady,
        SLOW: lambda day: 0.3 + 0.7 * math.exp(-0.004 * day),
        ("event",): lambda day: 0.1 + 0.9 * math.exp(-0.023 * day),
        ("temp",): lambda day: math.exp(-0.099 * day),
    },
    "semibot": {KINDS: steady},
}


@pytest.mark.feature("U5")
@pytest.mark.feature("U5", preset="openakita")
@pytest.mark.feature("U5", preset="myclaw")
@pytest.mark.parametrize("preset", PRESETS)
def test_a_year_of_every_law(preset: str) -> None:
    decay = load(preset, env={}).decay
    for kinds, law in LAWS[preset].items():
        for kind in kinds:
            for day in range(366):
                left = fade(1.0, timedelta(days=day), class_of(kind, decay))
                assert left == pytest.approx(law(day), rel=1e-9, abs=1e-12), (kind, day)


@pytest.mark.feature("U5")
@pytest.mark.parametrize(
    ("preset", "kind", "day", "left"),
    [  # by hand
        ("default", "decision", 180, 0.65),
        ("default", "decision", 360, 0.475),
        ("default", "event", 30, 0.55),
        ("default", "fact", 60, 0.325),
        ("default", "temp", 21, 0.125),
        ("openakita", "fact", 7, 0.478297),
        ("openakita", "fact", 22, 0.098477),
        ("myclaw", "decision", 365, 0.462566),
        ("myclaw", "event", 90, 0.213567),
        ("myclaw", "temp", 14, 0.250074),
        ("semibot", "temp", 365, 1.0),
    ],
)
def test_by_hand(preset: str, kind: Kind, day: int, left: float) -> None:
    decay = load(preset, env={}).decay
    found = fade(1.0, timedelta(days=day), class_of(kind, decay))
    assert found == pytest.approx(left, abs=1e-6)


@pytest.mark.feature("U5")
def test_the_page_and_the_picture_are_of_these_settings() -> None:
    assert (DOCS / "decay.md").read_text(encoding="utf-8") == markdown("en")
    assert (DOCS / "decay.zh.md").read_text(encoding="utf-8") == markdown("zh")
    assert (DOCS / "decay.svg").read_text(encoding="utf-8") == svg()
    assert max(DAYS) == 365
