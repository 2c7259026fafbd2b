"""A pydantic-ai agent with a memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, cast

import pytest
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

import mnemic
from mnemic.integrations import MemoryCapability
from mnemic.types import ToolCall, ToolResult
from tests.integrations.lessons import LESSONS, Lesson, learned
from tests.integrations.server import Answer, Call, model, prompt
from tests.providers.scripted import Scripted, status

Use = Callable[[OpenAIChatModel], Coroutine[Any, Any, None]]


def with_model(server: Scripted, use: Use) -> None:
    async def run() -> None:
        async with AsyncOpenAI(base_url=server.url, api_key="test", max_retries=0) as client:
            await use(OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client)))

    asyncio.run(run())


@pytest.mark.feature("N1")
@pytest.mark.parametrize("lesson", LESSONS, ids=["en", "zh"])
def test_the_second_session_knows_what_the_first_taught(
    server: Scripted, mind: mnemic.Mind, lesson: Lesson
) -> None:
    async def first(chat: OpenAIChatModel) -> None:
        agent = Agent(chat, instructions="Be brief.", capabilities=[MemoryCapability(mind, "one")])
        result = await agent.run(lesson.told)
        await agent.run("Thanks", message_history=result.all_messages())

    model(server, "I will keep that in mind.", "Welcome.")
    with_model(server, first)
    assert [turn.text for turn in mind.turns(session="one")] == [
        lesson.told,
        "I will keep that in mind.",
        "Thanks",
        "Welcome.",
    ]
    mind.end_session("one")
    known = learned(mind)
    assert any(lesson.word in text for text in known)

    async def second(chat: OpenAIChatModel) -> None:
        agent = Agent(
            chat,
            system_prompt="Be brief.",
            capabilities=[MemoryCapability(mnemic.AsyncMind(mind), "two")],
        )
        result = await agent.run(lesson.asked)
        assert "mnemic-memory" not in result.all_messages_json().decode()

    model(server, known[0])
    with_model(server, second)
    assert lesson.word in prompt(server.asked[2])
    assert "Be brief." in prompt(server.asked[2])
    assert [turn.text for turn in mind.turns(session="two")] == [lesson.asked, known[0]]
    mind.end_session("two")
    assert learned(mind) == known, "what was injected is not learned again"


def test_tools_and_streams_are_part_of_the_conversation(
    server: Scripted, mind: mnemic.Mind
) -> None:
    model(server, Answer(calls=(Call("weather", {"city": "杭州"}),)), "It rains.")

    async def talk(chat: OpenAIChatModel) -> None:
        agent = Agent(chat, capabilities=[MemoryCapability(mind, "s")])

        @agent.tool_plain
        def weather(city: str) -> str:
            return f"rain in {city}"

        async with agent.run_stream("天气怎么样？") as result:
            assert await result.get_output() == "It rains."

    with_model(server, talk)
    turns = mind.turns(session="s")
    assert [turn.role for turn in turns] == ["user", "assistant", "tool", "assistant"]
    assert turns[1].tool_calls == (ToolCall("weather", {"city": "杭州"}, "call_1"),)
    assert turns[2].tool_results == (ToolResult("rain in 杭州", "call_1"),)
    assert turns[3].text == "It rains."


def test_errors_pass_and_a_failing_memory_does_not(server: Scripted, mind: mnemic.Mind) -> None:
    server.then(status(500, "broken"))
    model(server, "Hello.")

    async def talk(chat: OpenAIChatModel) -> None:
        agent = Agent(chat, capabilities=[MemoryCapability(mind, "s", budget=0)])
        with pytest.raises(ModelHTTPError, match="broken"):
            await agent.run("Hello?")
        assert (await agent.run("Hello?")).output == "Hello."

    with_model(server, talk)
    assert {event.subject for event in mind.events(type="host_fail")} == {"pydantic-ai"}
    assert [turn.text for turn in mind.turns()] == ["Hello?", "Hello."]


@pytest.mark.parametrize("host", [{"instructions": "Be brief."}, {"system_prompt": "Be brief."}])
def test_what_is_added_stands_in_the_hosts_own_messages(
    server: Scripted, mind: mnemic.Mind, host: dict[str, str]
) -> None:
    mind.remember("The user is allergic to peanuts", kind="rule", importance=1.0)
    mind.record(session="before", role="user", text="My parrot is called Rio")
    model(server, "Rio.")

    async def talk(chat: OpenAIChatModel) -> None:
        agent = Agent(chat, capabilities=[MemoryCapability(mind, "s")], **cast("Any", host))
        await agent.run("What is my parrot called?")

    with_model(server, talk)
    sent = server.asked[0].json["messages"]
    assert [one["role"] for one in sent] == ["system", "user"]
    assert sent[0]["content"].startswith("Be brief.")
    assert "peanuts" in sent[0]["content"]
    assert "Rio" in str(sent[1]["content"])
