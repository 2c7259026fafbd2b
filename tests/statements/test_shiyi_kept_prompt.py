"""Shiyi, what was true from the start: what is retrieved and how the prompt is filled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from tests.conftest import OpenMind, usual_target
from tests.inside import spoil, text_index
from tests.providers.scripted import Scripted
from tests.remote import meaning, remote, server

__all__ = ["server"]

WORDS: dict[str, Any] = {"embedding": {"provider": "none"}}


def onboarded(mind: Mind) -> Mind:
    for answer in ("搭档", "温和", "不越界", "不编造", "先测试", "小林", "工程师", "Go", "小步走"):
        mind.onboard(answer)
    mind.onboard("确认")
    return mind


@pytest.mark.statement("C26")
def test_the_latest_rounds_are_in_the_prompt(open_mind: OpenMind) -> None:
    mind = open_mind(preset="shiyi", **WORDS)
    with mind.session("s") as session:
        for n in range(30):
            session.user(f"第 {n} 轮的问题")
            session.assistant(f"第 {n} 轮的回答")
        context = mind.context("继续说", session="s")
    shown = [n for n in range(30) if f"第 {n} 轮的问题" in context.text]
    assert len(shown) >= 8
    assert shown == list(range(30 - len(shown), 30))
    assert [message.role for message in context.messages][-2:] == ["user", "assistant"]


@pytest.mark.statement("C28")
@pytest.mark.parametrize("nearer", [19, 25])
@pytest.mark.parametrize("query", ["饮料", "冷藏"], ids=["by meaning", "by words"])
def test_twenty_by_meaning_and_twenty_by_words(
    open_mind: OpenMind, server: Scripted, clock: ManualClock, query: str, nearer: int
) -> None:
    """A fresh memory would rank well, but only the twenty nearest of either kind are weighed."""
    server.always(
        meaning({"饮料": (1.0, 0.0, 0.0), "杯": (0.9, 0.4359, 0.0), "壶": (0.8, 0.6, 0.0)})
    )
    mind = open_mind(preset="shiyi", **remote(server))
    for n in range(nearer):
        mind.remember(f"{n}杯冷藏", kind="fact")
    clock.advance(days=300)
    fresh = mind.remember("一壶刚泡好放在桌子上等客人来了再决定要不要冷藏起来的东西", kind="fact")
    mind.drain()
    hits = mind.recall(query, limit=20, of=["memory"])
    assert (fresh.id in [hit.id for hit in hits]) == (nearer < 20)
    if nearer < 20 and query == "饮料":
        assert hits[0].id == fresh.id


@pytest.mark.statement("C32", "C34")
def test_the_budget_and_the_card_that_is_never_cut(open_mind: OpenMind) -> None:
    mind = onboarded(open_mind(preset="shiyi", memory={"language": "zh"}, **WORDS))
    mind.sync()
    for n in range(60):
        mind.remember(
            f"之前第 {n} 次部署用了 {n} 分钟，原因是镜像太大，后来改成了分层构建", kind="event"
        )
    with mind.session("s") as session:
        for n in range(40):
            session.user(f"第 {n} 个问题：" + "部署为什么这么慢？" * 8)
            session.assistant(f"第 {n} 个回答：" + "因为镜像太大了。" * 8)
        context = mind.context("还记得之前部署用了多久吗？", session="s")
        small = mind.context("还记得之前部署用了多久吗？", session="s", budget=1200)
    sizes = {use.name: use.size for use in context.sections}
    assert {name: sizes[name] for name in ("cards", "recent", "evidence")} == {
        "cards": 600, "recent": 2000, "evidence": 900,
    }  # fmt: skip
    assert context.budget == 4000 - 500, "the rest is the reply's"
    assert context.tokens <= context.budget
    for shown in (context, small):
        assert all(word in shown.text for word in ("小林", "不编造", "小步走"))
    assert small.tokens <= 1200
    assert small.tokens < context.tokens


@pytest.mark.statement("C50", "C51")
def test_with_both_indexes_gone_card_talk_and_latest_memory_remain(
    open_mind: OpenMind, server: Scripted, tmp_path: Path
) -> None:
    """Better: the document falls back to the recent talk and the cards alone."""
    server.always(meaning({"部署": (1.0, 0.0, 0.0)}))
    mind = onboarded(open_mind(preset="shiyi", memory={"language": "zh"}, **remote(server)))
    mind.sync()
    mind.remember("上次部署用了 40 分钟", kind="event")
    mind.record(session="s", role="user", text="今天准备再来一次")
    mind.drain()
    mind.close()
    target = usual_target(tmp_path)
    spoil(target, f"DROP TABLE {text_index(target)}", "DROP TABLE vectors")
    mind = open_mind(preset="shiyi", memory={"language": "zh"}, **remote(server))
    text = mind.context("还记得上次部署用了多久吗？", session="s").text
    assert all(words in text for words in ("小林", "今天准备再来一次", "40 分钟"))
    failed = {event.subject for event in mind.events(type="retrieval_fail")}
    assert failed >= {"route:text", "route:vector"}
