"""Ten messages of one conversation through each adapter: the stable part of the prompt stays the
same byte for byte, and no line of the conversation comes back as evidence."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any, cast

import anthropic
import openai
import pytest
from agents import Agent as SdkAgent
from agents import RunConfig, Runner
from agents.models.openai_chatcompletions import OpenAIChatCompletionsModel
from langchain_core.messages import AIMessage, HumanMessage, convert_to_openai_messages
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

import mnemic
from mnemic.clock import ManualClock
from mnemic.integrations import AgentsSession, GraphSaver, MemoryCapability, wrap
from tests.conftest import OpenMind
from tests.integrations.server import model
from tests.providers.scripted import Asked, Scripted

OWN = "Be brief."
MESSAGES = (
    "Where does the harbour ferry leave from?",
    "港口渡轮几点开？",
    "Fix the timetable page of the harbour ferry",
    "What a lovely day for the harbour ferry!",
    "Which pier was the harbour ferry at, again?",
    "谢谢",
    "渡轮票多少钱？",
    "Do I like the harbour ferry more than the bus?",
    "Translate the timetable page of the harbour ferry",
    "And the harbour ferry on Sundays?",
)
ANSWERS = tuple(f"Reply {n} about the harbour ferry 渡轮." for n in range(len(MESSAGES)))


@pytest.fixture
def seeded(open_mind: OpenMind) -> mnemic.Mind:
    """A memory of an earlier conversation, with core memories that are equally important."""
    mind = open_mind(recall={"evidence_score": 0.0})
    with mind.session("earlier") as session:
        session.user("The harbour ferry leaves from pier nine at seven, 渡轮七点开")
        session.assistant("Pier nine at seven, noted.")
        session.user("A ticket for the harbour ferry costs four coins, 渡轮票四个硬币")
    for text in ("Prefers the harbour ferry", "Walks to the bus stop", "渡轮上不喝咖啡"):
        mind.remember(text, kind="preference", importance=0.9)
    mind.drain()
    return mind


Talk = Callable[[mnemic.Mind, Scripted, Callable[[], None]], None]


def plain_chat(mind: mnemic.Mind, server: Scripted, next_: Callable[[], None]) -> None:
    with openai.OpenAI(base_url=server.url, api_key="test", max_retries=0) as client:
        wrapped = wrap(client, mind, session="now")
        history: list[Any] = [{"role": "system", "content": OWN}]
        for text in MESSAGES:
            history.append({"role": "user", "content": text})
            reply = wrapped.chat.completions.create(model="m", messages=history)
            history.append({"role": "assistant", "content": reply.choices[0].message.content})
            next_()


def plain_responses(mind: mnemic.Mind, server: Scripted, next_: Callable[[], None]) -> None:
    """The provider holds the conversation: each request has only the new message."""
    with openai.OpenAI(base_url=server.url, api_key="test", max_retries=0) as client:
        wrapped = wrap(client, mind, session="now")
        before: Any = None
        for text in MESSAGES:
            given = {"model": "m", "input": text, "instructions": OWN}
            more = {} if before is None else {"previous_response_id": before}
            before = cast("Any", wrapped.responses.create)(**given, **more).id
            next_()


def plain_anthropic(mind: mnemic.Mind, server: Scripted, next_: Callable[[], None]) -> None:
    with anthropic.Anthropic(base_url=server.url, api_key="test", max_retries=0) as client:
        wrapped = wrap(client, mind, session="now")
        history: list[Any] = []
        for text, answer in zip(MESSAGES, ANSWERS, strict=True):
            history.append({"role": "user", "content": text})
            wrapped.messages.create(model="m", max_tokens=9, system=OWN, messages=history)
            history.append({"role": "assistant", "content": answer})
            next_()


def langgraph(mind: mnemic.Mind, server: Scripted, next_: Callable[[], None]) -> None:
    with openai.OpenAI(base_url=server.url, api_key="test", max_retries=0) as client:
        saver = GraphSaver(mind, InMemorySaver())

        def answer(state: MessagesState, config: RunnableConfig) -> Any:
            sent = convert_to_openai_messages(saver.show(state["messages"], config))
            reply = client.chat.completions.create(model="m", messages=cast("Any", sent))
            return {"messages": [AIMessage(reply.choices[0].message.content or "")]}

        graph = StateGraph(MessagesState)
        graph.add_node("answer", answer)
        graph.add_edge(START, "answer")
        graph.add_edge("answer", END)
        running: Any = graph.compile(checkpointer=saver)
        for text in MESSAGES:
            config = {"configurable": {"thread_id": "now"}}
            running.invoke({"messages": [HumanMessage(text)]}, config)
            next_()


def openai_agents(mind: mnemic.Mind, server: Scripted, next_: Callable[[], None]) -> None:
    async def run() -> None:
        async with openai.AsyncOpenAI(base_url=server.url, api_key="test", max_retries=0) as client:
            agent = SdkAgent(
                name="helper", instructions=OWN, model=OpenAIChatCompletionsModel("m", client)
            )
            session = AgentsSession(mind, "now")
            config = RunConfig(call_model_input_filter=session.show, tracing_disabled=True)
            for text in MESSAGES:
                await Runner.run(agent, text, session=session, run_config=config)
                next_()

    asyncio.run(run())


def pydantic_ai(mind: mnemic.Mind, server: Scripted, next_: Callable[[], None]) -> None:
    async def run() -> None:
        async with openai.AsyncOpenAI(base_url=server.url, api_key="test", max_retries=0) as client:
            chat = OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client))
            agent = Agent(chat, instructions=OWN, capabilities=[MemoryCapability(mind, "now")])
            history: Any = []
            for text in MESSAGES:
                history = (await agent.run(text, message_history=history)).all_messages()
                next_()

    asyncio.run(run())


def stable_part(asked: Asked) -> str:
    body = asked.json
    if "messages" in body:
        system = [m["content"] for m in body["messages"] if m["role"] in ("system", "developer")]
        return "\n".join([str(body.get("system", "")), *map(str, system)])
    return str(body["instructions"])


def texts_of(content: Any) -> Iterator[str]:
    """The texts of a message's content, however it is written."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            yield from texts_of(part.get("text", part.get("content", "")))


