"""The service as an ASGI application: every operation, and what belongs to the service itself."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp

from mnemic.engine.open import Engine
from mnemic.engine.remote.operations import OPERATIONS, SPACE_PATH, Operation
from mnemic.engine.tokens import FRESH
from mnemic.errors import (
    Forbidden,
    InvalidInput,
    MnemicError,
    NotFound,
    RateLimited,
    ServiceUnavailable,
    StoreError,
    Unauthorized,
)
from mnemic.serve.http.access import Access, describe_login, set_cookie
from mnemic.serve.http.answers import answer, encode, problem
from mnemic.serve.http.boundary import Boundary
from mnemic.serve.http.inspector import pages
from mnemic.serve.http.inspector.reads import READS
from mnemic.serve.http.issuer import Issuer
from mnemic.serve.http.limits import Limits, WorkQueue
from mnemic.serve.http.mcp_mount import McpServers
from mnemic.serve.http.observer import AccessLog, Observer, RequestFigures, operation_names
from mnemic.serve.http.openapi import openapi
from mnemic.serve.http.routes import Endpoint, Replies, fields_of, path_names, read_body
from mnemic.serve.http.stream import SharedLooks, event_stream
from mnemic.types import Event

Handler = Callable[[Request], Awaitable[Response]]

_log = logging.getLogger("mnemic.http")
_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
_LOGIN_BYTES = 4_096
_GUESSES, _LONGEST = 50, 2.0  # refusals a second that nobody waits for, and how long others wait
_UNEXPECTED = {
    "type": "about:blank", "title": "Internal error", "status": 500, "code": "ServiceError",
    "detail": "The service failed", "remedy": "See its log",
}  # fmt: skip


class Service:
    """Answers for the memories of one database. ``default`` is the space of ``/mcp``."""

    def __init__(
        self,
        engine: Engine,
        *,
        names: Iterable[str] = (),
        limits: Limits | None = None,
        default: str = "default",
        issuer: Issuer | None = None,
        figures: RequestFigures | None = None,
        log: AccessLog | None = None,
        operations: Sequence[Operation] = OPERATIONS,
    ) -> None:
        """``figures`` are those that several processes share."""
        self.stopping = False
        self._engine = engine
        self._limits = limits or Limits()
        self._queue = WorkQueue(self._limits)
        self._access = Access(engine.tokens, self._queue, issuer)
        self.figures = figures or RequestFigures(operation_names(operations))
        self._streams: Counter[str] = Counter()
        self._refusing = 0.0
        self._looks = SharedLooks()
        self._mcp = McpServers(engine, self._access, self._queue, default)
        self._document = _document(tuple(operations))
        replies = Replies()
        routes = [
            self._route(SPACE_PATH + operation.path, operation.method, operation.name,
                        Endpoint(operation, engine, self._access, self._queue, replies))
            for operation in (*operations, *READS)
        ]  # fmt: skip
        inner = Starlette(
            # Paths without names before those with, so that `/turns/bulk` is no id.
            routes=[
                *self._own_routes(),
                *sorted(routes, key=lambda route: route.path.count("{")),
                *pages(),
            ],
            exception_handlers={HTTPException: _http_problem},
            lifespan=self._lifespan,
        )
        self.app: ASGIApp = Boundary(Observer(inner, self.figures, log), names)

    def _own_routes(self) -> list[BaseRoute]:
        return [
            self._route("/healthz", "GET", "health", self._health),
            self._route("/readyz", "GET", "ready", self._ready),
            self._route("/openapi.json", "GET", "openapi", self._openapi),
            self._route("/metrics", "GET", "service_metrics", self._metrics),
            self._route("/session", "POST", "log_in", self._log_in),
            self._route("/session", "GET", "login", self._login),
            self._route("/session", "DELETE", "log_out", self._log_out),
            self._route("/v1/spaces", "GET", "spaces", self._list_spaces),
            self._route(f"{SPACE_PATH}/events/stream", "GET", "event_stream", self._stream),
            Route("/mcp", self._mcp, name="mcp"),
            Route(f"{SPACE_PATH}/mcp", self._mcp, name="mcp"),
        ]

    def _route(self, path: str, method: str, name: str, handler: Handler) -> Route:
        async def respond(request: Request) -> Response:
            try:
                return await handler(request)
            except MnemicError as error:
                if isinstance(error, Unauthorized):  # who guesses tokens waits for the next one
                    now = asyncio.get_running_loop().time()
                    self._refusing = max(self._refusing, now - 1) + 1 / _GUESSES
                    await asyncio.sleep(min(self._refusing - now, _LONGEST))
                return problem(error)
            except ClientDisconnect:
                return Response(status_code=408)  # which nobody reads
            except Exception as error:  # noqa: BLE001 - the boundary: nothing of it may be told
                _log.exception("%s failed", name, exc_info=error)
                body = encode(_UNEXPECTED)
                return Response(body, 500, media_type="application/problem+json")

        return Route(path, respond, methods=[method], name=name)

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        started = asyncio.Event()
        running = asyncio.create_task(self._mcp.run(started.set))
        counting = asyncio.create_task(self._count())
        await started.wait()
        try:
            yield
        finally:
            self.stopping = True
            self._mcp.stop()
            await running
            counting.cancel()
            # What runs is finished; then the worker ends or returns its job, and all is flushed.
            await asyncio.to_thread(self._queue.close)
            with contextlib.suppress(StoreError):
                await asyncio.to_thread(self._engine.tokens.flush)
            await asyncio.to_thread(self._engine.close)

    def _set_gauges(self) -> None:
        self.figures.set(running=self._queue.running, streams=self._streams.total())

    async def _count(self) -> None:
        """Write down, every second, what was counted."""
        while True:
            self._set_gauges()
            try:
                await self._queue.run("", self._engine.tokens.flush, "access")
            except (StoreError, ServiceUnavailable) as error:
                _log.warning("uses of tokens are written later: %s", error)
            await asyncio.sleep(FRESH)

    # --- the service itself ---------------------------------------------------------------------

    async def _health(self, request: Request) -> Response:
        return answer(encode({"status": "ok"}))

    async def _ready(self, request: Request) -> Response:
        if self.stopping:
            raise ServiceUnavailable("The service is stopping", remedy="Ask another one")
        await self._queue.run("", self._engine.spaces, "probe")
        return answer(encode({"status": "ok"}))

    async def _openapi(self, request: Request) -> Response:
        return answer(self._document)

    async def _metrics(self, request: Request) -> Response:
        grant = await self._access.of(request)
        if not (grant.everywhere and grant.scope == "admin"):
            raise Forbidden("Figures are of every space", remedy="Use an admin token of *")
        self._set_gauges()
        text = await self._queue.run(grant.id, self._engine.prometheus, "probe")
        return PlainTextResponse(text + self.figures.text(), media_type=_PROMETHEUS)

    async def _list_spaces(self, request: Request) -> Response:
        grant = await self._access.of(request)
        spaces = await self._queue.run(grant.id, self._engine.spaces)
        return answer(encode([space for space in spaces if grant.covers(space)]))

    # --- the page's login -----------------------------------------------------------------------

    async def _log_in(self, request: Request) -> Response:
        fields = fields_of(await read_body(request, self._queue, _LOGIN_BYTES))
        token = fields.get("token")
        if not isinstance(token, str) or len(fields) != 1:
            raise InvalidInput("token is missing", remedy='Send {"token": "…"}')
        key, grant = await self._access.log_in(token)
        response = answer(encode(describe_login(key, grant)))
        set_cookie(response, key, request)
        return response

    async def _login(self, request: Request) -> Response:
        return answer(encode(await self._access.describe(request)))

    async def _log_out(self, request: Request) -> Response:
        response = answer(encode({"status": "ok"}))
        await self._access.log_out(request, response)
        return response

    # --- events ---------------------------------------------------------------------------------

    async def _stream(self, request: Request) -> Response:
        space = path_names(request)["space"]
        grant = await self._access.allow(request, "read", space)
        if self._streams[grant.id] >= self._limits.streams_each:
            raise RateLimited("This token has too many streams open", remedy="Close some")
        if self._streams.total() >= self._limits.streams:
            raise ServiceUnavailable("Too many streams are open", remedy="Close some")
        wanted = request.query_params.get("type")

        async def look(limit: int) -> Sequence[Event]:
            mind = functools.partial(self._engine.mind, space)
            return await self._queue.run("", lambda: mind().events(type=wanted, limit=limit))

        latest = self._looks.share((space, wanted), look)
        await latest(1)  # what is wrong is said before the stream begins

        async def frames() -> AsyncIterator[bytes]:
            self._streams[grant.id] += 1
            last = request.headers.get("last-event-id", "")
            try:
                async for frame in event_stream(latest, last, lambda: self.stopping):
                    await self._access.find(request)  # a token that was revoked ends it
                    yield frame
            except MnemicError as error:
                yield b"event: problem\ndata: " + problem(error).body + b"\n\n"
            finally:
                self._streams[grant.id] -= 1

        return StreamingResponse(frames(), media_type="text/event-stream")


@functools.cache
def _document(operations: tuple[Operation, ...]) -> bytes:
    return encode(openapi(operations))


async def _http_problem(request: Request, error: Exception) -> Response:
    """What the router itself refuses: a path or a method that is not there."""
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return problem(NotFound("There is nothing at this address", remedy="See /openapi.json"))
    refused = InvalidInput("This address does not take that method", remedy="See /openapi.json")
    response = problem(refused, error.status_code)
    routes = [route for route in request.app.routes if isinstance(route, Route)]
    there = (route for route in routes if route.matches(request.scope)[0] is not Match.NONE)
    response.headers["allow"] = ", ".join(sorted(set().union(*(r.methods or () for r in there))))
    return response
