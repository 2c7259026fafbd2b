"""Each system's own configuration names, files and variables, and the windows of its models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import mnemic
from mnemic.clock import ManualClock
from tests.providers.scripted import Scripted, reply
from tests.remote import server  # noqa: F401 - a fixture

# D §9.2, with the address of the test's server.
CONFIG: dict[str, Any] = {
    "provider": {"type": "openai", "apiKey": "sk-main-key", "baseUrl": "http://127.0.0.1:9/v1"},
    "agent": {"model": "gpt-5.3-codex", "maxTokens": 128000, "workspace": "~/.myclaw"},
    "channels": {"telegram": {"enabled": True}},
    "gateway": {"port": 18789},
    "memory": {
        "enabled": True,
        "model": "gpt-5",
        "maxTokens": 128000,
        "provider": {"type": "openai", "apiKey": "sk-memory-key", "baseUrl": ""},
        "extraction": {"quietGap": "3m", "tokenBudget": 0.6, "dailyFlush": "03:00"},
    },
}


def facts(*contents: str) -> Any:
    listed = [{"content": one, "kind": "decision", "turns": [1]} for one in contents]
    message = {"role": "assistant", "content": json.dumps({"facts": listed})}
    return reply({"choices": [{"message": message, "finish_reason": "stop"}]})


def say(mind: mnemic.Mind, text: str = "我们决定 myclaw 的记忆用 SQLite 存储。") -> None:
    mind.session("s").user(text)


@pytest.mark.statement("D101")
def test_the_config_json_of_the_document_beside_the_database(
    tmp_path: Path,
    server: Scripted,  # noqa: F811
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Better: since it names a server, the person says once that the file is theirs."""
    config = json.loads(json.dumps(CONFIG))
    config["memory"]["provider"]["baseUrl"] = f"{server.url}/v1"
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    monkeypatch.setenv("MNEMIC_CONFIG", str(tmp_path / "config.json"))
    server.always(facts("myclaw 的记忆用 SQLite 存储"))
    with mnemic.open(tmp_path / "memory.db", preset="myclaw", clock=clock, worker="none") as mind:
        say(mind)
        clock.advance(minutes=2, seconds=50)
        mind.drain()
        assert not server.asked  # quietGap
        clock.advance(seconds=20)
        mind.drain()
        assert [one.text for one in mind.memories()] == ["myclaw 的记忆用 SQLite 存储"]
        asked = server.asked[0]
        assert asked.json["model"] == "gpt-5"
        assert asked.headers["authorization"] == "Bearer sk-memory-key"
        for n in range(3):  # tokenBudget 0.6: about 6000 tokens set it off without a pause
            assert len(server.asked) == 1
            say(mind, f"第{n}次：" + "我们讨论了很多关于缓存和索引的细节。" * 150)
            mind.drain()
        assert len(server.asked) > 1


@pytest.mark.statement("D101")
@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("tokenBudget", 6000, "tokenBudget.*at most 1"),
        ("dailyFlush", "3 o'clock", "dailyFlush.*03:00"),
        ("quiteGap", "3m", "quiteGap"),
    ],
)
def test_a_mistake_in_it_is_named(tmp_path: Path, key: str, value: object, said: str) -> None:
    config = {"memory": {"extraction": {key: value}}}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(mnemic.ConfigError, match=said):
        mnemic.open(tmp_path / "memory.db", preset="myclaw", worker="none")


@pytest.mark.statement("D103")
@pytest.mark.parametrize("slash", ["", "/"], ids=["plain", "with a slash at its end"])
def test_three_variables_are_a_memory_model(
    server: Scripted,  # noqa: F811
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
    slash: str,
) -> None:
    monkeypatch.setenv("MYCLAW_MEMORY_MODEL", "gpt-5-mini")
    monkeypatch.setenv("MYCLAW_MEMORY_API_KEY", "sk-memory-key")
    monkeypatch.setenv("MYCLAW_MEMORY_BASE_URL", f"{server.url}/v1{slash}")
    server.always(facts("记忆用 SQLite 存储"))
    with mnemic.open(":memory:", preset="myclaw", clock=clock, worker="none") as mind:
        say(mind)
        clock.advance(minutes=4)
        mind.drain()
        assert [one.text for one in mind.memories()] == ["记忆用 SQLite 存储"]
    assert server.asked[0].path == "/v1/chat/completions"
    assert server.asked[0].json["model"] == "gpt-5-mini"
    monkeypatch.setenv("MYCLAW_MEMORY_ENABLED", "false")
    with pytest.raises(mnemic.ConfigError, match=r"memory\.enabled"):
        mnemic.open(":memory:", preset="myclaw")


@pytest.mark.statement("A71")
def test_search_backend_and_embedding_api_names(server: Scripted) -> None:  # noqa: F811
    vector = reply(lambda asked: {
        "data": [{"index": n, "embedding": [1.0, 0.0]} for n, _ in enumerate(asked.json["input"])]
    })  # fmt: skip
    server.always(vector)
    names: dict[str, Any] = {
        "search_backend": "api_embedding",
        "embedding_api_provider": "dashscope",
        "embedding_api_key": "sk-embedding-key",
        "embedding_api_model": "text-embedding-v3",
        "embedding.base_url": server.url,
        "embedding.dimensions": 2,
    }
    with mnemic.open(":memory:", preset="openakita", worker="none", **names) as mind:
        mind.remember("用户的代码目录在 D:\\code", kind="fact")
        mind.drain()
        assert "vector" in mind.recall("目录在哪")[0].why.routes
    assert server.asked[0].json["model"] == "text-embedding-v3"
    assert server.asked[0].headers["authorization"] == "Bearer sk-embedding-key"
    with mnemic.open(":memory:", preset="openakita", worker="none", search_backend="fts5") as mind:
        mind.remember("用户的代码目录在 D:\\code", kind="fact")
        assert mind.recall("代码目录")[0].why.routes[0] == "text"
    with pytest.raises(mnemic.ConfigError, match="fts5, chromadb, api_embedding"):
        mnemic.open(":memory:", preset="openakita", search_backend="faiss")
    with pytest.raises(mnemic.ConfigError, match="search_backend"):
        mnemic.open(":memory:", search_backend="fts5")  # a name of that system alone


@pytest.mark.statement("E120")
def test_the_window_of_a_model_by_its_name() -> None:
    """A share of 15 % for long-term memory, 50 % for the conversation, 20 % for the reply."""
    own: dict[str, Any] = {"context.windows.house-model": 20_000, "context.windows.gpt-4o": 50_000}
    windows = {
        "gpt-4o": 50_000,  # the user's own entry wins
        "house-model": 20_000,
        "gpt-4o-mini-2024-07-18": 128_000,
        "openai/gpt-4.1": 1_047_576,
        "gpt-4": 8_192,
        "claude-sonnet-4-5": 200_000,
        "qwen-plus": 131_072,
        "deepseek-chat": 65_536,
        "llama3.1:8b": 131_072,
        "o3-mini": 200_000,
        "nobody-knows-it": 8_192,
        "": 8_192,
    }
    with mnemic.open(":memory:", preset="semibot", worker="none", **own) as mind:
        session = mind.session("s")
        session.user("你好")
        for model, window in windows.items():
            context = mind.context("我的项目进展如何？", session=session.id, model=model)
            sizes = {use.name: use.size for use in context.sections}
            assert context.budget == window - int(window * 0.2), model
            assert sizes.get("recent", int(window * 0.5)) >= int(window * 0.5) - 1, model
