"""Plain OpenAI and Anthropic clients with a memory, over a real wire."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import anthropic
import openai
import pytest

import mnemic
from mnemic.integrations import wrap
from mnemic.types import NewTurn, ToolCall, ToolResult
from tests.conftest import OpenMind
from tests.integrations.lessons import LESSONS, Lesson, learned
from tests.integrations.server import Answer, Call, model, prompt
from tests.providers.scripted import Scripted, status

WEATHER = Call("weather", {"city": "杭州"})


class Talker:
    """One way of asking a model: a client, a method, whole or in pieces."""

    def __init__(self, way: str, server: Scripted) -> None:
        self.maker, self.manner = way.split()
        self.server = server

    def client(self) -> Any:
        url, key = self.server.url, "test"
        if self.maker == "anthropic":
            return anthropic.Anthropic(base_url=url, api_key=key, max_retries=0)
        return openai.OpenAI(base_url=url, api_key=key, max_retries=0)

    def async_client(self) -> Any:
        url, key = self.server.url, "test"
        if self.maker == "anthropic":
            return anthropic.AsyncAnthropic(base_url=url, api_key=key, max_retries=0)
        return openai.AsyncOpenAI(base_url=url, api_key=key, max_retries=0)

    def ask(self, client: Any, messages: list[Any], **more: Any) -> None:
        """Ask, and read the answer to its end."""
        call, given = self.call(client, messages, more)
        if self.manner == "helper":
            with call(**given) as stream:
                for _ in stream:
                    pass
        elif self.manner == "streamed":
            for _ in call(**given, stream=True):
                pass
        else:
            call(**given)

    async def ask_async(self, client: Any, messages: list[Any], **more: Any) -> None:
        call, given = self.call(client, messages, more)
        if self.manner == "helper":
            async with call(**given) as stream:
                async for _ in stream:
                    pass
        elif self.manner == "streamed":
            async for _ in await call(**given, stream=True):
                pass
        else:
            await call(**given)

    def call(self, client: Any, messages: list[Any], more: dict[str, Any]) -> Any:
        name = "stream" if self.manner == "helper" else "create"
        given = {"model": "scripted", **more}
        if self.maker == "anthropic":
            return getattr(client.messages, name), {
                **given,
                "messages": messages,
                "max_tokens": 100,
            }
        if self.maker == "responses":
            return getattr(client.responses, name), {**given, "input": messages}
        return getattr(client.chat.completions, name), {**given, "messages": messages}


WAYS = [
    f"{maker} {manner}"
    for maker in ("chat", "responses", "anthropic")
    for manner in ("whole", "streamed", "helper")
    if (maker, manner) != ("responses", "helper")
]


@pytest.fixture(params=WAYS)
def talker(request: pytest.FixtureRequest, server: Scripted) -> Talker:
    return Talker(request.param, server)


@pytest.fixture
def client(talker: Talker) -> Iterator[Any]:
    with talker.client() as opened:
        yield opened


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


@pytest.mark.feature("N1")
@pytest.mark.parametrize("lesson", LESSONS, ids=["en", "zh"])
def test_the_second_session_knows_what_the_first_taught(
    talker: Talker, client: Any, mind: mnemic.Mind, lesson: Lesson
) -> None:
    model(talker.server, "I will keep that in mind.", "Hello.")
    with mind.session("one"):
        first = wrap(client, mind, session="one")
        messages = [user(lesson.told)]
        talker.ask(first, messages)
        messages += [{"role": "assistant", "content": "I will keep that in mind."}, user("Thanks")]
        talker.ask(first, messages)
    assert [turn.text for turn in mind.turns(session="one")] == [
        lesson.told,
        "I will keep that in mind.",
        "Thanks",
        "Hello.",
    ]
    known = learned(mind)
    assert any(lesson.word in text for text in known)

    model(talker.server, known[0])
    second = wrap(client, mind, session="two")
    asked = [user(lesson.asked)]
    talker.ask(second, asked)
    assert asked == [user(lesson.asked)], "the host's own messages stay as they are"
    assert lesson.word in prompt(talker.server.asked[-1])
    said = [turn.text for turn in mind.turns(session="two")]
    assert said == [lesson.asked, known[0]], "what was injected is not what was said"
    mind.end_session("two")
    assert learned(mind) == known, "and is not learned again"


def test_the_same_awaited(talker: Talker, mind: mnemic.Mind) -> None:
    lesson = LESSONS[0]
    model(talker.server, "Noted.", Answer("Peanuts.", (WEATHER,)))

    async def talk() -> None:
        async with talker.async_client() as client:
            memory = mnemic.AsyncMind(mind)
            await talker.ask_async(wrap(client, memory, session="one"), [user(lesson.told)])
            await memory.end_session("one")
            await memory.drain()
            await talker.ask_async(wrap(client, memory, session="two"), [user(lesson.asked)])

    asyncio.run(talk())
    assert lesson.word in prompt(talker.server.asked[-1])
    turns = mind.turns(session="two")
    assert [turn.text for turn in turns] == [lesson.asked, "Peanuts."]
    assert turns[1].tool_calls == (ToolCall("weather", {"city": "杭州"}, "call_1"),)


def test_tools_are_part_of_the_conversation(talker: Talker, client: Any, mind: mnemic.Mind) -> None:
    model(talker.server, Answer("Let me look.", (WEATHER,)), "It rains.", "Yes.")
    wrapped = wrap(client, mind, session="s")
    messages: list[Any] = [user("How is the weather there?")]
    talker.ask(wrapped, messages)
    messages += called(talker.maker)
    talker.ask(wrapped, messages)
    messages += [{"role": "assistant", "content": "It rains."}, user("An umbrella, then?")]
    talker.ask(wrapped, messages)
    turns = mind.turns(session="s")
    # An interface of items tells words and calls apart when they come back.
    assert [turn.role for turn in turns] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
        "assistant",
    ]
    assert turns[1].tool_calls == (ToolCall("weather", {"city": "杭州"}, "call_1"),)
    assert turns[2].tool_results == (ToolResult("rain, 8°", "call_1"),)
    assert [turn.text for turn in turns][3:] == ["It rains.", "An umbrella, then?", "Yes."]


def called(maker: str) -> list[Any]:
    """The call and its result as a host sends them back."""
    if maker == "chat":
        told = {"name": "weather", "arguments": '{"city": "杭州"}'}
        call = {"id": "call_1", "type": "function", "function": told}
        return [
            {"role": "assistant", "content": "Let me look.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": "rain, 8°"},
        ]
    if maker == "responses":
        return [
            {"role": "assistant", "content": "Let me look."},
            {
                "type": "function_call",
                "call_id": "call_1",
                "name": "weather",
                "arguments": '{"city": "杭州"}',
            },
            {"type": "function_call_output", "call_id": "call_1", "output": "rain, 8°"},
        ]
    return [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": "call_1", "name": "weather", "input": {"city": "杭州"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": "rain, 8°"},
            ],
        },
    ]


def test_the_hosts_own_instructions_come_first(
    talker: Talker, client: Any, mind: mnemic.Mind
) -> None:
    mind.remember("用户叫韩梅梅", kind="identity", importance=1.0)
    model(talker.server, "好")
    wrapped = wrap(client, mind, session="s")
    question = user("你还记得我叫什么名字吗？")
    if talker.maker == "anthropic":
        talker.ask(wrapped, [question], system="Be brief.")
        system = talker.server.asked[0].json["system"]
    elif talker.maker == "responses":
        talker.ask(wrapped, [question], instructions="Be brief.")
        system = talker.server.asked[0].json["instructions"]
    else:
        talker.ask(wrapped, [{"role": "system", "content": "Be brief."}, question])
        first, *others = talker.server.asked[0].json["messages"]
        assert [one["role"] for one in others] == ["user"]
        system = first["content"]
    assert system.startswith("Be brief.\n\n")
    assert "韩梅梅" in prompt(talker.server.asked[0])
    assert [turn.text for turn in mind.turns()] == [question["content"], "好"]


def test_an_error_of_the_client_comes_out_as_it_is(
    talker: Talker, client: Any, mind: mnemic.Mind
) -> None:
    talker.server.then(status(429, "slow down"))
    wrapped = wrap(client, mind, session="s")
    with pytest.raises((openai.RateLimitError, anthropic.RateLimitError), match="slow down"):
        talker.ask(wrapped, [user("Hello there")])
    assert [turn.text for turn in mind.turns()] == ["Hello there"], "it was said all the same"
    model(talker.server, "Hello.")
    talker.ask(wrapped, [user("Hello there")])
    assert [turn.text for turn in mind.turns()] == ["Hello there", "Hello."]


def test_a_failing_memory_never_breaks_the_call(
    talker: Talker, client: Any, open_mind: OpenMind
) -> None:
    mind = open_mind(ledger__max_characters=10)
    model(talker.server, "A long answer that is too long as well")
    talker.ask(wrap(client, mind, session="s"), [user("A question that is too long for it")])
    failed = mind.events(type="host_fail")
    assert len(failed) == 2
    assert "characters" in str(failed[0].payload["error"])
    assert failed[0].subject in ("OpenAI", "Anthropic")

    mind.close()
    model(talker.server, "Fine")
    talker.ask(wrap(client, mind, session="s"), [user("Hello?")])


def test_a_history_that_is_sent_again_is_recorded_once(server: Scripted, mind: mnemic.Mind) -> None:
    talker = Talker("chat whole", server)
    with talker.client() as client:
        messages: list[Any] = [user("first"), {"role": "assistant", "content": "one"}]
        for turn in range(2, 8):
            model(server, f"answer {turn}")
            messages.append(user(f"question {turn}"))
            # A new wrapper each time, as after a restart; and hosts drop what is old.
            sent = [{"role": "system", "content": "summary"}, *messages[-5:]]
            talker.ask(wrap(client, mind, session="s"), sent)
            messages.append({"role": "assistant", "content": f"answer {turn}"})
    assert [turn.text for turn in mind.turns(session="s")] == [
        message["content"] for message in messages
    ]


def test_a_stream_that_is_left_early_is_kept_as_far_as_it_came(
    server: Scripted, mind: mnemic.Mind
) -> None:
    talker = Talker("chat streamed", server)
    model(server, "one two three four")
    with talker.client() as client:
        wrapped = wrap(client, mind, session="s")
        call, given = talker.call(wrapped, [user("count")], {})
        with call(**given, stream=True) as stream:
            for chunk in stream:
                if chunk.choices[0].delta.content:
                    break
    assert [turn.text for turn in mind.turns()] == ["count", "one two t"]


def test_other_options_of_the_client_remember_too(server: Scripted, mind: mnemic.Mind) -> None:
    talker = Talker("chat whole", server)
    model(server, "yes")
    with talker.client() as client, wrap(client, mind, session="s") as wrapped:
        talker.ask(wrapped.with_options(timeout=5), [user("there?")])
        assert wrapped.base_url == client.base_url
    assert len(mind.turns()) == 2


def test_what_cannot_be_followed_is_refused(server: Scripted, mind: mnemic.Mind) -> None:
    with Talker("responses whole", server).client() as client:
        wrapped = wrap(client, mind, session="s")
        for resource, name in (
            (wrapped.responses, "stream"),
            (wrapped.chat.completions, "with_raw_response"),
            (wrapped.chat, "with_streaming_response"),
            (wrapped, "with_raw_response"),
            (wrapped, "realtime"),
            (wrapped.beta, "threads"),
        ):
            with pytest.raises(mnemic.InvalidInput, match="create"):
                getattr(resource, name)
    with Talker("anthropic whole", server).client() as claude:
        followed = wrap(claude, mind, session="s")
        for resource, name in (
            (followed.messages, "batches"),
            (followed.beta, "with_raw_response"),
            (followed, "with_streaming_response"),
        ):
            with pytest.raises(mnemic.InvalidInput, match="create"):
                getattr(resource, name)
    with pytest.raises(mnemic.InvalidInput, match="openai or anthropic"):
        wrap(cast("Any", object()), mind, session="s")


def test_it_also_remembers_on_plain_files(server: Scripted, open_mind: OpenMind) -> None:
    off = open_mind(memory__enabled=False)
    talker = Talker("chat whole", server)
    model(server, "noted", "Rio")
    with talker.client() as client:
        talker.ask(wrap(client, off, session="one"), [user("My parrot is called Rio")])
        talker.ask(wrap(client, off, session="two"), [user("What is my parrot called?")])
    assert "My parrot is called Rio" in prompt(server.asked[-1])
    off.record_turn(NewTurn("two", "user", "bye"))


def test_a_beginning_put_into_the_models_mouth_is_part_of_its_answer(
    server: Scripted, mind: mnemic.Mind
) -> None:
    model(server, " blue.", "Yes.")
    client = wrap(Talker("anthropic whole", server).client(), mind, session="s")
    asked: list[Any] = [{"role": "user", "content": "My favourite colour is blue. Which is it?"}]
    begun = {"role": "assistant", "content": "It is"}
    client.messages.create(model="m", max_tokens=9, messages=[*asked, begun])
    whole = {"role": "assistant", "content": "It is blue."}
    more = {"role": "user", "content": "Sure?"}
    client.beta.messages.create(model="m", max_tokens=9, messages=[*asked, whole, more])
    said = [turn.text for turn in mind.turns(session="s")]
    assert said == [asked[0]["content"], "It is blue.", "Sure?", "Yes."]


@pytest.mark.parametrize("way", ["chat streamed", "anthropic streamed"])
def test_a_stream_whose_caller_is_cancelled_is_kept(
    way: str, server: Scripted, mind: mnemic.Mind
) -> None:
    model(server, "It rains a lot.")
    talker = Talker(way, server)

    async def read() -> None:
        client = wrap(talker.async_client(), mind, session="s")
        call, given = talker.call(client, [{"role": "user", "content": "Weather?"}], {})
        arrived = asyncio.Event()

        async def caller() -> None:
            async for event in await call(**given, stream=True):
                if "It rai" in str(event):
                    arrived.set()
                    await asyncio.Event().wait()

        task = asyncio.create_task(caller())
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(read())
    assert [turn.role for turn in mind.turns(session="s")] == ["user", "assistant"]
    assert mind.turns(session="s")[1].text.startswith("It rai")


def test_one_database_has_a_memory_for_each_user(server: Scripted, tmp_path: Path) -> None:
    model(server, "Hello Ann.", "Hello Bob.")
    with mnemic.connect(tmp_path / "all.db", worker="none") as engine:
        plain = Talker("chat whole", server).client()
        for user in ("ann", "bob"):
            client = wrap(plain, engine, session="s", user=user)
            client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": f"I am {user}"}]
            )
        assert [turn.text for turn in engine.mind("ann").turns()] == ["I am ann", "Hello Ann."]
        with pytest.raises(mnemic.InvalidInput, match="whose"):
            wrap(plain, engine, session="s")
        with pytest.raises(mnemic.InvalidInput, match="bob"):
            wrap(plain, engine.mind("ann"), session="s", user="bob")
