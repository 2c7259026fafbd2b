"""Streamable-HTTP MCP on the same port: one server for each space, with the tokens, the threads and
the trail of the API.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import anyio
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from mnemic.engine.mind import Mind
from mnemic.engine.open import Engine
from mnemic.engine.trail import keep_trail, subject_of
from mnemic.errors import MnemicError
from mnemic.serve.http.access import Access
from mnemic.serve.http.answers import problem
from mnemic.serve.http.limits import WorkQueue
from mnemic.serve.http.routes import path_names
from mnemic.tools.catalog import BY_NAME

R = TypeVar("R")


class McpServers:
    """Servers of spaces, started when first asked for; ``default`` is that of a bare path."""

    def __init__(self, engine: Engine, access: Access, queue: WorkQueue, default: str) -> None:
        self._engine, self._access, self._queue, self._default = engine, access, queue, default
        self._managers: dict[str, Any] = {}
        self._lock = anyio.Lock()
        self._group: Any = None

    async def run(self, started: Callable[[], None]) -> None:
        """Hold the task group of all servers until it is cancelled."""
        async with anyio.create_task_group() as group:
            self._group = group
            started()
            await anyio.sleep_forever()

    def stop(self) -> None:
        self._group.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            space = path_names(request).get("space", self._default)
            await self._access.allow(request, "write", space)  # its tools write
            async with self._lock:
                if space not in self._managers:
                    mind = await anyio.to_thread.run_sync(self._engine.mind, space)
                    self._managers[space] = await self._start(mind)
            await self._managers[space].handle_request(scope, receive, send)
        except MnemicError as error:
            await problem(error)(scope, receive, send)

    async def _start(self, mind: Mind) -> Any:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
        from mcp.server.transport_security import TransportSecuritySettings

        from mnemic.serve.mcp import mcp_server

        manager = StreamableHTTPSessionManager(
            await anyio.to_thread.run_sync(partial(mcp_server, mind, run=partial(self._do, mind))),
            stateless=True,
            json_response=True,
            max_request_body_size=self._queue.limits.body,
            # Host and Origin were checked before, for every route alike.
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

        async def live(*, task_status: Any) -> None:
            async with manager.run():
                task_status.started()
                await anyio.sleep_forever()

        await self._group.start(live)
        return manager

    async def _do(self, mind: Mind, call: Any, work: Callable[[], R], tool: Any = None) -> R:
        """As an operation of the API would be done; a tool that writes leaves its trail."""
        token, spec = call.request.state.token, tool and BY_NAME[tool.name]
        if spec is None or spec.reads:
            return await self._queue.run(token, work)
        if mind.settings.memory.enabled:
            done_by = (token, tool.name, subject_of(tool.arguments or {}))
            work = partial(_keep_trail, mind, done_by, work)
        return await self._queue.run(token, work, "lasting" if spec.destroys else "write")


def _keep_trail(mind: Mind, done_by: tuple[str, str, str], work: Callable[[], Any]) -> Any:
    answers: list[Any] = []

    def answer() -> tuple[int, bytes]:
        answers.append(work())
        return (422 if answers[0].is_error else 200), b""

    keep_trail(mind, done_by, answer, short=False)
    return answers[0]
