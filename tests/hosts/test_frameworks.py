"""Each framework over two sessions, with its own library and a model on loopback: what the first
session taught reaches the model in the second, of the user who said it and of nobody else.

The libraries are heavy and do not agree with each other's neighbours, so these tests run in an
environment of their own (`make hosts`); elsewhere those whose library is missing are left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import mnemic
from tests.integrations.lessons import LESSONS, Lesson
from tests.integrations.server import model, prompt
from tests.providers.scripted import Scripted

Talk = Callable[[mnemic.Engine, str, str, str, Scripted], None]
"""Says a text in a session of a user."""


def langchain(engine: mnemic.Engine, user: str, session: str, text: str, at: Scripted) -> None:
    agents = pytest.importorskip("langchain.agents")
    openai = pytest.importorskip("langchain_openai")
    from mnemic.integrations import MemoryMiddleware

    chat = openai.ChatOpenAI(model="m", base_url=at.url, api_key="test", max_retries=0)
    agent = agents.create_agent(
        chat, system_prompt="Be brief.", middleware=[MemoryMiddleware(engine)]
    )
    config = {"configurable": {"thread_id": session, "user_id": user}}
    state = agent.invoke({"messages": [{"role": "user", "content": text}]}, config)
    assert "mnemic-memory" not in str(state), "the evidence is for the model alone"


def google_adk(engine: mnemic.Engine, user: str, session: str, text: str, at: Scripted) -> None:
    pytest.importorskip("google.adk")
    from google.adk.agents import LlmAgent
    from google.adk.models.base_llm import BaseLlm
    from google.adk.models.llm_response import LlmResponse
    from google.adk.runners import Runner
    from google.adk.sessions import InMemorySessionService
    from google.adk.tools import preload_memory_tool
    from google.genai import types

    from mnemic.integrations import AdkMemoryService

    class Loopback(BaseLlm):
        """A model of ADK's that asks the scripted server."""

        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
            import httpx

            asked = str(llm_request.config.system_instruction)
            asked += "".join(str(p.text) for c in llm_request.contents for p in c.parts)
            body = {"model": "m", "messages": [{"role": "user", "content": asked}]}
            async with httpx.AsyncClient() as client:
                reply = await client.post(f"{at.url}/chat/completions", json=body)
            said = reply.json()["choices"][0]["message"]["content"]
            yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=said)]))

    async def talk() -> None:
        sessions, memory = InMemorySessionService(), AdkMemoryService(engine)
        agent = LlmAgent(
            name="helper",
            model=Loopback(model="m"),
            instruction="Be brief.",
            tools=[preload_memory_tool.PreloadMemoryTool()],
        )
        runner = Runner(
            agent=agent, app_name="app", session_service=sessions, memory_service=memory
        )
        await sessions.create_session(app_name="app", user_id=user, session_id=session)
        said = types.Content(role="user", parts=[types.Part(text=text)])
        async for _ in runner.run_async(user_id=user, session_id=session, new_message=said):
            pass
        whole = await sessions.get_session(app_name="app", user_id=user, session_id=session)
        for _ in range(2):  # given twice, recorded once
            await memory.add_session_to_memory(whole)

    asyncio.run(talk())


def llama_index(engine: mnemic.Engine, user: str, session: str, text: str, at: Scripted) -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core.chat_engine import SimpleChatEngine
    from llama_index.core.memory import Memory
    from llama_index.llms.openai_like import OpenAILike

    from mnemic.integrations import MnemicMemoryBlock

    llm = OpenAILike(model="m", api_base=at.url, api_key="test", is_chat_model=True, max_retries=0)
    memory = Memory.from_defaults(memory_blocks=[MnemicMemoryBlock(engine, session, user=user)])
    chat = SimpleChatEngine.from_defaults(llm=llm, memory=memory, system_prompt="Be brief.")
    chat.chat(text)


