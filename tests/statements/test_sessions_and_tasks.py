"""What belongs to one conversation: its window, the task of the host, variables, the context."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import mnemic
from mnemic.clock import ManualClock


@pytest.mark.statement("A36")
def test_the_host_hands_over_the_task_and_the_old_one_is_archived(
    tmp_path: Path, clock: ManualClock
) -> None:
    """B §4: current task each turn, recent completions with their times, at most five."""
    with mnemic.open(tmp_path / "m.db", preset="openakita", clock=clock, worker="none") as mind:
        session = mind.session("s")
        session.user("帮我订一张去上海的机票")
        session.set_task("为用户预订周五去上海的机票")
        session.user("今天天气真好")
        assert mind.scratchpad().focus == "为用户预订周五去上海的机票"  # talk is no task
        clock.advance(minutes=10)
        session.user("机票订好了，现在帮我写周报")
        pad = session.set_task("撰写本周的工作周报")
        assert pad.focus == "撰写本周的工作周报"
        assert [done.task for done in pad.completions] == ["为用户预订周五去上海的机票"]
        assert pad.completions[0].at == clock.now().replace(second=0, microsecond=0)
        prompt = mind.context("周报写到哪了？", session=session.id).text
        assert "撰写本周的工作周报" in prompt
        session.set_task(
            "撰写本周的工作周报，重点写记忆系统"
        )  # the same topic: nothing is archived
        assert len(mind.scratchpad().completions) == 1
        tasks = (
            "修复登录页面的错误",
            "部署支付服务",
            "整理会议纪要",
            "翻译产品手册",
            "准备演示文稿",
            "更新依赖",
        )
        for task in tasks:
            clock.advance(minutes=5)
            session.set_task(task)
        assert len(mind.scratchpad().completions) == 5
    with mnemic.open(tmp_path / "m.db", preset="openakita", clock=clock, worker="none") as mind:
        mind.session("t").user("随便聊聊，帮我看看这个")
        assert mind.scratchpad().focus == tasks[-1]
        assert mind.set_task("").focus == ""
        assert mind.scratchpad().completions[0].task == tasks[-1]


@pytest.mark.statement("A116")
def test_variables_and_the_task_of_a_session_outlive_the_process(
    tmp_path: Path, clock: ManualClock
) -> None:
    def opened() -> mnemic.Mind:
        return mnemic.open(tmp_path / "m.db", preset="openakita", clock=clock, worker="none")

    with opened() as mind:
        session, other = mind.session("s"), mind.session("t")
        assert session.variables() == {}
        session.set_variables({"cwd": "D:\\code", "retries": 2, "语言": "中文"})
        session.set_variables({"retries": 3, "cwd": None})
        session.set_task("修复登录页面的错误")
        assert other.variables() == {}
        assert "D:\\code" not in mind.context("目录？", session="s").text
    with opened() as mind:
        assert mind.session("s").variables() == {"retries": 3, "语言": "中文"}
        assert mind.scratchpad().focus == "修复登录页面的错误"
        with pytest.raises(mnemic.InvalidInput):
            mind.session("s").set_variables({"a": object()})  # type: ignore[dict-item]
        with pytest.raises(mnemic.InvalidInput):
            mind.session("s").set_variables({f"v{n}": n for n in range(200)})
        mind.session("s").user("一句话")
        mind.forget(session="s")
        assert mind.session("s").variables() == {}


@pytest.mark.statement("E115")
def test_the_short_term_memory_of_a_session(tmp_path: Path, clock: ManualClock) -> None:
    with mnemic.open(tmp_path / "m.db", preset="semibot", clock=clock, worker="none") as mind:
        session = mind.session("s")
        for n in range(60):
            session.user(f"第 {n} 条消息，关于记忆系统的设计")
        assert [turn.index for turn in session.recent()] == list(range(10, 60))
        assert [turn.index for turn in session.recent(3)] == [57, 58, 59]
        whole = session.window()
        assert len(whole.turns) == 60
        assert whole.tokens <= 8000
        small = session.window(100)
        assert 0 < len(small.turns) < 20
        assert small.turns[-1].index == 59
        assert small.summary
        assert small.tokens <= 100
        assert len(session.turns()) == 60
        mind.session("t").user("另一个会话")
        session.clear()
        assert session.recent() == []
        assert session.window().turns == ()
        assert session.window().summary == ""
        session.user("新的开始")
        assert [turn.text for turn in session.recent()] == ["新的开始"]
        assert len(mind.session("t").recent()) == 1
        assert len(session.turns()) == 61  # what was said stays in the ledger
    with mnemic.open(tmp_path / "m.db", preset="semibot", clock=clock, worker="none") as mind:
        assert [turn.text for turn in mind.session("s").recent()] == ["新的开始"]


@pytest.mark.statement("E138")
def test_the_context_says_summary_messages_memories_and_the_reply_budget(
    clock: ManualClock,
) -> None:
    with mnemic.open(
        ":memory:", preset="semibot", clock=clock, worker="none", context__window=1000
    ) as mind:
        mind.remember("用户的项目叫 semibot，使用 SQLite 存储", kind="fact", importance=0.9)
        session = mind.session("s")
        for n in range(80):
            session.user(f"第 {n} 条：我们继续讨论 semibot 的记忆系统和事件引擎的设计细节")
        context = mind.context("我的项目用什么存储？", session="s", model="nobody-knows-it")
        assert context.reply == 200  # 20 % of the window
        assert "用户的项目叫 semibot，使用 SQLite 存储" in context.memories
        assert len(context.memories) <= 5
        assert context.recent
        assert context.recent[-1].index == 79
        assert len(context.recent) < 80
        assert context.summary
        assert context.tokens <= context.budget == 800


@pytest.mark.statement("E115")
def test_the_same_awaited() -> None:
    async def main() -> None:
        async with await mnemic.open_async(":memory:", preset="semibot", worker="none") as mind:
            session = await mind.session("s")
            await session.user("你好")
            await session.set_variables({"a": 1})
            assert await session.variables() == {"a": 1}
            assert len(await session.recent()) == len((await session.window()).turns) == 1
            await session.clear()
            assert await session.recent() == []
            assert (await session.set_task("写周报")).focus == "写周报"
            await mind.emit("host.x")

    asyncio.run(main())
