"""Whoever asks for more hits sees the same first ones: a page never moves."""

from __future__ import annotations

import random
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mnemic
from mnemic import Hit, Mind
from mnemic.clock import ManualClock
from tests.conftest import NOON, OpenMind, usual_target

PRESETS = ("default", "openakita", "shiyi", "myclaw", "semibot")
THINGS = ("kettle", "ladder", "violin", "canoe", "lantern", "carpet", "compass", "blender")
VERBS = ("bought", "mended", "lost", "painted", "sold", "lent")
PLACES = ("Ghent", "Perth", "Quito", "Osaka", "Tromsø")
DINGXI = ("水壶", "梯子", "小提琴", "皮划艇", "灯笼", "地毯", "指南针")
ZUOLE = ("买了", "修好了", "弄丢了", "刷了", "卖掉了")
UNTAUGHT: dict[str, Any] = {"triggers": {"on_drain": False, "quiet_gap": "never"}}
NARROWED: tuple[dict[str, Any], ...] = (
    {},
    {"of": "turn"},
    {"of": "memory"},
    {"session": "talk 3"},
    {"speaker": "Ada"},
    {"since": NOON - timedelta(days=8), "until": NOON - timedelta(days=2)},
    {"persona": "coder"},
    {"around": ["We talked about the violin", "And about Osaka"]},
)


def say(dice: random.Random) -> str:
    """A statement, a question or a greeting, in one of two languages."""
    kind = dice.random()
    if kind < 0.1:
        return dice.choice(["Good morning!", "Thanks a lot", "好的，谢谢", "Where is the canoe?"])
    if kind < 0.4:
        return f"我{dice.choice(ZUOLE)}{dice.choice(DINGXI)}，在第{dice.randrange(40)}号仓库"
    words = dice.choice(VERBS), dice.choice(THINGS), dice.choice(PLACES), dice.randrange(90)
    return "I {} a {} in {} for {} euros".format(*words)


def fill(mind: Mind) -> None:
    """Some 240 turns in twelve conversations, and memories of all kinds."""
    dice = random.Random(7)
    for number in range(12):
        with mind.session(f"talk {number}") as talk:
            for place in range(20):
                at = NOON - timedelta(days=12 - number) + timedelta(minutes=place)
                if place % 2:
                    talk.assistant(say(dice), at=at)
                else:
                    talk.user(say(dice), sender=dice.choice(("", "", "Ada")), at=at)
    for number in range(60):
        kind = dice.choice(("fact", "skill", "decision"))
        mind.remember(say(dice), kind=kind, importance=number / 60)
    mind.drain()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory that was told and drained once: to read it takes longer than to ask all of it."""
    path = tmp_path_factory.mktemp("filled") / "memory.db"
    with mnemic.open(path, clock=ManualClock(NOON), worker="none", **UNTAUGHT) as mind:
        fill(mind)
    return path


def opened(open_mind: OpenMind, filled: Path, folder: Path, preset: str) -> Mind:
    """A copy of it under a preset, with what that preset adds."""
    target = usual_target(folder)
    if isinstance(target, Path):
        shutil.copy(filled, target)
    mind = open_mind(preset=preset, recall__touch=False, **UNTAUGHT)
    if not mind.stats().turns:  # the memory of a server is told for itself
        fill(mind)
    mind.drain()
    return mind


def shape(hits: list[Hit]) -> list[tuple[str, str, float]]:
    return [(hit.id, hit.text, hit.score) for hit in hits]


@pytest.mark.parametrize("preset", PRESETS)
def test_fewer_hits_are_the_beginning_of_more(
    open_mind: OpenMind, filled: Path, tmp_path: Path, preset: str
) -> None:
    mind = opened(open_mind, filled, tmp_path, preset)

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        query=st.sampled_from(
            (
                "Which ladder did I mend in Quito?",
                "kettle",
                "灯笼在哪个仓库？",
                "what did I lend, and to whom",
                "suggest something for the violin",
                "How many canoes have I sold?",
                "what happened on 6 February?",
                "the last time I painted a carpet",
                "zzyzx",
            )
        ),
        narrowed=st.sampled_from(NARROWED),
        few=st.integers(1, 40),
        more=st.integers(0, 500),
    )
    def check(query: str, narrowed: dict[str, Any], few: int, more: int) -> None:
        short = mind.recall(query, limit=few, min_score=0.0, **narrowed)
        long = mind.recall(query, limit=few + more, min_score=0.0, **narrowed)
        assert shape(short) == shape(long)[:few]

    check()


def test_scores_fall_from_the_first_hit_to_the_last(
    open_mind: OpenMind, filled: Path, tmp_path: Path
) -> None:
    mind = opened(open_mind, filled, tmp_path, "default")
    for query in ("a compass in Perth", "我修好了什么", "blender"):
        scores = [hit.score for hit in mind.recall(query, limit=300, min_score=0.0)]
        assert len(scores) > 100
        assert scores == sorted(scores, reverse=True)
