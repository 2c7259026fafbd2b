"""What is told of every request: figures for Prometheus, a line in the access log, a span.

Each process counts in a row of its own of memory that all of them share, so that nothing is sent
and nothing is lost when one of them dies.
"""

from __future__ import annotations

import mmap
import os
import sys
import time
from bisect import bisect_left
from collections.abc import Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mnemic.engine.remote.operations import Operation
from mnemic.errors import ConfigError
from mnemic.private import opener
from mnemic.serve.http.answers import encode
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


BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)  # seconds
_STATUSES = tuple(status.value for status in HTTPStatus)
GAUGES = {
    "running": "Calls that run or wait for a thread.",
    "streams": "Event streams that are open.",
    "connections": "Connections that are open.",
}
OTHER = "other"  # what no operation answers: pages, wrong addresses


class RequestFigures:
    """Requests by operation and status, and a histogram of their seconds."""

    def __init__(self, operations: Sequence[str], processes: int = 1) -> None:
        self.operations = (*operations, OTHER)
        self.row = 0  # of this process
        self._places = {name: place for place, name in enumerate(self.operations)}
        count, width = len(self.operations), len(BUCKETS) + 2 + len(_STATUSES)
        size = processes * (count * width + len(GAUGES))
        # Anonymous and shared: a process that is forked later writes to the same pages.
        shared: NDArray[np.float64] = np.frombuffer(mmap.mmap(-1, size * 8), np.float64)
        self._counts = shared[: processes * count * width].reshape(processes, count, width)
        self._gauges = shared[processes * count * width :].reshape(processes, len(GAUGES))

    def add(self, operation: str, status: int, seconds: float) -> None:
        """Count one that was answered: its bucket, its seconds, its status."""
        counts = self._counts[self.row, self._places.get(operation, self._places[OTHER])]
        counts[bisect_left(BUCKETS, seconds)] += 1
        counts[len(BUCKETS) + 1] += seconds
        counts[len(BUCKETS) + 2 + bisect_left(_STATUSES, min(status, _STATUSES[-1]))] += 1

    def set(self, **gauges: int) -> None:
        """What there is in this process at the moment."""
        for place, name in enumerate(GAUGES):
            self._gauges[self.row, place] = gauges.get(name, self._gauges[self.row, place])

    def text(self) -> str:
        """In the text format of Prometheus, without a series for each space."""
        lines: list[str] = []
        for (name, help_), value in zip(GAUGES.items(), self._gauges.sum(axis=0), strict=True):
            lines += describe(f"mnemic_http_{name}", "gauge", help_)
            lines.append(f"mnemic_http_{name} {value:g}")
        counted = list(zip(self.operations, self._counts.sum(axis=0), strict=True))
        requests, seconds = "mnemic_http_requests_total", "mnemic_http_request_seconds"
        lines += describe(requests, "counter", "Requests that were answered.")
        for operation, counts in counted:
            for status, amount in zip(_STATUSES, counts[len(BUCKETS) + 2 :], strict=True):
                if amount:
                    labels = f'operation="{operation}",status="{status}"'
                    lines.append(f"{requests}{{{labels}}} {int(amount)}")
        lines += describe(seconds, "histogram", "Seconds until an answer began.")
        for operation, counts in counted:
            sums = np.cumsum(counts[: len(BUCKETS) + 1])
            if sums[-1]:
                label = f'operation="{operation}"'
                for edge, amount in zip((*BUCKETS, "+Inf"), sums, strict=True):
                    lines.append(f'{seconds}_bucket{{{label},le="{edge}"}} {int(amount)}')
                lines.append(f"{seconds}_sum{{{label}}} {counts[len(BUCKETS) + 1]:.6f}")
                lines.append(f"{seconds}_count{{{label}}} {int(sums[-1])}")
        return "\n".join([*lines, ""])


def describe(name: str, type_: str, help_: str) -> list[str]:
    return [f"# HELP {name} {help_}", f"# TYPE {name} {type_}"]
