"""Tokens of a trusted issuer: JSON Web Tokens, by OpenID Connect."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mnemic.engine.tokens import Tokens
from mnemic.errors import ConfigError, MissingExtra, ServiceUnavailable, Unauthorized
from mnemic.serve import LOOPBACK_NAMES
from mnemic.types import EVERY_SPACE, SCOPES, Grant, Scope

if TYPE_CHECKING:
    from jwt import PyJWK

_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"]  # none with a secret
_TIMEOUT = 10.0  # seconds
_LEEWAY = 30  # seconds between two clocks
_FRESH = 300.0  # seconds after which published keys are read again
_KEPT = 3600.0  # seconds for which they hold while the issuer does not answer
_PAUSE = 10.0  # seconds between two readings
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
            raise MissingExtra.of(error.name or "jwt", "jwt") from error
        self._issuer, self._audience = issuer, audience
        self._guard = threading.Lock()
        self._keys: dict[str | None, PyJWK] = {}
        self._read_at = self._asked_at = -_KEPT

    def admit(self, token: str, tokens: Tokens) -> Grant:
        """The grant of the subject of a token."""
        claims = self._verify(token)
        subject = str(claims["sub"])
        spaces = claims.get(_SPACES, [subject])
        named = [str(space) for space in (spaces if isinstance(spaces, list) else [spaces])]
        if not (subject.isprintable() and subject == subject.strip() != ""):
            raise _refuse("its subject is empty or not printable")
        if _SPACES not in claims and subject == EVERY_SPACE:
            raise _refuse("no space is named as its subject")
        return tokens.admit_subject(f"{self._issuer}\0{subject}", subject, _scope(claims), named)

    def _verify(self, token: str) -> Mapping[str, Any]:
        import jwt

        try:
            claims: Mapping[str, Any] = jwt.decode(
                token,
                self._find_key(jwt.get_unverified_header(token).get("kid")),
                algorithms=_ALGORITHMS,
                audience=self._audience,
                issuer=self._issuer,
                leeway=_LEEWAY,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, ValueError) as error:
            raise _refuse(str(error)) from error
        return claims

    def _find_key(self, name: str | None) -> PyJWK:
        """The published key of that name; only one thread at a time reads the keys again."""
        if not self._keys or self._is_due(name):
            with self._guard:
                if self._is_due(name):
                    self._asked_at = monotonic()
                    self._keys, self._read_at = self._read_keys(), monotonic()
        if monotonic() - self._read_at > _KEPT:
            raise _unavailable()
        if name not in self._keys:
            raise _refuse("its issuer publishes no such key")
        return self._keys[name]

    def _is_due(self, name: str | None) -> bool:
        wanted = name not in self._keys or monotonic() - self._read_at > _FRESH
        return wanted and monotonic() - self._asked_at > _PAUSE

    def _read_keys(self) -> dict[str | None, PyJWK]:
        from jwt import PyJWKClient, PyJWTError

        url = f"{self._issuer.rstrip('/')}/.well-known/openid-configuration"
        try:
            with urllib.request.urlopen(url, timeout=_TIMEOUT) as answer:
                document = json.load(answer)
            if document["issuer"] != self._issuer:
                raise ValueError(document["issuer"])
            keys = PyJWKClient(document["jwks_uri"], timeout=_TIMEOUT).get_signing_keys()
        except (OSError, HTTPException, LookupError, TypeError, ValueError, PyJWTError) as error:
            raise _unavailable() from error
        return {key.key_id: key for key in keys}


def _unavailable() -> ServiceUnavailable:
    return ServiceUnavailable("The issuer of tokens does not answer", remedy="Try again later")


def _refuse(why: str) -> Unauthorized:
    return Unauthorized(f"The token is not accepted: {why}", remedy="Ask its issuer for another")


def _scope(claims: Mapping[str, Any]) -> Scope:
    claim = claims.get("scope", claims.get("scp", ""))
    words = claim.split() if isinstance(claim, str) else claim if isinstance(claim, list) else []
    held: list[Scope] = [scope for scope in SCOPES if f"mnemic:{scope}" in words]
    if not held:
        raise _refuse("it has no scope mnemic:read, mnemic:write or mnemic:admin")
    return held[-1]
