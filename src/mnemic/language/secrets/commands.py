"""Secrets on command lines, in settings files and in cookies, where syntax gives them away."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from mnemic.language.secrets.randomness import (
    Bounds,
    is_placeholder,
    looked_up,
    looks_random,
)

Span = tuple[str, int, int]
HINTS = (" -", "://", "auth", "psk", ":5432:", ":*:", "sqlplus", "net use", "/p:")
_BOUNDS = Bounds()
COOKIE_HINTS = ("cookie", "sess", "sid=", "bduss")

_V = r"['\"]?(?P<value>[^\s'\"<>|;&]{3,128}+)"
_GAP = r"[^\n|;&]{0,160}?"
_COMMANDS = tuple(
    re.compile(pattern, re.A)
    for pattern in (
        rf"\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|mycli"
        rf"|7z[az]?)\b{_GAP}[ ]-p(?![ ]){_V}",
        rf"\b(?:docker|podman|az|oc|helm|nerdctl|buildah|skopeo|mongo(?:sh|dump|restore)?|cqlsh"
        rf"|sshpass|influx|vsql)\b"
        rf"{_GAP}[ ](?:login\b{_GAP}[ ])?-p[ ]{_V}",
        rf"\bredis-cli\b{_GAP}[ ]-a[ ]{_V}",
        rf"\b(?:un)?zip\b{_GAP}[ ]-P[ ]?{_V}",
        rf"\bldap(?:search|add|modify|delete|passwd|whoami)\b{_GAP}[ ]-w[ ]{_V}",
        rf"\b(?:curl|wget|http|ab)\b{_GAP}[ ](?:-u|--user)[ =]['\"]?[^\s:'\"$<]{{1,64}}:"
        rf"(?P<value>[^\s'\"@]{{3,128}}+)",
        rf"\bsmbclient\b{_GAP}[ ]-U[ ]?['\"]?[^\s%'\"]{{1,64}}%{_V}",
        rf"\bhtpasswd[ ](?:-[a-zA-Z]+[ ])*-[a-zA-Z]*b[a-zA-Z]*[ ]\S{{1,128}}[ ]\S{{1,64}}[ ]{_V}",
        rf"\b[Nn]et use\b[ ][^\n]{{1,80}}?\\\S{{1,80}}[ ]{_V}[ ]/user:",
        rf"[ ]/u:\S{{1,64}}[ ](?:[^\n]{{0,60}}?[ ])?/p:{_V}",
        r"\bsqlplus[ ](?:-[a-zA-Z]+[ ])*[A-Za-z_]\w{0,30}/(?P<value>[^\s@/]{3,64}+)@",
        r"\becho[ ](?:-n[ ])?['\"]?(?P<value>[^\s'\"$|]{3,64}+)['\"]?[ ]{0,2}\|[ ]{0,2}sudo[ ]"
        r"(?:-\w+[ ])*-S",
        # Settings of known files: .pgpass, wpa_supplicant, .npmrc
        r"(?<![\w.:])[\w.*-]{1,80}:(?:[0-9]{2,5}|\*):[\w*-]{1,64}:[\w*-]{1,64}:"
        r"(?P<value>[^\s:，。]{3,128}+)(?![:\w])",
        r"\bpsk[ ]?=[ ]?\"(?P<value>[^\"\n]{8,63}+)\"",
        r"(?<=:)_(?:authToken|password)=\"?(?P<value>[^\s\"$]{6,256}+)",
        # The password of an address, be it a plain word
        r"://[^\s:/@\"'<>`\[$]{1,128}+:(?P<value>[^\s/@\"'<>`$]{3,256}+)@",
    )
)
_BASIC = re.compile(
    r"(?:\"auth\"\s{0,4}:\s{0,4}\"|(?<![A-Za-z])_auth[ ]?=[ ]?\"?)"
    r"(?P<value>[A-Za-z0-9+/]{8,512}+={0,2})",
    re.A,
)
_ALL_CAPS = re.compile(r"[A-Z_]{6,}$")
_COMMON = frozenset(
    "password passwd pass pwd secret token user test example stdin true false null none".split()
)

_COOKIE_LINE = re.compile(
    r"(?i:(?:set-)?cookies?)\b[\"']?[ ]?(?:[:：=是]|[ ]is[ ])[ ]{0,2}[\"'{]?"
    r"(?P<pairs>[^\n]{3,4000}+)"
)
_COOKIE_FLAG = re.compile(r"[ ](?:-b|--cookie)[ =]['\"]?(?P<pairs>[^\n'\"]{3,4000}+)")
_PAIR = re.compile(
    r"[\"']?(?P<name>[A-Za-z0-9_.-]{2,64})[\"']?[ ]?[=:][ ]?[\"']?"
    r"(?P<value>[A-Za-z0-9%._~+/-]{8,2000}+=*)",
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
    r"(?P<value>[A-Za-z0-9%._~+/-]{16,2000}+)",
    re.I | re.A,
)


def secrets_in_syntax(text: str) -> Iterator[Span]:
    """The values of options and settings that take a password."""
    for pattern in _COMMANDS:
        for match in pattern.finditer(text):
            if _is_value(match["value"]):
                yield "password", *match.span("value")
    for match in _BASIC.finditer(text):
        if is_basic_login(match["value"]):
            yield "basic_auth", *match.span("value")


def _is_value(value: str) -> bool:
    return not (
        value.startswith(("$", "-", "(", "{", "%", "~", "./", "/"))
        or is_placeholder(value)
        or looked_up(value)
        or _ALL_CAPS.match(value)
        or value.lower() in _COMMON
        or (value.replace(":", "").isdigit() and ":" in value)
    )


def is_basic_login(value: str) -> bool:
    """Whether a value is a user name and a password, in base 64."""
    try:
        _, colon, password = base64.b64decode(value, validate=True).partition(b":")
    except binascii.Error:
        return False
    return bool(colon and password) and not is_placeholder(password.decode("latin-1"))


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
