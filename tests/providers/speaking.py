"""Servers that answer with vectors or with words, and those that ask them."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from mnemic.errors import ModelError
from mnemic.providers.chat.base import Answer, ChatModel, Object, WrongShape
from mnemic.providers.chat.choose import chat_model_for
from mnemic.providers.embedding.http import HttpEmbedder
from mnemic.providers.wire import Wire
from mnemic.settings import load
from mnemic.settings.environment import EmbeddingSettings
from mnemic.settings.values import Secret
from tests.providers.scripted import Asked, Behavior, Scripted

KEY = "sk-very-secret-0123456789"


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, 0.0]


def openai(asked: Asked) -> dict[str, Any]:
    """Vectors as OpenAI sends them, in another order than the texts."""
    data = [
        {"object": "embedding", "index": at, "embedding": vector(text)}
        for at, text in enumerate(asked.json["input"])
    ]
    return {"object": "list", "data": data[::-1], "model": asked.json["model"], "usage": {}}


def ollama(asked: Asked) -> dict[str, Any]:
    return {"model": "m", "embeddings": [vector(text) for text in asked.json["input"]]}


@contextmanager
def embedder(
    server: Scripted | str,
    provider: str = "openai",
    *,
    timeout: float = 5.0,
    key: str = KEY,
    **given: Any,
) -> Iterator[HttpEmbedder]:
    url = server if isinstance(server, str) else server.url
    line = Wire(url, service=provider, key=Secret(key), timeout=timedelta(seconds=timeout))
    expected = 0 if given.pop("ask_dimensions", False) else given.pop("dimensions", 0)
    made = HttpEmbedder(line, EmbeddingSettings(provider=provider, model="m", **given))
    made.expect(expected)
    try:
        yield made
    finally:
        made.close()


def failure(server: Scripted | str, *behaviors: Behavior, **given: Any) -> ModelError:
    """What a call with this behavior raises."""
    if isinstance(server, Scripted):
        server.then(*behaviors)
    with embedder(server, **given) as made, pytest.raises(ModelError) as caught:
        made.embed(["a", "bb"])
    said = "".join(traceback.format_exception(caught.value))
    assert KEY not in said
    return caught.value


# --- models that read and write text -------------------------------------------------------------

PROVIDERS = ("openai", "dashscope", "ollama", "anthropic")
SCHEMA: Object = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}}},
    "required": ["facts"],
}


def facts(found: Object) -> list[str]:
    """What SCHEMA describes, and nothing else."""
    listed = found.get("facts")
    if not isinstance(listed, list):
        raise WrongShape("facts is not a list")
    if not all(isinstance(fact, str) for fact in listed):
        raise WrongShape("facts holds something that is not a text")
    return [fact for fact in listed if isinstance(fact, str)]


def says(provider: str, text: object, ending: str = "", tokens: object = None) -> dict[str, Any]:
    """A whole answer in the provider's protocol; ``ending`` is "cut", "declined" or nothing."""
    if provider == "anthropic":
        reason = {"cut": "max_tokens", "declined": "refusal"}.get(ending, "end_turn")
        counted = {"input_tokens": tokens, "output_tokens": tokens, "cache_read_input_tokens": 1}
        block = {"type": "text", "text": text}
        return {"content": [block], "stop_reason": reason, "usage": counted}
    if provider == "ollama":
        reason = {"cut": "length"}.get(ending, "stop")
        message = {"role": "assistant", "content": text}
        counted = {"prompt_eval_count": tokens, "eval_count": tokens}
        return {"message": message, "done": True, "done_reason": reason, **counted}
    reason = {"cut": "length", "declined": "content_filter"}.get(ending, "stop")
    choice = {"index": 0, "message": {"content": text}, "finish_reason": reason}
    return {"choices": [choice], "usage": {"prompt_tokens": tokens, "completion_tokens": tokens}}


@contextmanager
def talking(
    server: Scripted | str,
    provider: str = "openai",
    *,
    repairs: int = 0,
    timeout: float = 5.0,
    **model: Any,
) -> Iterator[ChatModel]:
    """The model that the settings choose, at the address of the server."""
    url = server if isinstance(server, str) else server.url
    given = {"provider": provider, "name": "m", "api_key": KEY, "base_url": url} | model
    overrides = {"model": {**given, "timeout": timeout}}
    made = chat_model_for(load("default", env={}, overrides=overrides), repairs=repairs)
    assert made is not None
    try:
        yield made
    finally:
        made.close()


def ask(model: ChatModel, text: str = "tea?", system: str = "") -> Answer[list[str]]:
    return model.ask(text, system=system, purpose="extract", schema=SCHEMA, parse=facts)


def asking_fails(model: ChatModel) -> ModelError:
    """What a question raises; the key is in none of it."""
    with pytest.raises(ModelError) as caught:
        ask(model)
    assert KEY not in "".join(traceback.format_exception(caught.value))
    assert caught.value.remedy
    return caught.value
