"""semibot in its own words: categories, metadata, importance, commands (E §3, §5.1, §10.2)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from mnemic import InvalidInput, Mind
from mnemic.cli.root import cli
from tests.conftest import OpenMind, usual_target
from tests.learning import thinking
from tests.providers.scripted import Scripted
from tests.remote import server  # noqa: F401  a fixture

FACTS = {  # E §6.1
    "knowledge": "我们用 PostgreSQL 16",
    "preference": "代码注释用中文",
    "project": "API 前缀是 /api/v2",
    "skill": "这个项目的部署流程是先构建镜像",
}


@pytest.mark.statement("E122")
@pytest.mark.feature("M2", preset="semibot")
def test_four_categories_go_in_and_come_out(
    open_mind: OpenMind,
    server: Scripted,  # noqa: F811
) -> None:
    """Its extraction prompt asks for a bare list of content, category and importance."""
    facts = [{"content": text, "category": word, "importance": 0.8, "turns": [1]}
             for word, text in FACTS.items()]  # fmt: skip
    server.always(thinking.proposing(lambda _: facts))
    mind = open_mind(preset="semibot", **thinking.settings(server))
    with mind.session("s") as session:
        session.user("；".join(FACTS.values()))
        session.assistant("好的")
        session.user("就这些")
    mind.drain()
    for word, text in FACTS.items():
        (memory,) = mind.memories(kind=word.upper())
        assert (memory.text, mind.words(memory)) == (text, {"category": word})
        assert [hit.text for hit in mind.recall(text, kind=word, of="memory")] == [text]
    assert mind.stats().by_kind == dict.fromkeys(FACTS, 1)
    rule = mind.remember("禁止使用 any 类型", kind="rule").memory
    assert rule is not None
    assert mind.words(rule) == {"category": "knowledge"}
    with pytest.raises(InvalidInput, match="knowledge, preference, skill, project"):
        mind.remember("x", kind="wisdom")


@pytest.mark.statement("E121")
def test_metadata_on_messages_and_memories(open_mind: OpenMind, tmp_path: Path) -> None:
    mind = open_mind(preset="semibot", ledger={"jsonl": True}, embedding={"provider": "none"})
    session = mind.session("s")
    turn = session.user("发布流程是什么？", metadata={"channel_id": 7, "edited": True})
    session.assistant("先构建。", metadata={"model": "qwen"})
    mind.record(session="s", role="user", text="谢谢")
    assert turn.metadata == {"channel_id": 7, "edited": True}
    assert [one.metadata for one in mind.turns(session="s")] == [
        turn.metadata,
        {"model": "qwen"},
        {},
    ]
    assert [one.index for one in mind.turns(metadata={"channel_id": "7"})] == [0]
    assert [one.index for one in mind.turns(metadata={"edited": True, "channel_id": 7})] == [0]
    assert mind.turns(metadata={"edited": False}) == []
    (hit, *_) = mind.recall("发布流程", of="turn")
    assert hit.metadata == turn.metadata
    memory = mind.remember("发布前先构建", kind="skill", metadata={"source_session": "s"}).memory
    assert memory is not None
    assert memory.metadata == {"source_session": "s"}
    assert mind.memories(metadata={"source_session": "s"}) == [memory]
    with pytest.raises(InvalidInput, match="metadata"):
        session.user("x", metadata={"big": "y" * 4_000_000})
    # Exported with the turns, and taken in again.
    mind.drain()
    assert mind.transcripts is not None
    (copy,) = mind.transcripts.glob("*.jsonl")
    first = json.loads(copy.read_text(encoding="utf-8").splitlines()[0])
    assert first["metadata"] == {"channel_id": 7, "edited": True}
    other = tmp_path / "other.db"
    _run("import", str(copy), "--db", str(other), "--preset", "openakita")
    again = open_mind(other, preset="openakita")
    assert [one.index for one in again.turns(metadata={"model": "qwen"})] == [1]


@pytest.mark.statement("E121")
def test_metadata_of_a_turn_is_forgotten_with_it(open_mind: OpenMind) -> None:
    mind = open_mind(preset="semibot")
    mind.session("s").user("一句话", metadata={"ticket": "zanzibar-4711"})
    receipt = mind.forget(query="zanzibar-4711")
    assert receipt.counts["turn"] == 1
    assert mind.turns(session="s") == []
    assert all(finding.ok for finding in mind.doctor(forgotten=receipt))


@pytest.mark.statement("E126")
def test_min_importance(open_mind: OpenMind) -> None:
    mind = open_mind(preset="semibot")
    for weight in (0.2, 0.5, 0.9):
        mind.remember(f"部署要点 {weight}", kind="knowledge", importance=weight)
    mind.record(session="s", role="user", text="部署要点有哪些")
    found = mind.recall("部署要点", min_importance=0.5)
    assert {hit.importance for hit in found} == {0.5, 0.9}
    assert {one.importance for one in mind.memories(min_importance=0.9)} == {0.9}
    with pytest.raises(InvalidInput, match="min_importance"):
        mind.recall("部署", min_importance=2)


def _run(*args: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli, list(args))
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.statement("E143", "E126")
def test_its_commands(open_mind: OpenMind, tmp_path: Path) -> None:
    """`search QUERY --limit`, `delete ID` and `stats` with categories, as E §10.2 prints them."""
    mind: Mind = open_mind(preset="semibot")
    kept = {word: mind.remember(text, kind=word, importance=0.8).id for word, text in FACTS.items()}
    mind.remember("部署流程里还有一步", kind="skill", importance=0.3)
    mind.close()
    where = ("--db", str(usual_target(tmp_path)), "--preset", "semibot")
    found = _run("search", "部署流程", "--limit", "1", *where)
    assert found.count("skill") == 1
    assert "importance" in found
    heavy = _run("search", "部署流程", "--min-importance", "0.7", *where)
    assert "importance 0.80" in heavy
    assert "importance 0.30" not in heavy
    as_json = json.loads(_run("search", "部署流程", "--kind", "skill", "--json", *where))
    assert {one["category"] for one in as_json["memories"]} == {"skill"}
    stats = _run("stats", *where)
    assert all(word in stats for word in FACTS)
    _run("delete", kept["skill"], "--yes", *where)
    assert json.loads(_run("stats", "--json", *where))["by_kind"] == dict.fromkeys(FACTS, 1)
    added = _run("add", "禁止使用 any 类型", "--kind", "KNOWLEDGE", "--importance", "0.9", *where)
    assert "knowledge" in added
    assert "project" in _run("memories", "--kind", "project", *where)
    assert "knowledge" in _run("add", "x", "--kind", "wisdom", *where, code=2)
