"""OpenAkita: MEMORY.md, USER.md, the compiled cards and the daily report."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mnemic import Candidate
from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.providers.scripted import Scripted, status
from tests.statements.model_server import answer, settings

KINDS = ("identity", "preference", "rule", "config", "fact", "decision", "skill", "lesson")
NO_WORK = {"daily": ("documents", "identity")}


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


@pytest.mark.statement("A94")
def test_memory_md_has_about_1500_characters_for_its_reader(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    mind = open_mind(preset="openakita", upkeep=NO_WORK)
    for kind in KINDS:
        for n in range(6):
            text = f"关于{kind}的第{n}条记忆，写得足够长，这样一千五百个字符就放不下所有的内容了"
            mind.remember(text, kind=kind)
    mind.upkeep("daily")
    written = read(tmp_path / "identity" / "MEMORY.md")
    visible = re.sub(r" ?<!--.*?-->", "", written)
    assert 1400 <= len(visible) <= 1500
    assert len(written) > 1500, "ids are not counted"


@pytest.mark.statement("A96")
def test_placeholders_of_the_template_are_nothing(open_mind: OpenMind, tmp_path: Path) -> None:
    home = tmp_path / "identity"
    home.mkdir()
    template = (
        "# 用户\n\n## 基本信息\n\n- 称呼: [待学习]\n- 时区：待补充\n\n## 技术栈\n\n- [待学习]\n\n"
        "## 偏好\n\n- Style: TBD\n- 过敏：无\n"
    )
    (home / "USER.md").write_text(template, encoding="utf-8")
    mind = open_mind(preset="openakita", upkeep=NO_WORK)
    mind.upkeep("daily")
    assert [memory.text for memory in mind.memories()] == ["过敏：无"], "an answer is one"
    assert "称呼: [待学习]" in read(home / "USER.md"), "what a person wrote stays"
    prompt = mind.context("你好，今天做什么？").text
    assert not any(word in prompt for word in ("待学习", "待补充", "TBD"))
    mind.remember("用户叫小林", kind="identity", subject="user", predicate="name", value="小林")
    mind.upkeep("daily")
    user = read(home / "USER.md")
    assert "小林" in user
    assert "称呼: [待学习]" not in user, "filled, the section needs none"
    assert "- [待学习]" in user, "another section is still empty"


@pytest.mark.statement("A97")
def test_an_empty_profile_has_no_card_no_call_and_no_heading(
    open_mind: OpenMind, tmp_path: Path
) -> None:
    with Scripted() as server:
        server.always(answer("（没有任何已知信息）"))
        mind = open_mind(preset="openakita", **settings(server, upkeep=NO_WORK))
        mind.record(session="s", role="assistant", text="你好")
        mind.upkeep("daily")
        assert read(tmp_path / "identity" / "USER.md").strip() in ("# User", "# 用户")
        assert server.asked == [], "there is nothing to shorten"
        home = tmp_path / "identity"
        (home / "personas").mkdir(exist_ok=True)
        (home / "personas" / "user_custom.md").write_text("# 人设\n", encoding="utf-8")
        (home / "USER.md").write_text("# 用户\n\n随便写的一句话。\n", encoding="utf-8")
        mind.upkeep("daily")
        assert len(server.asked) == 1
        prompt = mind.context("你好，今天做什么？").text
    assert "没有任何已知信息" not in prompt
    assert not any(heading in prompt for heading in ("关于用户", "人设", "# 用户"))
    assert not (tmp_path / "identity" / "compiled" / "user.summary.md").exists()


@pytest.mark.statement("A99")
@pytest.mark.parametrize(
    ("soul", "agent"),
    [
        ("# 灵魂\n\n- 绝不虚报结果。\n", "- 先读懂任务。\n\n## 工具\n\n- 优先专用工具。\n"),
        (
            "# Soul\n\n- Never report what was not done.\n",
            "- Read the task first.\n\n## Tools\n\n- Prefer the special tool.\n",
        ),
    ],
    ids=["zh", "en"],
)
def test_the_compiled_folder_has_the_documents_names(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path, soul: str, agent: str
) -> None:
    home = tmp_path / "identity"
    home.mkdir()
    (home / "SOUL.md").write_text(soul, encoding="utf-8")
    (home / "AGENT.md").write_text(agent, encoding="utf-8")
    mind = open_mind(preset="openakita", upkeep=NO_WORK)
    mind.remember("用户叫小林", kind="identity", subject="user", predicate="name", value="小林")
    mind.remember("说话简短", kind="trait", confidence=0.95)
    mind.upkeep("daily")
    compiled = {path.name: read(path) for path in (home / "compiled").iterdir()}
    assert set(compiled) == {
        ".compiled_at", "soul.summary.md", "agent.core.md", "agent.tooling.md", "user.summary.md",
        "persona.custom.md",
    }  # fmt: skip
    assert "说话简短" in compiled["persona.custom.md"]
    assert "<!--" not in compiled["persona.custom.md"]
    assert compiled[".compiled_at"].startswith("2026-02-12T12:00")
    prompt = mind.context("你好，今天做什么？").text
    assert "说话简短" in prompt
    clock.advance(days=1)
    mind.upkeep("daily")
    assert read(home / "compiled" / ".compiled_at") == compiled[".compiled_at"], "nothing changed"


@pytest.mark.statement("A108")
@pytest.mark.parametrize("chinese", [True, False])
def test_the_daily_report_is_in_the_users_language_and_names_what_waits(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path, chinese: bool
) -> None:
    with Scripted() as server:
        server.always(status(400))
        given = settings(server, jobs={"max_attempts": 1})
        mind = open_mind(preset="openakita", **given)
        text = "Every morning I run along the lake before I go to the office, weekends too"
        if chinese:
            text = "我每天早上都去西湖边跑步，跑完再去公司上班，周末也是这样，已经坚持了三年多了"
        mind.record(session="s", role="user", text=text)
        mind.drain()
        offer = "也许对花生过敏" if chinese else "Perhaps allergic to peanuts"
        mind.propose(Candidate(kind="fact", text=offer, trust="external"))
        passing = "今天办公室很吵" if chinese else "The office is loud today"
        mind.remember(passing, kind="temp", expires_at=clock.now().replace(hour=13))
        clock.advance(days=1)
        mind.upkeep("daily")
    report = read(tmp_path / "daily_summaries" / "2026-02-13.md")
    assert offer in report
    assert passing in report
    dead, waits = (
        ("失败的任务：extract s", "待确认：") if chinese else ("dead job: extract s", "pending: ")
    )
    assert dead in report
    assert waits in report
    english = re.findall(r"(?m)^## [a-z]|its time ended|nothing to do", report)
    assert bool(english) is not chinese, report
    assert ("已于 2026-02-12 到期" in report) is chinese
