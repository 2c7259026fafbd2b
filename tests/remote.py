"""A mind whose vectors come from a scripted server, which knows what a few words mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from tests.providers.scripted import Asked, Behavior, Scripted, reply

UNLIKE = (0.0, 0.0, 1.0)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    """A scripted server; no proxy of this machine stands between."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Scripted() as running:
        yield running


def remote(server: Scripted, model: str = "m", **further: Any) -> dict[str, Any]:
    """Settings that take the vectors from there."""
    asked: dict[str, Any] = {"provider": "openai", "model": model, "base_url": server.url}
    return {"embedding": {**asked, "cache_entries": 0, **further}}


def meaning(known: Mapping[str, Sequence[float]]) -> Behavior:
    """Answers with the vector of the first known word in each text."""

    def vector(text: str) -> list[float]:
        return list(next((known[word] for word in known if word in text), UNLIKE))

    return vectors(lambda texts: [vector(text) for text in texts])


def vectors(make: Any) -> Behavior:
    """Answers with what a function makes of all texts of a request."""

    def answer(asked: Asked) -> dict[str, Any]:
        made = make(asked.json["input"])
        return {"data": [{"index": n, "embedding": vector} for n, vector in enumerate(made)]}

    return reply(answer)


def asked_for(server: Scripted) -> list[str]:
    """Every text the server was asked for, in order."""
    return [text for asked in server.asked for text in asked.json["input"]]
