"""The OpenAI Agents SDK with a session that remembers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from agents import Agent, RunConfig, Runner, Session, TResponseInputItem, function_tool
from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel
from agents.models.openai_responses import OpenAIResponsesModel
from openai import AsyncOpenAI

import mnemic
from mnemic.integrations import AgentsSession
from mnemic.types import ToolCall, ToolResult
from tests.integrations.lessons import LESSONS, Lesson, learned
from tests.integrations.server import Answer, Call, model, prompt
from tests.providers.scripted import Scripted

MODELS = {"chat": OpenAIChatCompletionsModel, "responses": OpenAIResponsesModel}
Use = Callable[[AsyncOpenAI], Coroutine[Any, Any, None]]


@function_tool
def weather(city: str) -> str:
    """The weather in a city."""
    return f"rain in {city}"


def with_client(server: Scripted, use: Use) -> None:
    async def run() -> None:
        async with AsyncOpenAI(base_url=server.url, api_key="test", max_retries=0) as client:
            await use(client)

    asyncio.run(run())


def config(session: AgentsSession) -> RunConfig:
    return RunConfig(call_model_input_filter=session.show, tracing_disabled=True)


@pytest.mark.parametrize("dialect", MODELS)
@pytest.mark.feature("N1")
@pytest.mark.parametrize("lesson", LESSONS, ids=["en", "zh"])
def test_the_second_session_knows_what_the_first_taught(
    server: Scripted, mind: mnemic.Mind, lesson: Lesson, dialect: str
) -> None:
    async def first(client: AsyncOpenAI) -> None:
        agent = Agent(name="helper", instructions="Be brief.", model=MODELS[dialect]("m", client))
        session = AgentsSession(mind, "one")
        assert isinstance(session, Session)
        await Runner.run(agent, lesson.told, session=session, run_config=config(session))
        await Runner.run(agent, "Thanks", session=session, run_config=config(session))

    model(server, "I will keep that in mind.", "Welcome.")
    with_client(server, first)
    assert lesson.told in prompt(server.asked[1]), "the session gives the history back"
    mind.end_session("one")
    known = learned(mind)
    assert any(lesson.word in text for text in known)

    async def second(client: AsyncOpenAI) -> None:
        agent = Agent(name="helper", instructions="Be brief.", model=MODELS[dialect]("m", client))
        session = AgentsSession(mnemic.AsyncMind(mind), "two")
        await Runner.run(agent, lesson.asked, session=session, run_config=config(session))

    model(server, known[0])
    with_client(server, second)
    assert lesson.word in prompt(server.asked[2])
    assert "Be brief." in prompt(server.asked[2])
    assert [turn.text for turn in mind.turns(session="two")] == [lesson.asked, known[0]]
    mind.end_session("two")
    assert learned(mind) == known, "what was injected is not learned again"


@pytest.mark.parametrize("dialect", MODELS)
def test_tools_are_part_of_the_history(server: Scripted, mind: mnemic.Mind, dialect: str) -> None:
    model(server, Answer(calls=(Call("weather", {"city": "杭州"}),)), "It rains.", "Yes, take one.")

    async def talk(client: AsyncOpenAI) -> None:
        agent = Agent(name="helper", tools=[weather], model=MODELS[dialect]("m", client))
        session = AgentsSession(mind, "s")
        result = Runner.run_streamed(
            agent, "天气怎么样？", session=session, run_config=config(session)
        )
        async for _ in result.stream_events():
            pass
        assert result.final_output == "It rains."
        await Runner.run(agent, "An umbrella?", session=session, run_config=config(session))

    with_client(server, talk)
    turns = mind.turns(session="s")
    assert [turn.role for turn in turns] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
        "assistant",
    ]
    assert turns[1].tool_calls == (ToolCall("weather", {"city": "杭州"}, "call_1"),)
    assert turns[2].tool_results == (ToolResult("rain in 杭州", "call_1"),)
    assert "rain in 杭州" in prompt(server.asked[2])


def test_the_history_is_what_the_protocol_says(mind: mnemic.Mind) -> None:
    items: list[TResponseInputItem] = [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a": 1}'},
        {"type": "function_call_output", "call_id": "c", "output": "three"},
    ]

    async def use() -> None:
        session = AgentsSession(mind, "s")
        assert await session.get_items() == []
        assert await session.pop_item() is None
        await session.clear_session()
        await session.add_items(items)
        await session.add_items([])
        assert await session.get_items() == items
        assert await session.get_items(limit=2) == items[2:]
        assert await session.get_items(limit=0) == []
        assert await session.pop_item() == items[3]
        assert await AgentsSession(mind, "s").get_items() == items[:3], "another process sees it"
        await session.add_items(items[3:])
        assert await session.get_items() == items
        await session.clear_session()
        assert await session.get_items() == []
        await session.add_items(items[:1])
        assert await session.get_items() == items[:1]
        assert await AgentsSession(mind, "t").get_items() == []

    asyncio.run(use())
    said = [turn.text for turn in mind.turns(session="s", role="user")]
    assert said == ["one", "one"], "what was said stays recorded"


def test_a_failing_memory_never_breaks_the_run(server: Scripted, mind: mnemic.Mind) -> None:
    model(server, "Hello.")

    async def talk(client: AsyncOpenAI) -> None:
        agent = Agent(name="helper", model=MODELS["chat"]("m", client))
        session = AgentsSession(mind, "s", budget=0)
        result = await Runner.run(agent, "Hello?", session=session, run_config=config(session))
        assert result.final_output == "Hello."

    with_client(server, talk)
    assert [event.subject for event in mind.events(type="host_fail")] == ["openai-agents"]


def test_every_item_comes_back_as_it_went_in(mind: mnemic.Mind) -> None:
    picture = {"type": "input_image", "image_url": "data:image/png;base64," + "A" * 9_000}
    items: list[Any] = [
        {"role": "user", "content": "Hello"},
        {"role": "user", "content": [{"type": "input_text", "text": "Look"}, picture]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "…"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "compaction", "id": "cmp_1", "encrypted_content": "…"},
        {"type": "function_call", "id": "f1", "call_id": "c1", "name": "ls", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text"}]},
        {"id": "m1", "type": "message", "role": "assistant", "status": "completed", "content": []},
    ]

    async def use() -> None:
        session = AgentsSession(mind, "s")
        await session.add_items(items)
        assert await session.get_items() == items
        assert await session.get_items(2) == items[-2:]
        short = AgentsSession(mind, "s", session_settings={"limit": 3})
        assert await short.get_items() == items[-3:]
        popped = await asyncio.gather(*(AgentsSession(mind, "s").pop_item() for _ in range(6)))
        assert sorted(map(str, popped)) == sorted(map(str, items[2:])), "each taken once"
        assert await session.get_items() == items[:2]
        await session.clear_session()
        assert await session.pop_item() is None

    asyncio.run(use())
    assert mind.turns(session="s")[1].text.startswith("Look"), "what was said stays recorded"
    mind.forget(session="s")
    assert mind.turns(session="s") == []
