"""A model for the stories of the documents: it has learned what a message says when it reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.learning import thinking
from tests.providers.scripted import Behavior, Scripted


def reading(*learned: tuple[str, dict[str, Any]], verdict: str = "new", **story: Any) -> Behavior:
    """Gives each fact where its words stand in the conversation, with the number of that turn."""

    def propose(text: str) -> list[thinking.Fact]:
        said = thinking.lines(text)
        return [
            {"turns": [number], **fact}
            for words, fact in learned
            for number, _, content in said
            if words in content
        ]

    return thinking.proposing(propose, verdict=verdict, story={**thinking.STORY, **story})


def fact(content: str, **fields: Any) -> dict[str, Any]:
    """What a model answers about one fact, sure of itself unless told otherwise."""
    return {"kind": "fact", "content": content, "confidence": 0.95, "importance": 0.5, **fields}


def calls(server: Scripted, purpose: str) -> Sequence[Any]:
    """The requests of one purpose."""
    return [asked for asked in server.asked if thinking.purpose(asked) == purpose]
