"""Streamable-HTTP MCP on the same port: one server for each space, with the tokens of the API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
from starlette.types import Receive, Scope, Send

from mnemic.engine.mind import Mind


class McpServers:
    """Servers of spaces, started when they are first asked for; ``run`` is their life."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
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
        if self._group is not None:
            self._group.cancel_scope.cancel()

    async def handle(
        self, mind: Callable[[], Mind], space: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer one request of MCP."""
        async with self._lock:
            manager = self._managers.get(space)
            if manager is None:
                manager = await self._start(await anyio.to_thread.run_sync(mind))
                self._managers[space] = manager
        await manager.handle_request(scope, receive, send)

    async def _start(self, mind: Mind) -> Any:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
        from mcp.server.transport_security import TransportSecuritySettings

        from mnemic.serve.mcp import mcp_server

        manager = StreamableHTTPSessionManager(
            await anyio.to_thread.run_sync(mcp_server, mind),
            stateless=True,
            json_response=True,
            max_request_body_size=self._most_bytes,
            # Host and Origin were checked before, for every route alike.
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

        async def live(*, task_status: Any) -> None:
            async with manager.run():
                task_status.started()
                await anyio.sleep_forever()

        await self._group.start(live)
        return manager