def added_part(asked: Asked, message: str) -> str:
    """What memory put before the message that is being answered, or beside it."""
    items = asked.json.get("messages", asked.json.get("input"))
    history = (
        [items] if isinstance(items, str) else [t for m in items for t in texts_of(m["content"])]
    )
    own = {*MESSAGES, *ANSWERS, OWN}
    new = [text.removesuffix(message) for text in history if text not in own]
    return "\n".join(
        text for text in new if "Recalled" in text or "想起" in text or "In hand" in text
    )


@pytest.mark.parametrize(
    "talk",
    [plain_chat, plain_responses, plain_anthropic, langgraph, openai_agents, pydantic_ai],
    ids=lambda talk: talk.__name__,
)
def test_one_conversation(
    server: Scripted, seeded: mnemic.Mind, clock: ManualClock, talk: Talk
) -> None:
    def next_() -> None:
        """Time goes by, and what was recalled counts as used."""
        clock.advance(minutes=2)
        seeded.drain()

    model(server, *ANSWERS)
    known = {memory.id for memory in seeded.memories()}
    talk(seeded, server, next_)
    assert {memory.id for memory in seeded.memories()} == known, "nothing was learned meanwhile"
    assert len(server.asked) == len(MESSAGES)
    assert len({stable_part(asked) for asked in server.asked}) == 1
    assert "Prefers the harbour ferry" in stable_part(server.asked[0])
    assert not any("四个硬币" in stable_part(asked) for asked in server.asked)
    added = [added_part(a, m) for a, m in zip(server.asked, MESSAGES, strict=True)]
    assert "pier nine" in added[0], "what an earlier conversation said is evidence"
    for number, text in enumerate(added):
        again = [line for line in (*MESSAGES[: number + 1], *ANSWERS[:number]) if line in text]
        assert not again, f"message {number} brings the conversation back"
