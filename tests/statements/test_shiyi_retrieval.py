"""Document C §5 and §8, lived through under the preset shiyi: what is read before an answer."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.providers.scripted import Scripted, silence
from tests.remote import meaning, remote, server

__all__ = ["server"]

PRESET: dict[str, Any] = {"preset": "shiyi"}
WORDS: dict[str, Any] = {**PRESET, "embedding__provider": "none"}


def tokens_of(mind: Mind, section: str, query: str, **given: object) -> int:
    context = mind.context(query, **given)  # type: ignore[arg-type]
    return sum(use.tokens for use in context.sections if use.name == section)


@pytest.mark.statement("C25")
@pytest.mark.parametrize(
    ("principle", "about"),
    [
        ("原则第 {} 条：始终耐心，不要打断用户的思路", "资料第 {} 条：用户喜欢第 {} 种茶"),
        ("Principle {}: be patient, never interrupt a thought", "Note {}: the user likes tea {}"),
    ],
    ids=["zh", "en"],
)
def test_one_card_from_the_agents_and_the_users_file(
    open_mind: OpenMind, principle: str, about: str
) -> None:
    mind = open_mind(**WORDS)
    assert mind.documents_folder is not None
    folder = Path(mind.documents_folder)
    for name, line, many in (
        ("system/ShiYi.md", principle, 400),
        ("shared/User.md", about, 60),
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# 卡片\n\n" + "\n".join(f"- {line}".format(n, n) for n in range(many)))
    context = mind.context("今天聊点什么好呢", session="s")
    assert principle.format(0) in context.text
    assert about.format(0, 0) in context.text
    assert 300 <= tokens_of(mind, "cards", "今天聊点什么好呢") <= 520, "with its heading and fence"
    for name in ("system/ShiYi.md", "shared/User.md"):
        (folder / name).write_text("# 卡片\n\n[待学习]\n")
    assert "卡片" not in mind.context("今天聊点什么好呢", session="s").text, "it says nothing"


@pytest.mark.statement("C27")
def test_the_long_term_is_searched_for_what_the_document_names(open_mind: OpenMind) -> None:
    mind = open_mind(**WORDS)
    searched = [
        "之前说的接口怎么样了",
        "还记得我的狗叫什么吗",
        "上次的方案再发一遍",
        "历史记录里有没有这个报错",
        "2026年2月3日我做了什么？",
        "config.yaml 里的端口改了没有",
        "部署一共多少次？",
        "测试覆盖率是多少？",
        "设计稿在哪里？",
        "部署出错了几次？",
        "how many times did it deploy?",
        "what did we say last time?",
    ]
    assert [text for text in searched if not mind.gate(text).wants] == []
    unsearched = [
        "为什么天是蓝的？",
        "什么是递归",
        "怎么学好英语",
        "帮我写首诗",
        "好的",
        "why is the sky blue?",
        "what is recursion?",
        "write a poem",
    ]
    assert [text for text in unsearched if mind.gate(text).wants] == []


@pytest.mark.statement("C30")
def test_a_memory_and_its_turn_take_one_place(open_mind: OpenMind) -> None:
    mind = open_mind(**WORDS)
    with mind.session("a") as session:
        for drink in ("绿茶", "红茶", "白茶", "黑茶", "花茶", "奶茶"):
            session.user(f"我喜欢喝{drink}")
    mind.drain()
    built = mind.context("之前说过我喜欢喝什么？", session="b")
    for drink in ("绿茶", "红茶", "白茶", "黑茶", "花茶", "奶茶"):
        assert built.text.count(f"喝{drink}") <= 1, "nor is what stands on the card given again"
    assert built.text.count("我喜欢喝") >= 3
    assert sum(len(use.ids) for use in built.sections if use.name == "evidence") <= 5


@pytest.fixture
def diary(open_mind: OpenMind, clock: ManualClock) -> Mind:
    mind = open_mind(**WORDS)
    session = mind.session("diary")
    for day, text in (
        (3, "今天部署了支付服务到线上"),
        (3, "今天写了周报"),
        (4, "和小王去爬山了"),
        (5, "今天部署了网关服务到线上"),
        (6, "我的邮箱是 lilei@example.com"),
    ):
        clock.set(datetime(2026, 2, day, 9, tzinfo=UTC))
        session.user(text)
    clock.set(datetime(2026, 11, 7, 9, tzinfo=UTC))
    session.user("我今天做了什么好吃的呢，红烧肉")
    session.user("做了什么事情都不开心")
    mind.remember("部署了网关服务到线上", kind="event", sources=[mind.turns()[3].id])
    return mind


@pytest.mark.statement("C31")
def test_dates_fields_and_statistics_are_answered_exactly(diary: Mind) -> None:
    hits = diary.recall("2026年2月3日我做了什么？", of="turn")
    assert {hit.text for hit in hits[:2]} == {"今天部署了支付服务到线上", "今天写了周报"}
    for question, first, line in (
        ("最后一次部署是什么时候？", "今天部署了网关服务到线上", "最近一次提到“部署”：2026-02-05"),
        ("第一次部署是哪天？", "今天部署了支付服务到线上", "最早一次提到“部署”：2026-02-03"),
    ):
        assert diary.recall(question, of="turn")[0].text == first
        assert line in diary.context(question, session="new").text
    counted = diary.context("一共部署了多少次？", session="new").text
    assert "提到“部署”的共 2 条" in counted, "a memory and the turn it came from count once"
    assert "lilei@example.com" in diary.recall("我的邮箱是多少？")[0].text


@pytest.mark.statement("C33")
def test_over_budget_evidence_gives_way_before_the_conversation(open_mind: OpenMind) -> None:
    mind = open_mind(**WORDS)
    for n in range(8):
        done = f"上次部署的第 {n} 件事是网关服务升级到版本 {n}，"
        mind.remember(done + "很顺利，" * 40, kind="fact")
    session = mind.session("s")
    for n in range(8):
        session.user(f"第{n}句话，" + "比如天气今天很好我们应该出去走走，" * 4)
        session.assistant(f"第{n}个回答，" + "好的我觉得这样也很不错，可以考虑，" * 4)
    asked = "上次部署网关怎么样？"
    whole = tokens_of(mind, "recent", asked, session="s")
    evidence = tokens_of(mind, "evidence", asked, session="s")
    assert tokens_of(mind, "recent", asked, session="s", budget=2000) == whole
    assert 0 < tokens_of(mind, "evidence", asked, session="s", budget=2000) < evidence
    assert tokens_of(mind, "recent", "帮我写首诗", session="s", budget=2000) == whole, (
        "what evidence does not need, the conversation has"
    )
    smaller = mind.context(asked, session="s", budget=1000)
    assert [use.name for use in smaller.sections] == ["recent"], "then the conversation is cut"


@pytest.mark.statement("C49")
@pytest.mark.parametrize(
    ("told", "asked_for"),
    [("我的猫叫饺子", "我的猫叫什么？"), ("My cat is called Pickle", "What is my cat called?")],
)
def test_a_vector_server_that_hangs_costs_one_recall_its_patience(
    open_mind: OpenMind, server: Scripted, told: str, asked_for: str
) -> None:
    server.always(meaning({"猫": (1.0, 0.0, 0.0)}))
    mind = open_mind(**PRESET, **remote(server, query_timeout="200ms"))
    mind.remember(told, kind="fact")
    mind.drain()
    server.always(silence)
    begun, asked = time.monotonic(), len(server.asked)
    for _ in range(6):
        assert mind.recall(asked_for)[0].text == told
    assert len(server.asked) <= asked + 1, "the circuit is open: words answer at once"
    assert time.monotonic() - begun < 20
    assert mind.events(type="retrieval_fail")
