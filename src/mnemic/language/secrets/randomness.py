"""Whether a value looks like a key or a password, or only holds the place of one."""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from dataclasses import dataclass, field
from math import log2

_MEASURED = 256  # characters; more say nothing new about how random a value looks

_SHORTEST_KEY = 8  # characters
_LONGEST_WORD = 24
_LEAST_VARIED = 2.5  # bits a character

MARK = "[secret:"


@dataclass(frozen=True, slots=True)
class Bounds:
    """From where a nameless value counts as random: its length, and its bits a character; the kinds
    of personal numbers that count as secrets; and values that are known to be secret.
    """

    length: int = 16
    entropy: float = 3.0
    personal_numbers: tuple[str, ...] = ("card",)
    known: tuple[str, ...] = field(default=(), repr=False)


_PLACEHOLDER = re.compile(
    r"example|placeholder|change[-_]?me|change[-_]?it|redacted|dummy|sample|replace|insert"
    r"|your[-_ a-z]|my[-_](?:api|secret|pass|key|token)|not[-_]?a?[-_]?real|fake|x{4}|\*{3}|\.{3}|…"
    r"|#{4}|_{4}|1234567890|abcdefgh|0123456789|deadbeef|base32|(.)\1{7}"
    r"|^(?:the|some|my|your|user|db|test|admin|root)?[-_]?"
    r"(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|key|api[-_]?key|user(?:name)?|string|null"
    r"|none|true|false|undefined|value)[-_]?\d?$",
    re.I | re.A,
)
# Lookups, templates, calls, links, paths and ranges: places where a value would come from.
_LOOKED_UP = re.compile(
    r"\$[A-Za-z_({]|![a-z]+$|[{%<\[(:]|@[A-Za-z{]|https?:|file:|\.\.|\d+-\d+$"
    r"|(?:os|env|self|this|config|conf|cfg|settings|args|opts|options|process|secrets|vault|data"
    r"|request|req|form|params|props|state|user|import|var|local|each|steps|github)[.\[(]"
    r"|(?:getenv|environ|lookup|input|prompt|getpass|fetch|load|read|get)\b",
    re.I | re.A,
)
_TECHNICAL = re.compile(
    r"(?:aes|rsa|sha|md|hmac|utf|base|oauth|argon|pbkdf|ed|curve|secp|hs|rs|es|ps|tls|ssl|wpa|ipv"
    r"|http|v|ssh|des|rc|sm|x|crc|python|java|win|windows|mysql|web|ec|iso|rfc|level|step|option"
    r"|version|ver|bcrypt|scrypt|gpt|qwen|web|es|vue|log|field|column|user|line)"
    r"[-_.]?\d{1,5}[a-z]{0,3}(?:[-_/](?:psk|cbc|gcm|ctr|ecb|id|\d+)){0,3}$",
    re.I | re.A,
)
# A call, an item, a type or an attribute: only code, never inside quotation marks.
_EXPRESSION = re.compile(
    r"[A-Za-z_][\w.:>-]*[\[(]|[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+$", re.A
)
_VERSION_OR_DATE = re.compile(r"[v=^~]?\d+(?:[.:/-]\d+)+(?:[-+.][a-z0-9.]+)?$", re.I | re.A)
_PATH = re.compile(r"[.~]?/")
_PART = re.compile(r"[-_./]+")
_JOINED_WORDS = re.compile(r"[A-Za-z]+\d{0,2}(?:[-_./]+(?:[A-Za-z]+\d{0,2}|\d{1,2}))+$", re.A)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", re.I | re.A)
_ALL_CAPS = re.compile(r"[A-Z_]{6,}$")
_COMMON = frozenset(
    "password passwd pass pwd secret token user test example stdin true false null none".split()
)
_SYMBOL = re.compile(r"[!@#$%^&*+=~?|]")
_CASE_SWITCH = re.compile(r"[a-z](?=[A-Z])")


def is_placeholder(value: str) -> bool:
    """A value that people write where the real one would stand, or that was taken out before."""
    return MARK in value or _PLACEHOLDER.search(value) is not None


def looked_up(value: str) -> bool:
    """A variable, a template, a call or a path: a place that a value would come from."""
    return _LOOKED_UP.match(value) is not None


def looks_random(value: str, bounds: Bounds, *, uuid: bool = True) -> bool:
    """A key: long, of letters and digits, and not made of words."""
    if len(value) < bounds.length or is_placeholder(value) or _LOOKED_UP.match(value):
        return False
    if _UUID.match(value):
        return uuid
    start = value[:_MEASURED]
    return not is_wordy(start) and entropy(start) >= bounds.entropy


def looks_like_password(value: str, *, quoted: bool, digits: int) -> bool:
    """Short and chosen by a person: letters with digits or signs, or ``digits`` digits and more."""
    if value.isdigit():
        return len(value) >= digits
    if len(value) < 6 or is_placeholder(value) or not any(map(str.isalnum, value)):
        return False
    if any(rule.match(value) for rule in (_LOOKED_UP, _TECHNICAL, _VERSION_OR_DATE, _PATH)):
        return False
    if not quoted and value.endswith((")", "]", "}")):
        return False
    letters = any(map(str.isalpha, value))
    signs = _SYMBOL.search(value.rstrip("!?")) is not None
    return letters and (any(map(str.isdigit, value)) or signs or not is_wordy(value))


def looks_strong(value: str) -> bool:
    """A password that no sentence would hold: several digits or a sign among letters."""
    digits = sum(map(str.isdigit, value))
    if len(value) > 5 and digits > 1 and value != value.lower() and value != value.upper():
        return not (_PART.search(value) and is_wordy(value)) and _TECHNICAL.match(value) is None
    if len(value) < 8 or not digits or (_PART.search(value) and is_wordy(value)):
        return False
    return digits > 2 or (digits > 1 and not value.islower()) or bool(_SYMBOL.search(value))


def is_expression(value: str) -> bool:
    """A call, a type, an attribute, or a name such as ``db_password_1``."""
    return bool(_EXPRESSION.match(value)) or (bool(_JOINED_WORDS.match(value)) and is_wordy(value))


def is_telling(key: str) -> bool:
    """Whether a key is one by its looks: any text may hold "ollama", "test" or "my-local-model"."""
    return len(key) >= _SHORTEST_KEY and not is_wordy(key) and entropy(key) >= _LEAST_VARIED


def is_option_value(value: str) -> bool:
    """Whether a value on a command line or in an address is a password, and no variable or path."""
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


def is_wordy(value: str) -> bool:
    """Words, maybe with short numbers, joined by hyphens and the like."""
    return all(_is_word(part) for part in _PART.split(value.strip("=")) if part)


def _is_word(part: str) -> bool:
    """Letters as in a word or in CamelCase, with at most a short number at the end."""
    letters = part.rstrip("0123456789")
    if len(part) - len(letters) > 4:
        return not letters and len(part) <= 8  # a date or a count between words
    # Random letters change case far more often than words that were put together.
    return not letters or (
        letters.isalpha()
        and len(letters) <= _LONGEST_WORD
        and len(_CASE_SWITCH.findall(letters)) * 5 <= len(letters)
    )


def entropy(value: str) -> float:
    """Bits a character."""
    total = len(value)
    return -sum(n / total * log2(n / total) for n in Counter(value).values()) if total else 0.0
