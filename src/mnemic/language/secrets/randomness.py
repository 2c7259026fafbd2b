"""Whether a value looks like a key or a password, or only holds the place of one."""

from __future__ import annotations

import base64
import binascii
from collections import Counter
from dataclasses import field
from math import log2

from mnemic.language.secrets.data_files import load_words, pattern
from mnemic.late import dataclass

_MEASURED = 256  # characters; more say nothing new about how random a value looks

_LEAST_REST = 12  # characters of a value beside those that count on, as in 1234567890
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


USUAL = Bounds()


def is_placeholder(value: str) -> bool:
    """A value that people write where the real one would stand, or that was taken out before."""
    rest = pattern("sequence").sub("", value)
    counted = len(rest) < len(value) and len(rest) < _LEAST_REST
    return MARK in value or counted or pattern("placeholder").search(value) is not None


def is_lookup(value: str) -> bool:
    """A variable, a template, a call or a path: a place that a value would come from."""
    return pattern("looked_up").match(value) is not None


def looks_random(value: str, bounds: Bounds, *, uuid: bool = True) -> bool:
    """A key: long, of letters and digits, and not made of words."""
    if len(value) < bounds.length or is_placeholder(value) or pattern("looked_up").match(value):
        return False
    if pattern("uuid").match(value):
        return uuid
    start = value[:_MEASURED]
    return not is_wordy(start) and entropy(start) >= bounds.entropy


def looks_like_password(value: str, *, quoted: bool, digits: int) -> bool:
    """Short and chosen by a person: letters with digits or signs, or ``digits`` digits and more."""
    if value.isdigit():
        return len(value) >= digits
    if len(value) < 6 or is_placeholder(value) or not any(map(str.isalnum, value)):
        return False
    names = ("looked_up", "technical", "version_or_date", "path")
    if any(pattern(name).match(value) for name in names):
        return False
    if not quoted and value.endswith((")", "]", "}")):
        return False
    letters = any(map(str.isalpha, value))
    signs = pattern("symbol").search(value.rstrip("!?")) is not None
    return letters and (any(map(str.isdigit, value)) or signs or not is_wordy(value))


def looks_strong(value: str) -> bool:
    """A password that no sentence would hold: several digits or a sign among letters."""
    digits = sum(map(str.isdigit, value))
    wordy = pattern("part").search(value) is not None and is_wordy(value)
    if len(value) > 5 and digits > 1 and value != value.lower() and value != value.upper():
        return not wordy and pattern("technical").match(value) is None
    if len(value) < 8 or not digits or wordy:
        return False
    several = digits > 2 or (digits > 1 and not value.islower())
    return several or pattern("symbol").search(value) is not None


def is_expression(value: str) -> bool:
    """A call, a type, an attribute, or a name such as ``db_password_1``."""
    joined = pattern("joined_words").match(value) and is_wordy(value)
    return bool(joined or pattern("expression").match(value))


def is_telling(key: str) -> bool:
    """Whether a key is one by its looks: any text may hold "ollama", "test" or "my-local-model"."""
    return len(key) >= _SHORTEST_KEY and not is_wordy(key) and entropy(key) >= _LEAST_VARIED


def is_option_value(value: str) -> bool:
    """Whether a value on a command line or in an address is a password, and no variable or path."""
    return not (
        value.startswith(("$", "-", "(", "{", "%", "~", "./", "/"))
        or is_placeholder(value)
        or is_lookup(value)
        or pattern("all_caps").match(value)
        or value.lower() in load_words("common values")
        or (":" in value and value.replace(":", "").replace(".", "").isdigit())
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
    return all(_is_word(word) for word in pattern("part").split(value.strip("=")) if word)


def _is_word(word: str) -> bool:
    """Letters as in a word or in CamelCase, with at most a short number at the end."""
    letters = word.rstrip("0123456789")
    if len(word) - len(letters) > 4:
        return not letters and len(word) <= 8  # a date or a count between words
    # Random letters change case far more often than words that were put together.
    return not letters or (
        letters.isalpha()
        and len(letters) <= _LONGEST_WORD
        and len(pattern("case_switch").findall(letters)) * 5 <= len(letters)
    )


def entropy(value: str) -> float:
    """Bits a character."""
    total = len(value)
    return -sum(n / total * log2(n / total) for n in Counter(value).values()) if total else 0.0
