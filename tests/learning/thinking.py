"""A memory model for tests: a scripted server that answers each question of the pipeline."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from tests.providers.scripted import Asked, Behavior, Line, Scripted, reply
from tests.providers.speaking import says

Fact = dict[str, Any]
Proposing = Callable[[str], Sequence[Fact]]
_LINE = re.compile(r"^\[(\d+)\] \S+ \S+ \d\d:\d\d[+-]\d\d:\d\d (\w+)[^:\n]*:(.*)$", re.MULTILINE)
STORY: dict[str, Any] = {
    "summary": "They talked about the set-up.",
    "goal": "talk",
    "outcome": "success",
    "entities": [],
    "tags": [],
    "importance": 0.5,
}


def settings(server: Scripted | str, provider: str = "openai", **model: Any) -> dict[str, Any]:
    """Settings of a mind that learns with the model of this server, by words alone."""
    url = server if isinstance(server, str) else server.url
    given = {"provider": provider, "name": "m", "api_key": "sk-test", "base_url": url}
    return {"model": {**given, "timeout": 5, **model}, "embedding": {"provider": "none"}}


def told(asked: Asked) -> str:
    """What the model is told to do."""
    return str(asked.json.get("system") or asked.json["messages"][0]["content"])


def form(asked: Asked) -> str:
    """The form of the answer, on the wire or in words."""
    on_the_wire = [asked.json.get(name) for name in ("response_format", "tools", "format")]
    return json.dumps(on_the_wire) + told(asked)


def shown(asked: Asked) -> str:
    """What the model is given to read."""
    return str(next(one["content"] for one in asked.json["messages"] if one["role"] == "user"))


def purpose(asked: Asked) -> str:
    """Which question of the pipeline it is."""
    wanted = form(asked)
    if '"verdict": {' in wanted:
        return "reconcile"
    return "episode" if '"outcome": {' in wanted else "extract"


def lines(text: str) -> list[tuple[int, str, str]]:
    """The turns a model is shown: number, role, and the first line of what was said."""
    return [(int(number), role, said.strip()) for number, role, said in _LINE.findall(text)]


def speakers(text: str) -> dict[int, str]:
    """The numbers of the turns a model is shown, with their roles."""
    return {number: role for number, role, _ in lines(text)}


def proposing(
    propose: Proposing,
    provider: str = "openai",
    verdict: str = "new",
    story: dict[str, Any] = STORY,
) -> Behavior:
    """Proposes facts for what it is shown; its judgment and its stories are always the same."""

    def answer(asked: Asked) -> dict[str, Any]:
        said: dict[str, Any] = story
        if purpose(asked) == "extract":
            said = {"facts": list(propose(shown(asked)))}
        elif purpose(asked) == "reconcile":
            said = {"verdict": verdict, "memory": 1}
        return says(provider, json.dumps(said, ensure_ascii=False), tokens=100)

    return reply(answer)


def by_purpose(**behaviors: Behavior) -> Behavior:
    """Another behavior for each question."""

    def act(line: Line) -> None:
        behaviors[purpose(line.asked)](line)

    return act
