"""myclaw 的一天、一夜和一个周一（preset myclaw；文档 D）：四层记忆。不用网络，每次输出都一样。

Each line: the section of the document, what it promises, and what the engine really did; lines
with ``[memory]`` are the engine's own log. Extraction and compression are a model's work in this
document, so a scripted one stands in here: any object with ``name`` and ``complete`` does.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import mnemic
from mnemic import Message, Mind
from mnemic.clock import ManualClock

WEDNESDAY = datetime(2026, 2, 11, 1, tzinfo=UTC)  # 09:00 in Shanghai, the day of document D
THURSDAY_AT_3 = datetime(2026, 2, 11, 19, tzinfo=UTC)
MONDAY_AT_4 = datetime(2026, 2, 15, 20, tzinfo=UTC)
FACTS = {  # the words of a message, and what a model learns from it (D §4.2, §6.4)
    "全栈工程师": ("用户名 yangyang，全栈工程师", "identity", 1.0, "", ""),
    "英文术语": ("回复用中文，技术讨论用英文术语", "config", 1.0, "", ""),
    "SQLite": ("myclaw 决定用 SQLite 存记忆", "decision", 0.8, "myclaw", "architecture"),
    "断开重连": ("重启网关可以解决 Telegram 断开重连", "solution", 0.8, "myclaw", "debugging"),
    "18790": ("调试时网关临时用 18790 端口", "debug", 0.2, "myclaw", "debugging"),
}
SUMMARY = "讨论 myclaw 的记忆存储，决定用 SQLite，数据库放在 ~/.myclaw/data/memory.db。"
STORED = "数据库放在 ~/.myclaw/data/memory.db"
NGINX = [f"nginx 在第 {n} 台服务器上监听 {8000 + n} 端口" for n in range(1, 11)]
FEWER = "nginx 在第 1 到 10 台服务器上监听 8001 到 8010 端口"
MEMORY_MD = "# 长期记忆\n\n- 主力: Go 1.24\n- 活跃项目: myclaw (Go), stellarlink (React)\n"
LOG = "修好了家里的路由器，\n密码没有换。\n"  # what a person wrote into a dated file
PROFILE = "yangyang 是全栈工程师，主力是 Go"


class MemoryModel:
    """The calls of D §11.1: Extract, Compress (of a day, of a partition), UpdateProfile."""

    name = "scripted"

    def complete(
        self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None
    ) -> str:
        task, material = messages[0].content, messages[-1].content
        answer: dict[str, Any]
        if '"entries"' in task:
            who = [*numbers(material, "yangyang"), *numbers(material, "Go")]
            answer = {"entries": [{"content": PROFILE, "kind": "identity", "from": who}]}
        elif '"from"' in task:
            made = {"content": FEWER, "kind": "decision", "importance": 0.6}
            answer = {"facts": [{**made, "from": numbers(material, "nginx")}]}
        elif "事件日志" in task:
            place = {"project": "myclaw", "topic": "storage"}
            fact = {"content": STORED, "kind": "decision", "importance": 0.8}
            answer = {"facts": [{**fact, **place}]}
        else:
            answer = {"facts": [*facts(material)], "summary": SUMMARY}
        return json.dumps(answer, ensure_ascii=False)


def facts(material: str) -> Iterator[dict[str, Any]]:
    names = ("content", "category", "importance", "project", "topic")
    for words, values in FACTS.items():
        if turns := numbers(material, words):
            yield {**dict(zip(names, values, strict=True)), "turns": turns}


def numbers(material: str, words: str) -> list[int]:
    """The numbers in brackets of the lines that hold these words."""
    lines = [line for line in material.splitlines() if words in line]
    return [int(found[1]) for line in lines if (found := re.match(r"\[(\d+)\]", line))]


def show(section: str, promise: str, seen: object) -> None:
    print(f"{section:<8}{promise}：{seen}")


def migrated(mind: Mind) -> None:
    print("== 启用：旧的 MEMORY.md 迁移进来")
    for old in sorted(mind.memories(origin="migration"), key=lambda one: one.text):
        kept = f"{mind.words(old)['category']}，{old.importance}，{old.topic}"
        show("D §12.2", "每行一条，identity，1.0，_profile", f"{old.text}（{kept}）")


def by_day(mind: Mind, clock: ManualClock) -> None:
    print("== 白天：消息进缓冲区，静默 3 分钟后提取")
    for text in (
        "我是 yangyang，全栈工程师。回复用中文，技术讨论用英文术语。",
        "myclaw 的记忆我决定用 SQLite 存。",
        "Telegram 断开重连的问题，重启网关就好了。调试时网关临时用 18790 端口。",
    ):
        mind.record(session="tg", role="user", text=text, channel="telegram", sender="yangyang")
        mind.record(session="tg", role="assistant", text="好的。", channel="telegram")
    clock.advance(minutes=2, seconds=59)
    mind.drain()
    early = len(mind.memories(origin="extraction"))
    clock.advance(seconds=1)
    mind.drain()
    learned = mind.memories(origin="extraction")
    show("D §6.2", "静默 2 分 59 秒，3 分钟", f"{early} 条，{len(learned)} 条")
    for one in learned:
        place = f"{one.project}/{one.topic}"
        show("D §3.2", f"{mind.words(one)['category']} {one.importance} {place}", one.text)
    (event,) = mind.daily_events(day=WEDNESDAY.date())
    show("D §4.4", "Tier 3 事件", f"{event.channel}，{event.sender}，{event.summary}")
    show("D §6.4", "摘要不超过 200 字", len(event.summary))


def reading(mind: Mind) -> None:
    print("== 检索")
    for text in ("我之前说用什么数据库？", "帮我写个函数", "继续"):
        show("D §5.1", text, "检索" if mind.gate(text).wants else "跳过")
    prompt = mind.context("myclaw 的记忆用什么存？", session="新会话")
    heading = re.findall("(?m)^# .+$", prompt.messages[0].content)
    show("D §10.4", "system prompt 里的标题", "、".join(heading))
    sections = {one.name: [mind.get(id_) for id_ in one.ids] for one in prompt.sections}
    for tier, name in (("Tier 1，永驻", "core"), ("Tier 2，最多 5 条", "evidence")):
        for memory in sections[name]:
            show("D §5.3", tier, f"{mind.words(memory)['category']} {memory.text}")


def night(mind: Mind, clock: ManualClock) -> None:
    print("== 03:00 日压缩")
    clock.set(THURSDAY_AT_3)
    mind.drain()
    for memory in mind.memories(origin="compression"):
        show("D §7.2", "Tier 3 → Tier 2", f"{memory.text}（{memory.project}/{memory.topic}）")
    waiting = [event for event in mind.daily_events() if not event.compressed]
    show("D §4.4", "还没压缩的事件", len(waiting))


def monday(mind: Mind, clock: ManualClock) -> None:
    print("== 周一 04:00 周深度压缩")
    for text in NGINX:
        mind.remember(text, kind="decision", project="myclaw", topic="deployment")
    clock.set(MONDAY_AT_4)
    mind.drain()
    (entry,) = mind.memories(project="myclaw", topic="deployment")
    show("D §7.3", "10 条以上的分区合并", f"{len(NGINX)} → 1，{entry.text}")
    old = [one for one in mind.history(entry.id).versions if one.status == "archived"]
    show("D §7.3", "旧条目归档，可撤销", f"{len(old)} 条")
    (profile,) = (one for one in mind.memories(topic="_profile") if one.text == PROFILE)
    kept = f"tier {profile.tier}，{profile.importance}，{mind.words(profile)['source']}"
    show("D §7.3", "画像由模型重写", f"{profile.text}（{kept}）")


def fading(mind: Mind, clock: ManualClock) -> None:
    print("== 分类衰减：30 天没有用到")
    for category in ("decision", "event", "debug"):
        mind.remember(f"海棠计划的 {category} 记录", kind=category, importance=1.0, project="海棠")
    clock.advance(days=30)
    for hit in mind.recall("海棠计划的记录有什么？", project="海棠", limit=3):
        show("D §8.2", f"{hit.text}，1.0 变为", f"{hit.score:.3f}")
    mind.drain()
    again = mind.recall("海棠计划的记录有什么？", project="海棠", limit=3)
    show("D §8.4", "用过就重新记牢", f"{again[0].score:.3f}")


def switched_off(folder: Path, clock: ManualClock) -> None:
    print("== memory.enabled = false")
    (folder / "memory" / f"{clock.now():%Y-%m-%d}.md").write_text(LOG, "utf-8")
    with mnemic.open(
        folder / "memory.db", preset="myclaw", clock=clock, worker="none", memory__enabled=False
    ) as mind:
        text = mind.context("好的", session="关闭之后").text
    for name, written in (("MEMORY.md", MEMORY_MD), ("七天内的日志", LOG)):
        lines = [line.strip("- ") for line in written.splitlines() if line.strip("# 长期记忆")]
        there = sum(line in text for line in lines)
        show("D §12.3", f"退回文件方案，{name} 进提示词", f"{there}/{len(lines)} 行")


def main(folder: Path) -> None:
    log = logging.getLogger("mnemic")
    log.setLevel(logging.INFO)
    log.addHandler(logging.StreamHandler(sys.stdout))
    (folder / "memory").mkdir()
    (folder / "memory" / "MEMORY.md").write_text(MEMORY_MD, "utf-8")
    clock = ManualClock(WEDNESDAY)
    with mnemic.open(
        folder / "memory.db",
        preset="myclaw",
        clock=clock,
        worker="none",
        model=MemoryModel(),
        memory__language="zh",
        schedule__zone="Asia/Shanghai",
    ) as mind:
        migrated(mind)
        by_day(mind, clock)
        reading(mind)
        night(mind, clock)
        monday(mind, clock)
        fading(mind, clock)
    switched_off(folder, clock)


with TemporaryDirectory() as place:
    main(Path(place))
