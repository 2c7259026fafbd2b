"""Models that are objects of the host, called in time, behind a breaker, failures typed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from datetime import timedelta

from mnemic.errors import BadAnswer, InvalidInput, MnemicError, ModelError, ModelUnavailable
from mnemic.late import dataclass, np
from mnemic.providers.breaker import Breaker, run_guarded
from mnemic.providers.chat.base import OnText
from mnemic.providers.chat.transport import ModelPrompt, ModelReply, spent_on, system_text
from mnemic.providers.deadline import call_within
from mnemic.providers.embedding.base import Vectors, check_vectors
from mnemic.settings.environment import EmbeddingSettings, ModelPrice
from mnemic.types import EmbeddingModel, LanguageModel, Message, ModelOutput

_LONGEST_NAME = 200


def name_of(target: object, argument: str) -> str:
    """The name of an object, checked once: it is stored with what the object makes."""
    name = getattr(target, "name", None)
    if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST_NAME:
        raise InvalidInput(
            f"{argument} has no name", remedy="Give it a name, such as name = 'my-model-1'"
        )
    return name


def method_of(target: object, name: str, argument: str) -> Callable[..., object]:
    """A method of an object, which must not be a coroutine function."""
    method: Callable[..., object] | None = getattr(target, name, None)
    if not callable(method):
        raise InvalidInput(f"{argument} has no method {name}", remedy=f"Give it {name}()")
    if inspect.iscoroutinefunction(method):
        raise InvalidInput(
            f"{argument}.{name} is a coroutine function",
            remedy="Give it a plain method; it is called on a thread of its own",
        )
    return method


class GuardedObject:
    """Calls methods of one object, each within its timeout."""

    def __init__(self, service: str, timeout: timedelta, breaker: Breaker | None) -> None:
        self._service = service
        self._timeout = timeout.total_seconds()
        self._breaker = breaker

    def call(self, work: Callable[[], object], *, hurry: timedelta | None = None) -> object:
        """The answer, not checked yet. ``hurry`` is for a query, which somebody waits for."""
        return run_guarded(
            self._breaker,
            lambda timeout: call_within(
                timeout, lambda _: self._run(work), lambda: self._too_slow(timeout)
            ),
            self._timeout,
            hurry,
        )

    def _too_slow(self, timeout: float) -> ModelUnavailable:
        return ModelUnavailable(
            f"{self._service} did not answer within {timeout:g} s",
            remedy="Make it answer sooner, or raise the timeout",
            outage=True,
        )

    def _run(self, work: Callable[[], object]) -> object:
        try:
            return work()
        except (ModelError, MemoryError):
            raise
        except Exception as error:
            # Without the words of the error: they may hold what was asked, or a key.
            kind = type(error)
            name = kind.__name__ if isinstance(error, MnemicError) else kind.__qualname__
            raise ModelUnavailable(
                f"{self._service} raised {name}",
                remedy="See the error it was raised from; raise a mnemic.ModelError to say more",
                outage=isinstance(error, OSError),
            ) from error


@dataclass(frozen=True, slots=True, eq=False)
class ObjectTransport:
    """Sends prompts to a language model of the host."""

    model: LanguageModel
    name: str
    calls: GuardedObject
    price: ModelPrice | None = None

    def send(self, prompt: ModelPrompt, on_text: OnText | None = None) -> ModelReply:
        # The schema stands in the text as well: an object may take no notice of the argument.
        system = system_text(prompt, "plain")
        messages = [Message(message.role, message.text) for message in prompt.messages]
        if system:
            messages.insert(0, Message("system", system))
        answer = self.calls.call(lambda: self.model.complete(messages, schema=prompt.schema))
        output = self._check(answer)
        text = output.text.encode("utf-8", "replace").decode()
        if on_text is not None:
            on_text(text)
        read = output.input_tokens
        spent = spent_on(
            self.name,
            self.price,
            [message.content for message in messages] if read is None else read,
            output.text if output.output_tokens is None else output.output_tokens,
        )
        return ModelReply(text, "whole", spent)

    def mask(self, text: str) -> str:
        """Its key, if it has one, is not known here."""
        return text

    def close(self) -> None:
        """It belongs to the host."""

    def _check(self, answer: object) -> ModelOutput:
        output = ModelOutput(answer) if isinstance(answer, str) else answer
        if not isinstance(output, ModelOutput) or not isinstance(output.text, str):
            raise BadAnswer(
                f"{self.name} returned a {type(answer).__name__}",
                remedy="Return text, or mnemic.ModelOutput",
            )
        for tokens in (output.input_tokens, output.output_tokens):
            if tokens is not None and (type(tokens) is not int or tokens < 0):
                raise BadAnswer(
                    f"{self.name} counted {tokens!r:.20} tokens", remedy="Return a whole number"
                )
        return output


_MOST_DIMENSIONS = 65_536


class ObjectEmbedder:
    """Asks a model of the host, a batch at a time; a blank text has a row of zeros, unasked."""

    def __init__(
        self, model: EmbeddingModel, calls: GuardedObject, embedding: EmbeddingSettings
    ) -> None:
        self.name = name_of(model, "embedder")
        self.dimensions = _dimensions_of(model)
        self._embed = method_of(model, "embed", "embedder")
        self._embed_query = self._embed
        if getattr(model, "embed_query", None) is not None:
            self._embed_query = method_of(model, "embed_query", "embedder")
        self._calls, self._batch = calls, embedding.batch
        self._query_timeout = embedding.query_timeout

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        spoken = [at for at, text in enumerate(texts) if text.strip()]
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(spoken), self._batch):
            places = spoken[start : start + self._batch]
            rows[places] = self._ask([texts[at] for at in places], query=query)
        return rows

    def _ask(self, texts: list[str], *, query: bool) -> Vectors:
        method = self._embed_query if query else self._embed
        hurry = self._query_timeout if query else None
        answer = self._calls.call(lambda: method(texts), hurry=hurry)
        return check_vectors(answer, texts=len(texts), dimensions=self.dimensions, model=self.name)


def _dimensions_of(model: EmbeddingModel) -> int:
    dimensions: object = getattr(model, "dimensions", None)
    if type(dimensions) is not int or not 1 <= dimensions <= _MOST_DIMENSIONS:
        raise InvalidInput(
            "embedder.dimensions is not the length of a vector",
            remedy="Give it a whole number, such as dimensions = 384",
        )
    return dimensions
