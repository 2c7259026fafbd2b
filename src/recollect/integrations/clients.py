"""A memory for plain OpenAI and Anthropic clients: calls are recorded and get recalled evidence.

``wrap`` returns a proxy that is used like the client. Errors of the client pass unchanged; a
failure of memory never reaches the host.
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
_ON_SERVER = ("previous_response_id", "conversation")  # of a request that continues another
_UNFOLLOWED = ("with_raw_response", "with_streaming_response", "stream")


def wrap(client: Client, mind: AnyMind, *, session: str, budget: int | None = None) -> Client:
    """The client with a memory: of ``openai`` or ``anthropic``, plain or async.

    ``session`` is the conversation; ``budget`` the tokens that memory may take of each prompt.
    """
    host = type(client).__name__
    return cast("Client", _wrapped(client, Companion(mind, session, host=host, budget=budget)))


def _wrapped(client: Any, companion: Companion) -> _Client:
    replaced: dict[str, object] = {}
    if hasattr(client, "chat") and hasattr(client.chat, "completions"):
        completions = _resource(
            client.chat.completions, companion, ChatCompletions(), "current_completion_snapshot"
        )
        replaced["chat"] = _Proxy(client.chat, {"completions": completions})
        if hasattr(client, "responses"):
            replaced["responses"] = _resource(client.responses, companion, Responses())
    elif hasattr(client, "messages") and hasattr(client.messages, "create"):
        replaced["messages"] = _resource(
            client.messages, companion, Messages(), "current_message_snapshot"
        )
    else:
        raise InvalidInput(
            f"{type(client).__name__} is no client that memory can follow",
            remedy="Pass a client of openai or anthropic, or use mind.session() and mind.context()",
        )
    for name in ("copy", "with_options"):
        if hasattr(client, name):
            replaced[name] = _copying(getattr(client, name), companion)
    return _Client(client, replaced)


def _copying(copy: Callable[..., Any], companion: Companion) -> Callable[..., Any]:
    """A copy of the client with other options is wrapped too."""
    return lambda *args, **kwargs: _wrapped(copy(*args, **kwargs), companion)


class _Proxy:
    """Another object, with some of its attributes replaced."""

    def __init__(self, target: Any, replaced: Mapping[str, object]) -> None:
        self._target = target
        self._replaced = replaced

    def __getattr__(self, name: str) -> Any:
        return self._replaced[name] if name in self._replaced else getattr(self._target, name)


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
    """A resource of a client. Calls that cannot be recorded are refused, not silently missed."""

    def __getattr__(self, name: str) -> Any:
        if name in _UNFOLLOWED and name not in self._replaced:
            raise InvalidInput(
                f"Memory cannot follow {name} here",
                remedy="Use create(), or create(stream=True), or the client that was wrapped",
            )
        return super().__getattr__(name)


def _resource(
    resource: Any, companion: Companion, dialect: Dialect, snapshot: str = ""
) -> _Resource:
    """``snapshot`` is the attribute of the library's stream helper with the answer so far."""
    follow = _RecordedCalls(companion, dialect)
    replaced: dict[str, object] = {"create": follow.calling(resource.create)}
    if hasattr(resource, "parse"):
        replaced["parse"] = follow.calling(resource.parse)
    if snapshot and hasattr(resource, "stream"):
        replaced["stream"] = follow.opening(resource.stream, snapshot)
    return _Resource(resource, replaced)


class _RecordedCalls:
    """Wraps calls: injects evidence before, records the answer after."""

    def __init__(self, companion: Companion, dialect: Dialect) -> None:
        self._companion = companion
        self._dialect = dialect

    def calling(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """``create`` or ``parse``, waiting or awaitable like the original."""

        def create(*args: Any, **kwargs: Any) -> Any:
            response = call(*args, **self.before(kwargs))
            if kwargs.get("stream") is True:
                return _Stream(response, self._dialect.assembler(), self.keep)
            self.keep(self._answer(response))
            return response

        async def create_async(*args: Any, **kwargs: Any) -> Any:
            response = await call(*args, **await asyncio.to_thread(self.before, kwargs))
            if kwargs.get("stream") is True:
                return _AsyncStream(response, self._dialect.assembler(), self.keep)
            await asyncio.to_thread(self.keep, self._answer(response))
            return response

        return create_async if inspect.iscoroutinefunction(inspect.unwrap(call)) else create

    def opening(self, open_: Callable[..., Any], snapshot: str) -> Callable[..., Any]:
        """``stream``: a context manager, plain or async."""
        return lambda **kwargs: _Manager(self, open_, kwargs, snapshot)

    def before(self, request: Request) -> Request:
        """Record new messages, and inject evidence."""
        readable = _materialised(request)
        turns = self._dialect.turns(readable, self._companion.session)
        addition = self._companion.show(
            self._dialect.query(readable),
            turns,
            self._dialect.instructions(readable),
            on_server=any(readable.get(key) for key in _ON_SERVER),
        )
        self._companion.keep(turns)
        return self._dialect.inject(readable, addition) if addition else readable

    def keep(self, turn: Callable[[str], NewTurn]) -> None:
        self._companion.add(turn(self._companion.session))

    def keep_snapshot(self, stream: Any, snapshot: str) -> None:
        """Record what the library's helper assembled; it asserts that anything arrived."""
        with contextlib.suppress(AssertionError):
            self.keep(self._answer(getattr(stream, snapshot)))

    def _answer(self, response: Any) -> Callable[[str], NewTurn]:
        return lambda session: self._dialect.answer(response, session)


def _materialised(request: Request) -> Request:
    """The request with messages as a list, since an iterator can be read only once."""
    key = "messages" if "messages" in request else "input"
    items = request.get(key)
    if isinstance(items, Iterator):
        return {**request, key: list(items)}
    return request


class _StreamProxy:
    """A streamed answer that is recorded when it ends, complete or not."""

    def __init__(
        self,
        stream: Any,
        assembler: StreamAssembler,
        keep: Callable[[Callable[[str], NewTurn]], None],
    ) -> None:
        self._stream = stream
        self._assembler = assembler
        self._keep = keep
        self._events = self._run()

    def _run(self) -> Any:
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Stream(_StreamProxy):
    def _run(self) -> Iterator[Any]:
        try:
            for event in self._stream:
                self._assembler.take(event)
                yield event
        finally:
            self._keep(self._assembler.turn)

    def __iter__(self) -> Iterator[Any]:
        return cast("Iterator[Any]", self._events)

    def __next__(self) -> Any:
        return next(self._events)

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()

    def close(self) -> None:
        self._events.close()
        self._stream.close()


class _AsyncStream(_StreamProxy):
    async def _run(self) -> AsyncIterator[Any]:
        try:
            async for event in self._stream:
                self._assembler.take(event)
                yield event
        finally:
            await asyncio.to_thread(self._keep, self._assembler.turn)

    def __aiter__(self) -> AsyncIterator[Any]:
        return cast("AsyncIterator[Any]", self._events)

    async def __anext__(self) -> Any:
        return await anext(self._events)

    async def __aenter__(self) -> _AsyncStream:
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await self.close()

    async def close(self) -> None:
        await self._events.aclose()
        await self._stream.close()


class _Manager:
    """The library's own streaming helper; the call is made when it is entered."""

    def __init__(
        self, follow: _RecordedCalls, open_: Callable[..., Any], request: Request, snapshot: str
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
