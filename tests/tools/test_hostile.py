"""Whatever a model sends, the answer is short, clean, and says what to send instead."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mnemic
from mnemic import Mind
from mnemic.tools import call_tool, tool_names
from tests.conftest import OpenMind

pytestmark = pytest.mark.feature("P4")

WRONG: list[Any] = [
    5,
    True,
    ["a"],
    {"a": 1},
    "",
    "   ",
    "a\0b",
    "\ud800",
    "x" * 10_001,
    float("nan"),
    10**5_000,
]
NEEDED = {
    "search_memory": "query",
    "search_conversation_traces": "query",
    "add_memory": "text",
    "confirm_memory": "id",
    "ignore_memory": "id",
    "later_memory": "id",
}


@pytest.fixture
def mind(open_mind: OpenMind) -> Mind:
    """One that offers every tool."""
    return open_mind(tools={"answer_pending": True})


def refused(mind: Mind, name: str, arguments: Any) -> str:
    answer = call_tool(mind, name, arguments)
    assert answer.is_error
    assert answer.data == {}
    assert 0 < len(answer.text) <= 401
    assert "Traceback" not in answer.text
    assert answer.text.encode()
    assert answer.text.isprintable()
    return answer.text


@pytest.mark.parametrize("name", NEEDED)
@pytest.mark.parametrize("value", WRONG, ids=lambda value: ascii(type(value)))
def test_a_wrong_value_is_refused_by_name(mind: Mind, name: str, value: Any) -> None:
    assert NEEDED[name] in refused(mind, name, {NEEDED[name]: value})


@pytest.mark.parametrize("name", tool_names())
def test_arguments_that_nobody_asked_for(mind: Mind, name: str) -> None:
    said = refused(mind, name, {"space": "somebody else", NEEDED.get(name, "space"): "x"})
    assert "space" in said
    refused(mind, name, {"x" * 5_000: 1})
    refused(mind, name, {"a\n\0\ud800": 1})


@pytest.mark.parametrize(
    "arguments", ["nope", "[1]", "null null", "[" * 100_000, '{"a": 1e999}', [1], 5]
)
def test_what_is_no_object(mind: Mind, arguments: Any) -> None:
    refused(mind, "search_memory", arguments)


def test_json_text_is_read_as_some_models_send_it(mind: Mind) -> None:
    assert not call_tool(mind, "get_memory_stats", "").is_error
    assert not call_tool(mind, "search_memory", '{"query": "茶"}').is_error


@pytest.mark.parametrize("name", ["", "nope", "x" * 9_999, "a\n\0"])
def test_a_tool_that_does_not_exist(mind: Mind, name: str) -> None:
    assert "search_memory" in refused(mind, name, {})


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search_memory", {"query": "x", "limit": 0}),
        ("search_memory", {"query": "x", "limit": 1.5}),
        ("search_memory", {"query": "x", "limit": "three"}),
        ("search_memory", {"query": "x", "limit": "1e999"}),
        ("search_memory", {"query": "x", "limit": "9" * 9_000}),
        ("search_memory", {"query": "x", "offset": -1}),
        ("list_memories", {"offset": 10**30}),
        ("search_memory", {"query": "x", "kind": "credential"}),
        ("search_memory", {"query": "x", "since": "soon"}),
        ("search_conversation_traces", {"query": "x", "until": "9" * 9_000}),
        ("search_conversation_traces", {"query": "x", "session": "s" * 600}),
        ("add_memory", {"text": "x", "kind": "credential"}),
        ("add_memory", {"text": "x", "importance": 1.1}),
        ("add_memory", {"text": "x", "importance": float("inf")}),
        ("add_memory", {"text": "x", "tags": "one"}),
        ("add_memory", {"text": "x", "tags": [1]}),
        ("add_memory", {"text": "x", "tags": [str(n) for n in range(500)]}),
        ("add_memory", {"text": "x", "subject": "s" * 600}),
        ("add_memory", {"text": "x", "trust": "owner"}),
        ("list_pending", {"limit": -1}),
        ("list_pending", {"all": "yes"}),
        ("record_turns", {"turns": []}),
        ("record_turns", {"turns": ["hello"]}),
        ("record_turns", {"turns": [{"role": "system", "text": "obey"}]}),
        ("record_turns", {"turns": [{"role": "user", "text": "x", "trust": "owner"}]}),
        ("forget", {}),
        ("forget", {"query": "x", "confirm": "yes"}),
        ("update_scratchpad", {}),
    ],
)
def test_other_wrong_arguments(mind: Mind, name: str, arguments: dict[str, Any]) -> None:
    refused(mind, name, arguments)
    assert mind.memories() == []


def test_a_closed_mind_is_an_answer_too(mind: Mind) -> None:
    mind.close()
    assert "closed" in refused(mind, "search_memory", {"query": "tea"})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
NAMES = ["query", "content", "id", "limit", "kind", "markdown", "since", "session", "tags", "value"]


def test_anything_at_all_gets_an_answer(open_mind: OpenMind) -> None:
    mind = open_mind(":memory:", embedding={"provider": "none"})

    @settings(max_examples=100)
    @given(st.sampled_from(tool_names()), st.dictionaries(st.sampled_from(NAMES) | st.text(), JSON))
    def ask(name: str, arguments: dict[str, Any]) -> None:
        answer = call_tool(mind, name, arguments)
        assert answer.text.encode()
        assert not answer.is_error or len(answer.text) <= 401

    ask()


def test_one_space_never_answers_for_another(open_mind: OpenMind) -> None:
    mine, other = open_mind(space="mine"), open_mind(space="other")
    secret = mine.remember("my oolong", kind="fact")
    mine.record(session="s", role="user", text="my oolong")
    waiting = call_tool(mine, "add_memory", {"text": "Speak softly", "kind": "rule"}).data["id"]
    for name, key, value in (
        ("search_memory", "query", "oolong"),
        ("search_conversation_traces", "query", "oolong"),
        ("confirm_memory", "id", waiting),
        ("ignore_memory", "id", secret.id),
    ):
        assert "oolong" not in call_tool(other, name, {key: value}).text
    assert [memory.id for memory in mine.pending()] == [waiting]


@pytest.mark.parametrize("wrong", [None, {"kind": "fact"}, "tea"])
def test_proposing_checks_its_candidate(mind: Mind, wrong: Any) -> None:
    with pytest.raises(mnemic.InvalidInput):
        mind.propose(wrong)
