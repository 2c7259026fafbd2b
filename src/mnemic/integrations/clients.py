"""A memory for plain OpenAI and Anthropic clients: calls are recorded and get recalled evidence.

``wrap`` returns a proxy that is used like the client. Errors of the client pass unchanged; a
failure of memory never reaches the host.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar, cast

from mnemic.errors import InvalidInput
from mnemic.integrations.companion import AnyMemory, Companion
from mnemic.integrations.dialects.anthropic_messages import Messages
from mnemic.integrations.dialects.base import Dialect, Request, StreamAssembler
from mnemic.integrations.dialects.openai_chat import ChatCompletions
from mnemic.integrations.dialects.openai_responses import Responses
from mnemic.types import NewTurn

Client = TypeVar("Client")
_ON_SERVER = ("previous_response_id", "conversation")  # of a request that continues another
# Ways to talk to a model that are refused where nothing here follows them.
_UNFOLLOWED = frozenset(
    """with_raw_response with_streaming_response stream tool_runner connect batches realtime live
    assistants threads sessions responses messages""".split()
)


def wrap(
    client: Client,
    memory: AnyMemory,
    *,
    session: str,
    user: str | None = None,
    budget: int | None = None,
) -> Client:
    """The client with a memory: of ``openai`` or ``anthropic``, plain or async.

    ``session`` is the conversation; ``user`` whose memory it is, over a database of many;
    ``budget`` the tokens that memory may take of each prompt.
    """
    companion = Companion(memory, session, host=type(client).__name__, user=user, budget=budget)
    return cast("Client", _wrap_client(client, companion))


def _wrap_client(client: Any, companion: Companion) -> _Client:
    replaced: dict[str, object] = {}
    if hasattr(client, "chat") and hasattr(client.chat, "completions"):
        completions = _resource(
            client.chat.completions, companion, ChatCompletions(), "current_completion_snapshot"
        )
        replaced["chat"] = _Proxy(client.chat, {"completions": completions})
        if hasattr(client, "responses"):
            replaced["responses"] = _resource(client.responses, companion, Responses())
        if hasattr(client, "beta"):
            replaced["beta"] = _Proxy(client.beta, {"chat": replaced["chat"]})
    elif hasattr(client, "messages") and hasattr(client.messages, "create"):
        follow = partial(
            _resource, companion=companion, dialect=Messages(), snapshot="current_message_snapshot"
        )
        replaced["messages"] = follow(client.messages)
        if hasattr(client, "beta") and hasattr(client.beta, "messages"):
            replaced["beta"] = _Proxy(client.beta, {"messages": follow(client.beta.messages)})
    else:
        raise InvalidInput(
            f"Memory cannot follow a {type(client).__name__}",
            remedy="Pass a client of openai or anthropic, or use mind.session() and mind.context()",
        )
    for name in ("copy", "with_options"):
        if hasattr(client, name):
            # A copy of the client with other options is wrapped too.
            copy = getattr(client, name)
            replaced[name] = lambda *args, copy=copy, **kwargs: _wrap_client(
                copy(*args, **kwargs), companion
            )
    return _Client(client, replaced)


class _Proxy:
    """An object with some attributes replaced; ways to a model that cannot be recorded raise."""

    def __init__(self, target: Any, replaced: Mapping[str, object]) -> None:
        self._target = target
        self._replaced = replaced

    def __getattr__(self, name: str) -> Any:
        if name in self._replaced:
            return self._replaced[name]
        attribute = getattr(self._target, name)
        if name in _UNFOLLOWED:
            raise InvalidInput(
                f"Memory cannot follow {name} here",
                remedy="Use create(), or create(stream=True), or the client that was wrapped",
            )
        return attribute


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


def _resource(resource: Any, companion: Companion, dialect: Dialect, snapshot: str = "") -> _Proxy:
    """``snapshot`` is the attribute of the library's stream helper with the answer so far."""
    follow = _RecordedCalls(companion, dialect)
    replaced: dict[str, object] = {"create": follow.calling(resource.create)}
    if hasattr(resource, "parse"):
        replaced["parse"] = follow.calling(resource.parse)
    if snapshot and hasattr(resource, "stream"):
        replaced["stream"] = follow.opening(resource.stream, snapshot)
    return _Proxy(resource, replaced)


