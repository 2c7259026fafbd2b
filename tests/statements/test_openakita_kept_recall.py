"""OpenAkita, what was true from the start: search, its vectors, and the prompt."""

from __future__ import annotations

from typing import Any

import pytest

from mnemic import Mind
from mnemic.clock import ManualClock
from mnemic.tools import call_tool
from tests.conftest import OpenMind
from tests.providers.scripted import Asked, Scripted, reply, status
from tests.remote import meaning, remote, server

__all__ = ["server"]


@pytest.fixture
def mind(open_mind: OpenMind) -> Mind:
    return open_mind(preset="openakita")


@pytest.mark.statement("A64", "A65")
def test_full_text_answers_at_once_in_chinese_too(mind: Mind) -> None:
    """Better: without a dictionary to load, a single character is found as well."""
    mind.remember("用户家里有一只橘猫", kind="fact")
    mind.remember("用户喜欢用 Python", kind="preference")
    for query, found in (
        ("猫", "橘猫"),
        ("橘猫", "橘猫"),
        ("python", "Python"),
        ("喜欢", "Python"),
    ):
        (hit, *_) = mind.recall(query)
        assert found in hit.text
    for hostile in ('"橘猫', "猫 AND (", "NEAR(猫", "content:猫 *", "猫'; DROP TABLE memories; --"):
        assert any("橘猫" in hit.text for hit in mind.recall(hostile)), hostile
    assert len(mind.memories()) == 2


