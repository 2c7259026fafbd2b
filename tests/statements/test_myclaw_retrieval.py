"""Document D §4, §5, §10 and §12, lived through under the preset myclaw: tiers, gate, retrieval."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from mnemic import Mind
from tests.conftest import NOON, OpenMind

ASKED = "myclaw 的端口是什么？"


def profile(mind: Mind, many: int) -> None:
    for n in range(many):
        mind.remember(f"身份资料 {n}：住在第 {n} 号楼", kind="identity", importance=0.95)


@pytest.mark.statement("D57", "D62", "D63")
def test_tier_one_is_who_the_user_is_and_always_in_the_prompt(open_mind: OpenMind) -> None:
    mind = open_mind(preset="myclaw")
    profile(mind, 110)
    mind.remember("默认编辑器是 vim", kind="config", importance=0.4)
    for n in range(10):
        mind.remember(f"决定 {n}：项目 {n} 用数据库 {n}", kind="decision", importance=0.99)
    with mind.session("s") as session:
        session.user("今天天气很好")
    prompt = mind.context("好的", session="s")
    assert prompt.text.count("身份资料") == 100, "up to a hundred, the most important"
    assert "决定" not in prompt.text, "technical decisions are tier 2"
    assert "今天天气很好" in prompt.text, "tier 0"
    assert "决定 9" in mind.context("数据库用的是什么？", session="s").text, "tier 2"


@pytest.mark.statement("D63")
def test_config_is_tier_one_whatever_its_importance(open_mind: OpenMind) -> None:
    """Better: a credential belongs to tier 1 too, but its secret is never put into a prompt."""
    mind = open_mind(preset="myclaw")
    mind.remember("默认编辑器是 vim", kind="config", importance=0.3)
    mind.remember("hunter2hunter2", kind="credential", subject="GitLab", importance=1.0)
    text = mind.context("好的", session="s").text
    assert "vim" in text
    assert "hunter2" not in text


@pytest.mark.statement("D75", "D77")
def test_the_gate_has_the_documents_triggers_and_its_length_in_bytes(open_mind: OpenMind) -> None:
    mind = open_mind(preset="myclaw")
    mind.remember("端口是 8080", kind="fact", project="myclaw")
    passing = (
        "我的 我之前 你记得 上次 之前 昨天 喜欢 设置 配置 密码 什么 怎么 为什么 myclaw"
        " 部署一共多少次？ 部署出错了吗？ 测试成功了吗？ 测试覆盖率是多少？"
        " 设计稿在哪里？ 写完了吗？"
        " 把手怎么装？ 将来怎么办？"
    ).split()
    passing += ["build passing?", "open issues?", "check status?", "update available?"]
    assert [text for text in passing if not mind.gate(text).wants] == []
    skipped = "ok? 好 继续 好的 确认 ok yes no 帮我写个函数 翻译这段话 测试一下这个函数".split()
    assert [text for text in skipped if mind.gate(text).wants] == []


@pytest.mark.statement("D81", "D82", "D84")
def test_only_tier_two_is_searched_and_only_what_is_shown_is_used(open_mind: OpenMind) -> None:
    mind = open_mind(preset="myclaw")
    with mind.session("talk") as session:
        for text in ("端口的风景也好", "我在看端口的电影", "端口端口", "说到端口就困", "端口开了"):
            session.user(text)
    mind.remember("myclaw 的端口是 8080", kind="fact", importance=0.3, project="myclaw")
    profile(mind, 12)
    for n in range(7):
        mind.remember(
            f"myclaw 的端口备选：{8081 + n}", kind="fact", importance=0.2, project="myclaw"
        )
    assert {hit.type for hit in mind.recall(ASKED)} == {"memory"}, "no raw turns"
    assert "身份" not in str([hit.text for hit in mind.recall(ASKED)]), "tier 1 takes no place"
    mind.drain()
    before = {memory.id: memory.access_count for memory in mind.memories()}
    context = mind.context(ASKED, session="new")
    assert "8080" in context.text
    shown = {id_ for use in context.sections if use.name == "evidence" for id_ in use.ids}
    mind.drain()
    used = {m.id for m in mind.memories() if m.access_count > before[m.id]}
    assert used == shown
    assert len(shown) == 5


@pytest.mark.statement("D105")
def test_agents_and_soul_go_in_whole(open_mind: OpenMind) -> None:
    mind = open_mind(preset="myclaw")
    assert mind.documents_folder is not None
    folder = Path(mind.documents_folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, word in (("AGENTS.md", "规则"), ("SOUL.md", "灵魂")):
        lines = "\n".join(f"- {word}第 {n} 条：永远不要做第 {n} 件坏事" for n in range(40))
        (folder / name).write_text(f"# {word}\n\n{lines}\n")
    text = mind.context("好的", session="s").text
    assert (text.count("规则第"), text.count("灵魂第")) == (40, 40)


@pytest.mark.statement("D111")
@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["plain", "as Windows writes"])
def test_off_all_of_memory_md_and_seven_days_of_logs_are_in_the_prompt(
    open_mind: OpenMind, tmp_path: Path, ends: str
) -> None:
    """Better: what is put into the prompt is fenced as data, and keeps a budget that is given."""
    folder = tmp_path / "memory"
    folder.mkdir()
    lines = "\n".join(f"- 事实 {n}：第 {n} 个偏好" for n in range(100))
    free = "我在杭州长大，\n后来搬到了北京。"
    (folder / "MEMORY.md").write_text(f"# 长期记忆\n\n{lines}\n\n{free}\n", newline=ends)
    for back in range(10):
        day = (NOON - timedelta(days=back)).date()
        log = f"# {day}\n\n修好了第 {back} 根水管。\n\n- 去超市\n"
        (folder / f"{day}.md").write_text(log, newline=ends)
    mind = open_mind(tmp_path / "memory.db", preset="myclaw", memory={"enabled": False})
    with mind.session("now") as session:
        session.user("今天开始学滑雪")
    text = mind.context("好的", session="later").text
    assert all(f"事实 {n}：" in text for n in range(100))
    assert "我在杭州长大" in text
    assert "后来搬到了北京" in text
    assert [n for n in range(10) if f"第 {n} 根水管" in text] == list(range(7)), "seven days"
    assert "今天开始学滑雪" in text
    assert "第 3 根水管" in mind.recall("第 3 根水管修好了吗")[0].text
    assert mind.context("好的", budget=500).tokens <= 500
    (folder / f"{NOON.date()}.md").write_text("改成了别的内容。\n")
    assert mind.recall("别的内容")[0].text == "改成了别的内容。"
    assert "第 0 根" not in mind.context("好的").text
