"""Shiyi's statements once more, with inputs unlike the document's own."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Scripted
from tests.statements.playing import fact, reading


def document(mind: Mind, name: str) -> str:
    return next(Path(str(mind.documents_folder)).rglob(name)).read_text()


@pytest.mark.statement("C31", "C57")
@pytest.mark.parametrize(
    ("zone", "since"),
    [("Asia/Shanghai", datetime(2026, 5, 6, 16, 30, tzinfo=UTC)),  # 00:30
     ("America/New_York", datetime(2026, 5, 8, 2, tzinfo=UTC))],  # 22:00
)  # fmt: skip
@pytest.mark.parametrize("asked", ["5月7日我做了什么？", "What did I do on May 7?"])
def test_a_day_is_the_users(
    open_mind: OpenMind, clock: ManualClock, zone: str, since: datetime, asked: str
) -> None:
    mind = open_mind(preset="shiyi", schedule={"zone": zone})
    for n, text in enumerate(["跑了五公里", "Wrote two letters", "和老张评审了"]):
        mind.record(session="s", role="user", text=text, at=since.replace(minute=n))
    clock.set(datetime(2026, 5, 20, 12, tzinfo=UTC))
    prompt = mind.context(asked, session="t").text
    assert all(text in prompt for text in ("跑了五公里", "Wrote two letters", "和老张评审了"))
    other = mind.context("5月3日我做了什么？", session="t").text
    assert "2026-05-03" in other
    assert "五公里" not in other


@pytest.mark.statement("C31", "C57")
@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (["读完了两本书", "又读了一本小说"], "我读了几本书？"),
        (["这周看了三章操作系统", "今天又看了一章"], "一共看了几章？"),
        (["买了新显示器，型号是 DELL U2723QE"], "显示器的型号是什么？"),
        (["路由器的地址是 10.0.0.7"], "路由器的地址是多少？"),
        (["I adopted two cats", "Another cat moved in"], "How many cats do I have?"),
    ],
)
def test_counts_and_fields_are_looked_up(open_mind: OpenMind, said: list[str], asked: str) -> None:
    mind = open_mind(preset="shiyi")
    for text in said:
        mind.record(session="s", role="user", text=text)
    assert all(text in mind.context(asked, session="t").text for text in said)


@pytest.mark.statement("C58", "C42")
@pytest.mark.parametrize(
    ("zone", "day"), [("Asia/Shanghai", "2026-05-07"), ("America/New_York", "2026-05-06")]
)
def test_progress_has_the_users_day(
    open_mind: OpenMind, clock: ManualClock, zone: str, day: str
) -> None:
    clock.set(datetime(2026, 5, 6, 17, tzinfo=UTC))
    mind = open_mind(preset="shiyi", schedule={"zone": zone})
    with mind.session("s", project="orchid") as session:
        session.user("我们决定 orchid 用 SQLite 存储")
        session.user("We decided that orchid ships weekly")
    mind.drain()
    lines = [line for line in document(mind, "Project.md").splitlines() if line.startswith("- ")]
    assert len(lines) == 2
    assert all(line.startswith(f"- {day} ") for line in lines)


@pytest.mark.statement("C59", "C17")
@pytest.mark.parametrize(
    "wish",
    [
        "你以后说话活泼一点",
        "Please be more formal when you talk to me",
        "别再用 emoji 了，语气严肃些",
    ],
)
def test_wishes_about_manner_reach_the_persona(open_mind: OpenMind, wish: str) -> None:
    mind = open_mind(preset="shiyi")
    with mind.session("s") as session:
        session.user(wish)
        session.user("以后提交前先跑测试")
    mind.drain()
    assert wish in document(mind, "ShiYi.md")
    assert wish not in document(mind, "User.md")
    assert "测试" not in document(mind, "ShiYi.md"), "what it does is not how it speaks"


@pytest.mark.statement("C60", "C46")
@pytest.mark.parametrize(
    ("first", "then", "asked", "known"),
    [
        ("明天十点好像要开会", "会议改到明天下午三点了", "明天十点开会", "会议改到明天下午三点"),
        ("Maybe lunch with Bo on Friday", "The lunch was moved to Monday",
         "Lunch with Bo on Friday",
         "The lunch with Bo was moved to Monday"),
    ],
    ids=["zh", "en"],
)  # fmt: skip
def test_a_question_overtaken_by_events_is_withdrawn(
    open_mind: OpenMind, first: str, then: str, asked: str, known: str
) -> None:
    with Scripted() as server:
        server.always(
            reading(
                (first, fact(asked, kind="event", confidence=0.7)),
                (then, fact(known, kind="event", confidence=0.95)),
            )
        )
        mind = open_mind(preset="shiyi", **thinking.settings(server))
        session = mind.session("s")
        session.user(first)
        mind.drain()
        assert [one.text for one in mind.pending()] == [asked]
        session.user(then)
        mind.drain()
    assert mind.pending() == []
    assert [one.text for one in mind.memories()] == [known]


@pytest.mark.statement("C60", "C14")
@pytest.mark.parametrize(
    ("reply", "name"),
    [("不对，我叫小邹", "小邹"), ("No, call me Zoe", "Zoe"), ("称呼：阿周", "阿周"),
     ("修改", "小周"),
     ("change", "小周")],
)  # fmt: skip
def test_a_correction_in_the_first_talk(open_mind: OpenMind, reply: str, name: str) -> None:
    mind = open_mind(preset="shiyi")
    mind.onboarding(begin=True)
    for answer in (
        "助手",
        "温和",
        "先问",
        "不骂人",
        "先给结论",
        "小周",
        "工程师",
        "Python",
        "先讨论",
    ):
        mind.onboard(answer)
    state = mind.onboard(reply)
    assert state.stage == "summary"
    assert f"称呼: {name}" in state.text
    mind.onboard("对的")
    assert mind.onboarding().done
    assert name in document(mind, "User.md")


@pytest.mark.statement("C40", "C52")
@pytest.mark.parametrize("refused", ["带毒的文本", "a poisoned text"])
def test_one_text_that_is_refused_does_not_end_embedding(open_mind: OpenMind, refused: str) -> None:
    class Embedder:
        name = "own"
        dimensions = 4

        def embed(self, texts: list[str]) -> list[list[float]]:
            if any(refused in text for text in texts):
                raise ValueError("refused")
            return [[float(len(text)), 1.0, 0.0, 0.0] for text in texts]

    mind = open_mind(preset="shiyi", embedder=Embedder())
    for text in ("第一条事实", refused, "the last fact"):
        mind.remember(text, kind="fact")
    mind.drain()
    assert {hit.text for hit in mind.recall("the last fact")} >= {"the last fact"}
    assert mind.stats().memories == 3
