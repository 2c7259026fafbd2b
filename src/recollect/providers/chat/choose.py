"""The models that the settings ask for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from recollect.errors import ConfigError
from recollect.settings.values import Secret

if TYPE_CHECKING:
    from recollect.providers.breaker import Circuits
    from recollect.providers.chat.base import ChatModel
    from recollect.providers.chat.dialects import WireProtocol
    from recollect.providers.chat.manners import Form
    from recollect.providers.wire import Wire
    from recollect.settings import Settings

_CONNECT_TIMEOUT = timedelta(seconds=10)
_REPAIRS = 1  # times a malformed answer is given back before it counts as a failure

Tongue = Literal["openai", "anthropic", "ollama"]


@dataclass(frozen=True, slots=True)
class ChatService:
    """Where a provider is to be found, and how it wants to be spoken to."""

    base_url: str
    tongue: Tongue = "openai"
    forms: tuple[Form, ...] = ("schema", "object", "plain")
    needs_key: bool = True


SERVICES = {
    "openai": ChatService("https://api.openai.com/v1"),
    "anthropic": ChatService("https://api.anthropic.com", "anthropic", ("schema", "plain")),
    "ollama": ChatService("http://127.0.0.1:11434", "ollama", needs_key=False),
    "dashscope": ChatService(
        "https://dashscope.aliyuncs.com/compatible-mode/v1", forms=("object", "plain")
    ),
}


@dataclass(frozen=True, slots=True)
class _Wanted:
    """One model as the settings describe it; ``section`` is where to correct them."""

    section: Literal["chat", "model"]
    provider: str
    name: str
    key: Secret
    base_url: str
    max_tokens: int
    temperature: float | None


def chat_model_for(settings: Settings, circuits: Circuits | None = None) -> ChatModel | None:
    """The model that does the work of memory, or None where the rules do it.

    Nothing is sent before the first question, but what is missing (a key, a name, a package) is
    said at once. ``circuits`` keep a server that failed from being asked.
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
    wanted = _Wanted(
        "chat" if borrows and not settings.model.base_url else "model",
        model.provider,
        model.name,
        model.api_key,
        model.base_url,
        model.max_tokens,
        model.temperature,
    )
    if settings.model.daily_cost and model.name not in settings.model.prices:
        raise ConfigError(
            f"model.daily_cost is set, and what {model.name or 'the model'} costs is not known",
            remedy=f'Set input and output of model.prices."{model.name}", or use daily_tokens',
        )
    return _behind_an_address(settings, wanted, circuits)


def main_model_for(settings: Settings) -> ChatModel | None:
    """The host's main model, or None; it speaks at the provider's usual temperature."""
    chat = settings.chat
    if chat.provider == "none":
        return None
    wanted = _Wanted(
        "chat", chat.provider, chat.name, chat.api_key, chat.base_url, chat.max_tokens, None
    )
    return _behind_an_address(settings, wanted)


def _behind_an_address(
    settings: Settings, wanted: _Wanted, circuits: Circuits | None = None
) -> ChatModel:
    from recollect.providers import extras
    from recollect.providers.chat.chat import Chat
    from recollect.providers.chat.http import HttpSpeaker
    from recollect.providers.chat.manners import Manners
    from recollect.providers.wire import EXTRA

    service = SERVICES[wanted.provider]
    if not wanted.name:
        raise ConfigError(
            f"No model of {wanted.provider} is named",
            remedy=f"Set {wanted.section}.name to its name",
        )
    # One's own server at one's own address may want no key.
    if service.needs_key and not wanted.base_url and not wanted.key:
        raise ConfigError(
            f"{wanted.section}.provider is {wanted.provider} and there is no key",
            remedy=f"Set {wanted.section}.api_key, or"
            f" RECOLLECT_{wanted.section.upper()}__API_KEY in the environment",
        )
    extras.require(EXTRA, "httpx", "json_repair")
    manners = Manners(
        wanted.name,
        wanted.max_tokens,
        wanted.temperature,
        service.forms if settings.model.json_output else ("plain",),
    )
    speaker = HttpSpeaker(
        _wire(settings, wanted, service, circuits),
        _dialect(service),
        manners,
        price=settings.model.prices.get(wanted.name),
    )
    return Chat(speaker, repairs=_REPAIRS)


def _wire(
    settings: Settings, wanted: _Wanted, service: ChatService, circuits: Circuits | None
) -> Wire:
    from recollect.providers.chat.dialects import ANTHROPIC_HEADERS
    from recollect.providers.wire import Wire

    theirs = service.tongue == "anthropic"
    address = (wanted.base_url or service.base_url).rstrip("/")
    if service.tongue != "openai":  # people know the address by the other protocol it speaks
        address = address.removesuffix("/v1")
    named = f"{wanted.provider} {wanted.name}"
    return Wire(
        address,
        service=named,
        key=wanted.key,
        key_header="x-api-key" if theirs else "authorization",
        headers=ANTHROPIC_HEADERS if theirs else None,
        timeout=settings.model.timeout,
        connect_timeout=_CONNECT_TIMEOUT,
        breaker=None if circuits is None else circuits.of(named, address),
    )


def _dialect(service: ChatService) -> WireProtocol:
    from recollect.providers.chat import dialects

    match service.tongue:
        case "anthropic":
            return dialects.Anthropic()
        case "ollama":
            return dialects.Ollama()
        case _:
            return dialects.OpenAI()
