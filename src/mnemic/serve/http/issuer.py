"""Tokens of a trusted issuer: JSON Web Tokens, by OpenID Connect."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mnemic.engine.tokens import Tokens
from mnemic.errors import ConfigError, MissingExtra, ServiceUnavailable, Unauthorized
from mnemic.serve import LOOPBACK_NAMES
from mnemic.types import SCOPES, Grant, Scope

if TYPE_CHECKING:
    from jwt import PyJWKClient

_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]  # none with a secret
_TIMEOUT = 10.0  # seconds
_LEEWAY = 30  # seconds between two clocks
_SPACES = "mnemic_spaces"


class Issuer:
    """Checks tokens that an issuer signed for an audience.

    The scope is the highest of ``mnemic:read``, ``mnemic:write`` and ``mnemic:admin`` in the claim
    ``scope``; the spaces are those of the claim ``mnemic_spaces``, else one named as the subject.
    """

    def __init__(self, issuer: str, audience: str) -> None:
        parts = urlsplit(issuer)
        if parts.scheme != "https" and parts.hostname not in LOOPBACK_NAMES:
            raise ConfigError(f"The issuer {issuer} has no TLS", remedy="Give an https address")
        try:
            import jwt  # noqa: F401
        except ModuleNotFoundError as error:
            raise MissingExtra(
                f"{error.name} is not installed", remedy='Install it: pip install "mnemic[jwt]"'
            ) from error
        self._issuer = issuer
        self._audience = audience
        self._guard = threading.Lock()

    @cached_property
    def _keys(self) -> PyJWKClient:
        """The keys that the issuer publishes, fetched again where one is not known."""
        from jwt import PyJWKClient

        url = f"{self._issuer.rstrip('/')}/.well-known/openid-configuration"
        with urllib.request.urlopen(url, timeout=_TIMEOUT) as answer:
            document = json.load(answer)
        return PyJWKClient(document["jwks_uri"], timeout=_TIMEOUT)

    def admit(self, token: str, tokens: Tokens) -> Grant:
        """The grant of the subject of a token."""
        claims = self._verify(token)
        subject = str(claims["sub"])
        spaces = claims.get(_SPACES, [subject])
        named = [str(space) for space in (spaces if isinstance(spaces, list) else [spaces])]
        key = f"{self._issuer}\0{subject}"
        return tokens.admit_subject(key, subject, _scope(claims), named)

    def _verify(self, token: str) -> Mapping[str, Any]:
        import jwt

        try:
            with self._guard:  # one thread fetches
                key = self._keys.get_signing_key_from_jwt(token)
            claims: Mapping[str, Any] = jwt.decode(
                token,
                key,
                algorithms=_ALGORITHMS,
                audience=self._audience,
                issuer=self._issuer,
                leeway=_LEEWAY,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except (OSError, KeyError, jwt.PyJWKClientConnectionError) as error:
            raise ServiceUnavailable(
                "The issuer of tokens does not answer", remedy="Try again later"
            ) from error
        except (jwt.PyJWTError, ValueError) as error:
            raise Unauthorized(
                f"The token is not accepted: {error}", remedy="Ask the issuer for a fresh one"
            ) from error
        return claims


def _scope(claims: Mapping[str, Any]) -> Scope:
    given = claims.get("scope", claims.get("scp", ""))
    words = given.split() if isinstance(given, str) else list(given)
    held: list[Scope] = [scope for scope in SCOPES if f"mnemic:{scope}" in words]
    if not held:
        raise Unauthorized(
            "The token has no scope of this service", remedy="Ask for mnemic:read or mnemic:write"
        )
    return held[-1]
