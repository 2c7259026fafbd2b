"""Servers that answer with vectors, and embedders that ask them."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from recollect.errors import ModelError
from recollect.providers.embedding.http import HttpEmbedder
from recollect.providers.wire import Wire
from recollect.settings.values import Secret
from tests.providers.scripted import Asked, Behaviour, Scripted

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
    made = HttpEmbedder(line, provider=provider, model="m", **given)
    try:
        yield made
    finally:
        made.close()


def failure(server: Scripted | str, *behaviours: Behaviour, **given: Any) -> ModelError:
    """What a call with this behaviour raises."""
    if isinstance(server, Scripted):
        server.then(*behaviours)
    with embedder(server, **given) as made, pytest.raises(ModelError) as caught:
        made.embed(["a", "bb"])
    said = "".join(traceback.format_exception(caught.value))
    assert KEY not in said
    return caught.value
