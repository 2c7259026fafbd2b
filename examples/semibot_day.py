"""semibot 的一天一夜（preset semibot；文档 E）：短期记忆、沉淀器、长期记忆。

不用模型，不用网络，每次输出都一样。向量由一个小类给出：真正的 EmbeddingProvider 也是这样接入。
Each line: the section of the document, what it promises, and what the engine really did.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

import mnemic
from mnemic import Event, Mind
from mnemic.clock import ManualClock

MORNING = datetime(2026, 2, 26, 1, tzinfo=UTC)  # 09:00 in Shanghai, the day of document E
NOTICE = {
    "event": "memory.write.important",
    "when": ["importance >= 0.8"],
    "actions": ["call:notice"],
}


class CharacterPairs:
    """An embedding provider (E §9): how often each pair of characters occurs in a text."""

    name, dimensions = "character-pairs", 512

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> list[float]:
        row = [0.01] * self.dimensions
        for pair in pairwise(text):
            row[crc32("".join(pair).encode()) % self.dimensions] += 1.0
        return row


def show(section: str, promise: str, seen: object) -> None:
    print(f"{section:<8}{promise}：{seen}")


def short_term(mind: Mind) -> None:
    print("== 上午：短期记忆")
    session = mind.session("讨论")
    for n in range(1, 61):
        session.user(f"第 {n} 条消息，关于记忆系统的设计")
    show("E §4.1", "get_recent(limit=50)", f"{len(session.recent())} 条")
    window = session.window()
    show("E §4.1", "get_context_window(8000)", f"{len(window.turns)} 条，{window.tokens} tokens")
    small = session.window(200)
    kept = f"第 {small.turns[0].index + 1} 到 60 条，{small.tokens} tokens"
    show("E §4.1", "预算 200：从最近往前取", kept)
    session.clear()
    show("E §4.1", "clear 之后", f"{len(session.recent())} 条，账本里 {len(session.turns())} 条")


def consolidation(mind: Mind, noticed: list[Event]) -> None:
    print("== 下午：会话结束，规则触发沉淀")
    with mind.session("太短") as short:
        short.user("我们用 MySQL 8。")
        short.assistant("好的。")
    mind.drain()
    show("E §6.1", "不到 3 条消息的会话", f"沉淀 {len(mind.memories())} 条")
    with mind.session("周四") as session:
        session.user("我们用 PostgreSQL 16。API 前缀是 /api/v2。")
        session.assistant("好的。")
        session.user("禁止使用 any 类型。我喜欢代码注释用中文。用 pytest 测试更可靠。")
    mind.drain()
    for memory in sorted(mind.memories(), key=lambda one: one.text):
        promise = f"{mind.words(memory)['category']} {memory.importance}"
        show("E §3.2", promise, f"{memory.text}（来自会话 {memory.sources[0].session}）")
    told = "、".join(sorted(str(event.payload["category"]) for event in noticed))
    show("E §11.2", "memory.write.important", f"{len(noticed)} 次（{told}）")


def long_term(mind: Mind, clock: ManualClock) -> None:
    print("== 30 天后：长期记忆")
    clock.advance(days=30)
    question = "API 前缀是什么？"
    best, *_ = hits = mind.recall(question)
    types = "、".join({hit.type for hit in hits})
    show("E §5.1", "limit=5，只搜长期记忆", f"{len(hits)} 条，{types}")
    part = best.why.parts
    terms = (part["vector"], best.importance, part["recency"])
    written = " + ".join(
        f"{weight} × {value:.3f}" for weight, value in zip((0.6, 0.25, 0.15), terms, strict=True)
    )
    show("E §5.2", f"{written} =", f"{best.score:.3f} {best.text}")
    mind.drain()
    fresh = mind.recall(question)[0].why.parts["recency"]
    show("E §5.1", "被检索到就重新变新", f"{part['recency']:.2f} → {fresh:.2f}")
    heavy = [hit.text for hit in mind.recall(question, min_importance=0.9)]
    show("E §5.1", "min_importance=0.9", heavy)


def in_the_context(mind: Mind) -> None:
    print("== build_context")
    session = mind.session("新会话")
    session.user("继续上次的工作")
    for model in ("gpt-4o", "没听说过的模型"):
        context = mind.context("我们用什么数据库？", session=session.id, model=model)
        window = context.budget + context.reply
        size = {one.name: round(100 * one.size / window) for one in context.sections}
        reply = round(100 * context.reply / window)
        shares = f"长期 {size['evidence']}%，短期 {size['recent']}%，预留 {reply}%"
        show("E §4.3", f"{model}，窗口 {window}", shares)
    context = mind.context("我们用什么数据库？", session=session.id)
    given = f"{len(context.recent)} 条消息，{len(context.memories)} 条记忆"
    show("E §7", "recent_messages，relevant_memories", f"{given}，其中 {context.memories[0]}")


def night(mind: Mind, clock: ManualClock) -> None:
    print("== 夜里：重复的并入原来的，只看容量")
    with mind.session("又说一遍") as session:
        session.user("API 前缀是 /api/v2。")
        session.assistant("知道了。")
        session.user("好。")
    before = len(mind.memories())
    mind.drain()
    show("E §6.1", "相似度 > 0.9 视为重复", f"{before} → {len(mind.memories())} 条")
    clock.advance(days=1)
    report = mind.upkeep("daily")
    show("E §10.1", "维护", "、".join(step.name for step in report.steps))
    counts = "，".join(f"{word} {many}" for word, many in sorted(mind.stats().by_kind.items()))
    show("E §10.2", "stats", f"总记忆数 {mind.stats().memories}：{counts}")


def main(folder: str) -> None:
    clock = ManualClock(MORNING)
    noticed: list[Event] = []
    with mnemic.open(
        Path(folder) / "semibot.db",
        preset="semibot",
        clock=clock,
        worker="none",
        embedder=CharacterPairs(),
        actions={"notice": noticed.append},
        events={"rules": {"announce_important_memory": NOTICE}},
        schedule__zone="Asia/Shanghai",
    ) as mind:
        short_term(mind)
        consolidation(mind, noticed)
        long_term(mind, clock)
        in_the_context(mind)
        night(mind, clock)


with TemporaryDirectory() as place:
    main(place)
