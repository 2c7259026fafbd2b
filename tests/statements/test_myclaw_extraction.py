"""myclaw, document D §4.4, §6, §11.2: the answer about a batch brings its summary."""

from __future__ import annotations

import pytest

from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.providers.scripted import Scripted, status
from tests.statements.memory_model import answering, fact, model, server

__all__ = ["server"]
SUMMARY = "讨论了记忆的存储，决定用 SQLite，因为不想另起服务。"
SQLITE = fact("项目决定用 SQLite 存记忆", kind="decision", project="myclaw", topic="存储")


@pytest.mark.statement("D70", "D91")
def test_the_models_summary_is_the_daily_event(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    mind = open_mind(preset="myclaw", **model(server))
    server.always(answering([SQLITE], summary=SUMMARY))
    mind.record(
        session="s", role="user", text="我们决定用 SQLite 存记忆", channel="wx", sender="小明"
    )
    mind.record(session="s", role="assistant", text="好的", channel="wx")
    mind.record(session="s", role="user", text="还有补充", channel="wx", sender="小明")
    clock.advance(minutes=4)
    mind.drain()
    (event,) = mind.daily_events()
    assert (event.summary, event.channel, event.sender) == (SUMMARY, "wx", "小明")
    assert event.tokens > 0
    assert len(server.asked) == 1, "one call for the facts and the summary"
    clock.advance(minutes=30)
    mind.drain()
    assert len(mind.daily_events()) == 1, "the rules add nothing to it"

    server.always(answering(summary="很长的摘要。" * 60))
    mind.record(session="s", role="user", text="再谈谈索引", channel="wx")
    clock.advance(minutes=4)
    mind.drain()
    assert 150 < len(mind.daily_events()[0].summary) <= 200
    mind.forget(session="s")
    assert mind.daily_events() == [], "nothing tells of it any more"


@pytest.mark.statement("D70")
def test_without_a_model_for_a_while_the_rules_write_it(
    open_mind: OpenMind, clock: ManualClock, server: Scripted
) -> None:
    mind = open_mind(preset="myclaw", **model(server))
    server.always(status(503))
    mind.record(session="s", role="user", text="我们决定用 SQLite 存记忆")
    clock.advance(minutes=10)
    mind.drain()
    assert [event.summary for event in mind.daily_events()] == ["我们决定用 SQLite 存记忆"]
    server.always(answering([SQLITE], summary=SUMMARY))
    clock.advance(hours=2)
    mind.drain()
    assert [memory.text for memory in mind.memories()] == [SQLITE["content"]]
    assert len(mind.daily_events()) == 1


@pytest.mark.statement("D109")
@pytest.mark.parametrize("key", ["ollama", "k", "local-model", "Zq7Lm2Xw9", "vT4-pR8s_Kd2Wb6N"])
def test_answers_are_stored_as_given_but_for_the_key(
    open_mind: OpenMind, clock: ManualClock, server: Scripted, key: str
) -> None:
    """Better: a key that is no common word is masked in what is stored, whoever repeats it."""
    facts = [fact("用户在本机用 ollama 跑模型"), fact(f"用户的服务用 {key} 登记")]
    server.always(answering(facts))
    mind = open_mind(preset="myclaw", **model(server, api_key=key))
    mind.record(session="s", role="user", text=f"我在本机用 ollama 跑模型，服务用 {key} 登记")
    clock.advance(minutes=4)
    mind.drain()
    contents = [memory.text for memory in mind.memories()]
    assert "用户在本机用 ollama 跑模型" in contents
    secret = key in ("Zq7Lm2Xw9", "vT4-pR8s_Kd2Wb6N")
    stored = [*contents, *(turn.text for turn in mind.turns())]
    assert any(key in text for text in stored) is not secret
