"""Who asks: a bearer token, or the cookie of a page that was logged in with one."""

from __future__ import annotations

import hmac
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from mnemic.engine.remote.operations import Scope
from mnemic.errors import Forbidden, Unauthorized
from mnemic.serve.http.tokens import Grant, TokenFile, digest_of

COOKIE = "mnemic_session"
CSRF_HEADER = "x-csrf-token"
_LIFE = 12 * 3600.0  # seconds
_MOST_LOGINS = 1_000
_SAFE = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True, slots=True)
class Login:
    """A page that was logged in; the token may be revoked meanwhile, so it is looked up again."""

    grant: str
    csrf: str
    until: float


class Access:
    """Finds the grant of a request, or refuses it."""

    def __init__(self, tokens: TokenFile) -> None:
        self._tokens = tokens
        self._logins: OrderedDict[str, Login] = OrderedDict()

    def of(self, request: Request) -> Grant:
        """The grant of the token or of the cookie; a write with a cookie needs the CSRF token."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme:
            found = self._tokens.find(token.strip()) if scheme.lower() == "bearer" else None
            return _required(found)
        login = self.login_of(request)
        if login is None:
            return _required(None)
        if request.method not in _SAFE:
            sent = request.headers.get(CSRF_HEADER, "")
            if not hmac.compare_digest(sent.encode(), login.csrf.encode()):
                raise Forbidden(
                    f"The {CSRF_HEADER} header is missing or wrong",
                    remedy="Send the csrf value of GET /session",
                )
        return self._granted(login)

    def allow(self, request: Request, scope: Scope, space: str) -> Grant:
        """The grant, if it covers this."""
        grant = self.of(request)
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

    def log_in(self, token: str, response: Response, *, secure: bool) -> Login:
        """Begin a login of the page with a token."""
        grant = _required(self._tokens.find(token))
        key = secrets.token_urlsafe(32)
        login = Login(grant.digest, secrets.token_urlsafe(32), time.monotonic() + _LIFE)
        self._logins[digest_of(key)] = login
        while len(self._logins) > _MOST_LOGINS:
            self._logins.popitem(last=False)
        response.set_cookie(
            COOKIE, key, max_age=int(_LIFE), httponly=True, samesite="strict", secure=secure
        )
        return login

    def login_of(self, request: Request) -> Login | None:
        """The login whose cookie a request has."""
        login = self._logins.get(digest_of(request.cookies.get(COOKIE, "")))
        return login if login is not None and login.until > time.monotonic() else None

    def described(self, login: Login) -> dict[str, Any]:
        """What a page is told of its login."""
        grant = self._granted(login)
        return {
            "csrf": login.csrf, "name": grant.name, "scope": grant.scope, "spaces": grant.spaces
        }  # fmt: skip

    def log_out(self, request: Request, response: Response) -> None:
        self._logins.pop(digest_of(request.cookies.get(COOKIE, "")), None)
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")

    def _granted(self, login: Login) -> Grant:
        grants = self._tokens.grants()
        return _required(next((one for one in grants if one.digest == login.grant), None))


def _required(grant: Grant | None) -> Grant:
    if grant is None:
        raise Unauthorized(
            "The token is missing or wrong",
            remedy="Send Authorization: Bearer TOKEN, one of mnemic token add",
        )
    return grant
