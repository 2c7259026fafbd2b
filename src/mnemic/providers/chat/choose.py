"""The chat models that the settings name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, cast

from mnemic.errors import ConfigError
from mnemic.settings.plugins import CHAT, make_from_plugin
from mnemic.settings.values import Secret

if TYPE_CHECKING:
    from mnemic.providers.breaker import Circuits
    from mnemic.providers.chat.base import ChatModel
    from mnemic.providers.chat.protocols import WireProtocol
    from mnemic.providers.chat.transport import Form
    from mnemic.providers.wire import Wire
    from mnemic.settings import Settings
    from mnemic.settings.group import SettingsGroup
    from mnemic.types import LanguageModel

ProtocolName = Literal["openai", "anthropic", "ollama"]
_CONNECT_TIMEOUT = timedelta(seconds=10)
_REPAIRS = 1  # times a malformed answer is sent back before it counts as a failure


@dataclass(frozen=True, slots=True)
class ChatService:
    """The address of a provider, its protocol, and the JSON forms it accepts."""

    base_url: str
    protocol: ProtocolName = "openai"
    forms: tuple[Form, ...] = ("schema", "object_schema", "object", "plain")
    needs_key: bool = True


_OLLAMA_FORMS: tuple[Form, ...] = ("schema", "object", "plain")
SERVICES = {
    "openai": ChatService("https://api.openai.com/v1"),
    "anthropic": ChatService("https://api.anthropic.com", "anthropic", ("schema", "plain")),
    "ollama": ChatService("http://127.0.0.1:11434", "ollama", _OLLAMA_FORMS, needs_key=False),
    "dashscope": ChatService(
        "https://dashscope.aliyuncs.com/compatible-mode/v1", forms=("object", "plain")
    ),
}


@dataclass(frozen=True, slots=True)
class _ModelSpec:
    """One model as the settings describe it; ``section`` is where to correct them."""

    section: Literal["chat", "model"]
    provider: str
    name: str
    key: Secret
    base_url: str
    max_tokens: int
    temperature: float | None


def chat_model_for(
    settings: Settings, circuits: Circuits | None = None, *, repairs: int = _REPAIRS
) -> ChatModel | None:
    """The model for memory's own work, or None where rules do it.

    Nothing is sent before the first prompt, but a missing key, name or package is an error at
    once. ``circuits`` suspend calls to a server that failed.
    """
    model = settings.memory_model
    borrows = settings.model.provider == "chat"
    if model.provider == "none":
        own = settings.model
        if borrows and (own.name or own.api_key or own.base_url):
            raise ConfigError(
                "A memory model is set, and nobody to serve it",
                remedy="Set model.provider to one of " + ", ".join(SERVICES),
            )
        return None
    if model.provider not in SERVICES:
        return _plugin_model(settings, model.provider, model, circuits)
    spec = _ModelSpec(
        "chat" if borrows and not settings.model.base_url else "model",
        model.provider,
        model.name,
        model.api_key,
        model.base_url,
        model.max_tokens,
        model.temperature,
    )
    _check_price(settings, model.name)
    return _http_model(settings, spec, circuits, repairs)


def _check_price(settings: Settings, name: str) -> None:
    if settings.model.daily_cost and name not in settings.model.prices:
        raise ConfigError(
            f"model.daily_cost is set, and what {name or 'the model'} costs is not known",
            remedy=f'Set input and output of model.prices."{name}", or use daily_tokens',
        )


def object_model_for(
    settings: Settings, given: LanguageModel, circuits: Circuits | None = None
) -> ChatModel:
    """A model of the host, with the budget, timeout, breaker and repairs of one behind HTTP."""
    from mnemic.providers import extras
    from mnemic.providers.chat.chat import Chat
    from mnemic.providers.chat.object import ObjectTransport
    from mnemic.providers.objects import GuardedObject, method_of, name_of
    from mnemic.providers.wire import EXTRA

    name = name_of(given, "model")
    method_of(given, "complete", "model")
    _check_price(settings, name)
    extras.require(EXTRA, "json_repair")
    breaker = None if circuits is None else circuits.own(f"model {name}")
    calls = GuardedObject(f"model {name}", settings.model.timeout, breaker)
    price = settings.model.prices.get(name)
    return Chat(ObjectTransport(given, name, calls, price=price), repairs=_REPAIRS)


def main_model_for(settings: Settings) -> ChatModel | None:
    """The host's main model, or None; it speaks at the provider's usual temperature."""
    chat = settings.chat
    if chat.provider == "none":
        return None
    if chat.provider not in SERVICES:
        return _plugin_model(settings, chat.provider, chat)
    spec = _ModelSpec(
        "chat", chat.provider, chat.name, chat.api_key, chat.base_url, chat.max_tokens, None
    )
    return _http_model(settings, spec)


def _plugin_model(
    settings: Settings, provider: str, own: SettingsGroup, circuits: Circuits | None = None
) -> ChatModel:
    """A model of another distribution, made of its own group of settings."""
    made = make_from_plugin(CHAT, provider, own)
    return object_model_for(settings, cast("LanguageModel", made), circuits)


def _http_model(
    settings: Settings,
    spec: _ModelSpec,
    circuits: Circuits | None = None,
    repairs: int = _REPAIRS,
) -> ChatModel:
    from mnemic.providers import extras
    from mnemic.providers.chat.chat import Chat
    from mnemic.providers.chat.http import HttpTransport
    from mnemic.providers.chat.transport import RequestOptions, record_of
    from mnemic.providers.wire import EXTRA

    service = SERVICES[spec.provider]
    if not spec.name:
        raise ConfigError(
            f"No model of {spec.provider} is named",
            remedy=f"Set {spec.section}.name to its name",
        )
    # One's own server at one's own address may want no key.
    if service.needs_key and not spec.base_url and not spec.key:
        raise ConfigError(
            f"{spec.section}.provider is {spec.provider} and there is no key",
            remedy=f"Set {spec.section}.api_key, or"
            f" MNEMIC_{spec.section.upper()}__API_KEY in the environment",
        )
    extras.require(EXTRA, "httpx", "json_repair")
    wire = _wire(settings, spec, service, circuits)
    record = record_of(wire.breaker, service.forms)
    transport = HttpTransport(
        wire,
        _protocol(service),
        RequestOptions(spec.name, spec.max_tokens, spec.temperature, record.known),
        record,
        price=settings.model.prices.get(spec.name),
    )
    return Chat(transport, repairs=repairs)


def _wire(
    settings: Settings, spec: _ModelSpec, service: ChatService, circuits: Circuits | None
) -> Wire:
    from mnemic.providers.chat.protocols import ANTHROPIC_HEADERS
    from mnemic.providers.wire import Wire

    theirs = service.protocol == "anthropic"
    address = (spec.base_url or service.base_url).rstrip("/")
    if service.protocol != "openai":  # people know the address by the other protocol it speaks
        address = address.removesuffix("/v1")
    named = f"{spec.provider} {spec.name}"
    return Wire(
        address,
        service=named,
        key=spec.key,
        key_header="x-api-key" if theirs else "authorization",
        headers=ANTHROPIC_HEADERS if theirs else None,
        timeout=settings.model.timeout,
        connect_timeout=_CONNECT_TIMEOUT,
        breaker=None if circuits is None else circuits.of(named, address),
    )


def _protocol(service: ChatService) -> WireProtocol:
    from mnemic.providers.chat import protocols

    match service.protocol:
        case "anthropic":
            return protocols.Anthropic()
        case "ollama":
            return protocols.Ollama()
        case _:
            return protocols.OpenAI()
