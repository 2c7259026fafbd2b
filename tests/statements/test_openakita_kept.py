"""OpenAkita, what was true from the start: episodes, lives, scratchpad, record, queue."""

from __future__ import annotations

import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import Candidate, InvalidInput, Mind, ToolCall, ToolResult
from mnemic.clock import ManualClock
from mnemic.tools import call_tool
from tests.conftest import NOON, OpenMind
from tests.learning import thinking
from tests.providers.scripted import Line, Scripted, reply
from tests.providers.speaking import says
from tests.remote import server
from tests.statements.playing import calls, fact, reading
from tests.waiting import wait_for

__all__ = ["server"]

JWT = "我们的登录最后决定用 JWT 来做认证，因为前后端以后要分开部署"
LONG_LOG = "第一行日志。" * 400


@pytest.fixture
def mind(open_mind: OpenMind) -> Mind:
    return open_mind(preset="openakita")


IN_ENGLISH = "We settled on JWT for the login, as front and back end will be deployed apart"


@pytest.mark.statement("A6", "A10", "A12", "A18", "A31")
@pytest.mark.parametrize(
    ("told", "text", "thanks"),
    [
        (JWT, "登录用 JWT 做认证", "先到这里，谢谢"),
        (IN_ENGLISH, "The login uses JWT", "That's all for today"),
    ],
    ids=["zh", "en"],
)
def test_a_session_becomes_a_story_not_fragments(
    open_mind: OpenMind, server: Scripted, told: str, text: str, thanks: str
) -> None:
    """Better: memories come from the turns themselves, so each names its exact source."""
    learned = fact(text, subject="登录", predicate="认证方式", value="JWT", kind="decision")
    story: dict[str, Any] = {"goal": "决定登录的认证方式", "tags": ["认证"], "importance": 0.7}
    server.always(reading((told, learned), summary="讨论后登录选了 JWT", **story))
    mind = open_mind(preset="openakita", **thinking.settings(server))
    with mind.session("login") as session:
        said = session.user(told)
        session.assistant(
            "改好了 auth.py，测试没过。",
            tool_calls=[ToolCall("edit_file", {"path": "auth.py"}, "a"),
                        ToolCall("run_tests", {"suite": "auth"}, "b")],
            tool_results=[ToolResult(LONG_LOG, "a"),
                          ToolResult("AssertionError: 401", "b", is_error=True)],
        )  # fmt: skip
        session.user(thanks)
    assert mind.episodes() == []
    mind.drain()
    (episode,) = mind.episodes(session="login")
    assert len(calls(server, "episode")) == 1
    assert (episode.summary, episode.goal) == ("讨论后登录选了 JWT", "决定登录的认证方式")
    assert (episode.outcome, episode.source) == ("success", "session_end")
    assert (episode.started_at, episode.ended_at) == (NOON, NOON)
    assert "auth.py" in episode.entities
    assert episode.tools == ("edit_file", "run_tests")
    assert (episode.tags, episode.importance, episode.access_count) == (("认证",), 0.7, 0)
    done, failed = episode.actions
    assert (done.tool, done.success, done.error) == ("edit_file", True, "")
    assert done.params == {"path": "auth.py"}
    assert 0 < len(done.result) <= 100
    assert (failed.success, failed.error) == (False, "AssertionError: 401")
    assert done.at == failed.at == NOON
    assert "测试没过" in failed.decision
    (memory,) = [one for one in mind.memories() if "JWT" in one.text]
    assert episode.memories == (memory.id,)
    assert [source.turn_id for source in memory.sources] == [said.id]
    (write,) = [event for event in mind.history(memory.id).events if event.type == "write"]
    assert write.operation_id


@pytest.mark.statement("A5")
@pytest.mark.parametrize("rules", [True, False])
def test_before_compression_rules_run_unless_document_b_is_followed_to_the_letter(
    open_mind: OpenMind, rules: bool
) -> None:
    """Better: what was dropped can be recalled at once, and the whole extraction still follows."""
    mind = open_mind(preset="openakita", triggers={"compression_rules": rules})
    mind.record(session="s", role="user", text="我的项目用 Python 3.12")
    mind.before_compression("s")
    assert [memory.value for memory in mind.memories()] == (["3.12"] if rules else [])
    mind.drain()
    assert [memory.value for memory in mind.memories()] == ["3.12"]


