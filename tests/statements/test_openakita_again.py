"""OpenAkita's statements once more, with inputs unlike the document's own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic import Mind, ToolCall, ToolResult
from mnemic.clock import ManualClock
from mnemic.tools import call_tool
from tests.cli.conftest import Shell, db, shell
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Scripted
from tests.statements.playing import calls, fact, reading

__all__ = ["db", "shell"]
PAGE = (
    "def handler(request): # the open invoices of a customer, sorted by due date\n"
    "README: this service exports invoices as PDF and sends a weekly report to accounting."
)


def talk(mind: Mind, *messages: str, session: str = "s", **details: Any) -> None:
    """A session whose messages come from the user and the agent in turn."""
    with mind.session(session, **details) as conversation:
        for n, message in enumerate(messages):
            conversation.assistant(message) if n % 2 else conversation.user(message)
    mind.drain()


@pytest.mark.statement("A8")
@pytest.mark.parametrize(
    ("request_", "closing", "outcome"),
    [
        ("把五张图都加到文档里", "前三张加好了，后两张没加上。", "partial"),
        ("Migrate all six tables", "Migrated four of them; the other two failed.", "partial"),
        ("整理照片", "整理好了 200 张，其余 30 张没来得及看。", "partial"),
        ("deploy both services", "The API is deployed, but the worker is not yet.", "partial"),
        ("修一下登录", "修好了，测试都通过，没有问题。", "success"),
        ("Fix the login", "Fixed it. All other tests pass.", "success"),
    ],
)
def test_half_done_work_is_partial(
    open_mind: OpenMind, request_: str, closing: str, outcome: str
) -> None:
    mind = open_mind(preset="openakita")
    talk(mind, request_, closing)
    assert [episode.outcome for episode in mind.episodes()] == [outcome]
    if outcome == "partial":
        assert mind.scratchpad().completions == (), "not among what is done"


@pytest.mark.statement("A33")
@pytest.mark.parametrize(
    ("subject", "predicate", "values"),
    [
        ("项目X", "负责人", ("李雷", "韩梅梅")),
        ("orchid", "ide", ("VS Code", "Zed")),
        ("gateway", "类型", ("库", "服务")),
    ],
)
def test_another_value_by_hand_takes_the_place_of_the_one_known(
    open_mind: OpenMind, subject: str, predicate: str, values: Sequence[str]
) -> None:
    mind = open_mind(preset="openakita")
    for value in values:
        text = f"{subject} {predicate}: {value}"
        mind.remember(text, kind="fact", subject=subject, predicate=predicate, value=value)
    (left,) = mind.memories()
    assert left.value == values[-1]
    assert len(mind.history(left.id).versions) == 2


@pytest.mark.statement("A33")
@pytest.mark.parametrize(("verdict", "left"), [("update", 1), ("new", 2)])
def test_a_model_judges_what_is_added_by_hand(open_mind: OpenMind, verdict: str, left: int) -> None:
    with Scripted() as server:
        server.always(thinking.proposing(lambda text: [], verdict=verdict))
        mind = open_mind(preset="openakita", **thinking.settings(server))
        for name in ("Ana Lima", "Bo Chen"):
            text = f"The reviewer of orchid is {name}"
            mind.remember(text, kind="fact", subject="orchid", predicate="reviewer")
        assert len(calls(server, "reconcile")) == 1
    assert len(mind.memories()) == left


@pytest.mark.statement("A37")
@pytest.mark.parametrize(
    "tasks",
    [
        ["修登录页的 bug", "写一封给客户的信", "查一下显卡价格"],
        ["Plan the trip to Oslo", "然后部署 gateway", "review PR 42", "再写周报"],
        ["it is about the login", "now the invoices", "and the taxes of last year"],
    ],
)
def test_every_task_that_a_host_leaves_is_archived(
    open_mind: OpenMind, clock: ManualClock, tasks: Sequence[str]
) -> None:
    mind = open_mind(preset="openakita")
    for task in tasks:
        mind.set_task(task)
        clock.advance(minutes=7)
        mind.set_task("继续" if task.isascii() else "go on")  # a word to go on is no task
    pad = mind.scratchpad()
    assert pad.focus == tasks[-1]
    assert [done.task for done in pad.completions] == list(reversed(tasks[:-1]))
    assert all(done.at is not None for done in pad.completions)


@pytest.mark.statement("A42", "A125")
@pytest.mark.parametrize(
    ("call", "name", "asked"),
    [
        (
            ToolCall(
                "deliver_artifacts",
                {"artifacts": [{"path": "/out/r.pdf", "caption": "三月销售报告"}]},
            ),
            "r.pdf",
            "把三月的销售报告再发我一次",
        ),
        (
            ToolCall("send_file", {"file": "/tmp/c.png", "caption": "a sleeping cat"}),
            "c.png",
            "the picture of the sleeping cat",
        ),
        (
            ToolCall("text_to_speech", {"text": "欢迎来到青岛", "output_path": "/tmp/h.mp3"}),
            "h.mp3",
            "青岛的欢迎语音",
        ),
        (
            ToolCall("write_file", {"path": "notes/p.md", "content": "# Oslo itinerary\n..."}),
            "p.md",
            "itinerary for Oslo",
        ),
    ],
    ids=lambda value: value.name if isinstance(value, ToolCall) else None,
)
def test_files_that_are_sent_are_found_by_what_they_are(
    open_mind: OpenMind, call: ToolCall, name: str, asked: str
) -> None:
    mind = open_mind(preset="openakita")
    session = mind.session("s")
    session.user("好，发给我")
    session.assistant("sent", tool_calls=[call], tool_results=[ToolResult("ok")])
    (file,) = mind.attachments(direction="outbound")
    assert file.filename == name
    assert file.description
    assert name in [hit.text.split(":")[0].rpartition("/")[2] for hit in mind.recall(asked)][:1]


@pytest.mark.statement("A54")
@pytest.mark.parametrize(
    ("said", "told", "kind"),
    [
        ("删文件之前一定要问我", "删除文件前必须先征得用户同意", "rule"),
        ("Never send mail without asking me first", "Ask before sending any mail", "rule"),
        ("以后给我的表格都用公制单位", "给用户的表格一律使用公制单位", "rule"),
        ("I prefer tabs over spaces", "The user prefers tabs to spaces", "preference"),
        ("我对花生过敏", "用户对花生过敏", "identity"),
        ("My sister Ines lives in Leeds", "The user's sister Ines lives in Leeds", "fact"),
    ],
)
def test_the_owners_word_holds_whatever_tools_say(
    open_mind: OpenMind, said: str, told: str, kind: str
) -> None:
    with Scripted() as server:
        learned = fact(told, kind=kind, importance=0.9)
        server.always(reading((said, learned)))
        mind = open_mind(preset="openakita", **thinking.settings(server))
        session = mind.session("s")
        session.user("看一下 invoices.py / have a look at invoices.py")
        session.assistant("ok", tool_calls=[ToolCall("read", {"path": "invoices.py"}, "1")],
                          tool_results=[ToolResult(PAGE, "1")])  # fmt: skip
        session.user(said)
        session.end()
        mind.drain()
    (memory,) = [one for one in mind.memories(status="all") if one.kind == kind]
    assert (memory.status, memory.trust) == ("active", "owner")


@pytest.mark.statement("A86", "A119")
@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/New_York"])
@pytest.mark.parametrize("disclosure", ["progressive", "injected"])
def test_the_prompt_has_the_task_what_is_done_and_the_projects(
    open_mind: OpenMind, clock: ManualClock, zone: str, disclosure: str
) -> None:
    mind = open_mind(
        preset="openakita", schedule={"zone": zone}, context={"disclosure": disclosure}
    )
    talk(mind, "帮我给 orchid 写一个部署脚本", "写好了 deploy.sh，测试通过。", project="orchid")
    talk(mind, "Plan the trip to Oslo", "Which month?", session="t")
    prompt = mind.context("next", session="u").text
    for line in ("orchid", "帮我给 orchid 写一个部署脚本", "Plan the trip to Oslo"):
        assert line in prompt
    hour = {"Asia/Shanghai": "2026-02-12 20:00 · ", "America/New_York": "2026-02-12 07:00 · "}[zone]
    assert hour in prompt, "by the user's clock"
    clock.advance(days=30)
    assert "部署脚本" not in mind.context("next", session="u").text, "not for ever"


@pytest.mark.statement("A87", "A92")
@pytest.mark.parametrize(
    ("lines", "rules"),
    [
        (
            "用户的第 {} 件事：每周三晚上去江边跑步，跑完喝一杯豆浆",
            "第 {} 条：没有跑过的测试不能说通过",
        ),
        (
            "Fact {} of the user: on Wednesdays a run along the river",
            "Rule {}: never push unreviewed",
        ),
    ],
    ids=["zh", "en"],
)
def test_all_of_memory_md_is_in_the_prompt_once(
    open_mind: OpenMind, lines: str, rules: str
) -> None:
    mind = open_mind(preset="openakita")
    for n in range(5):
        for kind, text in (("identity", lines), ("rule", rules), ("skill", "做法" + lines)):
            mind.remember(text.format(n + 1), kind=kind, importance=0.8)
    mind.upkeep("daily")
    document = Path(str(mind.documents_folder), "MEMORY.md").read_text()
    prompt = mind.context("hello", session="s")
    known = [memory.text for memory in mind.memories(limit=50) if memory.text in document]
    assert len(known) == 15
    assert {text: prompt.text.count(text) for text in known if "做法" not in text} == {
        text: (2 if f"做法{text}" in known else 1) for text in known if "做法" not in text
    }
    (user,) = [use for use in prompt.sections if use.name == "user"]
    assert user.tokens <= 120


@pytest.mark.statement("A102")
@pytest.mark.parametrize(("zone", "nights"), [("Asia/Tokyo", 1), ("America/Lima", 3)])
def test_the_first_night_is_caught_up(
    open_mind: OpenMind, clock: ManualClock, zone: str, nights: int
) -> None:
    mind = open_mind(preset="openakita", schedule={"zone": zone})
    mind.record(session="s", role="user", text="I moved to Lima and write Rust in Helix now.")
    mind.close()
    clock.advance(days=nights)
    again = open_mind(preset="openakita", schedule={"zone": zone})
    again.drain()
    assert Path(str(again.documents_folder), "USER.md").exists()


@pytest.mark.statement("A105")
@pytest.mark.parametrize(
    "text", ["会议室在三楼东边的拐角", "The build agent sits in the basement"], ids=["zh", "en"]
)
def test_what_is_demoted_says_so(open_mind: OpenMind, clock: ManualClock, text: str) -> None:
    mind = open_mind(preset="openakita")
    mind.remember(text, kind="fact", duration="SHORT_TERM", importance=0.32)
    clock.advance(days=1)
    mind.upkeep("daily")
    (memory,) = mind.memories(priority="TRANSIENT")
    assert mind.words(memory)["priority"] == "TRANSIENT"
    assert mind.memories(priority="SHORT_TERM") == []


@pytest.mark.statement("A118")
@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("用户最喜欢的编辑器是 Helix", "我用什么编辑器？"),
        ("Staging is called orchid", "name of staging"),
    ],
)
def test_injecting_needs_one_setting(open_mind: OpenMind, text: str, asked: str) -> None:
    mind = open_mind(preset="openakita", context={"disclosure": "injected"})
    mind.remember(text, kind="fact")
    assert text in mind.context(asked, session="s").text


@pytest.mark.statement("A121")
@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("用户叫小李", "用户叫老李", "用户养了一只猫"),
        ("User is Bo", "User is Beau", "User has a boat"),
    ],
)
def test_the_core_follows_the_file(open_mind: OpenMind, before: str, after: str, line: str) -> None:
    mind = open_mind(preset="openakita")
    mind.remember(before, kind="identity", importance=0.9)
    mind.upkeep("daily")
    path = Path(str(mind.documents_folder), "MEMORY.md")
    path.write_text(path.read_text().replace(before, after) + f"\n- {line}\n")
    prompt = mind.context("hi", session="s").text
    assert after in prompt
    assert line in prompt
    assert f"{before}\n" not in prompt


@pytest.mark.statement("A123")
@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("auth.py 怎么改的", 1),
        ("what about GPUs?", 1),
        ("量子计算的最新进展", 0),
        ("木星有几颗卫星", 0),
    ],
)
def test_a_search_is_not_filled_up_with_the_recent(
    open_mind: OpenMind, asked: str, found: int
) -> None:
    mind = open_mind(preset="openakita")
    for n, text in enumerate(["帮我修 auth.py 的登录", "Compare GPUs for training", "写请假邮件"]):
        talk(mind, text, "完成。", session=str(n))
    assert len([hit for hit in mind.recall(asked) if hit.type == "episode"]) == found


@pytest.mark.statement("A124")
@pytest.mark.parametrize(
    ("kinds", "found"),
    [(["FACT", "PREFERENCE"], 2), (("preference", "rule"), 2), (["SKILL"], 0), ("RULE", 1)],
)
def test_several_types_at_once(open_mind: OpenMind, kinds: Any, found: int) -> None:
    mind = open_mind(preset="openakita")
    mind.remember("用户喜欢茶", kind="preference")
    mind.remember("用户住在泉州", kind="identity")
    mind.remember("用户的提交要先测试", kind="rule")
    assert len(mind.memories(kind=kinds)) == found
    assert len(mind.recall("用户", kind=kinds)) == found


@pytest.mark.statement("A126", "A108")
@pytest.mark.parametrize(
    ("said", "learned", "title"),
    [
        ("我叫王芳，住在青岛，平时用 Vim 写 Rust 代码，喜欢喝茶", "我住在青岛", "## 新学到的"),
        (
            "My name is Ana and I live in Porto. I write Go in Helix.",
            "I live in Porto",
            "## Learned",
        ),
    ],
    ids=["zh", "en"],
)
def test_the_report_says_what_was_learned(
    open_mind: OpenMind, clock: ManualClock, said: str, learned: str, title: str
) -> None:
    mind = open_mind(preset="openakita", schedule={"zone": "Asia/Shanghai"})
    clock.set(datetime(2026, 2, 12, 17, tzinfo=UTC))  # the 13th, 01:00 in Shanghai
    talk(mind, said)
    clock.advance(hours=3)
    mind.upkeep("daily")
    folder = Path(str(mind.documents_folder)).parent / "daily_summaries"
    (report,) = folder.glob("*.md")
    assert report.name == "2026-02-13.md"
    assert title in report.read_text()
    assert learned in report.read_text()
    clock.advance(days=1)
    mind.upkeep("daily")
    assert learned not in (folder / "2026-02-14.md").read_text(), "it was new yesterday"


@pytest.mark.statement("A120")
@pytest.mark.parametrize(
    ("content", "predicate", "section"),
    [
        ("用户用的是 Fedora 41", "os", "## 开发环境"),
        ("User lives in Taipei", "lives_in", "## Basics"),
        ("The user's editor is Zed", "editor", "## Environment"),
    ],
)
def test_imported_statements_have_their_slot(
    shell: Shell, tmp_path: Path, content: str, predicate: str, section: str
) -> None:
    """Better: the rules read it at once."""
    record = {"id": "1", "type": "fact", "content": content, "importance_score": 0.7}
    (tmp_path / "memories.json").write_text(json.dumps([record], ensure_ascii=False))
    shell.json("import", str(tmp_path / "memories.json"), "--preset", "openakita")
    with mnemic.open(shell.db, preset="openakita", worker="none") as mind:
        (memory,) = mind.memories()
        assert (memory.subject, memory.predicate) == ("user", predicate)
        mind.upkeep("daily")
        assert section in Path(str(mind.documents_folder), "USER.md").read_text()


@pytest.mark.statement("A84")
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ({"content": "用户的代码目录在 D:/code", "type": "FACT", "importance": 0.9}, "active"),
        ({"content": "The deploy script needs sudo", "type": "SKILL", "importance": 1}, "active"),
        ({"content": "禁止虚报执行结果", "type": "RULE"}, "pending"),
        ({"content": "Never skip the tests", "type": "RULE", "importance": 0.3}, "pending"),
    ],
)
def test_add_memory_stores_all_but_rules(
    open_mind: OpenMind, arguments: dict[str, Any], status: str
) -> None:
    mind = open_mind(preset="openakita")
    call_tool(mind, "add_memory", arguments)
    (memory,) = mind.memories(status="all")
    assert memory.status == status
    if status == "pending":  # and the model cannot confirm it without the user's word
        call_tool(mind, "confirm_memory", {"id": memory.id})
        assert mind.get(memory.id).status == "pending"


@pytest.mark.statement("A122", "A69")
@pytest.mark.parametrize("text", ["猫叫煤球", "the cat is called Ash"], ids=["zh", "en"])
def test_a_backend_that_is_not_installed_leaves_full_text(
    open_mind: OpenMind, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "chromadb", None)
    with pytest.warns(RuntimeWarning, match="chromadb is not installed"):
        mind = open_mind(preset="openakita", search_backend="chromadb")
    mind.remember(text, kind="fact")
    assert [hit.text for hit in mind.recall(text)] == [text]
    assert mind.events(type="retrieval_fail")


@pytest.mark.statement("A22", "A27", "A107")
@pytest.mark.parametrize(
    ("priority", "days"), [("TRANSIENT", 1), ("SHORT_TERM", 3), ("LONG_TERM", 30)]
)
def test_each_priority_has_its_days(
    open_mind: OpenMind, clock: ManualClock, priority: str, days: int
) -> None:
    mind = open_mind(preset="openakita")
    mind.remember("The guest room is painted green", kind="fact", duration=priority)
    clock.advance(days=days, seconds=-1)
    assert mind.recall("guest room")
    clock.advance(seconds=2)
    assert mind.recall("guest room") == []
    assert mind.memories() == []
    assert timedelta(days=days) > timedelta()
