"""A model behind HTTP that says what a test has written down, in the words of each maker."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.providers.scripted import Asked, Behavior, Line, Scripted, reply

Json = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """A tool the model wants used."""

    name: str
    arguments: Json
    id: str = "call_1"


@dataclass(frozen=True)
class Answer:
    """What the model says to one request."""

    text: str = ""
    calls: tuple[Call, ...] = ()


def model(server: Scripted, *answers: str | Answer) -> Scripted:
    """The next answers of the server, in whatever dialect and manner it is asked."""
    said = [Answer(one) if isinstance(one, str) else one for one in answers]
    return server.then(*map(speak, said))


def speak(answer: Answer) -> Behavior:
    def act(line: Line) -> None:
        path, streamed = line.asked.path, bool(line.asked.json.get("stream"))
        if path.endswith("/chat/completions"):
            body, events = chat(answer), chat_events(answer)
        elif path.endswith("/responses"):
            body, events = response(answer), response_events(answer)
        else:
            body, events = message(answer), message_events(answer)
        if streamed:
            stream(events)(line)
        else:
            reply(body, content_type="application/json")(line)

    return act


def stream(events: Iterable[tuple[str, Json | str]]) -> Behavior:
    """Server-sent events."""

    def act(line: Line) -> None:
        line.head(200, {"content-type": "text/event-stream", "connection": "close"})
        line.handler.close_connection = True
        for name, data in events:
            text = data if isinstance(data, str) else json.dumps(data)
            line.send((f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode())

    return act


def prompt(asked: Asked) -> str:
    """All that reached the model."""
    return json.dumps(asked.json, ensure_ascii=False)


def halves(text: str) -> list[str]:
    middle = len(text) // 2
    return [half for half in (text[:middle], text[middle:]) if half]


# --- chat completions ---------------------------------------------------------------------------


def chat(answer: Answer) -> Json:
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
        }
        for call in answer.calls
    ]
    said = {"role": "assistant", "content": answer.text or None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "message": {**said, **({"tool_calls": calls} if calls else {})},
                "finish_reason": "tool_calls" if calls else "stop",
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def chat_events(answer: Answer) -> Iterator[tuple[str, Json | str]]:
    def chunk(delta: Json, finish: str | None = None) -> tuple[str, Json]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return "", {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "scripted",
            "choices": [choice],
        }

    yield chunk({"role": "assistant", "content": ""})
    for half in halves(answer.text):
        yield chunk({"content": half})
    for place, call in enumerate(answer.calls):
        head = {"name": call.name, "arguments": ""}
        yield chunk(
            {"tool_calls": [{"index": place, "id": call.id, "type": "function", "function": head}]}
        )
        for half in halves(json.dumps(call.arguments)):
            yield chunk({"tool_calls": [{"index": place, "function": {"arguments": half}}]})
    yield chunk({}, "tool_calls" if answer.calls else "stop")
    yield "", "[DONE]"


# --- responses ----------------------------------------------------------------------------------


def response(answer: Answer, status: str = "completed") -> Json:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "scripted",
        "status": status,
        "output": output(answer) if status == "completed" else [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        },
    }


def output(answer: Answer) -> list[Json]:
    items: list[Json] = []
    if answer.text:
        part = {"type": "output_text", "text": answer.text, "annotations": []}
        items.append(
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
        )
    for call in answer.calls:
        items.append(
            {
                "id": "fc_1",
                "type": "function_call",
                "status": "completed",
                "call_id": call.id,
                "name": call.name,
                "arguments": json.dumps(call.arguments),
            }
        )
    return items


def response_events(answer: Answer) -> Iterator[tuple[str, Json | str]]:
    events: list[Json] = [
        {"type": "response.created", "response": response(answer, "in_progress")},
    ]
    for place, item in enumerate(output(answer)):
        events.append({"type": "response.output_item.added", "output_index": place, "item": item})
        events.append({"type": "response.output_item.done", "output_index": place, "item": item})
    events.append({"type": "response.completed", "response": response(answer)})
    for number, event in enumerate(events):
        yield event["type"], {**event, "sequence_number": number}


# --- Anthropic's messages -----------------------------------------------------------------------


def message(answer: Answer) -> Json:
    blocks: list[Json] = [{"type": "text", "text": answer.text}] if answer.text else []
    blocks += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
        for call in answer.calls
    ]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": blocks,
        "stop_reason": "tool_use" if answer.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def message_events(answer: Answer) -> Iterator[tuple[str, Json | str]]:
    whole = message(answer)
    begun = {**whole, "content": [], "stop_reason": None}
    events: list[Json] = [{"type": "message_start", "message": begun}]
    for place, block in enumerate(whole["content"]):
        is_text = block["type"] == "text"
        empty = {**block, "text": ""} if is_text else {**block, "input": {}}
        kind, key = ("text_delta", "text") if is_text else ("input_json_delta", "partial_json")
        told = block["text"] if is_text else json.dumps(block["input"])
        events.append({"type": "content_block_start", "index": place, "content_block": empty})
        events += [
            {"type": "content_block_delta", "index": place, "delta": {"type": kind, key: half}}
            for half in halves(told)
        ]
        events.append({"type": "content_block_stop", "index": place})
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}})
    events.append({"type": "message_stop"})
    for event in events:
        yield event["type"], event
