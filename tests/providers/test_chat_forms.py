"""How a server is asked for JSON: found out once, remembered, and never said twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from mnemic.clock import ManualClock, monotonic_of
from mnemic.errors import ModelRefused, ModelUnavailable
from mnemic.providers.breaker import Circuits
from mnemic.providers.chat.base import ChatModel
from mnemic.providers.chat.choose import chat_model_for
from mnemic.settings import load
from tests.conftest import NOON
from tests.providers.scripted import Behavior, Line, Scripted, reply, status
from tests.providers.speaking import KEY, ask, asking_fails, says, talking

TEA = '{"facts": ["likes tea"]}'
# The words of llama-cpp-python's server, shortened; the field is named far behind the beginning.
LLAMA = (
    "[{'type': 'string_type', 'loc': ('body', 'model'), 'msg': 'Input should be a valid string'},"
    + " {'type': 'x', 'loc': ('body', 'messages', 0, 'content'), 'msg': 'Input should be valid'},"
    " {'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should"
    " be 'text' or 'json_object'\"}]"
)


def form_of(asked: Any) -> str:
    """The way to JSON that a request takes."""
    wanted = asked.json.get("response_format", {})
    kind = {"json_schema": "schema", "json_object": "object"}.get(wanted.get("type"), "plain")
    return "object_schema" if kind == "object" and "schema" in wanted else kind


def taking(*forms: str, refusal: Behavior) -> Behavior:
    """A server that knows only some of the ways."""

    def act(line: Line) -> None:
        (reply(says("openai", TEA)) if form_of(line.asked) in forms else refusal)(line)

    return act


REFUSALS: dict[str, Behavior] = {
    "400": status(400, "response_format.type is not supported"),
    "400 without a word": status(400, "bad request"),
    "404": status(404, "unknown field: response_format"),
    "422": status(422, "extra fields not permitted"),
    "500 as llama.cpp": status(500, LLAMA),
    "500 without a word": reply(b"Internal Server Error", status=500),
    "501": status(501, "json_schema is not implemented"),
}
KINDS: dict[str, tuple[str, ...]] = {
    "no json_schema": ("object_schema", "object", "plain"),
    "json_object without a schema": ("object", "plain"),
    "no response_format": ("plain",),
}


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS)
@pytest.mark.parametrize("forms", KINDS.values(), ids=KINDS)
def test_what_a_server_takes_is_found_out_once(
    server: Scripted, forms: tuple[str, ...], refusal: Behavior
) -> None:
    server.always(taking(*forms, refusal=refusal))
    with talking(server) as model:
        for _ in range(5):
            assert ask(model, system="Extract.").value == ["likes tea"]
        found = [form_of(asked) for asked in server.asked]
        before = len(server.asked)
        assert ask(model).value == ["likes tea"]
    assert found.count(forms[0]) >= 2
    assert set(found[-2:]) == {forms[0]}, "remembered"
    assert len(server.asked) == before + 1
    for asked in server.asked:
        said = json.dumps(asked.json["messages"])
        carried = form_of(asked) in ("schema", "object_schema")
        assert ("JSON Schema" in said) != carried, "in the prompt or on the wire, never both"


@pytest.mark.parametrize("provider", ["openai", "ollama", "anthropic", "dashscope"])
def test_the_schema_is_sent_once(server: Scripted, provider: str) -> None:
    server.always(reply(says(provider, TEA)))
    with talking(server, provider) as model:
        ask(model, system="Extract.")
    assert json.dumps(server.asked[0].json).count("properties") == 1


@pytest.mark.parametrize("code", [500, 501])
def test_a_fault_of_a_server_that_took_the_schema_is_a_fault(server: Scripted, code: int) -> None:
    server.then(reply(says("openai", TEA)), reply(b"oops", status=code))
    with talking(server) as model:
        ask(model)
        assert type(asking_fails(model)) is ModelUnavailable
        server.always(reply(says("openai", TEA)))
        ask(model)
    assert [form_of(asked) for asked in server.asked] == ["schema"] * 3


@pytest.mark.parametrize("said", ["oops", "response_format"])
def test_a_fault_in_every_form_teaches_nothing(server: Scripted, said: str) -> None:
    server.always(status(500, said))
    with talking(server) as model:
        assert type(asking_fails(model)) is ModelUnavailable, "it may work later"
        assert len(server.asked) <= 4
        server.always(reply(says("openai", TEA)))
        ask(model)
    assert form_of(server.asked[-1]) == "schema"


def test_an_outage_is_not_asked_in_other_forms(server: Scripted) -> None:
    for behavior in (status(503, "response_format"), status(429), status(404, "no such model")):
        server.always(behavior)
        before = len(server.asked)
        with talking(server) as model:
            asking_fails(model)
        assert len(server.asked) == before + 1


@contextmanager
def opened(server: Scripted, circuits: Circuits, **model: Any) -> Iterator[ChatModel]:
    given = {"provider": "openai", "name": "m", "api_key": KEY, "base_url": server.url} | model
    made = chat_model_for(load("default", env={}, overrides={"model": given}), circuits)
    assert made is not None
    yield made
    made.close()


def test_everybody_in_the_process_knows_it(server: Scripted) -> None:
    server.always(taking("object_schema", refusal=status(500, LLAMA)))
    clock: Callable[[], float] = monotonic_of(ManualClock(NOON))
    with opened(server, Circuits(clock)) as first:
        ask(first)
    with opened(server, Circuits(clock), temperature=0.9) as second:
        ask(second)
    with opened(server, Circuits(clock), name="other") as third:
        ask(third)
    found = [(asked.json["model"], form_of(asked)) for asked in server.asked]
    assert found == [
        ("m", "schema"),
        ("m", "object_schema"),
        ("m", "object_schema"),
        ("other", "schema"),
        ("other", "object_schema"),
    ]
    assert server.asked[2].json["temperature"] == 0.9


def test_a_refusal_of_the_text_is_one(server: Scripted) -> None:
    server.then(reply(says("openai", TEA))).always(status(400, "context too long"))
    with talking(server) as model:
        ask(model)
        assert type(asking_fails(model)) is ModelRefused
    assert len(server.asked) == 2, "it took the form before"
