"""One exchange with a model: prompt, reply, and the request options that its server accepts.

Servers of one protocol differ in what they accept. An option that one refuses with 400 is left out,
in the retry and from then on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol

from recollect.errors import ModelRefused
from recollect.providers.chat.base import ChatMessage, Meter, Schema, Spent

Ending = Literal["whole", "cut", "declined"]


@dataclass(frozen=True, slots=True)
class ModelPrompt:
    """The prompt of a model; with a schema the answer is to be such an object."""

    system: str
    messages: tuple[ChatMessage, ...]
    purpose: str
    schema: Schema | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The reply of a model, and whether it is complete."""

    text: str
    ending: Ending
    spent: Spent


class Transport(Protocol):
    """Sends a prompt to a model and returns its reply."""

    @property
    def name(self) -> str: ...
    def send(self, prompt: ModelPrompt) -> ModelReply: ...

    def masked(self, text: str) -> str:
        """The text as an error may show it: without the key, should a server have repeated it."""

    def close(self) -> None: ...


class MeteredTransport:
    """A transport with every exchange metered."""

    def __init__(self, transport: Transport, meter: Meter) -> None:
        self._transport, self._meter = transport, meter

    @property
    def name(self) -> str:
        return self._transport.name

    def send(self, prompt: ModelPrompt) -> ModelReply:
        self._meter.allow()
        reply = self._transport.send(prompt)
        self._meter.record(prompt.purpose, reply.spent)
        return reply

    def masked(self, text: str) -> str:
        return self._transport.masked(text)

    def close(self) -> None:
        self._transport.close()


Form = Literal["schema", "object", "plain"]  # a promised schema, promised JSON, no promise
TokenField = Literal["max_tokens", "max_completion_tokens"]
_REFUSED = frozenset({400, 422})


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """The parts of a request besides the prompt; ``forms`` are the ways to JSON, best first."""

    model: str
    max_tokens: int
    temperature: float | None
    forms: tuple[Form, ...]
    token_field: TokenField = "max_tokens"
    forbid_thinking: bool = False

    @property
    def form(self) -> Form:
        return self.forms[0]


def without_refused(
    options: RequestOptions, error: ModelRefused, *, for_json: bool
) -> RequestOptions | None:
    """The options without the one that the server refused; None where none can be left out."""
    if error.status not in _REFUSED:
        return None
    message = error.message.lower()
    if "max_completion_tokens" in message and options.token_field == "max_tokens":
        return replace(options, token_field="max_completion_tokens")
    if "enable_thinking" in message and not options.forbid_thinking:
        return replace(options, forbid_thinking=True)
    if "temperature" in message and options.temperature is not None:
        return replace(options, temperature=None)
    if for_json and len(options.forms) > 1:
        return replace(options, forms=options.forms[1:])
    return None
