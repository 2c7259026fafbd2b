"""Cookies that keep somebody logged in."""

from __future__ import annotations

from collections.abc import Iterator

from mnemic.language.secrets.data_files import pattern
from mnemic.language.secrets.randomness import Bounds, is_lookup, is_placeholder, looks_random

Span = tuple[str, int, int]
COOKIE_HINTS = ("cookie", "sess", "sid=", "bduss")
_BOUNDS = Bounds()


def session_cookies(text: str) -> Iterator[Span]:
    """The values of cookies that keep somebody logged in."""
    for line in (pattern("cookie_line"), pattern("cookie_flag")):
        for match in line.finditer(text):
            for pair in pattern("cookies_pair").finditer(text, *match.span("pairs")):
                if _keeps_login(pair["name"], pair["value"]):
                    yield "cookie", *pair.span("value")
    for match in pattern("session").finditer(text):
        if looks_random(match["value"], _BOUNDS, uuid=False):
            yield "cookie", *match.span("value")


def _keeps_login(name: str, value: str) -> bool:
    if is_placeholder(value) or is_lookup(value) or pattern("no_login").match(name):
        return False
    if looks_random(value, _BOUNDS):
        return True
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return mixed and pattern("login").search(name) is not None
