"""What reading ten bilingual days brought to light, under each preset."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.providers.scripted import Scripted
from tests.statements.memory_model import server
from tests.statements.model_server import answering, settings

__all__ = ["server"]

WORDS: dict[str, Any] = {"embedding": {"provider": "none"}}


@pytest.mark.statement("C9", "C34")
@pytest.mark.parametrize(
    ("said", "rule"),
    [
        (
            "From now on, answer in Chinese but keep code comments in English",
            "Answer in Chinese, keep code comments in English",
        ),
        ("以后提交之前都要跑测试", "提交之前都要跑测试"),
    ],
)
def test_a_rule_of_a_models_reaches_the_prompt(
    open_mind: OpenMind, server: Scripted, said: str, rule: str
) -> None:
    """It names nobody, as models leave the subject out."""

    def facts(shown: str) -> object:
        lines = re.findall(r"^\[(\d+)\]", shown, re.M)
        fact = {"kind": "rule", "content": rule, "confidence": 0.95, "turns": [int(lines[0])]}
        return {"facts": [fact] if lines else []}

    server.always(answering(facts))
    mind = open_mind(preset="shiyi", **settings(server), **WORDS)
    mind.record(session="s", role="user", text=said)
    mind.drain()
    assert rule in next(Path(str(mind.documents_folder)).rglob("User.md")).read_text()
    assert mind.context("继续", session="t").text.count(rule) == 1


@pytest.mark.statement("C30", "C31")
@pytest.mark.parametrize(
    ("asked", "told", "other"),
    [
        (
            "还记得我为什么不用 Postgres 吗？",
            "Compare Postgres and SQLite",
            "订餐的时候记得避开花生",
        ),
        (
            "Do you remember the boiler's model?",
            "The boiler is a Vaillant VC 20",
            "Please remember to buy milk",
        ),
    ],
)
def test_the_frame_of_a_question_finds_nothing(
    open_mind: OpenMind, asked: str, told: str, other: str
) -> None:
    mind = open_mind(preset="shiyi", **WORDS)
    session = mind.session("s")
    for text in (told, other):
        session.user(text)
        session.assistant("好的，记住了。")
    prompt = mind.context(asked, session="t").text
    assert told in prompt
    assert other not in prompt
    assert "记住了" not in prompt, "a nod is no evidence"


@pytest.mark.statement("A86", "A95")
@pytest.mark.parametrize(
    ("said", "home"),
    [
        (["我住在厦门", "我换到福州了，厦门那边退租了"], "福州"),
        (["I live in Porto", "I moved to Lisbon"], "Lisbon"),
    ],
)
def test_a_move_in_plain_words_is_in_the_next_prompt(
    open_mind: OpenMind, clock: ManualClock, said: list[str], home: str
) -> None:
    mind = open_mind(preset="openakita")
    for n, text in enumerate(said):
        with mind.session(f"s{n}") as session:
            session.user(text)
            session.assistant("ok")
        clock.advance(days=1)
        mind.drain()
    mind.upkeep("daily")
    prompt = mind.context("早", session="t").text
    assert home in prompt
    assert said[0] not in prompt


@pytest.mark.statement("A36", "A119")
@pytest.mark.parametrize(
    "said", ["我对花生过敏，订餐的时候记得避开", "Whenever you book a table, avoid peanuts"]
)
def test_a_standing_wish_is_no_task(open_mind: OpenMind, said: str) -> None:
    mind = open_mind(preset="openakita")
    mind.session("s").user(said)
    assert mind.scratchpad().focus == ""


@pytest.mark.statement("A19")
@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("我妹妹小桐下个月去 Oslo 读书", "小桐是我妹妹"),
        ("My sister Ines flies to Oslo next month", "Ines is my sister"),
    ],
)
def test_who_somebody_is_has_no_date(open_mind: OpenMind, said: str, told: str) -> None:
    mind = open_mind(preset="openakita")
    with mind.session("s") as session:
        session.user(said)
    mind.drain()
    (sister,) = [one for one in mind.memories() if one.predicate == "sister"]
    assert sister.text == told
    assert sister.valid_from <= sister.created_at
