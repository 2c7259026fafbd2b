"""A chat model behind an HTTP address."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from mnemic.errors import BadAnswer, ModelError, ModelRefused, ModelUnavailable
from mnemic.providers.chat.base import OnText, Spent
from mnemic.providers.chat.protocols import Reply, WireProtocol, join
from mnemic.providers.chat.transport import (
    Capabilities,
    CapabilityRecord,
    ModelPrompt,
    ModelReply,
    RequestOptions,
    spent_on,
    without_refused,
)
from mnemic.providers.wire import Wire
from mnemic.settings.environment import ModelPrice

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class HttpTransport:
    """Sends prompts over a wire in its protocol. Nothing is sent before the first prompt."""

    wire: Wire
    protocol: WireProtocol
    options: RequestOptions
    record: CapabilityRecord
    price: ModelPrice | None = None

    @property
    def name(self) -> str:
        return self.options.model

    def send(self, prompt: ModelPrompt, on_text: OnText | None = None) -> ModelReply:
        reply = self._post(prompt, on_text)
        return ModelReply(_valid(reply.text), reply.ending or "whole", self._spent(prompt, reply))

    def mask(self, text: str) -> str:
        return self.wire.mask(text)

    def close(self) -> None:
        self.wire.close()

    def _post(self, prompt: ModelPrompt, on_text: OnText | None) -> Reply:
        attempt = learned = self.record.known
        doubtful: ModelUnavailable | None = None
        for_json = prompt.schema is not None
        while True:
            try:
                reply = self._send(prompt, attempt, on_text)
            except (ModelRefused, ModelUnavailable) as error:
                if doubtful is not None:  # it fails whatever is asked
                    raise doubtful from error
                warm = self.options.temperature is not None
                retry = without_refused(attempt, error, for_json=for_json, warm=warm)
                if retry is None:
                    raise _as_fault(error) from error
                attempt, learned = retry
                doubtful = error if isinstance(error, ModelUnavailable) else None
            else:
                confirms = for_json and attempt.form == learned.form
                self.record.known = replace(learned, confirmed=learned.confirmed or confirms)
                return reply

    def _send(self, prompt: ModelPrompt, attempt: Capabilities, on_text: OnText | None) -> Reply:
        options = replace(self.options, accepts=attempt)
        payload = self.protocol.payload(prompt, options)
        if on_text is not None and attempt.streams != "none":
            payload = self.protocol.to_stream(payload, usage=attempt.streams == "counted")
            return self._stream(payload, on_text)
        reply = self._read(self.protocol.reply, self.wire.post(self.protocol.path, payload))
        if on_text is not None:
            on_text(_valid(reply.text))
        return reply

    def _stream(self, payload: dict[str, Any], on_text: OnText) -> Reply:
        pieces: list[Reply] = []

        def take(event: object) -> None:
            pieces.append(delta := self._read(self.protocol.piece, event))
            if delta.text and delta.ending != "declined":
                on_text(_valid(delta.text))

        self.wire.stream(self.protocol.path, payload, take)
        return join(pieces)

    def _read(self, parse: Callable[[object], T], answer: object) -> T:
        try:
            return parse(answer)
        except BadAnswer as error:
            message = self.wire.mask(f"{self.wire.service}: {error.message}")
            raise BadAnswer(message, remedy=error.remedy) from None

    def _spent(self, prompt: ModelPrompt, reply: Reply) -> Spent:
        read: int | list[str] | None = reply.input_tokens
        if read is None:
            read = [prompt.system, *(message.text for message in prompt.messages)]
            if prompt.schema is not None:
                read.append(json.dumps(prompt.schema, ensure_ascii=False))
        written = reply.text if reply.output_tokens is None else reply.output_tokens
        return spent_on(self.name, self.price, read, written)


def _valid(text: str) -> str:
    """A server may send half a character, which no database takes. Its words are its own: the key
    is masked in errors, and what looks like a secret where it is written.
    """
    return text.encode("utf-8", "replace").decode()


def _as_fault(error: ModelError) -> ModelError:
    """A fault of the server that stays one in every form is no refusal of the request."""
    status = error.status if isinstance(error, ModelRefused) else None
    if status is None or status < 500:
        return error
    return ModelUnavailable(error.message, remedy=error.remedy, status=status)
