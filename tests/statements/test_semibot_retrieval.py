"""Document E §4, §5 and §7, lived through under the preset semibot: window, summary, search."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from mnemic.clock import ManualClock
from tests.conftest import NOON, OpenMind
from tests.providers.scripted import Scripted, reply
from tests.remote import server

__all__ = ["server"]

WORDS: dict[str, Any] = {"preset": "semibot", "embedding__provider": "none"}
SUMMARY = "用户要做记忆系统；存储层已完成；决定用 SQLite；向量模型未定。"


@pytest.mark.statement("E116")
def test_the_window_is_what_the_token_budget_has_room_for(open_mind: OpenMind) -> None:
    mind = open_mind(**WORDS)
    session = mind.session("s")
    for n in range(60):
        (session.user if n % 2 == 0 else session.assistant)(f"第{n}句")
    text = mind.context("接下来呢", session="s").text
    assert [n for n in range(60) if f"第{n}句" not in text] == []
    small = mind.context("接下来呢", session="s", budget=600)
    shown = [id_ for use in small.sections if use.name == "recent" for id_ in use.ids]
    assert 2 <= len(shown) < 40
    assert shown == [turn.id for turn in mind.turns(session="s")[-len(shown) :]], "the latest ones"
    assert small.tokens <= 480, "a fifth is kept free for the answer"


@pytest.mark.statement("E117")
@pytest.mark.parametrize("around", ["{}", "\n\n{}\n"], ids=["bare", "between empty lines"])
def test_the_model_sums_up_the_older_half_with_the_four_points(
    open_mind: OpenMind, server: Scripted, around: str
) -> None:
    """Better: in the background; until the model has answered, a summary by rule stands there."""
    said = {"message": {"content": around.format(SUMMARY)}, "finish_reason": "stop"}
    server.always(reply({"choices": [said], "usage": {}}))
    model = {"provider": "openai", "name": "m", "base_url": server.url, "api_key": "k"}
    mind = open_mind(**WORDS, model=model)
    session = mind.session("s")
    for n in range(205):
        (session.user if n % 2 == 0 else session.assistant)(f"第{n}句")
    assert not server.asked, "recording waits for no model"
    assert SUMMARY not in mind.context("接下来呢", session="s").text
    mind.drain()
    asked = [call for call in server.asked if "未解决的问题" in str(call.json)]
    assert len(asked) == 1, "one call for the half that no longer fits"
    system = str(asked[0].json)
    assert all(p in system for p in ("核心意图和目标", "关键操作和结果", "重要的决策和上下文"))
    assert "第0句" in system
    assert "第204句" not in system
    text = mind.context("接下来呢", session="s").text
    assert SUMMARY in text
    assert "第104句" in text
    assert "第99句" not in text


@pytest.mark.statement("E128")
def test_what_is_found_is_fresh_again(open_mind: OpenMind, clock: ManualClock) -> None:
    """Better: the time of the last change stays known, and the last use counts beside it."""
    mind = open_mind(**WORDS)
    clock.set(NOON - timedelta(days=60))
    mind.remember("API 前缀是 /api/v2", kind="fact", importance=0.5)
    clock.set(NOON)
    (before,) = mind.recall("API 前缀是什么")
    mind.drain()
    (after,) = mind.recall("API 前缀是什么")
    assert before.why.parts["recency"] == pytest.approx(0.25)
    assert after.why.parts["recency"] == pytest.approx(1.0)
    assert after.score - before.score == pytest.approx(0.15 * 0.75)


@pytest.mark.statement("E129")
def test_only_long_term_memories_are_searched_and_five_are_given(open_mind: OpenMind) -> None:
    mind = open_mind(**WORDS)
    with mind.session("old") as session:
        for n in range(6):
            session.user(f"部署流程第 {n} 步是什么来着，部署流程真长")
    for n in range(8):
        mind.remember(f"部署流程第 {n} 步：运行脚本 {n}", kind="skill")
    hits = mind.recall("部署流程")
    assert [hit.type for hit in hits] == ["memory"] * 5
    context = mind.context("部署流程", session="new")
    shown = [use.ids for use in context.sections if use.name == "evidence"]
    assert [len(ids) for ids in shown] == [5]
    assert {hit.type for hit in mind.recall("部署流程", of="turn")} == {"turn"}, "unless asked for"