@pytest.mark.statement("A22", "A27")
@pytest.mark.parametrize(
    ("priority", "days"), [("transient", 1), ("short_term", 3), ("long_term", 30)]
)
def test_a_priority_is_a_life_and_what_is_over_is_never_found(
    mind: Mind, clock: ManualClock, priority: str, days: int
) -> None:
    text = "这周的站会改在上午十点"
    mind.propose(Candidate("fact", text, confidence=0.9, duration=priority))
    mind.propose(Candidate("fact", "用户养了一只猫", confidence=0.9, duration="permanent"))
    found = [memory for memory in mind.memories() if memory.text == text]
    assert [memory.expires_at for memory in found] == [NOON + timedelta(days=days)]
    for moved, there in ((timedelta(days=days, seconds=-1), True), (timedelta(seconds=2), False)):
        clock.advance(seconds=moved.total_seconds())
        searched = str(call_tool(mind, "search_memory", {"query": "站会 几点"}))
        assert ("上午十点" in searched) == there
        assert any(text == hit.text for hit in mind.recall("站会几点开")) == there
        assert any(text == memory.text for memory in mind.memories()) == there
    clock.advance(days=1000)
    assert [memory.text for memory in mind.memories()] == ["用户养了一只猫"]


@pytest.mark.statement("A19", "A28", "A29")
def test_a_memory_is_an_entity_with_a_property_and_is_strengthened(
    mind: Mind, clock: ManualClock
) -> None:
    told = Candidate(
        "config", "用户的代码目录在 D:\\code", "代码目录", "位于", "D:\\code", confidence=0.6
    )
    mind.propose(told)
    (first,) = mind.memories()
    assert (first.subject, first.predicate) == ("代码目录", "位于")
    assert first.text == "用户的代码目录在 D:\\code"
    clock.advance(days=1)
    mind.propose(told)
    (second,) = mind.memories()
    assert second.id == first.id
    assert second.confidence > first.confidence
    assert second.access_count == 0
    clock.advance(days=1)
    assert mind.recall("代码目录在哪里")
    mind.drain()
    (used,) = mind.memories()
    assert (used.access_count, used.last_accessed_at) == (1, clock.now())


@pytest.mark.statement("A30")
@pytest.mark.parametrize(("loss", "is_left"), [(0.1, False), (0.01, True)])
def test_a_memory_fades_by_the_law_of_its_kind_that_is_set_now(
    open_mind: OpenMind, clock: ManualClock, loss: float, is_left: bool
) -> None:
    """A tenth a day in the preset; another law holds for what was written before it, too."""
    mind = open_mind(preset="openakita")
    text = "今天先用 8080 端口"
    mind.remember(text, kind="fact", duration="short_term", importance=0.12)
    mind.close()
    clock.advance(days=2)
    mind = open_mind(preset="openakita", decay={"medium": {"daily_loss": loss}})
    mind.upkeep("daily")
    assert [memory.text for memory in mind.memories()] == [text] * is_left


@pytest.mark.statement("A32")
def test_a_model_judges_that_it_is_an_update(
    open_mind: OpenMind, server: Scripted, clock: ManualClock
) -> None:
    def version(value: str) -> dict[str, object]:
        return fact(f"用户使用 Python {value}", subject="Python", predicate="版本", value=value)

    both = (("用的是 Python 3.10", version("3.10")), ("升级到 Python 3.12", version("3.12")))
    server.always(reading(*both, verdict="update"))
    mind = open_mind(preset="openakita", **thinking.settings(server))
    told = (
        "我现在做的这个项目，统一用的是 Python 3.10 来开发和部署的",
        "跟你说一下，我今天已经把它升级到 Python 3.12 了，测试都过了",
    )
    for day, said in enumerate(told):
        mind.record(session=f"day {day}", role="user", text=said)
        mind.drain()
        clock.advance(days=1)
    (memory,) = mind.memories()
    old, new = mind.history(memory.id).versions
    assert (old.value, new.value) == ("3.10", "3.12")
    assert (old.status, old.superseded_by) == ("superseded", new.id)


