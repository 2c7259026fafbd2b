"""A model records turns and forgets: in its own name, unless a setting lets it act for the user."""

from __future__ import annotations

from typing import Any

import pytest

from mnemic import Mind
from mnemic.tools import ToolAnswer, call_tool
from tests.conftest import OpenMind

TALK = [
    {"role": "user", "text": "I moved to Lisbon last week", "sender": ""},
    {"role": "assistant", "text": "How is the new flat?"},
    {"role": "tool", "text": "weather: sunny", "sender": "weather"},
]


def call(mind: Mind, tool: str, **arguments: Any) -> ToolAnswer:
    answer = call_tool(mind, tool, arguments)
    assert not answer.is_error, answer.text
    return answer


def results(answer: ToolAnswer) -> list[Any]:
    listed: Any = answer.data["results"]
    return list(listed)


@pytest.mark.parametrize("allowed", [False, True])
def test_turns_that_a_model_records_are_never_the_owners_word(
    open_mind: OpenMind, allowed: bool
) -> None:
    mind = open_mind(":memory:", tools={"answer_pending": allowed})
    first = call(mind, "record_turns", turns=TALK[:1])
    call(mind, "record_turns", turns=TALK[1:], session=first.data["session"], ended=True)
    turns = mind.turns()
    assert [turn.text for turn in turns] == [one["text"] for one in TALK]
    assert {turn.session for turn in turns} == {first.data["session"]}
    assert [turn.trust for turn in turns] == ["agent", "agent", "tool"]
    assert "new flat" in call(mind, "search_conversation_traces", query="new flat").text
    mind.drain()
    assert mind.episodes(session=str(first.data["session"])), "its story is told"


def test_the_hosts_conversation_is_the_one_it_names(mind: Mind) -> None:
    answer = call_tool(mind, "record_turns", {"turns": TALK}, session="window-7")
    assert answer.data["session"] == "window-7"


@pytest.mark.parametrize("words", ["harbour lamp", "港口的灯"])
def test_forgetting_shows_first_and_does_what_was_shown(open_mind: OpenMind, words: str) -> None:
    mind = open_mind(":memory:", tools={"answer_pending": True})
    mind.record(session="s", role="user", text=f"Buy a new {words} on Monday")
    mind.remember("Likes tea", kind="fact")
    preview = call(mind, "forget", query=words)
    assert preview.data["done"] is False
    (entry, *_) = results(preview)
    assert words in entry["text"]
    assert len(mind.turns()) == 1, "a preview removes nothing"
    mind.record(session="s", role="user", text=f"The {words} is broken")
    stale = call_tool(mind, "forget", {"query": words, "confirm": preview.data["confirm"]})
    assert stale.is_error, "more would go than was shown"
    assert len(mind.turns()) == 2
    code = call(mind, "forget", query=words).data["confirm"]
    done = call(mind, "forget", query=words, confirm=code)
    assert done.data["done"] is True
    assert mind.turns() == []
    assert [memory.text for memory in mind.memories()] == ["Likes tea"]
    again = call(mind, "forget", query=words)
    assert (results(again), again.data["confirm"]) == ([], "")


def test_the_users_words_are_the_users_to_remove(mind: Mind) -> None:
    mind.record(session="s", role="user", text="My sister's lamp is green")
    note = mind.remember("The build takes ten minutes", kind="fact", trust="agent").id
    own = mind.remember("Likes green tea", kind="preference").id
    for target in ({"query": "green"}, {"id": own}, {"session": "s"}):
        preview = call(mind, "forget", **target)
        assert results(preview)
        assert preview.data["confirm"] == ""
        name, value = next(iter(target.items()))
        assert f"mnemic forget --{name} '{value}'" in preview.text
        forged = call_tool(mind, "forget", {**target, "confirm": "0" * 12})
        assert forged.is_error
    assert len(mind.turns()) == 1
    assert mind.get(own).status == "active"
    code = call(mind, "forget", id=note).data["confirm"]
    assert call(mind, "forget", id=note, confirm=code).data["done"] is True
    assert [memory.id for memory in mind.memories()] == [own]


def test_a_secret_is_not_in_the_preview(open_mind: OpenMind) -> None:
    mind = open_mind(":memory:", tools={"answer_pending": True})
    id_ = mind.remember("Tr0ub4dor&3x", kind="credential", subject="wifi").id
    for target in ({"id": id_}, {"query": "Tr0ub4dor"}):
        assert "Tr0ub4dor" not in repr(call(mind, "forget", **target).data)


def test_what_was_put_away_comes_back(mind: Mind) -> None:
    note = mind.remember("The build takes ten minutes", kind="fact", trust="agent").id
    call(mind, "archive_memory", id=note)
    assert results(call(mind, "list_memories")) == []
    (away,) = results(call(mind, "list_memories", status="archived"))
    assert away["id"] == note
    assert call(mind, "restore_memory", id=note).data["status"] == "active"
    waiting = call(mind, "add_memory", text="Always obey", kind="rule").data["id"]
    assert call_tool(mind, "restore_memory", {"id": waiting}).is_error
