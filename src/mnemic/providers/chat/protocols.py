"""The wire protocols of chat models: request payloads and replies."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from mnemic.errors import BadAnswer
from mnemic.language.tokens import estimate_tokens
from mnemic.late import dataclass
from mnemic.providers.chat.base import Schema
from mnemic.providers.chat.transport import Ending, Form, ModelPrompt, RequestOptions, system_text
from mnemic.providers.wire import END_OF_STREAM

_MOST_TOKENS = 2**40
_TOOL = "answer"
_SMALLEST_WINDOW = 4096
_OPENAI_ENDINGS: dict[str, Ending] = {
    "stop": "whole", "length": "cut", "content_filter": "declined",
}  # fmt: skip
_ANTHROPIC_ENDINGS: dict[str, Ending] = {
    "max_tokens": "cut",
    "model_context_window_exceeded": "cut",
    "pause_turn": "cut",
    "refusal": "declined",
}


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, or a piece of a streamed one, which has an ending only if it is the last."""

    text: str = ""
    ending: Ending | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


def join(pieces: Sequence[Reply]) -> Reply:
    """The whole of a stream; one that does not say that it ended was cut."""
    endings = [reply.ending for reply in pieces if reply.ending is not None]
    read = [reply.input_tokens for reply in pieces if reply.input_tokens is not None]
    written = [reply.output_tokens for reply in pieces if reply.output_tokens is not None]
    return Reply(
        "".join(reply.text for reply in pieces),
        endings[0] if endings else "cut",
        read[-1] if read else None,
        written[-1] if written else None,
    )


class WireProtocol(ABC):
    """One wire protocol."""

    path: str
    key_header = "authorization"
    headers: Mapping[str, str] = {}
    address_end = "/v1"  # of the address by which people know it, that is no part of it here

    @abstractmethod
    def payload(self, prompt: ModelPrompt, options: RequestOptions) -> dict[str, Any]:
        """The request."""

    def to_stream(self, payload: dict[str, Any], *, usage: bool) -> dict[str, Any]:
        """The request for a stream; ``usage``: it is to count its tokens, where one has to ask."""
        return {**payload, "stream": True}

    @abstractmethod
    def reply(self, answer: Any) -> Reply:
        """The whole answer."""

    @abstractmethod
    def piece(self, event: Any) -> Reply:
        """An event of a stream."""


class OpenAI(WireProtocol):
    """Chat completions, which most servers understand."""

    path = "/chat/completions"
    address_end = ""

    def payload(self, prompt: ModelPrompt, options: RequestOptions) -> dict[str, Any]:
        accepts = options.accepts
        messages = _with_system(prompt, options)
        payload = {"model": options.model, "messages": messages, "stream": False}
        payload[accepts.token_field] = options.max_tokens
        if options.temperature is not None and accepts.temperature:
            payload["temperature"] = options.temperature
        if accepts.forbid_thinking:
            payload["enable_thinking"] = False
        if prompt.schema is not None and accepts.form != "plain":
            payload["response_format"] = _response_format(prompt.schema, accepts.form)
        return payload

    def reply(self, answer: Any) -> Reply:
        choices = _mapping(answer).get("choices")
        if not isinstance(choices, list) or not choices:
            raise _no_message(answer)
        choice = _mapping(choices[0])
        message, usage = _mapping(choice.get("message")), _mapping(answer.get("usage"))
        if not message:
            raise _no_message(answer)
        text, refusal = _text(message.get("content")), _text(message.get("refusal"))
        ending: Ending = "cut" if choice.get("finish_reason") == "length" else "whole"
        if refusal or choice.get("finish_reason") == "content_filter":
            text, ending = refusal, "declined"
        return Reply(text, ending, *_openai_tokens(usage))

    def to_stream(self, payload: dict[str, Any], *, usage: bool) -> dict[str, Any]:
        options = {"stream_options": {"include_usage": True}} if usage else {}
        return {**payload, "stream": True, **options}

    def piece(self, event: Any) -> Reply:
        if event == END_OF_STREAM:
            return Reply(ending="whole")
        choices = _mapping(event).get("choices")
        if not isinstance(choices, list):
            raise _no_message(event)
        choice = _mapping(choices[0]) if choices else {}
        if "message" in choice:
            return self.reply(event)
        delta, finish = _mapping(choice.get("delta")), choice.get("finish_reason")
        text, ending = _text(delta.get("content")), _OPENAI_ENDINGS.get(_text(finish))
        if refusal := _text(delta.get("refusal")):
            text, ending = refusal, "declined"
        return Reply(text, ending, *_openai_tokens(_mapping(event.get("usage"))))


