"""Who asks: a bearer token, of ours or of a trusted issuer, or the cookie of a page that was logged
in with one.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from mnemic.engine.tokens import PREFIX, Tokens
from mnemic.errors import Forbidden, NotFound, Unauthorized
from mnemic.serve.http.issuer import Issuer
from mnemic.serve.http.limits import Lane, WorkQueue
from mnemic.types import Grant, Scope

COOKIE = "mnemic_session"
CSRF_HEADER = "x-csrf-token"
_LIFE = 12 * 3600  # seconds
_SAFE = ("GET", "HEAD", "OPTIONS")


class Access:
    """Finds the grant of a request, or refuses it."""

    def __init__(self, tokens: Tokens, queue: WorkQueue, issuer: Issuer | None = None) -> None:
        self._tokens, self._queue, self._issuer = tokens, queue, issuer

    async def of(self, request: Request) -> Grant:
        """The grant of the token or cookie, one request counted; a cookie's write needs CSRF."""
        grant = await self.find(request)
        if "authorization" not in request.headers and request.method not in _SAFE:
            sent, expected = request.headers.get(CSRF_HEADER, ""), csrf_of(_cookie(request))
            if not hmac.compare_digest(sent.encode(), expected.encode()):
                raise Forbidden(
                    f"The {CSRF_HEADER} header is missing or wrong",
                    remedy="Send the csrf value of GET /session",
                )
        request.state.token = grant.id
        self._tokens.count(grant)
        return grant

    async def find(self, request: Request) -> Grant:
        """The same, uncounted."""
        find: Callable[[str], Grant] = self._tokens.find_login
        key = _cookie(request)
        lane: Lane = "access"
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme:
            if scheme.lower() != "bearer":
                raise Unauthorized("That is not a bearer token", remedy="Send Bearer TOKEN")
            key, find = token.strip(), self._tokens.find
            if self._issuer is not None and not key.startswith(PREFIX):
                lane, find = "issuer", partial(self._issuer.admit, tokens=self._tokens)
        if not (scheme or key):
            raise Unauthorized(
                "The token is missing",
                remedy="Send Authorization: Bearer TOKEN, one of mnemic token add",
            )
        grant = self._tokens.peek(key)
        return await self._queue.run("", lambda: find(key), lane) if grant is None else grant

    async def allow(self, request: Request, scope: Scope, space: str) -> Grant:
        """The grant, if it covers this."""
        grant = await self.of(request)
        if not grant.covers(space):
            raise Forbidden(
                "The token is not for this space", remedy="Use a token of the space, or of *"
            )
        if not grant.allows(scope, space):
            raise Forbidden(
                f"The token has the scope {grant.scope}, and this needs {scope}",
                remedy=f"Add one: mnemic token add --scope {scope}",
            )
        return grant

    # --- the page -------------------------------------------------------------------------------

    async def log_in(self, token: str) -> tuple[str, Grant]:
        """Begin a login of the page with a token; gives the key of its cookie."""
        return await self._queue.run("", lambda: self._tokens.log_in(token), "access")

    async def describe(self, request: Request) -> dict[str, Any]:
        """What a page is told of its login."""
        grant = await self.of(request)
        if not _cookie(request):
            raise NotFound("There is no login", remedy="POST /session with a token")
        return describe_login(_cookie(request), grant)

    async def log_out(self, request: Request, response: Response) -> None:
        await self.of(request)
        await self._queue.run("", lambda: self._tokens.log_out(_cookie(request)), "access")
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")


def describe_login(key: str, grant: Grant) -> dict[str, Any]:
    return {
        "csrf": csrf_of(key), "name": grant.name, "scope": grant.scope, "spaces": grant.spaces
    }  # fmt: skip


def set_cookie(response: Response, key: str, request: Request) -> None:
    """A cookie for this site alone, and for TLS alone where the page came by it."""
    origin = request.headers.get("origin", "")
    forwarded = request.headers.get("x-forwarded-proto", "").lower()
    secure = "https" in (request.url.scheme, forwarded) or origin.startswith("https:")
    response.set_cookie(COOKIE, key, max_age=_LIFE, httponly=True, samesite="strict", secure=secure)


def csrf_of(key: str) -> str:
    """What only a page that may read the answers of this service can send beside its cookie."""
    return hmac.new(key.encode(), b"csrf", "sha256").hexdigest()


def _cookie(request: Request) -> str:
    return request.cookies.get(COOKIE, "")
