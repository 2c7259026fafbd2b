"""myclaw's statements once more, with inputs unlike the document's own."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic.clock import ManualClock
from tests.conftest import OpenMind
from tests.providers.scripted import Scripted
from tests.statements.model_server import answering, numbered, settings

MONDAY = datetime(2026, 2, 16, 12, tzinfo=UTC)


@pytest.mark.statement("D57", "D62", "D63", "D72")
@pytest.mark.parametrize(
    ("text", "kind", "importance", "tier"),
    [
        ("回复都用中文，不要用 emoji", "rule", 0.9, 1),
        ("Use metric units in answers", "rule", 0.2, 1),
        ("User prefers short answers", "preference", 0.4, 1),
        ("网关监听 8080 端口", "config", 0.1, 1),
        ("User is called Wei", "identity", 0.3, 1),
        ("决定用 SQLite 存储", "decision", 1.0, 2),
        ("The outage of May was caused by DNS", "lesson", 0.9, 2),
    ],
)
def test_the_tier_is_that_of_the_prompt(
    open_mind: OpenMind, clock: ManualClock, *, text: str, kind: str, importance: float, tier: int
) -> None:
    mind = open_mind(preset="myclaw")
    mind.remember(text, kind=kind, importance=importance)
    for _ in range(2):
        (memory,) = mind.memories()
        assert memory.tier == tier
        assert (text in mind.context("帮我看看", session="s").text) == (tier == 1)
        clock.set(MONDAY)
        mind.upkeep("weekly")  # without a model it stays as it is


@pytest.mark.statement("D63")
@pytest.mark.parametrize("rule", ["以后回复都用中文，不要用 emoji", "From now on use metric units"])
def test_a_rule_without_a_model_is_in_the_next_prompt(
    open_mind: OpenMind, clock: ManualClock, rule: str
) -> None:
    mind = open_mind(preset="myclaw")
    mind.record(session="s", role="user", text=rule)
    clock.advance(minutes=4)
    mind.drain()
    assert rule in mind.context("看看这段代码", session="t").text


@pytest.mark.statement("D96", "D116")
@pytest.mark.parametrize(
    "entries",
    [
        [{"content": "用户叫林小满，全栈工程师", "category": "identity"}],  # the document's form
        [
            {"content": "用户叫林小满，全栈工程师", "kind": "identity", "from": [1, 2, 3]}
        ],  # careless
        [],
    ],
    ids=["without from", "claims all", "empty"],
)
def test_the_weekly_rewrite_loses_no_identity(
    open_mind: OpenMind, clock: ManualClock, entries: list[dict[str, Any]]
) -> None:
    """Better: what no new entry says stays in the profile."""
    with Scripted() as server:
        server.always(answering(lambda text: {"entries": entries}))
        mind = open_mind(preset="myclaw", **settings(server))
        mind.remember("用户叫林小满，全栈工程师", kind="identity", importance=1.0)
        mind.remember("用户的编辑器是 Neovim", kind="config", importance=0.3)
        mind.remember("User's timezone is Asia/Tokyo", kind="identity", importance=0.5)
        for week in range(3):
            clock.advance(days=7)
            mind.upkeep("weekly")
            prompt = mind.context("hello there", session="s").text
            for text in ("用户叫林小满", "Neovim", "Asia/Tokyo"):
                assert prompt.count(text) == 1, (week, text)
        shown = server.asked[0].json["messages"][-1]["content"]
    assert "Neovim" in shown.partition("# knowledge")[0], "the profile is shown to the model"


@pytest.mark.statement("D96")
@pytest.mark.parametrize("language", ["zh", "en"])
def test_entries_that_merge_stand_for_what_they_say(
    open_mind: OpenMind, clock: ManualClock, language: str
) -> None:
    old = {
        "zh": ("用户住在杭州", "用户是全栈工程师"),
        "en": ("User lives in Porto", "User is a nurse"),
    }
    new = {"zh": "用户住在杭州，是全栈工程师", "en": "User lives in Porto and is a nurse"}
    with Scripted() as server:
        entry = {"content": new[language], "kind": "identity"}
        server.always(
            answering(lambda text: {"entries": [{**entry, "from": numbered(text, old[language])}]})
        )
        mind = open_mind(preset="myclaw", **settings(server))
        for text in old[language]:
            mind.remember(text, kind="identity", importance=0.6)
        clock.advance(days=7)
        mind.upkeep("weekly")
    assert [m.text for m in mind.memories() if m.tier == 1] == [new[language]]
    (entry_kept,) = mind.memories(topic="_profile")
    assert (entry_kept.importance, mind.words(entry_kept)["source"]) == (1.0, "compression")


@pytest.mark.statement("D68", "D69", "D93")
@pytest.mark.parametrize(
    ("zone", "at", "day"),
    [
        ("Asia/Shanghai", datetime(2026, 5, 6, 16, 30, tzinfo=UTC), date(2026, 5, 7)),
        ("Asia/Shanghai", datetime(2026, 5, 6, 23, 30, tzinfo=UTC), date(2026, 5, 7)),
        ("America/New_York", datetime(2026, 5, 8, 2, tzinfo=UTC), date(2026, 5, 7)),
    ],
)
def test_an_event_is_of_the_users_day(
    open_mind: OpenMind, clock: ManualClock, zone: str, at: datetime, day: date
) -> None:
    clock.set(at)
    mind = open_mind(preset="myclaw", schedule={"zone": zone})
    mind.record(session="s", role="user", text="今天把网关的超时改成了 30 秒", channel="feishu")
    clock.advance(minutes=10)
    mind.drain()
    (event,) = mind.daily_events(day=day)
    assert (event.day, event.channel) == (day, "feishu")


def _home(root: Path, *, config: dict[str, Any] | None = None) -> Path:
    """The folders of document D §10.2, beside each other."""
    (root / "data").mkdir()
    memory = root / "workspace" / "memory"
    memory.mkdir(parents=True)
    (root / "workspace" / "AGENTS.md").write_text("# Agents\nBe concise.\n")
    (root / "workspace" / "SOUL.md").write_text("# Soul\n温柔\n")
    (memory / "MEMORY.md").write_text("# Memory\n- 用户叫小北\nUser likes tea\n")
    (memory / "2026-02-01.md").write_text("今天修了网关\n")
    if config is not None:
        (root / "config.json").write_text(json.dumps(config))
    return root / "data" / "memory.db"


@pytest.mark.statement("D105", "D113", "D114", "D112")
@pytest.mark.parametrize("configured", [False, True])
def test_the_documents_folders_are_read(
    tmp_path: Path, clock: ManualClock, configured: bool
) -> None:
    quiet = {"memory": {"enabled": True, "extraction": {"quietGap": "7m"}}}
    database = _home(tmp_path, config=quiet if configured else None)
    with mnemic.open(database, preset="myclaw", clock=clock, worker="none") as mind:
        prompt = mind.context("你好", session="s").text
        for line in ("Be concise.", "温柔", "用户叫小北", "User likes tea"):
            assert line in prompt
        assert prompt.index("Be concise.") < prompt.index("温柔")
        (event,) = mind.daily_events()
        assert (event.day, event.channel) == (date(2026, 2, 1), "migration")
        mind.record(session="s", role="user", text="决定用 SQLite")
        clock.advance(minutes=5)
        mind.drain()
        assert bool(mind.memories(kind="decision")) == (not configured), "its quietGap counts"
    with mnemic.open(database, preset="myclaw", clock=clock, worker="none") as again:
        assert len(again.daily_events(day=date(2026, 2, 1))) == 1, "once"


@pytest.mark.statement("D105")
@pytest.mark.parametrize("place", [".", "documents", "workspace"])
def test_agents_and_soul_beside_the_database(
    tmp_path: Path, clock: ManualClock, place: str
) -> None:
    (tmp_path / place).mkdir(exist_ok=True)
    (tmp_path / place / "AGENTS.md").write_text("Answer in one line.\n" * 3)
    with mnemic.open(tmp_path / "memory.db", preset="myclaw", clock=clock, worker="none") as mind:
        assert mind.context("hi", session="s").text.count("Answer in one line.") == 3


@pytest.mark.statement("D115", "D104")
@pytest.mark.parametrize("task", ["帮我写一个部署脚本", "Write the release notes for me"])
def test_the_prompt_has_no_scratchpad(open_mind: OpenMind, clock: ManualClock, task: str) -> None:
    mind = open_mind(preset="myclaw")
    with mind.session("s") as session:
        session.user(task)
        session.assistant("ok")
    clock.advance(days=2)
    built = mind.context("还记得我的项目吗？", session="t")
    assert {use.name for use in built.sections} <= {"identity", "core", "evidence", "recent"}


@pytest.mark.statement("D117", "D91")
@pytest.mark.parametrize(
    "category", ["decision", "solution", "event", "conversation", "config", "debug"]
)
def test_a_fact_entry_of_the_document_is_read(
    open_mind: OpenMind, clock: ManualClock, category: str
) -> None:
    entry = {"content": "Orchid 的首页改用 React 19", "project": "Orchid", "topic": "frontend",
             "category": category, "importance": 0.8}  # fmt: skip
    with Scripted() as server:
        server.always(answering(lambda text: {"facts": [entry], "summary": "聊了首页"}))
        mind = open_mind(preset="myclaw", **settings(server))
        mind.remember("orchid uses Vite", kind="decision", project="orchid")
        mind.record(session="s", role="user", text="orchid 的首页改用 React 19")
        clock.advance(minutes=10)
        mind.drain()
        (memory,) = [one for one in mind.memories() if "React" in one.text]
        assert (memory.project, memory.topic, memory.importance) == ("orchid", "frontend", 0.8)
        clock.advance(days=1)
        (step,) = [one for one in mind.upkeep("daily").steps if one.name == "events"]
    assert step.state == "done", step.error


@pytest.mark.statement("D118", "D83")
@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("orchid 的缓存用什么？", "orchid 的缓存是 Redis"),
        ("orchid 的设计稿在哪里？", "orchid 的设计稿在 Figma"),
        ("How does orchid do auth (JWT)?", "orchid 的鉴权用 JWT"),
    ],
)
def test_the_question_chooses_within_the_partition(
    open_mind: OpenMind, asked: str, found: str
) -> None:
    mind = open_mind(preset="myclaw")
    texts = ["数据库用 SQLite", "首页用 React", "部署用 Docker", "日志写到 Loki", "测试跑在 CI",
             "设计稿在 Figma", "鉴权用 JWT", "缓存是 Redis"]  # fmt: skip
    for n, text in enumerate(texts):
        weight = 0.9 if n < 5 else 0.4
        mind.remember(f"orchid 的{text}", kind="decision", project="orchid", importance=weight)
        mind.remember(f"lotus 的{text}", kind="decision", project="lotus", importance=1.0)
    hits = mind.recall(asked)
    assert found in [hit.text for hit in hits]
    assert len(hits) == 5
    assert all("orchid" in hit.text for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
