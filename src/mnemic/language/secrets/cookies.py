"""Cookies that keep somebody logged in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mnemic.language.secrets.randomness import (
    Bounds,
    is_placeholder,
    looked_up,
    looks_random,
)

Span = tuple[str, int, int]
COOKIE_HINTS = ("cookie", "sess", "sid=", "bduss")
_BOUNDS = Bounds()
_COOKIE_LINE = re.compile(
    r"(?i:(?:set-)?cookies?)\b[\"']?[ ]?(?:[:：=是]|[ ]is[ ])[ ]{0,2}[\"'{]?"
    r"(?P<pairs>[^\n]{3,4000}+)"
)
_COOKIE_FLAG = re.compile(r"[ ](?:-b|--cookie)[ =]['\"]?(?P<pairs>[^\n'\"]{3,4000}+)")
_PAIR = re.compile(
    r"[\"']?(?P<name>[A-Za-z0-9_.-]{2,64})[\"']?[ ]?[=:][ ]?[\"']?"
    r"(?P<value>[A-Za-z0-9%._~+/*-]{8,2000}+=*)",
    re.A,
)
_LOGIN = re.compile(
    r"sess|sid$|sid\b|auth|token|login|jwt|bduss|user_session|remember|ticket|_key|z_c0", re.I
)
_NO_LOGIN = re.compile(
    r"^(?:_ga|_gid|_gat|__utm|csrf|xsrf|expires|max-age|path|domain|lang|theme|consent)", re.I
)
_SESSION = re.compile(
    r"(?<![A-Za-z])(?:sessionid|jsessionid|phpsessid|asp\.net_sessionid|connect\.sid|sessdata"
    r"|bduss|laravel_session"
    r"|user_session|session|sid)[\"']?[ ]?[=:][ ]?[\"']?(?:s%3A)?"
    r"(?P<value>[A-Za-z0-9%._~+/*-]{16,2000}+)",
    re.I | re.A,
)


def session_cookies(text: str) -> Iterator[Span]:
    """The values of cookies that keep somebody logged in."""
    for line in (_COOKIE_LINE, _COOKIE_FLAG):
        for match in line.finditer(text):
            for pair in _PAIR.finditer(text, *match.span("pairs")):
                if _keeps_login(pair["name"], pair["value"]):
                    yield "cookie", *pair.span("value")
    for match in _SESSION.finditer(text):
        if looks_random(match["value"], _BOUNDS, uuid=False):
            yield "cookie", *match.span("value")


def _keeps_login(name: str, value: str) -> bool:
    if is_placeholder(value) or looked_up(value) or _NO_LOGIN.match(name):
        return False
    if looks_random(value, _BOUNDS):
        return True
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return mixed and _LOGIN.search(name) is not None
