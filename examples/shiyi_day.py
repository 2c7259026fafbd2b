"""Shiyi（十一）的一天一夜（preset shiyi；文档 C）：三层漏斗、身份引导、内联确认。

不用模型，不用网络，每次输出都一样（按文档的 MVP：FTS5 先行，没有向量）。
Each line: the section of the document, what it promises, and what the engine really did.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import mnemic
from mnemic import Candidate, Mind
from mnemic.clock import ManualClock

MORNING = datetime(2026, 2, 12, 1, tzinfo=UTC)  # 09:00 in Shanghai, the day of document C
NIGHT = datetime(2026, 2, 14, 19, tzinfo=UTC)  # 03:00 there, two days later
ANSWERS = ("十一，一个可靠的搭档", "简洁", "涉及删除时先问", "不泄露隐私", "先给结论",
           "阿青", "后端工程师", "Python 和 SQLite", "先讨论方案再写代码")  # fmt: skip
OFFERED = (("喜欢先看结论", 0.85), ("喜欢深色主题", 0.84), ("喜欢爵士乐", 0.70),
           ("喜欢骑车上班", 0.60), ("喜欢早睡", 0.59))  # fmt: skip


def show(section: str, promise: str, seen: object) -> None:
    print(f"{section:<8}{promise}：{seen}")


def document(mind: Mind, name: str) -> str:
    """A document as a person sees it, without the ids in its comments."""
    assert mind.documents_folder is not None
    text = (Path(mind.documents_folder) / name).read_text("utf-8")
    return re.sub(r" ?<!--.*?-->", "", text)


def onboarding(mind: Mind) -> None:
    print("== 第一次对话：身份引导")
    state = mind.onboarding(begin=True)
    show("C §3", "先问", state.text.splitlines()[-1])
    for answer in ANSWERS:
        state = mind.onboard(answer)
    show("C §3", "九问之后给出摘要，可以确认或修改", "- 称呼: 阿青" in state.text)
    mind.onboard("确认")
    mind.drain()
    for name in ("system/ShiYi.md", "shared/User.md"):
        first = re.findall(r"(?m)^- (.+)$", document(mind, name))[0]
        show("C §3", f"写入 {name}", first)
    show("C §3", "identity_confirmed，不再问", mind.onboarding().done)


def by_day(mind: Mind, clock: ManualClock) -> None:
    print("== 白天：每轮之后写入")
    session = mind.session("周四")
    session.user("我住在杭州。禁止直接删除文件。")
    session.assistant("好的。")
    mind.drain()
    there = "杭州" in document(mind, "shared/User.md")
    show("C §6.4", "这一轮之后 User.md 里有杭州", there)
    for memory in sorted(mind.memories(), key=lambda one: one.text):
        if memory.sources:
            words = mind.words(memory)
            show("C §4", f"scope {words['scope']}，fact_type {words['fact_type']}", memory.text)
    for content, confidence in OFFERED:
        decided = mind.propose(Candidate("preference", content, confidence=confidence))
        show("C §6.2", f"置信度 {confidence:.2f}", f"{decided.outcome} {content}")
    yes, no, later = mind.context("在吗", session=session.id).pending
    show("C §7", "回复末尾附最多 3 条", "、".join(one.text for one in (yes, no, later)))
    mind.confirm(yes.id)
    mind.ignore(no.id)
    until = mind.snooze(later.id).snoozed_until
    mind.drain()
    there = yes.text in document(mind, "shared/User.md")
    show("C §7", f"确认 {yes.text}", f"{mind.get(yes.id).status}，User.md 里有：{there}")
    show("C §7", f"忽略 {no.text}", mind.get(no.id).status)
    show("C §7", f"稍后 {later.text}", f"cooldown_until {until:%Y-%m-%d}")
    rates = mind.metrics()
    show("C §9", "confirmed / pending", f"{rates.confirmed_of_pending:.2f}")
    show("C §9", "rejected / confirmed", f"{rates.refused_of_confirmed:.2f}")
    twice = [mind.remember("服务器在上海", kind="fact", operation_id="op-1").id for _ in range(2)]
    show("C §8", "同一个 operation_id 写两次", f"{len({*twice})} 条")
    for text in ("今天部署了支付服务到线上", "今天写了周报"):
        session.user(text)
    clock.advance(days=2)
    session.user("今天部署了网关服务到线上")
    mind.drain()


def reading(mind: Mind) -> None:
    print("== 读取编排")
    for text in (
        "上次的方案再发一遍",
        "2026年2月12日我做了什么？",
        "为什么天是蓝的？",
        "帮我写首诗",
    ):
        show("C §5.3", text, "触发长期检索" if mind.gate(text).wants else "不检索")
    dated = mind.recall("2026年2月12日我做了什么？", of="turn", limit=3)
    days = {f"{hit.at:%Y-%m-%d}" for hit in dated}
    show("C §5.5", "按日期精确查询", f"{'、'.join(days)} 的 {len(dated)} 条")
    for question in ("一共部署了多少次？", "最后一次部署是什么时候？"):
        prompt = mind.context(question, session="新会话")
        line = re.findall(r"(?m)^- (.*提到“部署”.*)$", prompt.text)[0]
        show("C §5.5", question, line)
    prompt = mind.context("上次部署了什么？", session="周四")
    for name, tokens, size in (
        *((one.name, one.tokens, one.size) for one in prompt.sections),
        (f"4000 减去预留的 {prompt.reply}", prompt.tokens, prompt.budget),
    ):
        show("C §5", f"{name}，预算 {size}", "没有超" if tokens <= size else f"超了：{tokens}")


def metabolism(mind: Mind, clock: ManualClock) -> None:
    print("== 夜里：代谢")
    for n in range(101):
        mind.remember(f"完成了记忆系统的第 {n} 个模块", kind="decision", project="shiyi")
    for n in range(11):
        mind.remember(f"先写测试再改第 {n} 个模块更稳", kind="experience", scope="insight")
    clock.set(NIGHT)
    mind.upkeep("daily")
    user, project, insights = (
        document(mind, f"shared/{name}.md") for name in ("User", "Project", "Insights")
    )
    show("C §6", "User.md，最多 2048 字节", len(user.encode()))
    show("C §6", "Project.md，超过 100 行就滚动归档", f"{len(project.splitlines())} 行")
    show("C §6", "Insights.md，只保 10 条", len(re.findall(r"(?m)^- ", insights)))


def main(folder: str) -> None:
    clock = ManualClock(MORNING)
    with mnemic.open(
        Path(folder) / "shiyi.db",
        preset="shiyi",
        clock=clock,
        worker="none",
        memory__language="zh",
        embedding__provider="none",
        schedule__zone="Asia/Shanghai",
    ) as mind:
        onboarding(mind)
        by_day(mind, clock)
        reading(mind)
        metabolism(mind, clock)


with TemporaryDirectory() as place:
    main(place)
