"""A plain OpenAI or Anthropic client that remembers: calls are recorded, and see what is known.

``wrap`` gives back something that is used like the client itself. Errors of the client come out as
they are; a failure of memory never reaches the host.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, TypeVar, cast

from recollect.errors import InvalidInput
from recollect.integrations.companion import AnyMind, Companion
from recollect.integrations.dialects.anthropic_messages import Messages
from recollect.integrations.dialects.base import Dialect, Request, StreamAssembler
from recollect.integrations.dialects.openai_chat import ChatCompletions
from recollect.integrations.dialects.openai_responses import Responses
from recollect.types import NewTurn

Client = TypeVar("Client")
_UNFOLLOWED = ("with_raw_response", "with_streaming_response", "stream")


def wrap(client: Client, mind: AnyMind, *, session: str, budget: int | None = None) -> Client:
    """The client with a memory: of ``openai`` or ``anthropic``, plain or async.

    ``session`` is the conversation; ``budget`` the tokens that memory may take of each prompt.
    """
    host = type(client).__name__
    return cast("Client", _wrapped(client, Companion(mind, session, host=host, budget=budget)))


def _wrapped(client: Any, companion: Companion) -> _Client:
    places: dict[str, object] = {}
    if hasattr(client, "chat") and hasattr(client.chat, "completions"):
        completions = _resource(
            client.chat.completions, companion, ChatCompletions(), "current_completion_snapshot"
        )
        places["chat"] = _Proxy(client.chat, {"completions": completions})
        if hasattr(client, "responses"):
            places["responses"] = _resource(client.responses, companion, Responses())
    elif hasattr(client, "messages") and hasattr(client.messages, "create"):
        places["messages"] = _resource(
            client.messages, companion, Messages(), "current_message_snapshot"
        )
    else:
        raise InvalidInput(
            f"{type(client).__name__} is no client that memory can follow",
            remedy="Pass a client of openai or anthropic, or use mind.session() and mind.context()",
        )
    for name in ("copy", "with_options"):
        if hasattr(client, name):
            places[name] = _copying(getattr(client, name), companion)
    return _Client(client, places)


def _copying(copy: Callable[..., Any], companion: Companion) -> Callable[..., Any]:
    """The same client with other options remembers too."""
    return lambda *args, **kwargs: _wrapped(copy(*args, **kwargs), companion)


class _Proxy:
    """Another object, with some of its attributes replaced."""

    def __init__(self, target: Any, places: Mapping[str, object]) -> None:
        self._target = target
        self._places = places

    def __getattr__(self, name: str) -> Any:
        return self._places[name] if name in self._places else getattr(self._target, name)


class _Client(_Proxy):
    def __enter__(self) -> _Client:
        self._target.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        self._target.__exit__(*raised)

    async def __aenter__(self) -> _Client:
        await self._target.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await self._target.__aexit__(*raised)


class _Resource(_Proxy):
    """Where calls are made. A way of calling that cannot be followed is refused, not missed."""

    def __getattr__(self, name: str) -> Any:
        if name in _UNFOLLOWED and name not in self._places:
            raise InvalidInput(
                f"Memory cannot follow {name} here",
                remedy="Use create(), or create(stream=True), or the client that was wrapped",
            )
        return super().__getattr__(name)


def _resource(
    resource: Any, companion: Companion, dialect: Dialect, snapshot: str = ""
) -> _Resource:
    """``snapshot`` is where the library's helper for streams keeps what came so far."""
    follow = _Following(companion, dialect)
    places: dict[str, object] = {"create": follow.calling(resource.create)}
    if hasattr(resource, "parse"):
        places["parse"] = follow.calling(resource.parse)
    if snapshot and hasattr(resource, "stream"):
        places["stream"] = follow.opening(resource.stream, snapshot)
    return _Resource(resource, places)


