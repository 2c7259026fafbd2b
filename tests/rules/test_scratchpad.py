"""The scratchpad as markdown, and what messages and sessions do to it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemic.language.scratchpad import (
    advance,
    conclude,
    fit,
    parse,
    render,
    renew_text,
    task_of,
)
from mnemic.settings import load
from mnemic.types import Completion, Episode, Outcome, PadSection, Scratchpad, constant
from tests.conftest import NOON

pytestmark = pytest.mark.feature("M13", preset="openakita")

SETTINGS = load("openakita").scratchpad
ENGLISH = """\
## Current task
Fix the login

## Active projects
- Lantern

## Recently done
- 2026-02-11 09:30 UTC · Release 2.0

## Open questions
- Which cache?

## Next steps
- Write the tests
"""
CHINESE = """\
## 当前任务
修复登录

## 当前项目
- 灯笼

## 近期完成
- 2026-02-11 09:30 UTC · 发布 2.0

## 未解决的问题
- 用哪个缓存？

## 下一步
- 写测试
"""


@pytest.mark.parametrize("text", [ENGLISH, CHINESE, ""])
def test_what_is_written_is_read_and_written_the_same(text: str) -> None:
    assert render(parse(text)) == text


def test_fields_are_read_in_both_languages() -> None:
    pad = parse(CHINESE)
    assert (pad.focus, pad.projects, pad.language) == ("修复登录", ("灯笼",), "zh")
    at = datetime.fromisoformat("2026-02-11T09:30:00+00:00")
    assert pad.completions == (Completion("发布 2.0", at),)
    assert (pad.questions, pad.next_steps) == (("用哪个缓存？",), ("写测试",))
    assert parse(ENGLISH).language == "en"


def test_a_person_may_write_as_they_like() -> None:
    pad = parse(
        "Hello me\n\n# Recent progress:\n2/20: designed it\n* done\n\n"
        "## My notes\n```sh\n# not a heading\n## Next steps\n```\n\n## next steps ##\n1. test\n"
    )
    assert pad.completions == (Completion("2/20: designed it"), Completion("done"))
    assert pad.next_steps == ("1. test",)
    assert pad.other == (
        PadSection("", "Hello me"),
        PadSection("## My notes", "```sh\n# not a heading\n## Next steps\n```"),
    )


LINES = st.sampled_from(
    [
        "",
        "  ",
        "# Mine",
        "## 我的笔记",
        "## Current task",
        "## 当前任务",
        "## 近期完成",
        "# Next steps:",
        "## Open questions ##",
        "- item",
        "  * nested item",
        "- - double",
        "-",
        "plain 文字",
        "- 2026-02-11 09:30 UTC · done",
        "- 2026-99-99 09:30 UTC · never",
        "```",
        "~~~ py",
        "### deep",
        "\tTab\u2028here",
    ]
)
TEXTS = st.lists(LINES, max_size=14).map("\n".join) | st.text(max_size=120)
WORD = re.compile(r"\w+")


@given(TEXTS)
def test_nothing_written_is_lost_and_once_is_enough(text: str) -> None:
    pad = parse(text)
    again = parse(render(pad))
    assert again == pad
    assert render(again) == render(pad)
    heading = {word for line in text.split("\n") if line.startswith("#") for word in line.split()}
    told = set(WORD.findall(render(pad)))
    assert set(WORD.findall(text)) <= told | {w for part in heading for w in WORD.findall(part)}


ITEMS = st.lists(st.sampled_from(["tea", "发布 2.0", "- x", "a · b", "Which?"]), max_size=4)
MINUTES = st.integers(0, 10**6).map(lambda n: NOON + timedelta(minutes=n))
PADS = st.builds(
    Scratchpad,
    focus=st.sampled_from(["", "Fix it", "两行\n- 文字"]),
    projects=ITEMS.map(tuple),
    completions=st.lists(
        st.builds(Completion, st.sampled_from(["tea", "登录"]), st.none() | MINUTES), max_size=3
    ).map(tuple),
    questions=ITEMS.map(tuple),
    next_steps=ITEMS.map(tuple),
    other=st.just(()) | st.just((PadSection("## Mine", "x\n\n  y"),)),
)


@given(PADS, st.sampled_from(["en", "zh"]))
def test_a_scratchpad_goes_to_markdown_and_back(pad: Scratchpad, language: str) -> None:
    spoken = replace(pad, language="zh" if language == "zh" else "en")
    again = parse(render(spoken))
    assert replace(again, language=spoken.language) == spoken
    if any((pad.focus, pad.projects, pad.completions, pad.questions, pad.next_steps)):
        assert again.language == spoken.language


# --- the task at hand -----------------------------------------------------------------------------


def after(*messages: str, pad: Scratchpad | None = None) -> Scratchpad:
    at = NOON
    pad = pad or Scratchpad()
    for message in messages:
        at += timedelta(minutes=1)
        pad = advance(pad, message, at, SETTINGS)
    return pad


def test_the_task_of_each_message_is_at_hand() -> None:
    pad = after("你好", "帮我修复 auth.py 里的登录问题")
    assert (pad.focus, pad.completions) == ("帮我修复 auth.py 里的登录问题", ())
    assert pad.text == "## 当前任务\n帮我修复 auth.py 里的登录问题\n"
    assert after("Hi! Fix the login bug.").text == "## Current task\nFix the login bug.\n"


@pytest.mark.parametrize(
    "message",
    [
        "谢谢",
        "thanks a lot",
        "今天天气真好",
        "ok",
        "好的",
        "然后跑一下测试",
        "登录测试还是 401",
        "登录接口在哪个文件",
        "再试一次登录",
        "为什么会这样",
        "it still fails",
        "and run it again",
    ],
)
def test_the_same_topic_goes_on(message: str) -> None:
    pad = after("帮我修复 auth.py 里的登录问题")
    assert after(message, pad=pad) == pad


@pytest.mark.parametrize("message", ["谢谢，搞定了", "it works now, thanks", "The bug is fixed"])
def test_a_task_that_is_done_is_no_longer_at_hand(message: str) -> None:
    pad = after("Fix the login bug in auth.py", message)
    done = Completion("Fix the login bug in auth.py", NOON + timedelta(minutes=2))
    assert (pad.focus, pad.completions) == ("", (done,))


@pytest.mark.parametrize("message", ["Never mind", "算了，不用了", "cancel that", "别修了"])
def test_nor_is_one_that_is_not_wanted_any_more(message: str) -> None:
    pad = after("Fix the login bug in auth.py", message)
    assert (pad.focus, pad.completions) == ("", ())


def test_another_order_on_the_topic_takes_its_place() -> None:
    pad = after("Fix the login bug in auth.py", "Write a login test for auth.py")
    assert (pad.focus, pad.completions) == ("Write a login test for auth.py", ())


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("Fix the login bug in auth.py", "Plan the trip to Lisbon in May"),
        ("修复登录接口的 401", "帮我规划五月去里斯本的行程"),
        ("Fix the login bug in auth.py", "New topic: the login page needs a logo"),
        ("修复登录接口", "换个话题，登录页面加个图标"),
    ],
)
def test_a_topic_switch_archives_the_task(task: str, message: str) -> None:
    pad = after(task, message)
    assert pad.focus == message
    assert pad.completions == (Completion(task, NOON + timedelta(minutes=2)),)


def test_five_completions_stay_newest_first() -> None:
    topics = ["parser", "scheduler", "database", "network", "renderer", "compiler", "debugger"]
    pad = after(*(f"Rewrite the {name}" for name in topics))
    done = [completion.task.split()[2] for completion in pad.completions]
    assert done == ["compiler", "renderer", "network", "database", "scheduler"]


def test_what_a_person_wrote_stays() -> None:
    own = parse("Keep me\n\n## 我的笔记\n不要动\n\n## 下一步\n- 写测试\n")
    pad = after("帮我修复登录问题", "规划去里斯本的行程", pad=own)
    assert (pad.other, pad.next_steps) == (own.other, own.next_steps)
    assert pad.text.startswith("Keep me\n\n## 当前任务\n规划去里斯本的行程\n")


MESSAGES = st.lists(
    st.sampled_from(["谢谢", "Rewrite the parser", "规划去里斯本的行程", "and then", "x" * 900])
    | st.text(max_size=60),
    max_size=8,
)


@given(TEXTS.filter(lambda text: len(render(parse(text))) <= 150), MESSAGES)
def test_it_never_outgrows_its_bounds(text: str, messages: list[str]) -> None:
    small = SETTINGS.replace(max_chars=150)
    pad = first = parse(text)
    for message in messages:
        pad = advance(pad, message, NOON, small)
        assert len(render(pad)) <= 150
        assert len(pad.completions) <= max(5, len(first.completions))
    kept = (pad.other, pad.questions, pad.next_steps, pad.projects)
    assert kept == (first.other, first.questions, first.next_steps, first.projects)
    assert parse(pad.text) == pad


def test_the_oldest_completions_give_way_first() -> None:
    done = tuple(Completion(f"task {n} " + "x" * 40, NOON) for n in range(5))
    pad = fit(Scratchpad(focus="now", completions=done), 200)
    assert pad.completions == done[:2]
    assert len(fit(Scratchpad(focus="y" * 500), 100).text) <= 100


@pytest.mark.parametrize(
    ("message", "task"),
    [
        ("# Fix **it** now", "Fix **it** now"),
        ("- write this. And that.", "write this."),
        ("Hi there! Can you fix the login?", "Can you fix the login?"),
        ("机票订好了，现在帮我写周报", "机票订好了，现在帮我写周报"),
        ("todo: renew the passport", "todo: renew the passport"),
        ("提醒我明天交房租", "提醒我明天交房租"),
        ("> 引用的任务怎么做？", ""),
        ("今天天气真好", ""),
        ("What a lovely day!", ""),
        ("部署流程是什么？", ""),
        ("build 为什么失败？", ""),
        ("请问现在几点？", ""),
        ("Tell me about Paris", ""),
        ("That's so cool, I need to try it sometime", ""),
        ("周末我去爬山了，累死了", ""),
        ("Let's catch up soon!", ""),
        ("谢谢", ""),
        ("I live in Brelm", ""),
        ("We upgraded Redis to 7.4", ""),
        ("My sister's name is Ann", ""),
        ("我住在杭州", ""),
        ("birch 服务的端口是 4102", ""),
        ("The staging server runs on port 8080", ""),
        ("我们升级到 Python 3.12 了", ""),
        ("I want to move to Brelm", ""),
        ("I want to build a login page", "I want to build a login page"),
        ("We need a new login page", "We need a new login page"),
        ("我想学游泳", ""),
        ("我想写个爬虫", "我想写个爬虫"),
        ("我的登录接口怎么总是 401", ""),
        ("Where do I live?", ""),
    ],
)
def test_a_task_is_one_plain_line(message: str, task: str) -> None:
    assert task_of(message, 120) == task
    assert len(task_of("word " * 200, 30)) <= 30


# --- the end of a session -------------------------------------------------------------------------


def episode(goal: str, outcome: Outcome) -> Episode:
    return Episode(
        id=constant("e"),
        session=constant("s"),
        summary=constant(goal),
        goal=constant(goal),
        outcome=outcome,
        started_at=NOON,
        ended_at=NOON,
        actions=(),
        entities=(),
        tools=(),
        memories=(),
        tags=(),
        importance=0.5,
        access_count=0,
        source="session_end",
    )


def test_a_session_leaves_what_it_came_to() -> None:
    pad = renew_text(Scratchpad(focus="Fix the login bug"))

    def left(goal: str, outcome: Outcome) -> Scratchpad:
        return conclude(pad, episode(goal, outcome), "lantern", SETTINGS)

    done = left("Fix the login bug", "success")
    assert (done.focus, done.projects) == ("", ("lantern",))
    assert done.completions == (Completion("Fix the login bug", NOON),)
    assert left("Plan the trip", "success").focus == "Fix the login bug"
    assert left("Plan the trip", "ongoing").focus == "Plan the trip"
    assert left("Which cache?", "failed").questions == ("Which cache?",)
    assert left("I had a lovely weekend", "failed").questions == ()
    for talk in ("What a lovely day!", "今天天气真好"):
        assert left(talk, "ongoing").focus == "Fix the login bug"
        assert left(talk, "success").completions == ()
    again = conclude(done, episode("Fix the login bug", "success"), "lantern", SETTINGS)
    assert again == done, "ending twice changes nothing"


def test_the_end_of_a_session_does_not_outgrow_it() -> None:
    full = renew_text(Scratchpad(other=(PadSection("## Mine", "x" * 1_960),)))
    assert conclude(full, episode(f"{'y' * 100}?", "failed"), "lantern", SETTINGS) == full
