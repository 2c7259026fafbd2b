"""The chat models that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from mnemic.errors import ConfigError
from mnemic.providers.services import SERVICES
from mnemic.settings.plugins import CHAT, make_from_plugin

if TYPE_CHECKING:
    from mnemic.providers.breaker import Circuits
    from mnemic.providers.chat.chat import ChatModel
    from mnemic.settings import Settings
    from mnemic.settings.environment import ChatSettings, ModelSettings
    from mnemic.types import LanguageModel

Section = Literal["chat", "model"]  # of the settings
_REPAIRS = 1  # times a malformed answer is sent back before it counts as a failure


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
        group = settings.model
        if borrows and (group.name or group.api_key or group.base_url):
            raise ConfigError(
                "A memory model is set, and nobody to serve it",
                remedy="Set model.provider to one of " + ", ".join(SERVICES),
            )
        return None
    section: Section = "chat" if borrows and not settings.model.base_url else "model"
    return _model_for(settings, section, model, circuits, repairs)


def _check_price(settings: Settings, name: str) -> None:
    if settings.model.daily_cost and name not in settings.model.prices:
        raise ConfigError(
            f"model.daily_cost is set, and what {name or 'the model'} costs is not known",
            remedy=f'Set input and output of model.prices."{name}", or use daily_tokens',
        )


def object_model_for(
    settings: Settings, model: LanguageModel, circuits: Circuits | None = None
) -> ChatModel:
    """A model of the host, with the budget, timeout, breaker and repairs of one behind HTTP."""
    from mnemic.providers import extras
    from mnemic.providers.chat.chat import ChatModel
    from mnemic.providers.objects import GuardedObject, ObjectTransport, method_of, name_of
    from mnemic.providers.wire import EXTRA

    name = name_of(model, "model")
    method_of(model, "complete", "model")
    _check_price(settings, name)
    extras.require(EXTRA, "json_repair")
    breaker = None if circuits is None else circuits.own(f"model {name}")
    calls = GuardedObject(f"model {name}", settings.model.timeout, breaker)
    price = settings.model.prices.get(name)
    return ChatModel(ObjectTransport(model, name, calls, price=price), repairs=_REPAIRS)


def main_model_for(settings: Settings) -> ChatModel | None:
    """The host's main model, or None; it speaks at the provider's usual temperature."""
    chat = settings.chat
    return None if chat.provider == "none" else _model_for(settings, "chat", chat)


def _model_for(
    settings: Settings,
    section: Section,
    group: ChatSettings | ModelSettings,
    circuits: Circuits | None = None,
    repairs: int = _REPAIRS,
) -> ChatModel:
    """The model that a group of settings describes; ``section`` is where to correct them."""
    if group.provider not in SERVICES:
        model = make_from_plugin(CHAT, group.provider, group)
        return object_model_for(settings, cast("LanguageModel", model), circuits)
    from mnemic.providers import extras
    from mnemic.providers.chat.chat import ChatModel
    from mnemic.providers.chat.http import HttpTransport
    from mnemic.providers.chat.protocols import PROTOCOLS
    from mnemic.providers.chat.transport import RequestOptions, record_of
    from mnemic.providers.wire import EXTRA, Wire

    service, temperature = SERVICES[group.provider], getattr(group, "temperature", None)
    if temperature is not None:  # the memory model, which has a budget
        _check_price(settings, group.name)
    if not group.name:
        raise ConfigError(
            f"No model of {group.provider} is named", remedy=f"Set {section}.name to its name"
        )
    if service.needs_key:
        extras.require_key(section, group)
    extras.require(EXTRA, "httpx", "json_repair")
    protocol = PROTOCOLS[service.protocol]
    address = (group.base_url or service.base_url).rstrip("/").removesuffix(protocol.address_end)
    label = f"{group.provider} {group.name}"
    breaker = None if circuits is None else circuits.of(label, address)
    wire = Wire(
        address,
        service=label,
        key=group.api_key,
        key_header=protocol.key_header,
        headers=protocol.headers,
        timeout=settings.model.timeout,
        breaker=breaker,
    )
    record = record_of(breaker, service.forms)
    options = RequestOptions(group.name, group.max_tokens, temperature, record.known)
    price = settings.model.prices.get(group.name)
    return ChatModel(HttpTransport(wire, protocol, options, record, price=price), repairs=repairs)