@pytest.mark.statement("A67")
@pytest.mark.parametrize(
    ("provider", "model", "length"),
    [("dashscope", "text-embedding-v3", 1024), ("openai", "text-embedding-3-small", 1536)],
)
def test_embeddings_by_an_api_are_cached_in_the_database(
    open_mind: OpenMind, server: Scripted, provider: str, model: str, length: int
) -> None:
    def answer(asked: Asked) -> object:
        rows = [[1.0, *[0.0] * (length - 1)] for _ in asked.json["input"]]
        return {"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]}

    server.always(reply(answer))
    given: dict[str, Any] = {"provider": provider, "api_key": "sk-test", "base_url": server.url}
    mind = open_mind(preset="openakita", embedding=given)
    mind.remember("用户喜欢用 Python", kind="preference")
    mind.drain()
    assert "vector" in mind.recall("编程语言")[0].why.routes
    assert {asked.json["model"] for asked in server.asked} == {model}
    mind.close()
    before = len(server.asked)
    again = open_mind(preset="openakita", embedding=given)
    again.record(session="s", role="user", text="用户喜欢用 Python")
    again.record(session="s", role="user", text="没有见过的话")
    again.drain()
    texts = [text for asked in server.asked[before:] for text in asked.json["input"]]
    assert texts == ["没有见过的话"], "the other vector is in the database"


@pytest.mark.statement("A69")
def test_without_vectors_full_text_answers(open_mind: OpenMind, server: Scripted) -> None:
    server.always(meaning({"Python": (1.0, 0.0, 0.0)}))
    mind = open_mind(preset="openakita", **remote(server))
    mind.remember("用户喜欢用 Python", kind="preference")
    mind.drain()
    server.always(status(503))
    (hit,) = mind.recall("Python")
    assert hit.text == "用户喜欢用 Python"
    assert "text" in hit.why.routes
    assert "vector" not in hit.why.routes
    assert mind.events(type="retrieval_fail")


@pytest.mark.statement("A72")
@pytest.mark.parametrize(
    ("stored", "task", "done", "asked", "recent", "words"),
    [
        (
            "记忆存在 SQLite 里，用 FTS5 搜索",
            "请修好 loader_v2.py 里空行导致的崩溃",
            "修好了",
            "loader_v2.py 之前是怎么回事？",
            "周五发布新版本",
            "FTS5 搜索",
        ),
        (
            "The herbarium is kept in folders by family",
            "Please mend the crash of press_list.csv on empty lines",
            "Mended it.",
            "What was the matter with press_list.csv?",
            "The fair opens on Friday",
            "herbarium folders",
        ),
    ],
    ids=["zh", "en"],
)
def test_by_words_by_story_and_over_three_days(
    mind: Mind,
    clock: ManualClock,
    *,
    stored: str,
    task: str,
    done: str,
    asked: str,
    recent: str,
    words: str,
) -> None:
    mind.remember(stored, kind="decision")
    with mind.session("old") as session:
        session.user(task)
        session.assistant(done)
    mind.drain()
    clock.advance(days=4)
    mind.remember(recent, kind="event")
    clock.advance(days=2)
    hits = {hit.text: hit for hit in mind.recall(asked)}
    (story,) = [hit for hit in hits.values() if hit.type == "episode"]
    assert "entity" in story.why.routes
    assert recent not in hits, "recent, and not about it"
    for query in ("最近有什么事？", "What came up lately?"):
        latest = {hit.text: hit for hit in mind.recall(query)}
        assert "recent" in latest[recent].why.routes
    assert stored not in hits, "six days old, and not about it"
    (hit, *_) = mind.recall(words)
    assert (hit.text, "text" in hit.why.routes) == (stored, True)


@pytest.mark.statement("A81")
def test_level_one_finds_memories_and_stories(mind: Mind) -> None:
    mind.remember("用 pytest 测试更可靠", kind="skill")
    with mind.session("s") as session:
        session.user("请用 pytest 把登录的测试补上")
        session.assistant("补上了")
    mind.drain()
    found = str(call_tool(mind, "search_memory", {"query": "pytest"}))
    (episode,) = mind.episodes()
    assert "用 pytest 测试更可靠" in found
    assert episode.summary[:10] in found


MUCH = "要点：先读懂任务，再动手。" * 200
PARTS = {
    "identity": 350, "persona": 200, "runtime": 150, "rules": 300, "scratchpad": 500, "user": 120,
    "catalogs": 800,
}  # fmt: skip


@pytest.mark.statement("A88", "A89", "A91", "A92")
def test_the_budgets_of_the_prompt(open_mind: OpenMind, tmp_path: Any) -> None:
    home = tmp_path / "identity"
    home.mkdir()
    lines = "".join(
        f"- 第 {n} 条原则：必须先把任务读懂再动手去做，做完要验证。\n" for n in range(80)
    )
    tools = "".join(f"- 第 {n} 条：优先使用专用的工具，最后才使用 shell。\n" for n in range(80))
    (home / "SOUL.md").write_text(f"# Soul\n{lines}", encoding="utf-8")
    (home / "AGENT.md").write_text(f"# 工作方式\n{lines}\n## 工具\n{tools}", encoding="utf-8")
    mind = open_mind(preset="openakita")
    for n in range(30):
        mind.remember(
            f"用户的第 {n} 条永久规则是交付之前要通过全部检查", kind="rule", importance=0.9
        )
        mind.remember(f"用户偏好第 {n} 种深色的编辑器主题", kind="preference", subject="用户")
    mind.remember("回答要简短，不说客套话", kind="trait", importance=0.9, confidence=0.95)
    mind.write_scratchpad("## 当前任务\n" + "整理记忆系统的文档。" * 150)
    mind.upkeep("daily")
    host = {"runtime": MUCH, "rules": MUCH, "catalogs": MUCH}
    context = mind.context("继续整理文档", host=host)  # type: ignore[arg-type]
    used = {use.name: use for use in context.sections}
    assert {name: used[name].size for name in PARTS} == PARTS
    assert used["core"].size >= 400, "1,500 characters of Chinese may have more"
    frame = 40  # a heading and a fence, which are not cut with the card they are around
    for use in context.sections:
        assert 0 < use.tokens <= use.size + frame, use.name
    assert context.tokens - used["catalogs"].tokens <= 3000
    for name in ("runtime", "rules", "catalogs"):
        assert used[name].tokens > 0.8 * PARTS[name], "the host's own text, as far as it fits"
    cards = {path.stem: path.read_text(encoding="utf-8") for path in home.glob("compiled/*.md")}
    shown = [line for line in context.text.splitlines() if line.startswith("- 第 ")]
    assert sum("优先使用" in line for line in shown) >= 2, "tooling has 130"
    assert any(line in cards["agent.core"] for line in shown)
