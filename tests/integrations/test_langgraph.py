"""LangGraph with a store and a checkpointer that remember."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
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
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.store.base import BaseStore, InvalidNamespaceError
from openai import OpenAI

import mnemic
from mnemic.integrations import GraphSaver, GraphStore
from mnemic.language.fence import strip_fenced
from mnemic.types import ToolCall, ToolResult
from tests.conftest import OpenMind
from tests.integrations.lessons import LESSONS, Lesson, learned
from tests.integrations.server import model, prompt
from tests.providers.scripted import Scripted


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    summary: str


def grown(state: list[AnyMessage], writes: Sequence[Any]) -> list[AnyMessage]:
    for write in writes:
        state = cast("list[AnyMessage]", add_messages(cast("Any", state), write))
    return state


class Deltas(TypedDict):
    messages: Annotated[list[AnyMessage], DeltaChannel(grown, snapshot_frequency=3)]


@pytest.fixture
def client(server: Scripted) -> Iterator[OpenAI]:
    with OpenAI(base_url=server.url, api_key="test", max_retries=0) as opened:
        yield opened


def build(client: OpenAI, mind: mnemic.Mind, budget: int | None = None) -> Any:
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
    server: Scripted, client: OpenAI, mind: mnemic.Mind, lesson: Lesson
) -> None:
    model(server, "I will keep that in mind.", "Welcome.")
    graph = build(client, mind)
    graph.invoke(say(lesson.told), thread("one"))
    graph.invoke(say("Thanks"), thread("one"))
    assert [turn.text for turn in mind.turns(session="one")] == [
        lesson.told,
        "I will keep that in mind.",
        "Thanks",
        "Welcome.",
    ]
    mind.end_session("one")
    known = learned(mind)
    (found, *_) = graph.store.search(("memories",), query=lesson.asked)
    assert lesson.word in found.value["text"], "the store has what the conversation taught"

    model(server, known[0])
    state = asyncio.run(build(client, mind).ainvoke(say(lesson.asked), thread("two")))
    assert lesson.word in prompt(server.asked[-1])
    assert server.asked[-1].json["messages"][0]["content"].startswith("Be brief.")
    assert [message.content for message in state["messages"]] == [lesson.asked, known[0]]
    assert [turn.text for turn in mind.turns(session="two")] == [lesson.asked, known[0]]
    mind.end_session("two")
    assert learned(mind) == known, "what was injected is not learned again"


@pytest.mark.feature("X6")
def test_messages_that_are_dropped_are_told_as_compressed(mind: mnemic.Mind) -> None:
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
    contents = [turn.text for turn in mind.turns(session="t")]
    assert contents == ["My parrot is called Rio", "And now for something else"]


def test_tools_and_the_checkpointer_behind_it(mind: mnemic.Mind) -> None:
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
    assert [turn.text for turn in mind.turns(session="t")][-1] == "More", "memory keeps it"
    saver.delete_thread("t")


def test_a_failing_memory_never_breaks_the_graph(
    server: Scripted, client: OpenAI, open_mind: OpenMind
) -> None:
    mind = open_mind(ledger__max_characters=3)
    model(server, "Hello.")
    state = build(client, mind, budget=0).invoke(say("Hello?"), thread("t"))
    assert state["messages"][-1].content == "Hello."
    assert {event.subject for event in mind.events(type="host_fail")} == {"langgraph"}


def test_a_store_puts_gets_searches_lists_and_deletes(mind: mnemic.Mind) -> None:
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


def test_a_store_shares_what_the_mind_knows(mind: mnemic.Mind) -> None:
    store = GraphStore(mind)
    known = mind.remember("用户住在杭州", kind="identity")
    (item,) = store.search(("memories",))
    assert (item.key, item.value["kind"]) == (known.id, "identity")
    assert "用户住在杭州" in item.value["text"]
    assert strip_fenced(item.value["text"]) == "", "what a node puts into its prompt is data"
    kept = store.get(("memories",), known.id)
    assert kept is not None
    assert kept.value == {"text": "用户住在杭州", "kind": "identity"}
    store.put(("memories",), "tea", {"text": "User drinks tea", "kind": "preference"})
    assert "User drinks tea" in [hit.text for hit in mind.recall("tea")]
    assert [memory.text for memory in mind.memories(kind="preference")] == ["User drinks tea"]

    async def awaited() -> None:
        await store.aput(("notes",), "k", {"text": "Rio is a parrot"})
        assert [one.key for one in await store.asearch(("notes",), query="parrot")] == ["k"]
        assert (await store.aget(("notes",), "k")) is not None
        await store.adelete(("notes",), "k")
        assert await store.alist_namespaces(prefix=("notes",)) == []

    asyncio.run(awaited())


def test_two_keys_with_one_text_are_two_items(mind: mnemic.Mind) -> None:
    store = GraphStore(mind)
    for key in ("first", "second", "first"):
        store.put(("notes",), key, {"text": "buy green tea"})
    items = {item.key: item.value for item in store.search(("notes",))}
    assert items == {key: {"text": "buy green tea"} for key in ("first", "second")}
    store.delete(("notes",), "first")
    assert [item.key for item in store.search(("notes",))] == ["second"]


def test_what_a_subgraph_says_inside_is_nobodys_word(mind: mnemic.Mind) -> None:
    def think(state: State) -> State:
        return {"messages": [HumanMessage("My name is Inner."), AIMessage("Noted.")]}

    inner: Any = StateGraph(State)
    inner.add_node("think", think)
    inner.add_edge(START, "think")
    graph: Any = StateGraph(State)
    compiled = inner.compile(checkpointer=True)

    def ask(state: State) -> State:
        compiled.invoke(say("a task for the inner one"))
        return {"messages": [AIMessage("Done.")]}

    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    running = graph.compile(checkpointer=GraphSaver(mind, InMemorySaver()))
    running.invoke(say("Do it"), thread("t"))
    assert [turn.text for turn in mind.turns(session="t")] == ["Do it", "Done."]


def test_messages_of_a_delta_channel_are_recorded(mind: mnemic.Mind) -> None:
    def answer(state: Deltas) -> Deltas:
        return {"messages": [AIMessage(f"answer {len(state['messages'])}")]}

    graph: Any = StateGraph(Deltas)
    graph.add_node("answer", answer)
    graph.add_edge(START, "answer")
    running = graph.compile(checkpointer=GraphSaver(mind, InMemorySaver()))
    said = []
    for number in range(4):
        running.invoke({"messages": [HumanMessage(f"question {number}")]}, thread("t"))
        said += [f"question {number}", f"answer {2 * number + 1}"]
    assert [turn.text for turn in mind.turns(session="t")] == said


def test_one_graph_serves_many_users(tmp_path: Path) -> None:
    def answer(state: State) -> State:
        return {"messages": [AIMessage("Hello.")]}

    with mnemic.connect(tmp_path / "all.db", worker="none") as engine:
        graph: Any = StateGraph(State)
        graph.add_node("answer", answer)
        graph.add_edge(START, "answer")
        running = graph.compile(checkpointer=GraphSaver(engine, InMemorySaver()))
        for user in ("ann", "bob"):
            config: RunnableConfig = {"configurable": {"thread_id": f"{user}-1", "user_id": user}}
            running.invoke(say(f"I am {user}"), {**config})
        for user in ("ann", "bob"):
            turns = engine.mind(user).turns()
            assert [turn.text for turn in turns if turn.role == "user"] == [f"I am {user}"]
        with pytest.raises(mnemic.InvalidInput, match="whose"):
            running.invoke(say("I am nobody"), thread("2"))


def test_items_are_put_at_once_and_stay_behind_their_wall(mind: mnemic.Mind) -> None:
    store = GraphStore(mind)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: store.put(("ann",), "count", {"text": "tea", "n": n}), range(20)))
    first = store.get(("ann",), "count")
    assert first is not None
    assert len(store.search(("ann",))) == 1, "one item under one key"
    store.put(("ann",), "count", {"text": "Ann drinks oolong tea", "n": 21})
    after = store.get(("ann",), "count")
    assert after is not None
    assert (after.created_at, after.value["n"]) == (first.created_at, 21)

    store.put(("ann",), "hidden", {"text": "oolong, not to be found"}, index=False)
    found = store.search(("ann",), query="oolong tea")
    assert [(one.key, one.score is None) for one in found] == [("count", False), ("hidden", True)]
    for number in range(30):
        store.put(("many",), str(number), {"text": f"oolong tea {number}", "odd": number % 2})
    odd = store.search(("many",), query="oolong tea", filter={"odd": 1}, limit=15)
    assert len(odd) == 15, "the filter comes before the limit"

    context = mind.context("What does Ann drink, oolong tea?")
    assert "oolong" not in context.text, "no prompt shows an item"
    assert mind.recall("oolong tea") == []
    assert mind.projects() == []
    mind.upkeep("daily")
    assert len(store.search(("many",), limit=100)) == 30, "and nothing fades it"
    mind.forget(query="oolong")
    assert store.search((), limit=100) == [], "forgetting reaches items"


def test_what_a_graph_puts_among_what_is_known_has_its_own_key(mind: mnemic.Mind) -> None:
    store = GraphStore(mind)
    store.put(("memories",), "drink", {"text": "Ann drinks oolong tea", "n": 1})
    store.put(("memories",), "drink", {"text": "Ann drinks green tea", "n": 2})
    found = store.get(("memories",), "drink")
    assert found is not None
    assert found.value == {"text": "Ann drinks green tea", "n": 2}
    assert [one.key for one in store.search(("memories",))] == ["drink"]
    assert "green tea" in mind.recall("What does Ann drink?")[0].text, "this one is known"
    store.delete(("memories",), "drink")
    assert mind.memories() == []
