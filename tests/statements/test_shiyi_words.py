"""Shiyi in its own words: scope and fact_type (C §4, §6)."""

from __future__ import annotations

import json

import pytest

from mnemic import Candidate, InvalidInput, Memory, Mind
from mnemic.tools import call_tool, tool_specs
from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Scripted
from tests.remote import server  # noqa: F401  a fixture


def said(mind: Mind, memory: Memory | None) -> tuple[str, str]:
    assert memory is not None
    words = mind.words(memory)
    return words["scope"], words["fact_type"]


@pytest.mark.statement("C19")
@pytest.mark.feature("M2", preset="shiyi")
def test_scope_and_fact_type_go_in_and_come_out(open_mind: OpenMind) -> None:
    mind = open_mind(preset="shiyi")
    given = {
        "十一说话直接": ("system", "identity"),
        "用户是后端工程师": ("user", "identity"),
        "喜欢先看结论": ("user", "preference"),
        "接口前缀是 /api/v2": ("project", "constraint"),
        "先写测试再重构更稳": ("insight", "experience"),
    }
    for text, (scope, word) in given.items():
        memory = mind.remember(text, kind=word.upper(), scope=scope.title()).memory
        assert said(mind, memory) == (scope, word)
    for text, (scope, word) in given.items():
        found = mind.memories(scope=scope, kind=word)
        assert [memory.text for memory in found] == [text]
        assert [hit.text for hit in mind.recall(text, of="memory", scope=scope)][:1] == [text]
    assert {one.text for one in mind.memories(kind="identity")} == {
        "十一说话直接",
        "用户是后端工程师",
    }
    # What the document has no word for keeps the engine's; what belongs to a project is its own.
    decision = mind.remember("改用 uv", kind="decision").memory
    assert said(mind, decision) == ("project", "decision")
    placed = mind.remember("部署在 k8s 上", kind="config", project="shiyi").memory
    assert said(mind, placed) == ("project", "config")
    moved = mind.edit(mind.memories(kind="preference")[0].id, scope="project")
    assert said(mind, moved) == ("project", "preference")
    assert [one.id for one in mind.memories(scope="user", kind="preference")] == []
    with pytest.raises(InvalidInput, match="system, user, project, insight"):
        mind.remember("x", kind="identity", scope="everybody")
    with pytest.raises(InvalidInput, match="identity, preference, constraint, experience"):
        mind.memories(kind="hobby")


@pytest.mark.statement("C19")
@pytest.mark.feature("M2", preset="shiyi")
def test_the_tools_and_the_model_speak_of_scopes(
    open_mind: OpenMind,
    server: Scripted,  # noqa: F811
) -> None:
    answer = [{"fact_type": "constraint", "scope": "project",
               "content": "接口前缀都用 /api/v2，不要改",
               "confidence": 0.95, "turns": [1]}]  # fmt: skip
    server.always(thinking.proposing(lambda _: answer))
    mind = open_mind(preset="shiyi", **thinking.settings(server))
    mind.record(session="s", role="user", text="记住，以后接口前缀都用 /api/v2，不要改")
    mind.drain()
    (learned,) = mind.memories(kind="constraint")
    assert (learned.text, said(mind, learned)) == (
        "接口前缀都用 /api/v2，不要改",
        ("project", "constraint"),
    )
    specs = {spec["name"]: spec["input_schema"]["properties"]
             for spec in tool_specs("anthropic", "zh", mind=mind)}  # fmt: skip
    assert specs["add_memory"]["scope"]["enum"] == ["system", "user", "project", "insight"]
    arguments = {"text": "pytest -x 更快定位", "fact_type": "Experience", "scope": "insight"}
    kept = call_tool(mind, "add_memory", json.dumps(arguments))
    assert (kept.data["scope"], kept.data["fact_type"]) == ("insight", "experience")
    found = call_tool(mind, "search_memory", {"query": "接口前缀", "scope": "project"})
    assert "接口前缀都用 /api/v2" in found.text
    assert "constraint" in found.text
    proposed = mind.propose(Candidate("experience", "镜像要先预热", metadata={"scope": "project"}))
    assert said(mind, proposed.memory) == ("project", "experience")
