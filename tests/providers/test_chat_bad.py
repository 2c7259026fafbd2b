"""Every bad answer, from every provider: a typed error, no half object, no key."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest

from mnemic.errors import (
    BadAnswer,
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelUnavailable,
)
from mnemic.providers.chat.base import Answer, ChatModel
from tests.providers.scripted import (
    Behavior,
    Scripted,
    cut_short,
    drip,
    hang_up,
    reply,
    silence,
    status,
)
from tests.providers.speaking import KEY, PROVIDERS, ask, asking_fails, says, talking

pytestmark = [
    pytest.mark.feature("X9", preset=["openakita", "semibot"]),
    pytest.mark.feature("X3"),
    pytest.mark.feature("X4"),
]


class Stage:
    """One server and a model of each provider for the whole file: connecting is slow."""

    def __init__(self, server: Scripted, models: dict[str, ChatModel]) -> None:
        self.server, self._models = server, models

    def failure(self, provider: str, behavior: Behavior) -> ModelError:
        self.server.always(behavior)
        return asking_fails(self._models[provider])

    def answer(self, provider: str, behavior: Behavior, text: str) -> Answer[list[str]]:
        self.server.always(behavior)
        return ask(self._models[provider], text)


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with ExitStack() as stack:
        stack.enter_context(pytest.MonkeyPatch.context()).setenv("NO_PROXY", "127.0.0.1")
        server = stack.enter_context(Scripted())
        yield Stage(
            server, {name: stack.enter_context(talking(server, name)) for name in PROVIDERS}
        )


Wire = tuple[Behavior, type[ModelError]]

WIRE: dict[str, Wire] = {
    **{
        f"status {code}": (status(code, f"no {KEY} here"), ModelRefused)
        for code in (400, 401, 402, 403, 404, 405, 413, 415, 422, 451)
    },
    **{
        f"status {code}": (reply(b"<html>oops</html>", status=code), ModelUnavailable)
        for code in (408, 409, 425, 500, 502, 503, 504, 529)
    },
    "moved": (reply({}, status=302, location="http://127.0.0.1:1/"), ModelRefused),
    "no content": (reply(b"", status=203), ModelRefused),
    "429": (status(429, KEY), ModelRateLimited),
    "429 seconds": (status(429, retry_after="7"), ModelRateLimited),
    "429 nonsense": (status(429, retry_after="\x01soon"), ModelRateLimited),
    "hang up": (hang_up, ModelUnavailable),
    "cut short": (cut_short(says("openai", '{"facts": []}')), ModelUnavailable),
    "half JSON": (reply(b'{"choices": [{"message": {"content": "{'), ModelUnavailable),
    "HTML": (reply(b"<html>please log in</html>"), ModelUnavailable),
    "nothing": (reply(b""), ModelUnavailable),
    "no text": (reply(b"\xff\xfe\x00\x80"), ModelUnavailable),
    "zeros": (reply(b"\0" * 5000), ModelUnavailable),
    "deep": (reply(b"[" * 200_000), ModelUnavailable),
    "not gzip": (reply(b"{}", content_encoding="gzip"), ModelUnavailable),
}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("behavior", "kind"), WIRE.values(), ids=WIRE)
def test_on_the_wire(
    stage: Stage, provider: str, behavior: Behavior, kind: type[ModelError]
) -> None:
    assert type(stage.failure(provider, behavior)) is kind


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("behavior", [silence, drip(), drip(head=True)])
def test_a_question_ends_at_its_deadline(stage: Stage, provider: str, behavior: Behavior) -> None:
    stage.server.always(behavior)
    started = time.monotonic()
    with talking(stage.server, provider, timeout=0.2) as model:
        error = asking_fails(model)
    assert type(error) is ModelUnavailable
    assert time.monotonic() - started < 3


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_wait_a_server_asks_for_is_told(stage: Stage, provider: str) -> None:
    error = stage.failure(provider, status(429, retry_after="7"))
    assert isinstance(error, ModelRateLimited)
    assert error.retry_after == timedelta(seconds=7)


MESSAGES: dict[str, object] = {
    "empty": {},
    "list": [],
    "null": None,
    "number": 3,
    "text": "hello",
    "error": {"error": {"message": f"overloaded, key {KEY}"}},
    "error text": {"error": f"overloaded {KEY}"},
    "odd error": {"error": [{"message": 3}]},
    "null inside": {"choices": None, "content": None, "message": None},
    "nothing inside": {"choices": [], "content": {}, "message": []},
    "number inside": {"choices": 3, "content": 3, "message": 3},
    "choice": {"choices": [None], "content": "text", "message": "text"},
    "no message": {"choices": [{"message": None}]},
    "text as message": {"choices": [{"message": "hello"}]},
}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("answer", MESSAGES.values(), ids=MESSAGES)
def test_no_message(stage: Stage, provider: str, answer: object) -> None:
    assert type(stage.failure(provider, reply(answer))) is BadAnswer


TEXTS: dict[str, object] = {
    "empty": "",
    "blank": " \n\t ",
    "null": None,
    "number": 7,
    "an object": {"facts": []},
    "parts of nothing": [None, 3, {"text": 3}, {"type": "image"}, [[["x"]]]],
    "prose": "I am sorry, I have found nothing worth remembering.",
    "中文": "没有找到值得记住的内容。",
    "half an object": '{"facts": ["likes tea", "works in Sha',
    "half a list": '{"facts": ["likes tea", ',
    "half a fence": '```json\n{"facts": ["likes tea"',
    "half a key": '{"facts": [], "more"',
    "half an escape": '{"facts": ["likes tea\\u4f',
    "nothing but a brace": "{",
    "list": '["likes tea", "likes coffee"]',
    "list of objects": '[{"facts": ["a"]}, {"facts": ["b"]}]',
    "two objects": '{"facts": ["a"]}\n{"facts": ["b"]}',
    "text in quotes": '"facts"',
    "true": "true",
    "wrong name": '{"fact": ["likes tea"]}',
    "wrong type": '{"facts": "likes tea"}',
    "wrong type inside": '{"facts": ["likes tea", 3]}',
    "null inside": '{"facts": null}',
    "not a number": '{"facts": [NaN]}',
    "infinite": '{"facts": [1e999]}',
    "a very long number": '{"facts": [' + "9" * 6000 + "]}",
    "deep": '{"facts":' * 3000 + "[]" + "}" * 3000,
    "deep and open": "[" * 50_000,
    "a comment": '{"facts": [] // nothing found\n, }',
    "quotes without end": '{"facts": ' + '"a" ' * 4000 + "}",
    "escaped quotes": '{"facts": "' + '\\"' * 4000 + "}",
    "control characters": "\x00\x01\x02\x1b[2J",
    "half a character": "\ud800",
    "backslashes": "\\" * 10_000,
    "braces": "}{" * 10_000,
    "huge": "x" * 5_000_000,
    "huge object": '{"facts": 1, "x": "' + "x" * 1_000_000 + '"}',
    "the key": f'{{"facts": "{KEY}"}}',
    "the key in prose": f"your key is {KEY}",
}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_object(stage: Stage, provider: str, text: object) -> None:
    error = stage.failure(provider, reply(says(provider, text)))
    assert type(error) is BadAnswer
    assert error.retryable
    assert "m" in error.message
    assert len(error.message) < 400
    assert error.message.isprintable()


TOOL_INPUTS: dict[str, object] = {
    "text": "facts",
    "list": ["a"],
    "null": None,
    "wrong": {"fact": []},
    "wrong inside": {"facts": [3]},
    "deep": json.loads("[" * 500 + "]" * 500),
}


@pytest.mark.parametrize("given", TOOL_INPUTS.values(), ids=TOOL_INPUTS)
def test_a_tool_call_that_is_no_answer(stage: Stage, given: object) -> None:
    answer = {"content": [{"type": "tool_use", "input": given}], "stop_reason": "tool_use"}
    assert type(stage.failure("anthropic", reply(answer))) is BadAnswer


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("text", ['{"facts": ["likes te', '{"facts": ["likes tea"]}', ""])
def test_what_was_cut_off_is_never_taken(stage: Stage, provider: str, text: str) -> None:
    error = stage.failure(provider, reply(says(provider, text, "cut")))
    assert type(error) is BadAnswer
    assert "cut off" in error.message
    assert "model.max_tokens" in error.remedy


@pytest.mark.parametrize("provider", ["openai", "dashscope", "anthropic"])
def test_declining_is_a_refusal(stage: Stage, provider: str) -> None:
    answer = says(provider, '{"facts": ["a"]}', "declined")
    before = len(stage.server.asked)
    assert type(stage.failure(provider, reply(answer))) is ModelRefused
    assert len(stage.server.asked) == before + 1


def test_a_refusal_in_words(stage: Stage) -> None:
    message = {"content": None, "refusal": f"I cannot help with {KEY}."}
    error = stage.failure("openai", reply({"choices": [{"message": message}]}))
    assert type(error) is ModelRefused
    assert "I cannot help with ***" in error.message


USAGES: dict[str, Callable[[str], Any]] = {
    "text": lambda provider: says(provider, '{"facts": ["a"]}', tokens="12"),
    "negative": lambda provider: says(provider, '{"facts": ["a"]}', tokens=-5),
    "true": lambda provider: says(provider, '{"facts": ["a"]}', tokens=True),
    "endless": lambda provider: says(provider, '{"facts": ["a"]}', tokens=10**400),
    "fraction": lambda provider: says(provider, '{"facts": ["a"]}', tokens=1.5),
    "no usage": lambda provider: says(provider, '{"facts": ["a"]}') | {"usage": None},
}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("odd", USAGES.values(), ids=USAGES)
def test_odd_counts_of_tokens_are_estimated(
    stage: Stage, provider: str, odd: Callable[[str], Any]
) -> None:
    answer = stage.answer(provider, reply(odd(provider)), "tea? " * 100)
    assert answer.value == ["a"]
    assert 125 < answer.spent.input_tokens < 250
    assert answer.spent.output_tokens == 4


def test_nobody_there() -> None:
    with Scripted() as gone:
        url = gone.url
    with talking(url) as model:
        assert type(asking_fails(model)) is ModelUnavailable


def test_there_are_enough_of_them() -> None:
    cases = len(WIRE) + 3 + len(MESSAGES) + len(TEXTS) + 3
    assert cases * len(PROVIDERS) >= 250
