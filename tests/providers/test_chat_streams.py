"""Answers piece by piece, in each of the wire protocols."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mnemic.errors import BadAnswer, ModelError, ModelRefused, ModelUnavailable
from mnemic.providers.chat.base import ChatModel
from mnemic.providers.chat.choose import main_model_for
from mnemic.settings import load
from tests.providers.scripted import Behavior, Scripted, hang_up, reply, status, streamed

Open = Callable[[str], ChatModel]
PIECES = ["Good ", "mor", "ning 早"]


def openai(*pieces: str, finish: str | None = "stop", then: Behavior | None = None) -> Behavior:
    deltas = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    usage = {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 5}}
    end = [{"choices": [{"delta": {}, "finish_reason": finish}]}, usage, "[DONE]"]
    return streamed(": keep-alive", *deltas, *(end if finish else []), then=then)


def anthropic(*pieces: str, finish: str | None = "end_turn", then: Any = None) -> Behavior:
    begin = {"type": "message_start", "message": {"usage": {"input_tokens": 11}}}
    deltas = [
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": piece}}
        for piece in pieces
    ]
    end = {
        "type": "message_delta",
        "delta": {"stop_reason": finish},
        "usage": {"output_tokens": 5},
    }
    return streamed(begin, {"type": "ping"}, *deltas, *([end] if finish else []), then=then)


def ollama(*pieces: str, finish: str | None = "stop", then: Behavior | None = None) -> Behavior:
    parts = [{"message": {"content": piece}, "done": False} for piece in pieces]
    end = {
        "message": {"content": ""},
        "done": True,
        "done_reason": finish,
        "prompt_eval_count": 11,
        "eval_count": 5,
    }
    return streamed(*parts, *([end] if finish else []), then=then, as_lines=True)


PROTOCOLS: dict[str, Callable[..., Behavior]] = {
    "openai": openai,
    "anthropic": anthropic,
    "ollama": ollama,
}
WHOLE: dict[str, object] = {
    "openai": {"choices": [{"message": {"content": "Good"}, "finish_reason": "stop"}]},
    "anthropic": {"content": [{"type": "text", "text": "Good"}], "stop_reason": "end_turn"},
    "ollama": {"message": {"content": "Good"}, "done": True},
}
LENGTH = {"openai": "length", "anthropic": "max_tokens", "ollama": "length"}


@pytest.fixture
def open_model(server: Scripted) -> Iterator[Open]:
    opened: list[ChatModel] = []

    def open_(provider: str) -> ChatModel:
        chat = {
            "provider": provider,
            "name": "play-1",
            "base_url": server.url,
            "api_key": "k-123456789",
        }
        model = main_model_for(load(overrides={"chat": chat}))
        assert model is not None
        opened.append(model)
        return model

    yield open_
    for model in opened:
        model.close()


@pytest.mark.parametrize("provider", PROTOCOLS)
def test_pieces_come_in_order_and_are_counted(
    open_model: Open, server: Scripted, provider: str
) -> None:
    server.then(PROTOCOLS[provider](*PIECES))
    shown: list[str] = []
    answer = open_model(provider).write("hi", purpose="chat", on_text=shown.append)
    assert shown == PIECES
    assert answer.value == "".join(PIECES)
    assert (answer.spent.input_tokens, answer.spent.output_tokens) == (11, 5)
    assert server.asked[0].json["stream"] is True


@pytest.mark.parametrize("provider", PROTOCOLS)
def test_a_server_that_does_not_stream_answers_whole(
    open_model: Open, server: Scripted, provider: str
) -> None:
    server.then(reply(WHOLE[provider]))
    shown: list[str] = []
    answer = open_model(provider).write("hi", purpose="chat", on_text=shown.append)
    assert (shown, answer.value) == (["Good"], "Good")


@pytest.mark.parametrize("provider", PROTOCOLS)
@pytest.mark.parametrize("how", ["length", "hung up", "without an end", "error"])
def test_what_came_before_a_failure_was_shown(
    open_model: Open, server: Scripted, provider: str, how: str
) -> None:

    def fail(line: Any) -> None:
        line.send(b'data: {"type": "error", "error": {"message": "overloaded"}}\n\n')

    make = PROTOCOLS[provider]
    behavior = {
        "length": make(*PIECES, finish=LENGTH[provider]),
        "hung up": make(*PIECES, finish=None, then=hang_up),
        "without an end": make(*PIECES, finish=None),
        "error": make(*PIECES, finish=None, then=fail),
    }[how]
    server.then(behavior)
    shown: list[str] = []
    with pytest.raises((BadAnswer, ModelUnavailable)) as caught:
        open_model(provider).write("hi", purpose="chat", on_text=shown.append)
    assert shown == PIECES
    if how == "error":
        assert "overloaded" in str(caught.value)


def test_what_a_server_refuses_of_a_stream_is_left_out(open_model: Open, server: Scripted) -> None:
    server.then(
        status(400, "Unknown field: stream_options"),
        openai(*PIECES),
        status(400, "stream is not supported by this model"),
        reply(WHOLE["openai"]),
    )
    model = open_model("openai")
    shown: list[str] = []
    model.write("hi", purpose="chat", on_text=shown.append)
    assert shown == PIECES
    model.write("hi", purpose="chat", on_text=shown.append)
    assert shown == [*PIECES, "Good"]
    asked = [(one.json["stream"], "stream_options" in one.json) for one in server.asked]
    assert asked == [(True, True), (True, False), (True, False), (False, False)]


def test_a_refusal_is_told_and_not_shown(open_model: Open, server: Scripted) -> None:
    refusal = {"choices": [{"delta": {"refusal": "I cannot help with that"}}]}
    server.then(streamed(refusal, "[DONE]"), status(401))
    shown: list[str] = []
    for expected in ("declined", "401"):
        with pytest.raises(ModelRefused, match=expected):
            open_model("openai").write("hi", purpose="chat", on_text=shown.append)
    assert shown == []


def test_a_stream_without_end_is_bounded(open_model: Open, server: Scripted) -> None:
    piece = {"choices": [{"delta": {"content": "x" * 900_000}}]}
    server.then(streamed(*[piece] * 12))
    with pytest.raises(ModelError, match="more than 8 MB"):
        open_model("openai").write("hi", purpose="chat", on_text=lambda text: None)
