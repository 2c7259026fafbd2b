"""Figures of the service for Prometheus: those of every space in one text, and of the requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


class RequestFigures:
    """Requests by operation and status, and the seconds they took."""

    def __init__(self) -> None:
        self._count: Counter[tuple[str, int]] = Counter()
        self._seconds: Counter[str] = Counter()

    def add(self, operation: str, status: int, seconds: float) -> None:
        """Count one that was answered."""
        self._count[operation, status] += 1
        self._seconds[operation] += seconds  # type: ignore[assignment]

    def text(self, running: int) -> str:
        """In the text format of Prometheus."""
        lines = [
            "# HELP mnemic_http_running Requests that run or wait for a thread.",
            "# TYPE mnemic_http_running gauge",
            f"mnemic_http_running {running}",
            "# HELP mnemic_http_requests_total Requests that were answered.",
            "# TYPE mnemic_http_requests_total counter",
        ]
        for (operation, status), count in sorted(self._count.items()):
            labels = f'operation="{operation}",status="{status}"'
            lines.append(f"mnemic_http_requests_total{{{labels}}} {count}")
        lines += [
            "# HELP mnemic_http_seconds_total Seconds that requests took.",
            "# TYPE mnemic_http_seconds_total counter",
        ]
        for operation, seconds in sorted(self._seconds.items()):
            lines.append(
                f'mnemic_http_seconds_total{{operation="{operation}"}} {float(seconds):.6f}'
            )
        return "\n".join([*lines, ""])


def together(texts: Iterable[str]) -> str:
    """The figures of several spaces in one text: a figure is described once."""
    heads: dict[str, list[str]] = {}
    values: dict[str, list[str]] = {}
    for text in texts:
        for line in filter(None, text.splitlines()):
            if line.startswith("#"):
                name = line.split(" ", 3)[2]
                described = heads.setdefault(name, [])
                if line not in described:
                    described.append(line)
            else:
                values.setdefault(line.partition("{")[0], []).append(line)
    return "".join(
        f"{line}\n" for name, head in heads.items() for line in (*head, *values.get(name, ()))
    )
