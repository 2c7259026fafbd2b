"""OpenAkita, what was true from the start: the night, its documents, and the data folder."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from tests.cli.conftest import Shell, db, shell
from tests.conftest import NOON, OpenMind
from tests.learning import thinking
from tests.providers.scripted import Asked, Scripted, reply
from tests.providers.speaking import says
from tests.remote import server

__all__ = ["db", "server", "shell"]


@pytest.fixture
def mind(open_mind: OpenMind) -> Mind:
    return open_mind(preset="openakita", schedule={"zone": "UTC"})


def bullets(file: Path) -> list[str]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("- ").split(" <!--")[0] for line in lines if line.startswith("- ")]


@pytest.mark.statement("A93")
@pytest.mark.parametrize("order", [1, -1], ids=["the best first", "the best last"])
def test_the_best_by_importance_and_recency_five_per_kind(
    mind: Mind, clock: ManualClock, tmp_path: Path, order: int
) -> None:
    clock.set(NOON - timedelta(days=90))
    mind.remember("旧的偏好", kind="preference", importance=0.9)
    clock.set(NOON)
    for n in range(7)[::order]:
        mind.remember(f"偏好第 {n} 种茶", kind="preference", importance=0.8 - n / 50)
        mind.remember(f"规则第 {n} 条", kind="rule", importance=0.9 - n / 50)
    mind.upkeep("daily")
    listed = bullets(tmp_path / "identity" / "MEMORY.md")
    assert [text for text in listed if "偏好" in text] == [f"偏好第 {n} 种茶" for n in range(5)]
    assert [text for text in listed if "规则" in text] == [f"规则第 {n} 条" for n in range(5)]


@pytest.mark.statement("A95", "A101")
def test_the_users_file_by_category_and_by_hand(mind: Mind, tmp_path: Path) -> None:
    """Better: an edit is a new version, free text stays, and a deleted line is asked about."""
    mind.remember("用户叫小林", kind="identity", subject="用户", predicate="姓名", value="小林")
    mind.remember(
        "用户的技术栈是 Go 和 TypeScript", kind="fact", subject="用户", predicate="技术栈"
    )
    mind.remember(
        "用户的操作系统是 Windows 11", kind="config", subject="用户", predicate="操作系统"
    )
    mind.remember("用户喜欢简短的回答", kind="preference", subject="用户", predicate="偏好")
    mind.remember("用户的活跃项目是 OpenAkita", kind="fact", subject="用户", predicate="项目")
    mind.upkeep("daily")
    file = tmp_path / "identity" / "USER.md"
    text = file.read_text(encoding="utf-8")
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert len(headings) == 5
    assert len(bullets(file)) == 5
    edited = text.replace("简短的回答", "详细的回答") + "\n我自己写的一段话。\n"
    kept = [line for line in edited.splitlines() if "Windows 11" not in line]
    file.write_text("\n".join(kept) + "\n", encoding="utf-8")
    mind.upkeep("daily")
    (changed,) = [one for one in mind.memories() if "详细的回答" in one.text]
    assert [one.text for one in mind.history(changed.id).versions] == [
        "用户喜欢简短的回答",
        "用户喜欢详细的回答",
    ]
    assert changed.trust == "owner"
    assert [question.memory.text for question in mind.questions()] == [
        "用户的操作系统是 Windows 11"
    ]
    assert "我自己写的一段话。" in file.read_text(encoding="utf-8")


LONG_LINE = (
    "- 对不能撤销的事要格外小心，哪怕说清楚这一点的句子很长很长也一样，"
    "因为一个长句子里也可能藏着一条核心原则，把它剪掉就等于把这条原则丢掉了。"
)
SOUL = f"""# Soul
<!-- 手动维护
- 不要这一行
-->
很久以前有一只小狐狸，想帮助森林里的每一个人。
- 诚实：没有做过的事绝不说做过。
{LONG_LINE}
-->
"""


@pytest.mark.statement("A98")
@pytest.mark.parametrize(
    "card",
    ["- 一条原则", "好的，以下是摘要：\n\n```markdown\n- 一条原则\n```"],
    ids=["bare", "chatty"],
)
def test_four_cards_by_the_model_and_by_rules_without_it(
    open_mind: OpenMind, server: Scripted, tmp_path: Path, card: str
) -> None:
    home = tmp_path / "identity"
    home.mkdir()
    (home / "SOUL.md").write_text(SOUL, encoding="utf-8")
    (home / "AGENT.md").write_text("# 核心\n- 必须先读懂任务。\n## 工具\n- 优先用专用工具。\n",
                                   encoding="utf-8")  # fmt: skip
    plain = open_mind(preset="openakita")
    plain.remember("用户叫小林", kind="identity", subject="用户", predicate="姓名")
    plain.upkeep("daily")
    by_rule = "\n".join(
        path.read_text(encoding="utf-8") for path in (home / "compiled").glob("*.md")
    )
    assert "绝不说做过" in by_rule
    assert "丢掉了" in by_rule, "a long line is kept"
    assert not any(debris in by_rule for debris in ("<!--", "-->", "不要这一行"))
    plain.close()

    def answer(asked: Asked) -> object:
        duplicates = '"same"' in thinking.form(asked)
        return says("openai", '{"same": []}' if duplicates else card, tokens=9)

    server.always(reply(answer))
    mind = open_mind(preset="openakita", **thinking.settings(server))
    (home / "SOUL.md").write_text(SOUL + "- 永远友善。\n", encoding="utf-8")
    (home / "AGENT.md").write_text("# 核心\n- 必须读两遍任务。\n## 工具\n- 优先用内置工具。\n",
                                   encoding="utf-8")  # fmt: skip
    (home / "USER.md").write_text("# 用户\n- 称呼：小林，住在杭州\n", encoding="utf-8")
    mind.upkeep("daily")
    told = [thinking.told(asked) + thinking.shown(asked) for asked in server.asked]
    for limit in ("150", "250", "200", "120"):
        assert any(limit in text for text in told), limit

    def compiled() -> int:
        return sum(total.calls for total in mind.usage() if total.purpose == "identity")

    before = compiled()
    assert before >= 4
    summary = (home / "compiled" / "soul.summary.md").read_text(encoding="utf-8")
    assert "一条原则" in summary
    assert not any(debris in summary for debris in ("```", "以下是"))
    mind.upkeep("daily")
    assert compiled() == before, "no source has changed"
    (home / "SOUL.md").write_text(SOUL + "- 永远耐心。\n", encoding="utf-8")
    mind.upkeep("daily")
    assert compiled() == before + 1


@pytest.mark.statement("A100")
@pytest.mark.parametrize(
    ("strong", "weak"),
    [
        ("回答要简短，不说客套话", "也许喜欢颜文字"),
        ("Answer dryly, never with an exclamation mark", "Perhaps likes puns"),
    ],
    ids=["zh", "en"],
)
def test_a_strong_trait_becomes_the_persona(
    mind: Mind, tmp_path: Path, strong: str, weak: str
) -> None:
    mind.remember(strong, kind="trait", importance=0.9, confidence=0.95)
    mind.remember(weak, kind="trait", importance=0.3, confidence=0.4)
    mind.upkeep("daily")
    text = (tmp_path / "identity" / "personas" / "user_custom.md").read_text(encoding="utf-8")
    assert strong in text
    assert weak not in text


@pytest.mark.statement("A102", "A112")
def test_at_three_and_what_was_missed_at_the_next_start(
    open_mind: OpenMind, clock: ManualClock, tmp_path: Path
) -> None:
    at_home = {"preset": "openakita", "schedule": {"zone": "UTC"}}
    clock.set(datetime(2026, 2, 12, 20, tzinfo=UTC))
    mind = open_mind(tmp_path / "data" / "memory" / "memory.db", **at_home)  # type: ignore[arg-type]
    home = tmp_path / "data" / "memory"
    mind.record(session="chat", role="user", text="我叫小林")
    mind.remember("用户喜欢用 Python", kind="preference", subject="用户")
    mind.drain()
    reports = home / "daily_summaries"
    clock.set(datetime(2026, 2, 13, 2, 59, tzinfo=UTC))
    mind.drain()
    assert not reports.exists()
    clock.set(datetime(2026, 2, 13, 3, 1, tzinfo=UTC))
    mind.drain()
    first = list(reports.iterdir())
    assert len(first) == 1
    mind.close()
    clock.advance(days=3)
    again = open_mind(home / "memory.db", **at_home)  # type: ignore[arg-type]
    again.drain()
    assert len(list(reports.iterdir())) > 1, "the night that was missed is made up for"
    made = {str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()}
    assert {"memory.db", "identity/MEMORY.md", "identity/USER.md"} <= made
    assert [path.name for path in (home / "conversation_history").rglob("*.jsonl")] == [
        "chat.jsonl"
    ]


RUNS = "用户每个周末的下午都会去河边的公园里慢跑五公里然后喝一杯"
WALKS = "On Sundays the user walks along the old canal to the mill and has a cup of "


@pytest.mark.statement("A104")
@pytest.mark.parametrize(
    "twins", [(f"{RUNS}咖啡", f"{RUNS}红茶"), (f"{WALKS}tea", f"{WALKS}cocoa")]
)
def test_duplicates_do_not_cost_a_call_for_every_pair(
    open_mind: OpenMind, server: Scripted, twins: tuple[str, str]
) -> None:
    """42 memories are 861 pairs; only those that share their words are put to the model."""
    server.always(reply(says("openai", '{"same": []}', tokens=9)))
    mind = open_mind(preset="openakita", **thinking.settings(server))
    names = "春夏秋冬东南西北金木水火土日月星"
    for one in names[:5]:
        for other in names[8:]:
            mind.remember(f"仓库{one}{other}放着型号{ord(one)}{ord(other)}", kind="fact")
    for text in twins:
        mind.remember(text, kind="fact")
    mind.upkeep("daily")
    asked = [one for one in server.asked if '"same"' in thinking.form(one)]
    assert 1 <= len(asked) <= 42 / 5, "about N/5 calls, as the document estimates"


@pytest.mark.statement("A106")
@pytest.mark.parametrize(("uses", "saved"), [(2, True), (1, False)])
def test_by_the_law_of_document_a_use_saves_a_memory(
    open_mind: OpenMind, clock: ManualClock, uses: int, *, saved: bool
) -> None:
    law = {"delete_below": 0.0, "demote_below": 0.0}
    mind = open_mind(preset="openakita", decay=law)
    until = NOON + timedelta(days=29)
    for text in ("地下室有点潮湿", "六点有一班火车"):
        mind.remember(text, kind="fact", importance=0.2, expires_at=until)
    for _ in range(uses):
        mind.recall("地下室", limit=1, of=["memory"])
        mind.drain()
    clock.advance(days=10)  # 0.2 x 0.9^10 is 0.07
    mind.upkeep("daily")
    assert [memory.text for memory in mind.memories()] == ["地下室有点潮湿"] * saved
    archived = {memory.text for memory in mind.memories(status="archived")}
    assert archived == {"六点有一班火车", *["地下室有点潮湿"] * (not saved)}


@pytest.mark.statement("A105")
def test_what_the_night_deletes_can_be_brought_back(mind: Mind, clock: ManualClock) -> None:
    """Better: B deletes for good; here the step is undone by its name in the report."""
    mind.remember(
        "测试有点慢", kind="lesson", importance=0.15, expires_at=NOON + timedelta(days=20)
    )
    clock.advance(days=4)  # 0.15 x 0.9^4 is 0.098
    report = mind.upkeep("daily")
    assert mind.memories() == []
    (step,) = [one for one in report.steps if one.name == "decay"]
    mind.undo_upkeep(step.operation)
    assert [memory.text for memory in mind.memories()] == ["测试有点慢"]


@pytest.mark.statement("A107")
def test_the_night_removes_what_has_expired(mind: Mind, clock: ManualClock) -> None:
    mind.remember("客人住到周五", kind="fact", expires_at=NOON + timedelta(days=2))
    mind.remember("用户养猫", kind="fact")
    clock.advance(days=3)
    mind.upkeep("daily")
    assert [memory.text for memory in mind.memories()] == ["用户养猫"]
    assert [memory.text for memory in mind.memories(status="archived")] == ["客人住到周五"]


@pytest.mark.statement("A111")
@pytest.mark.parametrize(
    ("asked", "answer", "query"),
    [
        ("上个月的部署脚本放在哪里？", "在 scripts/deploy.sh", "部署脚本"),
        ("Where did we put the seed list?", 'In "lists/seeds.csv",\nsecond sheet', "seed list"),
    ],
    ids=["zh", "en"],
)
def test_old_jsonl_is_indexed_when_it_is_wanted(
    shell: Shell, tmp_path: Path, asked: str, answer: str, query: str
) -> None:
    old = tmp_path / "20260115_cli.jsonl"
    said = [("user", asked), ("assistant", answer)]
    lines = [json.dumps({"session": "old", "role": role, "content": text}, ensure_ascii=False)
             for role, text in said]  # fmt: skip
    old.write_text("\n".join(lines) + "\n", encoding="utf-8")
    taken = shell.json("--preset", "openakita", "import", str(old))
    assert (taken["added"], taken["rejected"]) == (2, 0)
    assert asked in shell("--preset", "openakita", "search", query).stdout
    assert shell.json("--preset", "openakita", "import", str(old))["known"] == 2
    assert old.read_text(encoding="utf-8").count("\n") == 2, "the file itself stays as it is"
