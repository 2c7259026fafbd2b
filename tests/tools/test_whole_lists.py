"""No list ends without saying so: what is left is counted, and an offset goes on with it."""

from __future__ import annotations

from typing import Any

import pytest

from mnemic import Mind
from mnemic.tools import ToolAnswer, call_tool
from tests.conftest import OpenMind

TEAS = 30


def call(mind: Mind, tool: str, **arguments: Any) -> ToolAnswer:
    answer = call_tool(mind, tool, arguments)
    assert not answer.is_error, answer.text
    return answer


def results(answer: ToolAnswer) -> list[Any]:
    listed: Any = answer.data["results"]
    return list(listed)


def pages(mind: Mind, tool: str, **arguments: Any) -> list[list[Any]]:
    """Every page, as a model that follows the offsets reads them."""
    read: list[list[Any]] = []
    offset: Any = 0
    while offset is not None:
        answer = call(mind, tool, offset=offset, **arguments)
        read.append(results(answer))
        offset = answer.data["next_offset"]
        assert (f"offset {offset}" in answer.text) == (offset is not None)
        assert len(read) <= TEAS
    return read


@pytest.fixture
def mind(open_mind: OpenMind) -> Mind:
    mind = open_mind(":memory:", tools={"answer_pending": True})
    for number in range(TEAS):
        mind.remember(f"Tea number {number} comes from valley {number}", kind="fact")
    mind.remember("open-sesame", kind="credential", subject="tea house")
    return mind


@pytest.mark.parametrize("tool", ["list_memories", "search_memory"])
def test_a_large_limit_is_not_lowered_in_silence(mind: Mind, tool: str) -> None:
    query = {"query": "tea"} if tool == "search_memory" else {}
    answer = call(mind, tool, limit=500, **query)
    assert len(results(answer)) == TEAS
    assert answer.data["next_offset"] is None
    assert "offset" not in answer.text


@pytest.mark.parametrize(
    ("tool", "limit"),
    [
        ("list_memories", "7"),
        ("list_memories", 7.0),
        ("search_memory", 7),
        ("search_memory", "7.0"),
    ],
)
def test_offsets_lead_through_everything_once(mind: Mind, tool: str, limit: Any) -> None:
    query = {"query": "tea"} if tool == "search_memory" else {}
    read = pages(mind, tool, limit=limit, **query)
    ids = [one["id"] for page in read for one in page]
    assert len(ids) == len(set(ids)) == TEAS
    assert max(map(len, read)) == 7


def test_what_does_not_fit_is_on_the_next_page(open_mind: OpenMind) -> None:
    mind = open_mind(":memory:", tools={"answer_chars": 300})
    for number in range(6):
        mind.remember(f"Tea {number} " + "leaf " * 30, kind="fact")
    read = pages(mind, "list_memories", limit=4)
    assert len([one for page in read for one in page]) == 6
    assert len(read) > 2


def test_turns_go_on_too(mind: Mind) -> None:
    session = mind.session("market")
    for number in range(9):
        session.user(f"Stall {number} sells lanterns")
    read = pages(mind, "search_conversation_traces", query="lanterns", limit=4)
    assert sorted(one["index"] for page in read for one in page) == list(range(9))


def test_all_that_waits_is_counted_and_listed(mind: Mind) -> None:
    for word in ("one", "two", "three", "four", "five"):
        call(mind, "add_memory", text=f"Rule {word}", kind="rule")
    offered = call(mind, "list_pending", limit=20)
    assert len(results(offered)) == 3
    assert offered.data["waiting"] == 5
    assert "5 wait in all" in offered.text
    counted = [memory.offered for memory in mind.pending()]
    assert (
        len([one for page in pages(mind, "list_pending", all="true", limit=2) for one in page]) == 5
    )
    assert [memory.offered for memory in mind.pending()] == counted, "a list is no offer"


def test_one_memory_is_shown_whole(mind: Mind) -> None:
    long = "the harbour " * 300
    id_ = mind.remember(long, kind="fact").id
    (listed,) = results(call(mind, "list_memories", text="harbour"))
    assert len(str(listed["text"])) < len(long)
    (whole,) = results(call(mind, "get_memory", id=id_))
    assert whole["text"] == long.strip()
