"""A program that was written for mem0 runs with another import."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mnemic.compat.mem0 import Memory
from mnemic.errors import InvalidInput, NotFound

TALK = [
    {"role": "user", "content": "I live in Lisbon and I am allergic to peanuts."},
    {"role": "assistant", "content": "Noted: no peanuts."},
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    opened = Memory.from_config({"llm": {"provider": "openai"}}, target=tmp_path / "m.db")
    yield opened
    opened.close()


def test_add_learns_and_search_finds(memory: Memory) -> None:
    added = memory.add(TALK, user_id="ann", run_id="monday")["results"]
    assert any("Lisbon" in one["memory"] for one in added)
    assert {one["event"] for one in added} == {"ADD"}
    found = memory.search("where do I live?", user_id="ann", limit=3)["results"]
    assert "Lisbon" in found[0]["memory"]
    assert 0 < found[0]["score"] <= 1
    assert memory.search("where do I live?", filters={"user_id": "ann"}, top_k=1)["results"]


def test_one_person_never_sees_another(memory: Memory) -> None:
    memory.add(TALK, user_id="ann")
    assert memory.search("Lisbon", user_id="bob")["results"] == []
    assert memory.get_all(user_id="bob") == {"results": []}


def test_infer_false_keeps_the_text_with_its_metadata(memory: Memory) -> None:
    kept = memory.add("Likes oolong", user_id="ann", infer=False, metadata={"topic": "tea"})
    id_ = kept["results"][0]["id"]
    assert memory.get(id_) == memory.get_all(user_id="ann")["results"][0]
    assert memory.get_all(user_id="ann", filters={"topic": "coffee"})["results"] == []
    found = memory.search("oolong", user_id="ann", filters={"topic": "tea"})["results"]
    assert [one["id"] for one in found] == [id_]


def test_update_history_and_delete(memory: Memory) -> None:
    id_ = memory.add("Likes oolong", user_id="ann", infer=False)["results"][0]["id"]
    memory.update(id_, "Likes black tea")
    assert [
        (one["old_memory"], one["new_memory"], one["event"]) for one in memory.history(id_)
    ] == [
        (None, "Likes oolong", "ADD"),
        ("Likes oolong", "Likes black tea", "UPDATE"),
    ]
    newest = memory.get_all(user_id="ann")["results"][0]
    assert newest["memory"] == "Likes black tea"
    memory.delete(newest["id"])
    assert memory.get(newest["id"]) is None
    with pytest.raises(NotFound, match="No memory"):
        memory.update("nobody", "x")


def test_delete_all_leaves_others_alone(memory: Memory) -> None:
    memory.add(TALK, user_id="ann")
    memory.add("Likes oolong", user_id="bob", infer=False)
    memory.delete_all(user_id="ann")
    assert memory.get_all(user_id="ann")["results"] == []
    assert memory.search("Lisbon", user_id="ann")["results"] == [], "what was said is gone, too"
    assert len(memory.get_all(user_id="bob")["results"]) == 1
    memory.delete_all(user_id="nobody")


def test_delete_all_of_a_run_keeps_the_other_runs(memory: Memory) -> None:
    memory.add("I keep bees in Kiel.", user_id="ann", run_id="one")
    memory.add("I own a red bicycle.", user_id="ann", run_id="two")
    memory.delete_all(user_id="ann", run_id="one")
    assert memory.search("bees in Kiel", user_id="ann")["results"] == []
    assert memory.search("red bicycle", user_id="ann")["results"]


def test_nobody_named_is_refused_with_the_remedy(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="Pass user_id"):
        memory.search("tea")


def test_agents_and_runs_have_memories_of_their_own(memory: Memory) -> None:
    memory.add("The build takes ten minutes", agent_id="ci", infer=False)
    assert memory.get_all(agent_id="ci")["results"][0]["user_id"] == "agent:ci"
    assert memory.get_all(run_id="ci")["results"] == []
