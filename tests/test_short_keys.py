"""A key that is also a word takes nothing out of what a model says."""

from __future__ import annotations

import pytest

from tests.conftest import OpenMind
from tests.learning import thinking
from tests.providers.scripted import Scripted
from tests.remote import server

__all__ = ["server"]

SAID = {
    "en": "I keep my test database in Kettering with ollama",
    "zh": "我在 ollama 的 test 环境里用 EMPTY 库 k",
}


@pytest.mark.parametrize("key", ["k", "test", "ollama", "EMPTY"])
def test_what_a_model_says_is_learned_whole(
    open_mind: OpenMind, server: Scripted, key: str
) -> None:
    def propose(shown: str) -> list[thinking.Fact]:
        return [
            {"kind": "fact", "content": text, "confidence": 0.95, "importance": 0.8, "turns": [n]}
            for n, text in enumerate(SAID.values(), 1)
        ]

    server.always(thinking.proposing(propose))
    given = thinking.settings(server, api_key=key)
    mind = open_mind(**given, triggers={"quiet_gap": "never", "session_min_messages": 1})
    for text in SAID.values():
        mind.record(session="s", role="user", text=text)
    mind.end_session("s")
    mind.drain()
    assert {memory.text for memory in mind.memories()} >= set(SAID.values())
