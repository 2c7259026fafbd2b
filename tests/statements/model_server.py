"""A scripted chat model: what it was asked, and what it answers by the purpose of the question."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from tests.providers.scripted import Asked, Behavior, Scripted, reply


def settings(server: Scripted, **more: Any) -> dict[str, Any]:
    """Settings that take the model from there."""
    model = {"provider": "openai", "name": "m", "base_url": server.url, "api_key": "sk-for-tests"}
    return {"model": model, **more}


def answer(body: object) -> Behavior:
    """One answer, whatever was asked."""
    return answering(lambda _: body)


def answering(body: Callable[[str], object]) -> Behavior:
    """An answer made of the text that was shown to the model."""

    def made(asked: Asked) -> dict[str, Any]:
        told = body(shown(asked))
        content = told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)
        message = {"message": {"content": content}, "finish_reason": "stop"}
        return {"choices": [message], "usage": {"prompt_tokens": 9, "completion_tokens": 3}}

    return reply(made)


def shown(asked: Asked) -> str:
    """Everything that the model was shown in one request."""
    return "\n".join(str(message["content"]) for message in asked.json["messages"])


def numbered(text: str, words: Iterable[str]) -> list[int]:
    """The numbers in brackets of the lines that hold one of these words."""
    lines = [line for line in text.splitlines() if line.startswith("[")]
    return [int(line[1 : line.index("]")]) for line in lines if any(word in line for word in words)]
