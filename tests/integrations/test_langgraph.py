"""LangGraph with a store and a checkpointer that remember."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Annotated, Any, TypedDict, cast

import pytest
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
)
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.store.base import BaseStore, InvalidNamespaceError
from openai import OpenAI

import recollect
from recollect.integrations import GraphSaver, GraphStore
from recollect.types import ToolCall, ToolResult
from tests.conftest import OpenMind
from tests.integrations.lessons import LESSONS, Lesson, learnt
from tests.integrations.server import model, prompt
from tests.providers.scripted import Scripted


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    summary: str


@pytest.fixture
def client(server: Scripted) -> Iterator[OpenAI]:
    with OpenAI(base_url=server.url, api_key="test", max_retries=0) as opened:
        yield opened


def build(client: OpenAI, mind: recollect.Mind, budget: int | None = None) -> Any:
    """A graph of one node that asks the model."""
    saver = GraphSaver(mind, InMemorySaver(), budget=budget)

    def answer(state: State, config: RunnableConfig) -> State:
        messages = [SystemMessage("Be brief."), *state["messages"]]
        sent = convert_to_openai_messages(saver.show(messages, config))
        reply = client.chat.completions.create(model="m", messages=cast("Any", sent))
        return {"messages": [AIMessage(reply.choices[0].message.content or "")]}

    graph = StateGraph(State)
    graph.add_node("answer", answer)
    graph.add_edge(START, "answer")
    graph.add_edge("answer", END)
    return graph.compile(checkpointer=saver, store=GraphStore(mind))


def thread(name: str) -> RunnableConfig:
    return {"configurable": {"thread_id": name}}


def say(text: str) -> State:
    return {"messages": [HumanMessage(text)]}


@pytest.mark.feature("N1")
@pytest.mark.parametrize("lesson", LESSONS, ids=["en", "zh"])
def test_the_second_session_knows_what_the_first_taught(
    server: Scripted, client: OpenAI, mind: recollect.Mind, lesson: Lesson
) -> None:
    model(server, "I will keep that in mind.", "Welcome.")
    graph = build(client, mind)
    graph.invoke(say(lesson.told), thread("one"))
    graph.invoke(say("Thanks"), thread("one"))
    assert [turn.content for turn in mind.turns(session="one")] == [
        lesson.told,
        "I will keep that in mind.",
        "Thanks",
        "Welcome.",
    ]
    mind.end_session("one")
    known = learnt(mind)
    (found, *_) = graph.store.search(("memories",), query=lesson.asked)
    assert lesson.word in found.value["text"], "the store has what the conversation taught"

    model(server, known[0])
    state = asyncio.run(build(client, mind).ainvoke(say(lesson.asked), thread("two")))
    assert lesson.word in prompt(server.asked[-1])
    assert server.asked[-1].json["messages"][0]["content"].startswith("Be brief.")
    assert [message.content for message in state["messages"]] == [lesson.asked, known[0]]
    assert [turn.content for turn in mind.turns(session="two")] == [lesson.asked, known[0]]
    mind.end_session("two")
    assert learnt(mind) == known, "what was injected is not learnt again"


@pytest.mark.feature("X6")
def test_messages_that_are_dropped_are_told_as_compressed(mind: recollect.Mind) -> None:
    def shorten(state: State) -> State:
        old = state["messages"][:-1]
        if not old:
            return {}
        return {
            "messages": [cast("Any", RemoveMessage(id=str(message.id))) for message in old],
            "summary": "They spoke about parrots.",
        }

    graph: Any = StateGraph(State)
    graph.add_node("shorten", shorten)
    graph.add_edge(START, "shorten")
    graph.add_edge("shorten", END)
    running = graph.compile(checkpointer=GraphSaver(mind, InMemorySaver()))
    running.invoke(say("My parrot is called Rio"), thread("t"))
    running.invoke(say("And now for something else"), thread("t"))
    (episode,) = mind.episodes(session="t")
    assert episode.source == "context_compress"
    assert episode.summary == "They spoke about parrots."
    contents = [turn.content for turn in mind.turns(session="t")]
    assert contents == ["My parrot is called Rio", "And now for something else"]


def test_tools_and_the_checkpointer_behind_it(mind: recollect.Mind) -> None:
    inner = InMemorySaver()
    saver = GraphSaver(mind, inner)
    call = {"name": "weather", "args": {"city": "杭州"}, "id": "c1", "type": "tool_call"}

    def work(state: State) -> State:
        asked = AIMessage("Let me look.", tool_calls=[cast("Any", call)])
        return {"messages": [asked, ToolMessage("no net", tool_call_id="c1", status="error")]}

    graph: Any = StateGraph(State)
    graph.add_node("work", work)
    graph.add_edge(START, "work")
    graph.add_edge("work", END)
    running = graph.compile(checkpointer=saver)
    running.invoke(say("Weather?"), thread("t"))
    turns = mind.turns(session="t")
    assert turns[1].tool_calls == (ToolCall("weather", {"city": "杭州"}, "c1"),)
    assert turns[2].tool_results == (ToolResult("no net", "c1", is_error=True),)
    assert len(running.get_state(thread("t")).values["messages"]) == 3
    assert len(list(running.get_state_history(thread("t")))) == len(list(inner.list(thread("t"))))

    async def later() -> int:
        await running.aupdate_state(thread("t"), say("More"))
        history = [one async for one in running.aget_state_history(thread("t"))]
        await saver.adelete_thread("t")
        return len(history)

    assert asyncio.run(later()) > 1
    assert inner.get_tuple(thread("t")) is None
    assert [turn.content for turn in mind.turns(session="t")][-1] == "More", "memory keeps it"
    saver.delete_thread("t")


def test_a_failing_memory_never_breaks_the_graph(
    server: Scripted, client: OpenAI, open_mind: OpenMind
) -> None:
    mind = open_mind(ledger__max_characters=3)
    model(server, "Hello.")
    state = build(client, mind, budget=0).invoke(say("Hello?"), thread("t"))
    assert state["messages"][-1].content == "Hello."
    assert {event.subject for event in mind.events(type="host_fail")} == {"langgraph"}


def test_a_store_puts_gets_searches_lists_and_deletes(mind: recollect.Mind) -> None:
    store: BaseStore = GraphStore(mind)
    ann, bob = ("users", "ann", "facts"), ("users", "bob", "facts")
    store.put(ann, "editor", {"text": "Ann writes with Helix", "weight": 3, "more": {"a": [1]}})
    store.put(ann, "drink", {"text": "Ann drinks oolong tea", "weight": 1})
    store.put(bob, "drink", {"name": "coffee", "weight": 2})
    item = store.get(ann, "editor")
    assert item is not None
    assert item.value == {"text": "Ann writes with Helix", "weight": 3, "more": {"a": [1]}}
    assert (item.key, item.namespace) == ("editor", ann)
    assert store.get(ann, "nothing") is None
    assert store.get(("nobody",), "editor") is None

    best = store.search(ann, query="which tea?")[0]
    assert best.key == "drink"
    assert best.score
    assert {one.namespace for one in store.search(("users",))} == {ann, bob}
    assert [one.key for one in store.search(("users",), filter={"weight": {"$gte": 3}})] == [
        "editor"
    ]
    assert [one.namespace for one in store.search(("users",), filter={"weight": 2})] == [bob]
    assert len(store.search(("users",), limit=2)) == 2
    assert len(store.search(("users",), limit=2, offset=2)) == 1
    with pytest.raises(ValueError, match="operator"):
        store.search(("users",), filter={"weight": {"$like": 3}})

    assert store.list_namespaces() == [ann, bob]
    assert store.list_namespaces(prefix=("users", "*"), max_depth=1) == [("users",)]
    assert store.list_namespaces(suffix=("bob", "facts")) == [bob]

    store.put(ann, "editor", {"text": "Ann writes with Zed"})
    changed = store.get(ann, "editor")
    assert changed is not None
    assert changed.value == {"text": "Ann writes with Zed"}
    assert len(store.search(ann)) == 2, "a new value takes the place of the old"
    store.delete(ann, "editor")
    store.delete(ann, "editor")
    assert store.get(ann, "editor") is None
    assert [one.score for one in store.search(ann, query="Zed")] == [0.0], "nothing fits"
    store.delete(bob, "drink")
    assert store.list_namespaces() == [ann]
    with pytest.raises(InvalidNamespaceError):
        store.put(("with.dot",), "k", {})


def test_a_store_shares_what_the_mind_knows(mind: recollect.Mind) -> None:
    store = GraphStore(mind)
    known = mind.remember("用户住在杭州", kind="identity")
    (item,) = store.search(("memories",))
    assert (item.key, item.value) == (known.id, {"text": "用户住在杭州", "kind": "identity"})
    assert store.get(("memories",), known.id) is not None
    store.put(("memories",), "tea", {"text": "User drinks tea", "kind": "preference"})
    assert "User drinks tea" in [hit.text for hit in mind.recall("tea")]
    assert [memory.content for memory in mind.memories(kind="preference")] == ["User drinks tea"]

    async def awaited() -> None:
        await store.aput(("notes",), "k", {"text": "Rio is a parrot"})
        assert [one.key for one in await store.asearch(("notes",), query="parrot")] == ["k"]
        assert (await store.aget(("notes",), "k")) is not None
        await store.adelete(("notes",), "k")
        assert await store.alist_namespaces(prefix=("notes",)) == []

    asyncio.run(awaited())


def test_two_keys_with_one_text_are_two_items(mind: recollect.Mind) -> None:
    store = GraphStore(mind)
    for key in ("first", "second", "first"):
        store.put(("notes",), key, {"text": "buy green tea"})
    items = {item.key: item.value for item in store.search(("notes",))}
    assert items == {key: {"text": "buy green tea"} for key in ("first", "second")}
    store.delete(("notes",), "first")
    assert [item.key for item in store.search(("notes",))] == ["second"]
