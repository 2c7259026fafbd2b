"""One exchange with a model: prompt, reply, and what its server accepts of a request.

Servers of one protocol differ in what they accept. What one refuses is left out in the retry and
from then on, for everybody in this process who asks the same model of the same server.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Protocol
from weakref import WeakKeyDictionary

from mnemic.errors import ModelRefused, ModelUnavailable
from mnemic.language.tokens import estimate_tokens
from mnemic.patterns import defer
from mnemic.prompts import words
from mnemic.providers.breaker import Breaker
from mnemic.providers.chat.base import ChatMessage, OnText, Schema, Spent
from mnemic.providers.wire import ABOUT_THE_FORM, FAULTS
from mnemic.settings.environment import ModelPrice

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


_MILLION = 1_000_000  # tokens that a price is for


def spent_on(
    model: str, price: ModelPrice | None, read: int | Iterable[str], written: int | str
) -> Spent:
    """The tokens as the server counted them, else estimated from the texts, and what they cost."""
    read = read if isinstance(read, int) else sum(map(estimate_tokens, read))
    written = written if isinstance(written, int) else estimate_tokens(written)
    if price is None:
        return Spent(model, read, written)
    return Spent(model, read, written, (read * price.input + written * price.output) / _MILLION)


class Transport(Protocol):
    """Sends a prompt to a model and returns its reply."""

    @property
    def name(self) -> str: ...
    def send(self, prompt: ModelPrompt, on_text: OnText | None = None) -> ModelReply: ...

    def mask(self, text: str) -> str:
        """The text as an error may show it: without the key, should a server have repeated it."""

    def close(self) -> None: ...


# The ways to JSON: the wire promises a schema; it promises an object and has the schema beside it,
# as llama.cpp takes it; it promises an object; it promises nothing.
Form = Literal["schema", "object_schema", "object", "plain"]
TokenField = Literal["max_tokens", "max_completion_tokens"]
# Streams that count their tokens, streams, no streams.
Streams = Literal["counted", "plain", "none"]
_ON_THE_WIRE: tuple[Form, ...] = ("schema", "object_schema")
_REFUSED = frozenset({400, 422})
# Once a server has answered to a form, a refusal without one of these is about the text.
_OF_STREAMS = defer(r"\bstream")
_OF_THE_FORM = defer(r"format|json|schema|grammar|tool|additionalprop")


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a server accepts; ``forms`` are ways to JSON, ``confirmed`` that one worked."""

    forms: tuple[Form, ...]
    token_field: TokenField = "max_tokens"
    temperature: bool = True
    forbid_thinking: bool = False
    confirmed: bool = False
    streams: Streams = "counted"

    @property
    def form(self) -> Form:
        return self.forms[0]


class CapabilityRecord:
    """What is known of a server by now; shared between those who ask it."""

    def __init__(self, capabilities: Capabilities) -> None:
        self.known = capabilities


_records: WeakKeyDictionary[Breaker, dict[tuple[Form, ...], CapabilityRecord]] = WeakKeyDictionary()


def record_of(breaker: Breaker | None, forms: tuple[Form, ...]) -> CapabilityRecord:
    """The record of an endpoint, the same for everybody who shares its breaker."""
    record = CapabilityRecord(Capabilities(forms))
    if breaker is None:
        return record
    return _records.setdefault(breaker, {}).setdefault(forms, record)


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """The parts of a request besides the prompt: what the settings want, what the server takes."""

    model: str
    max_tokens: int
    temperature: float | None
    accepts: Capabilities


class Retry(NamedTuple):
    """What to ask with after a refusal, and what is known of the server should that work."""

    attempt: Capabilities
    learned: Capabilities


def without_refused(
    accepts: Capabilities, error: ModelRefused | ModelUnavailable, *, for_json: bool, warm: bool
) -> Retry | None:
    """What is left to try without that which the server refused; None where nothing is.

    ``warm``: the request has a temperature. A fault that does not say what it is about may be about
    the form as long as the server has not answered to it; then the plainest one shows it.
    """
    more = for_json and len(accepts.forms) > 1
    if isinstance(error, ModelUnavailable):
        doubtful = error.status in FAULTS and not accepts.confirmed
        if not (more and doubtful):
            return None
        rest = replace(accepts, forms=accepts.forms[1:])
        return Retry(replace(accepts, forms=accepts.forms[-1:]), rest)
    message, simpler = error.message.lower(), None
    form_refused = error.status in FAULTS or (
        error.status == 404 and ABOUT_THE_FORM.search(message) is not None
    )
    if error.status not in _REFUSED and not form_refused:
        return None
    if "max_completion_tokens" in message and accepts.token_field == "max_tokens":
        simpler = replace(accepts, token_field="max_completion_tokens")
    elif "enable_thinking" in message and not accepts.forbid_thinking:
        simpler = replace(accepts, forbid_thinking=True)
    elif _OF_STREAMS.search(message) and accepts.streams != "none":
        simpler = replace(accepts, streams="plain" if accepts.streams == "counted" else "none")
    elif "temperature" in message and accepts.temperature and warm:
        simpler = replace(accepts, temperature=False)
    elif more and (not accepts.confirmed or form_refused or _OF_THE_FORM.search(message)):
        simpler = replace(accepts, forms=accepts.forms[1:], confirmed=False)
    return None if simpler is None else Retry(simpler, simpler)


_CHINESE = defer(r"[\u4e00-\u9fff]")


def system_text(prompt: ModelPrompt, form: Form) -> str:
    """The system text; the schema stands in it where the wire does not carry it."""
    if prompt.schema is None or form in _ON_THE_WIRE:
        return prompt.system
    schema = json.dumps(prompt.schema, ensure_ascii=False)
    text = answer_words(prompt.system)["form"].format(schema=schema)
    return f"{prompt.system}\n\n{text}" if prompt.system else text


def answer_words(like: str) -> Mapping[str, str]:
    """What a model is told of the form of its answer, in the language of its system text."""
    return words("answer", "zh" if _CHINESE.search(like) else "en")
