"""What is told of every request: figures, a line in the access log, a span."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mnemic.engine.remote.operations import Operation
from mnemic.errors import ConfigError
from mnemic.private import opener
from mnemic.serve.http.answers import encode
from mnemic.serve.http.figures import OTHER, RequestFigures
from mnemic.tracing import span

_OWN = "health ready openapi service_metrics log_in login log_out spaces event_stream mcp".split()


def operation_names(operations: Sequence[Operation]) -> list[str]:
    """Everything that is counted by its name."""
    return [*(operation.name for operation in operations), *_OWN]


class AccessLog:
    """One line of JSON for each request, at once, so that several processes may share a file."""

    def __init__(self, target: str) -> None:
        """``target`` is a file, or - for standard error."""
        try:
            self._file = (
                sys.stderr.fileno()
                if target == "-"
                else opener(str(Path(target).expanduser()), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            )
        except OSError as error:
            raise ConfigError(
                f"{target} cannot be written: {error.strerror}", remedy="Choose another file, or -"
            ) from error

    def write(self, **fields: Any) -> None:
        os.write(self._file, encode(fields) + b"\n")


class Observer:
    """ASGI around the routes; an answer counts when it begins."""

    def __init__(self, app: ASGIApp, figures: RequestFigures, log: AccessLog | None) -> None:
        self._app, self._figures, self._log = app, figures, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()

        async def send_observed(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._note(scope, message["status"], time.perf_counter() - began)
            await send(message)

        with span(f"{scope['method']} service", Headers(scope=scope)) as opened:
            await self._app(scope, receive, send_observed)
            if opened is not None:
                opened.update_name(f"{scope['method']} {_operation(scope)}")

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        operation = _operation(scope)
        self._figures.add(operation, status, seconds)
        if self._log is not None:
            client = scope.get("client")
            self._log.write(
                at=datetime.now(UTC),
                client=client[0] if client else "",
                token=scope.get("state", {}).get("token", ""),
                method=scope["method"],
                operation=operation,
                space=scope.get("path_params", {}).get("space", ""),
                status=status,
                ms=round(seconds * 1e3, 2),
            )


def _operation(scope: Scope) -> str:
    name = getattr(scope.get("route"), "name", None)
    return name if isinstance(name, str) else OTHER
