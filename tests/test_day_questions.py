"""A question about a day gets that day: all of it, first, or that there is nothing."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from tests.conftest import OpenMind

pytestmark = pytest.mark.feature("R6")

HOME = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 6, 20, 15, tzinfo=HOME)
SAID = {
    # Words of the questions stand in what was said on other days.
    "2026-06-02 09:00": "今天什么都没做，我在家发呆",
    "2026-06-11 21:00": "那天我做了红烧肉，昨天也做了",
    "2026-06-12 00:20": "夜里把论文第二稿发给导师了",
    "2026-06-12 06:40": "Ran along the river before work",
    "2026-06-12 12:10": "牙医说要再去一趟",
    "2026-06-12 23:50": "把旧相机卖给邻居了",
    "2026-06-13 08:00": "我昨天做了什么来着，忘了",
    "2026-06-19 10:00": "The plumber replaced the valve",
    "2026-06-19 18:00": "晚饭吃了饺子",
}
TWELFTH = {text for at, text in SAID.items() if at.startswith("2026-06-12")}
NINETEENTH = {text for at, text in SAID.items() if at.startswith("2026-06-19")}


@pytest.fixture
def mind(open_mind: OpenMind, clock: ManualClock) -> Mind:
    clock.set(NOW)
    settings: dict[str, Any] = {"embedding": {"provider": "none"}, "schedule": {"zone": HOME.key}}
    mind = open_mind(**settings)
    say(mind, SAID)
    return mind


def say(mind: Mind, said: dict[str, str]) -> None:
    for at, text in said.items():
        moment = datetime.fromisoformat(at).replace(tzinfo=HOME)
        mind.record(session=at[:10], role="user", text=text, at=moment)


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("6月12日我做了什么？", TWELFTH),
        ("6月12号都发生了什么事", TWELFTH),
        ("2026年6月12日那天我们聊了些什么？", TWELFTH),
        ("帮我回顾一下6月12日", TWELFTH),
        ("What did I get up to on June 12?", TWELFTH),
        ("what happened on 12 June 2026?", TWELFTH),
        ("Tell me everything about 2026-06-12", TWELFTH),
        ("昨天我干了啥？", NINETEENTH),
        ("What did we talk about yesterday?", NINETEENTH),
        ("昨天有什么记录吗", NINETEENTH),
        ("6月12日我把什么卖给谁了？", TWELFTH),
        ("Who replaced the valve yesterday?", NINETEENTH),
    ],
)
def test_all_records_of_the_day_come_first(mind: Mind, question: str, day: set[str]) -> None:
    hits = mind.recall(question, limit=9)
    assert {hit.text for hit in hits[: len(day)]} == day
    shown = mind.context(question).text
    assert all(text in shown for text in day)
    assert "Nothing was recorded" not in shown
    assert "没有任何记录" not in shown


def test_a_day_of_many_records_is_given_whole(mind: Mind) -> None:
    many = {
        f"2026-06-05 {8 + n // 4:02}:{n % 4 * 15:02}": f"note number {n} 第{n}件" for n in range(30)
    }
    say(mind, many)
    hits = mind.recall("6月5日我都做了什么？", limit=40)
    assert {hit.text for hit in hits[:30]} == set(many.values())
    first = mind.recall("What did I do on June 5?", limit=10)
    assert {hit.text for hit in first} <= set(many.values())


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("6月10日我做了什么？", "2026-06-10 没有任何记录"),
        ("前天我们说了什么", "2026-06-18 没有任何记录"),
        ("What did I do on June 10?", "Nothing was recorded on 2026-06-10"),
        ("Did anything happen on 2026-06-10?", "Nothing was recorded on 2026-06-10"),
        ("What did I tell you in April?", "Nothing was recorded from 2026-04-01 to 2026-04-30"),
    ],
)
def test_an_empty_day_is_said_to_be_empty(mind: Mind, question: str, line: str) -> None:
    assert line in mind.context(question).text
    assert line in mind.retrieve(question)


def test_the_question_itself_does_not_fill_the_day(mind: Mind, clock: ManualClock) -> None:
    question = "今天我做了什么？"
    mind.record(session="now", role="user", text=question)
    assert "2026-06-20 没有任何记录" in mind.context(question).text
    mind.record(session="now", role="user", text="换了灯泡")
    assert "没有任何记录" not in mind.context(question).text


@pytest.mark.parametrize(
    "message",
    [
        "I will see the dentist on June 25",
        "我6月10日换的轮胎",
        "What do I have tomorrow?",
        "What is my name?",
        "What happened last Friday?",  # yesterday, or the week before
    ],
)
def test_an_empty_day_is_not_announced_unasked(mind: Mind, message: str) -> None:
    text = mind.context(message).text
    assert "Nothing was recorded" not in text
    assert "没有任何记录" not in text


def test_an_imported_memory_is_of_the_day_it_was_true(mind: Mind, clock: ManualClock) -> None:
    true_from = datetime(2026, 6, 9, 23, 30, tzinfo=HOME)
    mind.remember("Signed the lease", kind="event", valid_from=true_from)
    clock.advance(days=1)
    assert mind.recall("What happened on June 9?", limit=3)[0].text == "Signed the lease"
    question = "What happened on June 9?"
    unknown = mind.recall(question, known_at=NOW - timedelta(days=1))
    untrue = mind.recall(question, as_of=true_from - timedelta(days=1))
    assert "Signed the lease" not in [hit.text for hit in (*unknown, *untrue)]


COUNTED = {
    "2026-06-01 08:00": "写完了第一章，读了一本讲茶的书",
    "2026-06-03 08:00": "第二章也写完了，上了一节吉他课",
    "2026-06-03 20:00": "又读完一本书；喝了一杯奶茶",
    "2026-06-04 08:00": "第三章写好了，上吉他课，喝奶茶",
    "2026-06-04 09:00": "Finished chapter nine of the audiobook",
    "2026-06-06 09:00": "Finished chapter ten, went swimming",
    "2026-06-07 09:00": "Went swimming again",
}


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("我写了几章？", 3),
        ("我一共写了多少章", 3),
        ("我读了几本书？", 2),
        ("这个月我读了多少本书？", 2),
        ("我上了几节吉他课？", 2),
        ("吉他课我上了几堂？", 2),
        ("6月4日我喝了几杯奶茶？", 1),
        ("我喝过几回奶茶？", 2),
        ("How many chapters have I finished?", 2),
        ("How many times did I go swimming?", 2),
        ("How many chapters did I finish on June 6?", 1),
    ],
)
def test_counts_with_any_measure_word(mind: Mind, question: str, count: int) -> None:
    say(mind, COUNTED)
    text = mind.context(question).text
    assert f"共 {count} 条" in text or f"Counted: {count} in all" in text


@pytest.mark.parametrize(
    "question",
    [
        "会议几点开始？",
        "我住了几天？",
        "花了多少钱？",
        "孩子几岁了？",
        "几乎忘了奶茶",
        "跑了多少公里？",
        "好几本书都没看",
    ],
)
def test_times_and_amounts_are_not_counted(mind: Mind, question: str) -> None:
    say(mind, COUNTED)
    assert "统计" not in mind.context(question).text
