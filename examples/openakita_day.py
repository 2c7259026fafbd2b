"""OpenAkita 的一天一夜（preset openakita；文档 A 与 B）。不用模型，不用网络，每次输出都一样。

Each line: the section of the document, what it promises, and what the engine really did.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import mnemic
from mnemic import Mind, Session, ToolCall, ToolResult
from mnemic.clock import ManualClock
from mnemic.tools import call_tool

MORNING = datetime(2026, 2, 20, 1, tzinfo=UTC)  # 09:00 in Shanghai, the day of document A
NIGHT = datetime(2026, 2, 20, 19, tzinfo=UTC)  # 03:00 there
SAID = (  # 30 characters and more are read after the message (B §6), the rest with the session
    "我叫小明，我的代码目录在 D:\\code，平时写代码最喜欢用 Python，现在用的是 Python 3.10。",
    "所有脚本必须加中文注释。",
    "用 pytest 测试更可靠。",
    "直接删除文件会导致数据丢失，教训是先备份。",
    "我们决定用 JWT 做认证，因为不想在服务器上存会话，登录接口就按这个方案来改。",
    "跟你说一下，我今天把电脑重装了一遍，顺便升级到 Python 3.12 了，旧的环境已经删掉。",
)

HABITS = {  # known from earlier weeks
    "PREFERENCE": "第 {} 个项目里，用户喜欢先写测试再写实现，提交之前自己把改动再看一遍",
    "SKILL": "第 {} 个项目里，先用一小份数据把流程跑通，再换成全部数据，问题发现得更早",
    "RULE": "第 {} 个项目里，每个接口都要写清楚参数、返回值和可能的错误，不能只写名字",
    "FACT": "第 {} 个项目放在公司的内网仓库里，每周五下午发布，发布之前要跑完整的测试",
}


def show(section: str, promise: str, seen: object) -> None:
    print(f"{section:<9}{promise}：{seen}")


def by_day(mind: Mind, session: Session) -> None:
    print("== 白天：对话")
    session.set_task("为登录接口选认证方案")
    for text in SAID:
        session.user(text)
        session.assistant("好的。")
    edit = ToolCall("edit_file", {"path": "D:\\code\\auth.py", "limit": None}, "1")
    done = ToolResult("12 passed", "1")
    session.assistant("改好了 auth.py。", tool_calls=[edit], tool_results=[done])
    mind.attach("/in/cat.jpg", session=session.id, description="一只橘猫趴在沙发上")
    mind.drain()  # a worker thread does this between the messages
    assert mind.transcripts is not None
    (copy,) = mind.transcripts.glob("*.jsonl")
    lines = len(copy.read_text("utf-8").splitlines())
    show("A §4.5", "原文全部入库，另写一份 JSONL", f"{len(session.turns())} 轮，{lines} 行")
    (python,) = mind.memories(subject="Python", predicate="version")
    chain = " → ".join(str(one.value) for one in mind.history(python.id).versions)
    show("A §4.1", "更新而不是追加，取代链可查", chain)


def searched(mind: Mind, tool: str, **arguments: str) -> list[dict[str, Any]]:
    """What a tool of the model gives, as data."""
    results = call_tool(mind, tool, arguments).data["results"]
    assert isinstance(results, list)
    return [one for one in results if isinstance(one, dict)]


def in_the_prompt(mind: Mind, session: Session, clock: ManualClock) -> None:
    print("== 下午：极简的提示词，两级搜索")
    clock.advance(hours=5)
    pad = session.set_task("写本周的周报")
    done = "；".join(one.task for one in pad.completions)
    show("B §4", "当前任务与近期完成", f"{pad.focus}（近期完成：{done}）")
    prompt = mind.context("周报怎么写？", session=session.id)
    for name, tokens, size in (
        *((one.name, one.tokens, one.size) for one in prompt.sections),
        ("合计", prompt.tokens, prompt.budget),
    ):
        show("A §8.1", f"{name}，预算 {size}", "没有超" if tokens <= size else f"超了：{tokens}")
    dynamic = [one for one in prompt.sections if one.name == "evidence"]
    show("B §6", "动态记忆不自动注入", f"{len(dynamic)} 条")
    first = searched(mind, "search_memory", query="认证用什么方案", type="FACT")
    show("B §3", "第一级 search_memory(query)", first[0]["text"])
    second = searched(mind, "search_conversation_traces", keyword="auth.py")
    call = next(one["tool_calls"][0] for one in second if "tool_calls" in one)
    show("B §3", "第二级 search_conversation_traces(keyword)", f"{call['name']} {call['input']}")
    asked = "上次我发给你的那张猫的照片给我一下"
    found = call_tool(mind, "search_memory", {"query": asked}).text
    show("A §4.4", asked, re.findall(r"\S+\.jpg", found)[0])


def before_compression(mind: Mind) -> None:
    print("== 傍晚：上下文压缩之前")
    messages = [
        {"role": "user", "content": "我住在成都，这几天都在家里办公"},
        {"role": "assistant", "content": "好的。"},
    ]
    episode = mind.before_compression("im", messages)  # on_context_compressing
    learned = [memory.text for memory in mind.memories() if "成都" in memory.text]
    show("A §5.6", "先用规则提取，不调模型", learned)
    episode = mind.after_compression(episode.id, "用户住在成都，在家办公。")
    show("A §7.2", "摘要回填到压缩情节", episode.summary)


def night(mind: Mind, session: Session, clock: ManualClock) -> None:
    print("== 会话结束，凌晨 3:00 归纳")
    session.end()
    mind.drain()
    for memory in reversed(mind.memories(limit=50)):
        words = mind.words(memory)
        show("B §4", f"{words['type']} {words['priority']}", memory.text)
    (story,) = mind.episodes(session=session.id)
    linked = f"{story.outcome}，工具 {'、'.join(story.tools)}，关联记忆 {len(story.memories)} 条"
    show("A §7.3", "会话结束生成情节", f"{linked}，摘要 {len(story.summary)} 字")
    for word, habit in HABITS.items():
        for n in range(1, 7):
            mind.remember(habit.format(n), kind=word, importance=0.4)
    clock.set(NIGHT)
    report = mind.upkeep("daily")  # by itself where a worker runs
    show("B §7", "归纳各步", " → ".join(step.name for step in report.steps))
    assert mind.documents_folder is not None
    home = Path(mind.documents_folder)
    memory_md = re.sub(r" ?<!--.*?-->", "", (home / "MEMORY.md").read_text("utf-8"))
    listed = f"{len(memory_md)}（记忆共 {mind.stats().memories} 条）"
    show("A §7.4-4", "MEMORY.md，最多约 1500 字符", listed)
    entries = re.findall(r"(?m)^- (.+)$", memory_md)
    core = mind.context("你好", session="明天").text
    there = sum(entry in core for entry in entries)
    show("B §6", "Core Memory 就是 MEMORY.md", f"{there}/{len(entries)} 条在提示词里")
    user = (home / "USER.md").read_text("utf-8")
    show("A §6.3", "USER.md 按类别填充", "、".join(re.findall(r"(?m)^## (.+)$", user)))
    compiled = (path.name for path in (home / "compiled").iterdir())
    show("A §10.2", "compiled/", "、".join(sorted(compiled)))


def later(mind: Mind, clock: ManualClock) -> None:
    print("== 之后的日子")
    mind.remember("今天办公室很吵", kind="FACT", duration="TRANSIENT")
    before = {word: len(mind.memories(priority=word)) for word in ("TRANSIENT", "PERMANENT")}
    errors = len(mind.memories(kind="ERROR"))
    clock.advance(days=1, seconds=1)
    after = {word: len(mind.memories(priority=word)) for word in before}
    show("B §4", "TRANSIENT，1 天后", f"{before['TRANSIENT']} → {after['TRANSIENT']}")
    clock.advance(days=7)
    show("B §4", "ERROR，7 天后", f"{errors} → {len(mind.memories(kind='ERROR'))}")
    found = [hit for hit in mind.recall("教训是先备份", of="memory") if "备份" in hit.text]
    show("B §6", "过期的不会从搜索里回来", f"{len(found)} 条")
    last = len(mind.memories(priority="PERMANENT"))
    show("B §4", "PERMANENT，永不删除", f"{before['PERMANENT']} → {last}")


def main(folder: str) -> None:
    clock = ManualClock(MORNING)
    with mnemic.open(
        Path(folder) / "openakita.db",
        preset="openakita",
        clock=clock,
        worker="none",
        schedule__zone="Asia/Shanghai",
    ) as mind:
        session = mind.session("cli")
        by_day(mind, session)
        in_the_prompt(mind, session, clock)
        before_compression(mind)
        night(mind, session, clock)
        later(mind, clock)


with TemporaryDirectory() as place:
    main(place)