PAD = """## 当前项目
- OpenAkita 记忆系统重构: 架构文档已完成, 准备开始编码

## 近期进展
- 2/20: 完成了记忆架构设计, 用户确认了三层记忆模型方案
- 2/19: 讨论了 CLI session 统一化方案

## 未解决的问题
- 向量模型是否需要换成多语言模型?
- 情节记忆的自动摘要质量如何保证?

## 下一步
- 实现 SQLite 存储层迁移
- 实现上下文压缩 → 记忆提取联动
"""


@pytest.mark.statement("A34", "A35")
def test_the_scratchpad_of_the_document(open_mind: OpenMind) -> None:
    mind = open_mind(preset="openakita")
    pad = mind.write_scratchpad(PAD)
    assert pad.text == PAD
    assert pad.projects == ("OpenAkita 记忆系统重构: 架构文档已完成, 准备开始编码",)
    assert pad.questions == (
        "向量模型是否需要换成多语言模型?",
        "情节记忆的自动摘要质量如何保证?",
    )
    assert pad.next_steps == ("实现 SQLite 存储层迁移", "实现上下文压缩 → 记忆提取联动")
    mind.close()
    again = open_mind(preset="openakita")
    assert again.scratchpad() == pad, "across sessions"
    assert "实现 SQLite 存储层迁移" in again.context("你好").text
    with pytest.raises(InvalidInput, match="2,001"):
        again.write_scratchpad("x" * 2001)
    assert again.write_scratchpad("x" * 1999).text == "x" * 1999


ENGLISH_PARTS = ("login page", "job scheduler", "schema migration", "network retries",
                 "rendering pipeline", "build cache", "log format")  # fmt: skip
CHINESE_PARTS = ("登录接口", "调度器", "数据库迁移", "网络重试", "渲染管线", "编译缓存", "日志格式")


@pytest.mark.statement("A37", "A38")
@pytest.mark.parametrize(
    ("ask", "parts"),
    [("帮我重写{}", CHINESE_PARTS), ("Please rewrite the {}", ENGLISH_PARTS)],
    ids=["zh", "en"],
)
def test_finished_tasks_are_archived_whatever_the_persona(
    open_mind: OpenMind, tmp_path: Path, clock: ManualClock, ask: str, parts: tuple[str, ...]
) -> None:
    """Better: it holds the task as it was stated; B abolished the one that a model writes."""
    texts = []
    for persona in ("jarvis", "tech_expert"):
        clock.set(NOON)
        mind = open_mind(tmp_path / f"{persona}.db", preset="openakita")
        for part in parts:
            clock.advance(minutes=10)
            asked = ask.format(part)
            mind.record(session="s", role="user", text=asked)
            mind.context(asked, session="s", persona=persona)
            mind.drain()
        pad = mind.scratchpad()
        assert parts[-1] in pad.focus
        assert len(pad.completions) == 5
        assert all(done.at is not None for done in pad.completions)
        assert parts[-2] in pad.completions[0].task
        texts.append(pad.text)
    assert texts[0] == texts[1]


@pytest.mark.statement("A48")
@pytest.mark.parametrize("others", [("semibot", "shiyi"), ("myclaw", "default")])
def test_one_database_serves_every_preset(open_mind: OpenMind, others: tuple[str, str]) -> None:
    """Better: one schema, migrated by version; what OpenAkita stored any other preset reads."""
    mind = open_mind(preset="openakita")
    mind.remember("用户喜欢用 Python", kind="preference")
    with mind.session("s") as session:
        session.user("请整理一下 notes.md 里的会议记录")
        session.assistant("整理好了")
    mind.attach("cat.png", session="s", description="一只橘猫趴在沙发上")
    mind.drain()
    stored = (mind.memories(), mind.episodes(), mind.turns(), mind.attachments(), mind.scratchpad())
    mind.close()
    for preset in others:
        with open_mind(preset=preset) as other:
            assert stored == (
                other.memories(),
                other.episodes(),
                other.turns(),
                other.attachments(),
                other.scratchpad(),
            )


