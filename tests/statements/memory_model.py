"""A memory model for statements: a scripted server that answers by what it is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from tests.providers.scripted import Asked, Behavior, Scripted, reply

STORY: dict[str, Any] = {
    "summary": "用户要修登录，改好了 auth.py，测试通过。",
    "goal": "修复登录",
    "outcome": "success",
    "entities": ["auth.py"],
    "tags": ["登录"],
    "importance": 0.6,
}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    """A server on loopback; no proxy of this machine stands between."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Scripted() as made:
        yield made


def model(server: Scripted, **more: Any) -> dict[str, Any]:
    """What a mind is opened with to learn from that server, by words alone."""
    given = {"provider": "openai", "name": "m", "base_url": server.url, "api_key": "sk-test"}
    return {"model": {**given, "timeout": 5, **more}, "embedding": {"provider": "none"}}


def purpose(asked: Asked) -> str:
    """extract, episode, or reconcile: by the form of the answer that is wanted."""
    form = json.dumps(asked.json)
    if "verdict" in form:
        return "reconcile"
    return "episode" if "outcome" in form else "extract"


def answering(
    facts: Sequence[object] | Callable[[str], Sequence[object]] = (),
    *,
    story: dict[str, Any] = STORY,
    summary: str = "",
    bare: bool = False,
) -> Behavior:
    """Proposes facts for what it is shown, tells every story alike, and takes all for new."""

    def made(asked: Asked) -> dict[str, Any]:
        shown = str(asked.json["messages"][-1]["content"])
        listed = list(facts(shown)) if callable(facts) else list(facts)
        answer: object = listed if bare else {"facts": listed, "summary": summary}
        if purpose(asked) == "episode":
            answer = story
        elif purpose(asked) == "reconcile":
            answer = {"verdict": "new", "memory": 1}
        return said(json.dumps(answer, ensure_ascii=False))

    return reply(made)


def said(text: str) -> dict[str, Any]:
    """An answer of the server with this text."""
    choice = {"message": {"content": text}, "finish_reason": "stop"}
    return {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 3}}


def fact(content: str, **fields: Any) -> dict[str, Any]:
    """A fact that the first turn says."""
    return {"kind": "fact", "content": content, "confidence": 0.9, "turns": [1], **fields}
