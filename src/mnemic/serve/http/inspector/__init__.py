"""The Inspector: the page at ``/`` on which people see, correct and forget what is remembered.

Its files are plain ES modules and one style sheet, served as they lie here; all that they show they
ask of the HTTP API, with the login of the page.
"""

from __future__ import annotations

import hashlib
from importlib import resources
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_START = "index.html"
_PREFIX = "/inspector/"


def pages() -> list[BaseRoute]:
    """A route for each file of the page, read once. They hold no data, so they need no token."""
    files = dict(_files(resources.files(__name__) / "static"))
    start = _route("/", _START, files[_START])
    return [start, *(_route(_PREFIX + name, name, body) for name, body in files.items())]


def _files(folder: Traversable, before: str = "") -> list[tuple[str, bytes]]:
    listed: list[tuple[str, bytes]] = []
    for entry in sorted(folder.iterdir(), key=lambda path: path.name):
        if entry.is_dir():
            listed += _files(entry, f"{before}{entry.name}/")
        elif entry.name.rpartition(".")[2] in _TYPES:
            listed.append((before + entry.name, entry.read_bytes()))
    return listed


def _route(path: str, name: str, body: bytes) -> Route:
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    # Asked again each time, so that a page never runs with files of two releases.
    headers = {"etag": tag, "cache-control": "no-cache"}
    kind = _TYPES[name.rpartition(".")[2]]

    async def file(request: Request) -> Response:
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(body, headers=headers, media_type=kind)

    return Route(path, file, methods=["GET"], name=f"inspector {name}")