@pytest.mark.statement("A49")
@pytest.mark.parametrize(
    "answer", ["I would rather not say", '{"facts": [{"content": '], ids=["a refusal", "cut off"]
)
def test_the_extraction_queue(
    open_mind: OpenMind, server: Scripted, clock: ManualClock, answer: str
) -> None:
    server.always(reply(says("openai", answer, tokens=9)))
    mind = open_mind(preset="openakita", **thinking.settings(server))
    for _ in range(2):
        mind.record(session="s", role="user", text=JWT)
    (job,) = [job for job in mind.jobs(state="ready") if job.kind == "extract"]
    seen = []
    for _ in range(3):
        mind.drain()
        seen += [(one.state, one.attempts) for one in mind.jobs() if one.id == job.id]
        clock.advance(hours=1)
    assert seen == [("ready", 1), ("ready", 2), ("dead", 3)]
    server.always(reading((JWT, fact("登录用 JWT"))))
    assert mind.redrive() == 1
    mind.drain()
    assert [memory.text for memory in mind.memories()] == ["登录用 JWT"]


@pytest.mark.statement("A57")
@pytest.mark.parametrize(
    "rated", [{}, {"importance": None, "confidence": None}], ids=["left out", "null"]
)
def test_what_the_model_does_not_rate_is_in_the_middle(
    open_mind: OpenMind, server: Scripted, rated: dict[str, None]
) -> None:
    server.always(reading((JWT, {"kind": "fact", "content": "登录用 JWT", **rated})))
    mind = open_mind(preset="openakita", **thinking.settings(server))
    mind.record(session="s", role="user", text=JWT)
    mind.drain()
    (memory,) = mind.memories()
    assert (memory.importance, memory.confidence) == (0.5, 0.5)


@pytest.mark.statement("A58", "A60")
@pytest.mark.parametrize(
    ("short", "name", "long"),
    [
        (
            "我叫小林" + "，" * 25,
            "用户叫小林",
            "这次要把整个构建流程从旧服务器搬到新服务器上，请先列出步骤和风险",
        ),
        (
            "I am called Lin, by the way..",
            "The user is Lin",
            "Move the build to the new server now",
        ),
    ],
    ids=["zh", "en"],
)
def test_per_message_of_thirty_characters_and_the_rest_by_night(
    open_mind: OpenMind, server: Scripted, clock: ManualClock, *, short: str, name: str, long: str
) -> None:
    server.always(reading((short, fact(name, subject="用户", predicate="姓名"))))
    mind = open_mind(preset="openakita", **thinking.settings(server))

    def asked_after(text: str, session: str = "s") -> int:
        mind.record(session=session, role="user", text=text)
        mind.drain()
        return len(calls(server, "extract"))

    assert len(short) == 29
    assert asked_after(short) == 0
    assert [asked_after(long) for _ in range(7)] == [1, 2, 3, 4, 5, 5, 5]
    assert (
        asked_after("另一个会话里的消息，也要有三十个字符以上，所以这里再多写一点点内容", "t") == 6
    )
    clock.advance(days=1)
    mind.upkeep("daily")
    assert {turn.state for turn in mind.turns()} <= {"extracted", "empty"}
    assert [memory.text for memory in mind.memories()] == [name]


