"""What a browser must not be made to do: Host and Origin are checked before anything else, and
every answer carries the headers that confine a page.

A page of another origin can send requests to this machine, and a name that an attacker points here
(DNS rebinding) makes them same-origin; so only names that the service was started for are answered.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mnemic.errors import Forbidden
from mnemic.serve import LOOPBACK_NAMES
from mnemic.serve.http.answers import problem

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self';"
    " frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
# What asks these comes by an address, or by no name at all, and is told nothing of a memory.
_PROBES = frozenset({"/healthz", "/readyz"})


def host_name(netloc: str) -> str | None:
    """The name in ``name:port``; None where it is none."""
    try:
        parts = urlsplit(f"//{netloc}")
        _ = parts.port
    except ValueError:
        return None
    return parts.hostname if parts.hostname and "@" not in netloc else None


class Boundary:
    """ASGI around the service."""

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        self._app = app
        self._names = LOOPBACK_NAMES | {name.lower().strip("[]") for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_confined(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        refusal = self._refusal(scope, Headers(scope=scope))
        if refusal is not None:
            await problem(Forbidden(*refusal[:1], remedy=refusal[1]))(scope, receive, send_confined)
            return
        # Routes are matched as they were sent: an encoded slash is part of a name.
        raw = scope.get("raw_path") or scope["path"].encode()
        path = raw.split(b"?", 1)[0].decode("latin-1")
        await self._app({**scope, "path": path}, receive, send_confined)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[str, str] | None:
        hosts = headers.getlist("host")
        probed = scope["path"] in _PROBES and "origin" not in headers
        if not probed and (len(hosts) != 1 or host_name(hosts[0]) not in self._names):
            return (
                "This service does not answer under that host name",
                "Use the address it was started with, or start it with --name",
            )
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != hosts[0].lower():
            return ("The request comes from a page of another origin", "Ask from this origin")
        site = headers.get("sec-fetch-site", "same-origin")
        navigates = scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate"
        if site in ("cross-site", "same-site") and not navigates:
            return ("The request comes from a page of another site", "Ask from this origin")
        return None