def autogen(engine: mnemic.Engine, user: str, session: str, text: str, at: Scripted) -> None:
    pytest.importorskip("autogen_agentchat")
    from autogen_agentchat.agents import AssistantAgent
    from autogen_core.models import ModelInfo
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    from mnemic.integrations import AutogenMemory

    async def talk() -> None:
        info = ModelInfo(
            vision=False, function_calling=True, json_output=False, family="unknown",
            structured_output=False, multiple_system_messages=True,
        )  # fmt: skip
        client = OpenAIChatCompletionClient(
            model="m", base_url=at.url, api_key="test", model_info=info, max_retries=0
        )
        memory = AutogenMemory(engine, session, user=user)
        agent = AssistantAgent("helper", client, memory=[memory], system_message="Be brief.")
        await agent.run(task=text)
        await client.close()
        await memory.close()

    asyncio.run(talk())


def crewai(engine: mnemic.Engine, user: str, session: str, text: str, at: Scripted) -> None:
    crew = pytest.importorskip("crewai")
    from mnemic.integrations import CrewMemory

    llm = crew.LLM(model="openai/m", base_url=at.url, api_key="test", max_retries=0)
    agent = crew.Agent(role="helper", goal="help", backstory="a helper", llm=llm)
    task = crew.Task(description=text, expected_output="an answer", agent=agent)
    memory = CrewMemory(engine, session, user=user)
    crew.Crew(agents=[agent], tasks=[task], memory=memory).kickoff()


def strands(engine: mnemic.Engine, user: str, session: str, text: str, at: Scripted) -> None:
    host = pytest.importorskip("strands")
    from strands.memory import MemoryManager
    from strands.models.openai import OpenAIModel

    from mnemic.integrations import StrandsMemoryStore

    given = {"base_url": at.url, "api_key": "test", "max_retries": 0}
    chat = OpenAIModel(client_args=given, model_id="m")
    memory = MemoryManager(stores=[StrandsMemoryStore(engine, session, user=user)])
    agent = host.Agent(
        chat, system_prompt="Be brief.", memory_manager=memory, callback_handler=None
    )
    agent(text)
    asyncio.run(memory.flush())


def agent_framework(
    engine: mnemic.Engine, user: str, session: str, text: str, at: Scripted
) -> None:
    host = pytest.importorskip("agent_framework")
    openai = pytest.importorskip("agent_framework_openai")
    from mnemic.integrations import MemoryContextProvider

    async def talk() -> None:
        client = openai.OpenAIChatCompletionClient(model="m", base_url=at.url, api_key="test")
        agent = host.Agent(
            client=client,
            instructions="Be brief.",
            context_providers=[MemoryContextProvider(engine, user=user)],
        )
        await agent.run(text, session=host.AgentSession(session_id=session))

    asyncio.run(talk())


HOSTS = (langchain, google_adk, llama_index, autogen, crewai, strands, agent_framework)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("talk", HOSTS, ids=lambda talk: talk.__name__)
@pytest.mark.parametrize("lesson", LESSONS, ids=["en", "zh"])
def test_the_second_session_knows_what_the_first_taught(
    talk: Talk, lesson: Lesson, engine: mnemic.Engine, server: Scripted
) -> None:
    model(server, "Fine, noted.", "An answer.", "Who knows.")
    talk(engine, "ann", "one", lesson.told, server)
    (space,) = engine.spaces()
    ann = engine.mind(space)
    first = [str(turn.text) for turn in ann.turns(session="one")]
    assert first.count(lesson.told) == 1
    assert ann.events(type="host_fail") == []
    ann.end_session("one")
    ann.drain()
    assert any(lesson.word in memory.text for memory in ann.memories())

    talk(engine, "ann", "two", lesson.asked, server)
    assert lesson.word in prompt(server.asked[1])
    ann.end_session("two")
    ann.drain()
    assert len([one for one in ann.memories() if lesson.word in one.text]) == 1, (
        "what was shown is not learned again"
    )

    talk(engine, "bob", "three", lesson.asked, server)
    assert lesson.word not in prompt(server.asked[2]), "another user's memory"