class Anthropic(WireProtocol):
    """Messages. A promised object is the input of a tool that the model must call."""

    path = "/v1/messages"
    key_header = "x-api-key"
    headers: Mapping[str, str] = {"anthropic-version": "2023-06-01"}

    def payload(self, prompt: ModelPrompt, options: RequestOptions) -> dict[str, Any]:
        payload = {
            "model": options.model,
            "max_tokens": options.max_tokens,
            "messages": [
                {"role": message.role, "content": message.text} for message in prompt.messages
            ],
        }
        if system := system_text(prompt, options.accepts.form):
            payload["system"] = system
        if options.temperature is not None and options.accepts.temperature:
            payload["temperature"] = min(options.temperature, 1.0)
        if prompt.schema is not None and options.accepts.form == "schema":
            tool = {"name": _TOOL, "description": "Give the answer.", "input_schema": prompt.schema}
            payload |= {"tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}
        return payload

    def reply(self, answer: Any) -> Reply:
        blocks, usage = _mapping(answer).get("content"), _mapping(_mapping(answer).get("usage"))
        if not isinstance(blocks, list):
            raise _no_message(answer)
        inputs = [block["input"] for block in map(_mapping, blocks) if "input" in block]
        text = _dump(inputs[-1]) if inputs else _text(blocks)
        return Reply(text, _anthropic_ending(answer), *_anthropic_tokens(usage))

    def piece(self, event: Any) -> Reply:
        if "content" in _mapping(event):
            return self.reply(event)
        delta = _mapping(_mapping(event).get("delta"))
        match _mapping(event).get("type"):
            case "message_start":
                usage = _mapping(_mapping(event.get("message")).get("usage"))
                return Reply("", None, *_anthropic_tokens(usage))
            case "content_block_delta":
                return Reply(_text(delta.get("text")))
            case "message_delta":
                written = _count(_mapping(event.get("usage")).get("output_tokens"))
                return Reply(ending=_anthropic_ending(delta), output_tokens=written)
            case "error" | None:
                raise _no_message(event)
        return Reply()


class Ollama(WireProtocol):
    """Its own protocol: the one in which the window can be made as large as the prompt."""

    path = "/api/chat"

    def payload(self, prompt: ModelPrompt, options: RequestOptions) -> dict[str, Any]:
        messages, form = _with_system(prompt, options), options.accepts.form
        parameters: dict[str, Any] = {
            "num_predict": options.max_tokens,
            "num_ctx": _window(messages, options.max_tokens),
        }
        if options.temperature is not None and options.accepts.temperature:
            parameters["temperature"] = options.temperature
        payload = {"model": options.model, "messages": messages, "stream": False}
        payload["options"] = parameters
        if prompt.schema is not None and form != "plain":
            payload["format"] = prompt.schema if form == "schema" else "json"
        return payload

    def reply(self, answer: Any) -> Reply:
        message = _mapping(answer).get("message")
        if not isinstance(message, dict):
            raise _no_message(answer)
        cut = answer.get("done_reason") == "length" or answer.get("done") is False
        return Reply(
            _text(message.get("content")),
            "cut" if cut else "whole",
            _count(answer.get("prompt_eval_count")),
            _count(answer.get("eval_count")),
        )

    def piece(self, event: Any) -> Reply:
        reply = self.reply(event)
        return Reply(reply.text) if event.get("done") is False else reply


def _openai_tokens(usage: dict[str, Any]) -> tuple[int | None, int | None]:
    return _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))


def _anthropic_tokens(usage: dict[str, Any]) -> tuple[int | None, int | None]:
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    read = [_count(usage.get(name)) for name in names]
    total = None if read[0] is None else sum(count or 0 for count in read)
    return total, _count(usage.get("output_tokens"))


def _anthropic_ending(message: dict[str, Any]) -> Ending:
    return _ANTHROPIC_ENDINGS.get(_text(message.get("stop_reason")), "whole")


def _window(messages: list[dict[str, str]], max_tokens: int) -> int:
    """A power of two: each new size makes the server load the model again."""
    needed = (
        sum(estimate_tokens(message["content"]) + 8 for message in messages) * 5 // 4 + max_tokens
    )
    return max(_SMALLEST_WINDOW, 1 << (needed - 1).bit_length())


def _response_format(schema: Schema, form: Form) -> dict[str, Any]:
    if form == "schema":
        wanted = {"name": _TOOL, "schema": schema, "strict": False}
        return {"type": "json_schema", "json_schema": wanted}
    beside = {"schema": schema} if form == "object_schema" else {}
    return {"type": "json_object", **beside}


def _with_system(prompt: ModelPrompt, options: RequestOptions) -> list[dict[str, str]]:
    text = system_text(prompt, options.accepts.form)
    system = [{"role": "system", "content": text}] if text else []
    return system + [{"role": message.role, "content": message.text} for message in prompt.messages]


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dump(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        raise BadAnswer("The answer is nested too deep", remedy="Try again") from None


def _text(content: Any) -> str:
    """A text, or the texts of a list of parts."""
    if isinstance(content, list):
        texts = [_mapping(block).get("text") for block in content]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _count(value: Any) -> int | None:
    fine = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_TOKENS
    return value if fine else None


def _no_message(answer: Any) -> BadAnswer:
    error = _mapping(answer).get("error")
    text = _text(_mapping(error).get("message")) or _text(error)
    line = " ".join(text[:400].split())[:200]
    return BadAnswer(
        "There is no message in the answer" + (f": {line}" if line else ""),
        remedy="Check that the address is one of a chat model, then try again",
    )


PROTOCOLS: Mapping[str, WireProtocol] = {
    "openai": OpenAI(),
    "anthropic": Anthropic(),
    "ollama": Ollama(),
}