class _Following:
    """What happens around a call."""

    def __init__(self, companion: Companion, dialect: Dialect) -> None:
        self._companion = companion
        self._dialect = dialect

    def calling(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """``create`` or ``parse``, waiting or awaitable like the original."""

        def create(*args: Any, **kwargs: Any) -> Any:
            response = call(*args, **self.before(kwargs))
            if kwargs.get("stream") is True:
                return _Stream(response, self._dialect.gatherer(), self.keep)
            self.keep(self._answer(response))
            return response

        async def create_async(*args: Any, **kwargs: Any) -> Any:
            response = await call(*args, **await asyncio.to_thread(self.before, kwargs))
            if kwargs.get("stream") is True:
                return _AsyncStream(response, self._dialect.gatherer(), self.keep)
            await asyncio.to_thread(self.keep, self._answer(response))
            return response

        return create_async if inspect.iscoroutinefunction(inspect.unwrap(call)) else create

    def opening(self, open_: Callable[..., Any], snapshot: str) -> Callable[..., Any]:
        """``stream``: a context manager, plain or async."""
        return lambda **kwargs: _Manager(self, open_, kwargs, snapshot)

    def before(self, request: Request) -> Request:
        """Record what is new, and add what is known."""
        given = _listed(request)
        query = self._dialect.query(given)
        shown = self._companion.show(query)
        self._companion.keep(self._dialect.turns(given, self._companion.session))
        return self._dialect.inject(given, shown) if shown else given

    def keep(self, turn: Callable[[str], NewTurn]) -> None:
        self._companion.add(turn(self._companion.session))

    def keep_snapshot(self, stream: Any, snapshot: str) -> None:
        """What a helper of the library has put together; it asserts that something came."""
        with contextlib.suppress(AssertionError):
            self.keep(self._answer(getattr(stream, snapshot)))

    def _answer(self, response: Any) -> Callable[[str], NewTurn]:
        return lambda session: self._dialect.answer(response, session)


def _listed(request: Request) -> Request:
    """Messages may come as something that can be read only once."""
    key = "messages" if "messages" in request else "input"
    given = request.get(key)
    if isinstance(given, Iterator):
        return {**request, key: list(given)}
    return request


class _Stream:
    """A streamed answer that is kept when it ends, also where it ends too soon."""

    def __init__(
        self,
        stream: Any,
        gatherer: StreamAssembler,
        keep: Callable[[Callable[[str], NewTurn]], None],
    ) -> None:
        self._stream = stream
        self._gatherer = gatherer
        self._keep = keep
        self._events = self._run()

    def _run(self) -> Iterator[Any]:
        try:
            for event in self._stream:
                self._gatherer.take(event)
                yield event
        finally:
            self._keep(self._gatherer.turn)

    def __iter__(self) -> Iterator[Any]:
        return self._events

    def __next__(self) -> Any:
        return next(self._events)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()

    def close(self) -> None:
        cast("Any", self._events).close()
        self._stream.close()


class _AsyncStream:
    """The same, awaited."""

    def __init__(
        self,
        stream: Any,
        gatherer: StreamAssembler,
        keep: Callable[[Callable[[str], NewTurn]], None],
    ) -> None:
        self._stream = stream
        self._gatherer = gatherer
        self._keep = keep
        self._events = self._run()

    async def _run(self) -> AsyncIterator[Any]:
        try:
            async for event in self._stream:
                self._gatherer.take(event)
                yield event
        finally:
            await asyncio.to_thread(self._keep, self._gatherer.turn)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._events

    async def __anext__(self) -> Any:
        return await anext(self._events)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def __aenter__(self) -> _AsyncStream:
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await self.close()

    async def close(self) -> None:
        await cast("Any", self._events).aclose()
        await self._stream.close()


class _Manager:
    """The library's own streaming helper; the call is made when it is entered."""

    def __init__(
        self, follow: _Following, open_: Callable[..., Any], request: Request, snapshot: str
    ) -> None:
        self._follow = follow
        self._open = open_
        self._request = request
        self._snapshot = snapshot
        self._inner: Any = None
        self._stream: Any = None

    def __enter__(self) -> Any:
        self._inner = self._open(**self._follow.before(self._request))
        self._stream = self._inner.__enter__()
        return self._stream

    def __exit__(self, *raised: Any) -> Any:
        try:
            return self._inner.__exit__(*raised)
        finally:
            self._follow.keep_snapshot(self._stream, self._snapshot)

    async def __aenter__(self) -> Any:
        request = await asyncio.to_thread(self._follow.before, self._request)
        self._inner = self._open(**request)
        self._stream = await self._inner.__aenter__()
        return self._stream

    async def __aexit__(self, *raised: Any) -> Any:
        try:
            return await self._inner.__aexit__(*raised)
        finally:
            await asyncio.to_thread(self._follow.keep_snapshot, self._stream, self._snapshot)