@pytest.mark.statement("A59")
@pytest.mark.parametrize("end", [False, True], ids=["goes on", "ends meanwhile"])
def test_the_conversation_never_waits(open_mind: OpenMind, server: Scripted, *, end: bool) -> None:
    answered = threading.Event()
    learned = reading((JWT, fact("登录用 JWT")))

    def slow(line: Line) -> None:
        answered.wait(30)
        learned(line)

    server.always(slow)
    mind = open_mind(preset="openakita", worker="thread", **thinking.settings(server, timeout=30))
    mind.record(session="s", role="user", text=JWT)
    wait_for(lambda: server.asked)
    mind.record(session="s", role="assistant", text="好的，记下了")
    mind.recall("登录")
    mind.context("我们的登录用什么？", session="s")
    if end:
        mind.end_session("s")
    assert len(mind.turns(session="s")) == 2
    assert mind.memories() == [], "the model has not answered yet"
    answered.set()
    wait_for(mind.memories)


KILLED = """
import datetime, os, sys, mnemic
from mnemic.clock import ManualClock
clock = ManualClock(datetime.datetime.fromisoformat(sys.argv[2]))
mind = mnemic.open(sys.argv[1], preset="openakita", worker="none", clock=clock)
mind.record(session="s", role="user", text=sys.argv[3])
if len(sys.argv) > 4:
    mind.before_compression("s")
os._exit(9)
"""


@pytest.mark.statement("A62")
@pytest.mark.parametrize(
    ("said", "name", "more"),
    [
        ("我叫小林，以后都用 Helix 写代码，请记住这件事情，谢谢你", "小林", []),
        ("My name is Lin and I write all my code in Helix", "Lin", ["compressed"]),
    ],
    ids=["after a turn", "after a compression"],
)
def test_a_killed_process_loses_nothing(
    open_mind: OpenMind, tmp_path: Path, said: str, name: str, more: list[str]
) -> None:
    file = tmp_path / "killed.db"
    command = [sys.executable, "-c", KILLED, str(file), NOON.isoformat(), said, *more]
    ended = subprocess.run(command, check=False)
    assert ended.returncode == 9
    mind = open_mind(file, preset="openakita")
    assert [turn.text for turn in mind.turns()] == [said]
    assert len(mind.episodes()) == len(more), "the compression episode is written with its hook"
    mind.drain()
    assert [turn.state for turn in mind.turns()] == ["extracted"]
    assert any(name in memory.text for memory in mind.memories())


@pytest.mark.statement("A114")
@pytest.mark.parametrize("names", [("ann", "bo"), ("小明", "小明 2")])
def test_several_users(open_mind: OpenMind, names: tuple[str, str]) -> None:
    ann, bo = (open_mind(space=name, preset="openakita") for name in names)
    ann.remember("用户喜欢用 Python", kind="preference")
    ann.write_scratchpad("## 当前任务\n写周报\n")
    assert bo.memories() == []
    assert bo.recall("Python") == []
    assert (ann.scratchpad().focus, bo.scratchpad().focus) == ("写周报", "")


@pytest.mark.statement("A115")
@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("我叫小林，我以后都用 Helix 写代码", "我用什么编辑器？"),
        ("I'm Lin. Call me boss. I prefer tabs over spaces.", "Which indentation do I prefer?"),
    ],
    ids=["zh", "en"],
)
def test_a_persona_changes_nothing_that_is_stored(
    open_mind: OpenMind, tmp_path: Path, said: str, asked: str
) -> None:
    stored = []
    for persona in ("jarvis", "default", "tech_expert"):
        mind = open_mind(tmp_path / f"{persona}.db", preset="openakita")
        mind.record(session="s", role="user", text=said)
        mind.context(asked, session="s", persona=persona)
        mind.recall(asked, persona=persona)
        mind.end_session("s")
        mind.drain()
        stored.append([(one.text, one.importance, one.confidence) for one in mind.memories()])
    assert stored[0]
    assert stored[0] == stored[1] == stored[2]


@pytest.mark.statement("A113")
def test_the_manager_is_asynchronous() -> None:
    import asyncio

    async def run() -> list[str]:
        async with await mnemic.open_async(":memory:", preset="openakita", worker="none") as mind:
            await mind.remember("用户喜欢用 Python", kind="preference")
            return [hit.text for hit in await mind.recall("Python")]

    assert asyncio.run(run()) == ["用户喜欢用 Python"]
