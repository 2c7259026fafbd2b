"""The models that the settings ask for."""

from __future__ import annotations

import subprocess
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from typing import Any

import pytest

from mnemic import late
from mnemic.errors import ConfigError, MissingExtra
from mnemic.providers.chat.base import ChatModel
from mnemic.providers.chat.choose import chat_model_for, main_model_for
from mnemic.providers.services import SERVICES
from mnemic.settings import Settings, load
from tests.providers.scripted import Scripted, reply
from tests.providers.speaking import PROVIDERS, ask, says

pytestmark = pytest.mark.feature("X8", preset="myclaw")

TEA = '{"facts": ["likes tea"]}'
MAIN = {"provider": "openai", "name": "big", "api_key": "sk-main"}


def settings(
    env: dict[str, str] | None = None, chat: Any = None, model: Any = None, **rest: Any
) -> Settings:
    overrides = {"chat": chat or {}, "model": model or {}, **rest}
    return load("myclaw", env=env or {}, overrides=overrides)


def asked_of(made: ChatModel | None) -> ChatModel:
    assert made is not None
    ask(made)
    made.close()
    return made


def test_without_a_provider_there_is_no_model() -> None:
    assert chat_model_for(settings()) is None
    assert main_model_for(settings()) is None
    assert chat_model_for(settings(chat=MAIN, model={"provider": "none"})) is None


@pytest.mark.setting(
    "chat.provider", "chat.name", "chat.api_key", "chat.base_url", "chat.max_tokens"
)
def test_the_memory_model_falls_back_to_the_main_one(server: Scripted) -> None:
    server.always(reply(says("openai", TEA)))
    main = {**MAIN, "base_url": server.url, "max_tokens": 99}
    for made in (chat_model_for(settings(chat=main)), main_model_for(settings(chat=main))):
        assert asked_of(made).name == "big"
    memory, chat = (asked.json for asked in server.asked)
    assert memory["max_tokens"] == chat["max_tokens"] == 99
    assert memory["temperature"] == 0.3
    assert "temperature" not in chat
    assert {asked.headers["authorization"] for asked in server.asked} == {"Bearer sk-main"}


@pytest.mark.setting(
    "model.provider",
    "model.name",
    "model.api_key",
    "model.base_url",
    "model.max_tokens",
    "model.temperature",
)
def test_the_memory_model_has_its_own_of_everything(server: Scripted) -> None:
    server.always(reply(says("anthropic", TEA)))
    own = {
        "provider": "anthropic",
        "name": "small",
        "api_key": "sk-own",
        "base_url": server.url,
        "max_tokens": 55,
        "temperature": 0.1,
    }
    made = asked_of(chat_model_for(settings(chat=MAIN, model=own)))
    (asked,) = server.asked
    assert made.name == asked.json["model"] == "small"
    assert (asked.json["max_tokens"], asked.json["temperature"]) == (55, 0.1)
    assert asked.headers["x-api-key"] == "sk-own"


@pytest.mark.parametrize("prefix", ["MNEMIC", "MYCLAW_MEMORY"])
def test_the_environment_wins(server: Scripted, prefix: str) -> None:
    server.always(reply(says("openai", TEA)))
    env = {
        f"{prefix}_MODEL": "from-env",
        f"{prefix}_API_KEY": "sk-env",
        f"{prefix}_BASE_URL": server.url,
    }
    made = asked_of(
        chat_model_for(load("myclaw", env=env, overrides={"chat": {**MAIN, "name": "big"}}))
    )
    assert made.name == "from-env"
    assert server.asked[0].headers["authorization"] == "Bearer sk-env"


@pytest.mark.feature("X9", preset=["openakita", "semibot"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_has_its_usual_address(provider: str) -> None:
    chosen = settings(model={"provider": provider, "name": "m", "api_key": "sk"})
    assert chat_model_for(chosen) is not None
    assert SERVICES[provider].base_url.startswith("http")


@pytest.mark.parametrize(
    ("provider", "path"), [("ollama", "/api/chat"), ("anthropic", "/v1/messages")]
)
@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/"])
def test_an_address_may_end_in_v1(server: Scripted, provider: str, path: str, tail: str) -> None:
    server.always(reply(says(provider, TEA)))
    given = {"provider": provider, "name": "m", "base_url": server.url + tail}
    asked_of(chat_model_for(settings(model=given)))
    assert server.asked[0].path == path
    assert not {"authorization", "x-api-key"} & set(server.asked[0].headers)


@pytest.mark.parametrize(
    ("chat", "model", "said"),
    [
        ({}, {"provider": "openai", "name": "m"}, r"model\.api_key.*MNEMIC_MODEL__API_KEY"),
        ({"provider": "openai", "name": "m"}, {}, r"chat\.api_key.*MNEMIC_CHAT__API_KEY"),
        ({}, {"provider": "anthropic", "name": "m"}, r"model\.api_key"),
        ({}, {"provider": "dashscope", "name": "m"}, r"model\.api_key"),
        ({}, {"provider": "ollama"}, r"model\.name"),
        ({"provider": "ollama"}, {}, r"chat\.name"),
        ({}, {"name": "m"}, r"model\.provider"),
        ({}, {"api_key": "sk-secret"}, r"model\.name"),
        ({}, {"provider": "ollama", "name": "m", "daily_cost": 1.0}, r"model\.prices"),
    ],
)
def test_what_is_missing_is_named_at_once(chat: Any, model: Any, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        chat_model_for(settings(chat=chat, model=model))
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize("module", ["httpx", "json_repair"])
def test_a_missing_extra_is_named_at_once(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    def find(name: str) -> ModuleSpec | None:
        return None if name == module else find_spec(name)

    monkeypatch.setattr(late, "find", find)
    with pytest.raises(MissingExtra, match=r'pip install "mnemic\[models\]"'):
        chat_model_for(settings(model={"provider": "ollama", "name": "m"}))


def test_choosing_imports_nothing_heavy() -> None:
    code = """
import sys
from mnemic.providers.chat.choose import chat_model_for
from mnemic.settings import load
given = {"model": {"provider": "ollama", "name": "m"}}
assert chat_model_for(load("default", env={}, overrides=given))
print(sorted({"httpx", "json_repair", "numpy"} & set(sys.modules)))
"""
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert said.stdout.strip() == "[]"