class _RecordedCalls:
    """Wraps calls: injects evidence before, records the answer after."""

    def __init__(self, companion: Companion, dialect: Dialect) -> None:
        self._companion = companion
        self._dialect = dialect

    def calling(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """``create`` or ``parse``, waiting or awaitable like the original."""

        def create(*args: Any, **kwargs: Any) -> Any:
            request, begun = self.before(kwargs)
            response = call(*args, **request)
            if kwargs.get("stream") is True:
                return _Stream(response, self._dialect.assembler(), partial(self.keep, begun=begun))
            self.keep_response(response, begun)
            return response

        async def create_async(*args: Any, **kwargs: Any) -> Any:
            request, begun = await asyncio.to_thread(self.before, kwargs)
            response = await call(*args, **request)
            if kwargs.get("stream") is True:
                keep = partial(self.keep, begun=begun)
                return _AsyncStream(response, self._dialect.assembler(), keep)
            await asyncio.to_thread(self.keep_response, response, begun)
            return response

        return create_async if inspect.iscoroutinefunction(inspect.unwrap(call)) else create

    def opening(self, open_: Callable[..., Any], snapshot: str) -> Callable[..., Any]:
        """``stream``: a context manager, plain or async."""
        return lambda **kwargs: _Manager(self, open_, kwargs, snapshot)

    def before(self, request: Request) -> tuple[Request, str]:
        """Record new messages and inject evidence; also gives the answer as begun by the host."""
        readable = _materialize(request)
        turns = self._dialect.turns(readable, self._companion.session)
        is_begun = bool(turns) and turns[-1].role == "assistant" and not turns[-1].tool_calls
        begun = turns.pop().text if is_begun else ""
        on_server = any(readable.get(key) for key in _ON_SERVER)
        instructions = self._dialect.instructions(readable)
        addition = self._companion.show(turns, instructions, on_server=on_server)
        self._companion.keep(turns)
        return (self._dialect.inject(readable, addition) if addition else readable), begun

    def keep(self, answer: Callable[[str], NewTurn], begun: str) -> None:
        turn = answer(self._companion.session)
        self._companion.add(replace(turn, text=f"{begun}{turn.text}"))

    def keep_response(self, response: Any, begun: str) -> None:
        self.keep(partial(self._dialect.answer, response), begun)

    def keep_snapshot(self, stream: Any, snapshot: str, begun: str) -> None:
        """Record what the library's helper assembled; it asserts that anything arrived."""
        with contextlib.suppress(AssertionError):
            self.keep_response(getattr(stream, snapshot), begun)


def _materialize(request: Request) -> Request:
    """The request with messages as a list, since an iterator can be read only once."""
    key = "messages" if "messages" in request else "input"
    items = request.get(key)
    return {**request, key: list(items)} if isinstance(items, Iterator) else request


class _StreamProxy:
    """A streamed answer that is recorded once, when it ends: complete, failed, closed, or left."""

    def __init__(
        self,
        stream: Any,
        assembler: StreamAssembler,
        keep: Callable[[Callable[[str], NewTurn]], None],
    ) -> None:
        self._stream = stream
        self._assembler = assembler
        self._keep = keep
        self._is_kept = False

    def _end(self) -> None:
        if not self._is_kept:
            self._is_kept = True
            self._keep(self._assembler.turn)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __del__(self) -> None:
        # Whoever was cancelled between two events, or breaks out of the loop, closes nothing.
        if "_is_kept" in self.__dict__:
            self._end()


class _Stream(_StreamProxy):
    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            event = next(self._stream)
        except BaseException:
            self._end()
            raise
        self._assembler.take(event)
        return event

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *raised: Any) -> None:
        self.close()

    def close(self) -> None:
        try:
            self._stream.close()
        finally:
            self._end()


class _AsyncStream(_StreamProxy):
    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            event = await anext(self._stream)
        except BaseException:
            await asyncio.shield(asyncio.to_thread(self._end))
            raise
        self._assembler.take(event)
        return event

    async def __aenter__(self) -> _AsyncStream:
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await self.close()

    async def close(self) -> None:
        try:
            await self._stream.close()
        finally:
            await asyncio.shield(asyncio.to_thread(self._end))


@dataclass(slots=True, eq=False)
class _Manager:
    """The library's own streaming helper; the call is made when it is entered."""

    follow: _RecordedCalls
    open_: Callable[..., Any]
    request: Request
    snapshot: str
    _begun: str = ""
    _inner: Any = None
    _stream: Any = None

    def __enter__(self) -> Any:
        request, self._begun = self.follow.before(self.request)
        self._inner = self.open_(**request)
        self._stream = self._inner.__enter__()
        return self._stream

    def __exit__(self, *raised: Any) -> Any:
        try:
            return self._inner.__exit__(*raised)
        finally:
            self.follow.keep_snapshot(self._stream, self.snapshot, self._begun)

    async def __aenter__(self) -> Any:
        request, self._begun = await asyncio.to_thread(self.follow.before, self.request)
        self._inner = self.open_(**request)
        self._stream = await self._inner.__aenter__()
        return self._stream

    async def __aexit__(self, *raised: Any) -> Any:
        try:
            return await self._inner.__aexit__(*raised)
        finally:
            keep = self.follow.keep_snapshot
            await asyncio.to_thread(keep, self._stream, self.snapshot, self._begun)
