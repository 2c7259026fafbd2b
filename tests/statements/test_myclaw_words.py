"""myclaw in its own words: nine categories, tier, source, events by words (D §3.2, §4.4)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.tools import call_tool
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Scripted
from tests.remote import server  # noqa: F401  a fixture

CATEGORIES = "identity config credential decision solution event conversation temp debug".split()


@pytest.mark.statement("D73")
@pytest.mark.feature("M2", preset="myclaw")
def test_nine_categories_go_in_and_come_out(
    open_mind: OpenMind, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MNEMIC_SECRETS__KEY", "a passphrase for this test")
    mind = open_mind(preset="myclaw")
    for n, word in enumerate(CATEGORIES):
        memory = mind.remember(f"第 {n} 条关于部署的记录", kind=word.title(), subject="部署").memory
        assert memory is not None
        assert mind.words(memory)["category"] == word
    for n, word in enumerate(CATEGORIES):
        (memory,) = mind.memories(kind=word)
        assert mind.words(memory)["category"] == word
        if word != "credential":
            assert memory.text == f"第 {n} 条关于部署的记录"
    assert mind.stats().by_kind == dict.fromkeys(CATEGORIES, 1)
    (debug,) = mind.memories(kind="debug")
    moved = mind.edit(debug.id, kind="temp")
    assert mind.memories(kind="debug") == []
    assert mind.words(moved)["category"] == "temp"
    assert mind.words(mind.edit(moved.id, kind="solution"))["category"] == "solution"


@pytest.mark.statement("D73")
def test_the_extractor_answers_in_categories(
    open_mind: OpenMind,
    clock: ManualClock,
    server: Scripted,  # noqa: F811
) -> None:
    """Better: a credential is kept when its owner asks for it, encrypted, and never because a model
    found one in a conversation."""
    facts = [
        {
            "category": word,
            "content": f"重启网关解决了超时，{word}",
            "importance": 0.5,
            "turns": [1],
        }
        for word in ("solution", "debug", "conversation", "credential")
    ]
    server.always(thinking.proposing(lambda _: facts))
    mind = open_mind(preset="myclaw", **thinking.settings(server))
    mind.record(session="s", role="user", text="重启网关解决了超时")
    clock.advance(minutes=5)
    mind.drain()
    learned = {mind.words(memory)["category"] for memory in mind.memories(status="all")}
    assert learned == {"solution", "debug", "conversation"}


def _sources(mind: Mind) -> dict[str, str]:
    return {memory.text: mind.words(memory)["source"] for memory in mind.memories()}


@pytest.mark.statement("D72")
def test_a_memory_says_its_tier_and_its_source(
    open_mind: OpenMind,
    clock: ManualClock,
    server: Scripted,  # noqa: F811
) -> None:
    clock.set(datetime(2026, 2, 13, 12, tzinfo=UTC))  # a Friday
    answer = [
        {"category": "config", "content": "用户的主力语言是 Go", "importance": 0.9, "turns": [1]}
    ]
    server.always(thinking.proposing(lambda _: answer))
    mind = open_mind(preset="myclaw", **thinking.settings(server))
    mind.record(session="s", role="user", text="我的主力语言是 Go")
    clock.advance(minutes=5)
    mind.drain()
    mind.remember("回复用中文", kind="config", importance=0.9)
    mind.remember("旧文件里的一条", kind="decision", origin="migration")
    call_tool(mind, "add_memory", {"text": "缓存命中率不高", "category": "event"})
    assert _sources(mind) == {
        "用户的主力语言是 Go": "extraction",
        "回复用中文": "manual",
        "旧文件里的一条": "migration",
        "缓存命中率不高": "manual",
    }
    assert [one.text for one in mind.memories(origin="Extraction")] == ["用户的主力语言是 Go"]
    core = {memory.text for memory in mind.memories() if memory.tier == 1}
    assert core == {"用户的主力语言是 Go", "回复用中文"}
    mind.close()
    again = open_mind(preset="myclaw")
    again.upkeep("weekly")
    assert core == {memory.text for memory in again.memories() if memory.tier == 1}
    assert "旧文件里的一条" in _sources(again), "it is stored"


@pytest.mark.statement("D69")
def test_events_are_searched_by_day_and_words(open_mind: OpenMind, clock: ManualClock) -> None:
    mind = open_mind(preset="myclaw")
    for day, text in (
        (11, "今天修好了网关的超时"),
        (12, "今天给网关加了 Cache"),
        (12, "晚上去跑步"),
    ):
        at = datetime(2026, 2, day, 8, tzinfo=UTC)
        mind.record(session=f"{day} {text}", role="user", text=text, at=at)
    clock.advance(hours=1)
    mind.drain()
    assert len(mind.daily_events()) == 3
    assert [one.day.day for one in mind.daily_events(text="网关")] == [12, 11]
    (found,) = mind.daily_events(text="网关 cache", day=datetime(2026, 2, 12, tzinfo=UTC).date())
    assert "Cache" in found.summary
    assert mind.daily_events(text="网关 跑步") == []
