"""Keys that show what they are, by their format or by the syntax around them; both are data.

``gitleaks.tsv`` is made from the rules of gitleaks, ``formats.tsv`` and ``syntax.tsv`` are our own
in the same shape. A keyword is looked for first, with a plain substring search, so that a text
without one costs next to nothing; a pattern is compiled when its keyword is met.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from mnemic.language.secrets.data_files import read_rows
from mnemic.language.secrets.pieces import SecretSpan
from mnemic.language.secrets.randomness import (
    Bounds,
    entropy,
    is_basic_login,
    is_option_value,
    is_placeholder,
    is_wordy,
    looks_like_password,
    looks_random,
)
from mnemic.patterns import defer

_TAIL = "[A-Za-z0-9_+/.-]{20,400}+={0,2}"
_OPENED = defer(r"\(\?[a-z-]*:|[\\^(]")
_FOLDS = defer(r"\(\?i")
_GROUP = defer(r"(?<!\\)\((?!\?)")
_BESIDE = defer(r"[^A-Za-z0-9]{1,4}(?:[^\n]{0,40}?[^A-Za-z0-9/+])?([A-Za-z0-9/+]{24,64}={0,2})")


class Format(NamedTuple):
    """One way a key is written. Without a pattern its keywords are prefixes of random keys."""

    name: str
    keywords: tuple[str, ...]
    folded: bool  # the keywords are in lower case, whatever the text's is
    entropy: float
    pattern: str
    named: bool  # by the vendor, before it

    @property
    def whole(self) -> bool:
        """Whether all that the pattern matches is the key."""
        return not _GROUP.search(self.pattern)


@cache
def load_formats(*names: str) -> tuple[Format, ...]:
    """The formats of data files."""
    return tuple(
        _read(*columns, named="{assigns}" in written[-1])
        for columns, written in read_rows(*names)
        if not columns[0].startswith("@")
    )


def _read(name: str, keywords: str, bits: str, pattern: str, *, named: bool) -> Format:
    words = tuple(keywords.split(","))
    plain = _OPENED.sub("", pattern)
    # Keywords come in lower case; where the pattern has them in another, so has the text.
    places = [plain.lower().find(word.lower()) for word in words]
    cased = bool(pattern) and min(places) >= 0 and not _FOLDS.search(pattern)
    if cased:
        words = tuple(plain[at : at + len(w)] for at, w in zip(places, words, strict=True))
    words = words if cased else tuple(map(str.lower, words))
    return Format(name, words, not cased, float(bits), pattern, named)


@cache
def key_starts() -> tuple[tuple[str, Format], ...]:
    """What whole keys start with, where that says enough to look for the rest on the next line."""
    return tuple(
        (word, form)
        for form in load_formats(*KEYS)
        if form.whole
        for word in form.keywords
        if len(word) > (3 if word.islower() and word.isalnum() else 2)
        and word in (_OPENED.sub("", form.pattern).partition("[")[0] or word)
    )


@cache
def compile_format(form: Format) -> re.Pattern[str]:
    """The pattern, between two characters that are no part of a key."""
    if not form.pattern:
        prefixes = "|".join(map(re.escape, form.keywords))
        return re.compile(rf"(?<![A-Za-z0-9_-])(?i:{prefixes}){_TAIL}", re.A)
    pattern = form.pattern
    if form.whole:
        pattern = rf"(?<![A-Za-z0-9])(?:{pattern})"
    if form.whole or form.named:
        pattern += "(?![A-Za-z0-9])"
    return re.compile(pattern, re.A)


@cache
def _keywords(names: tuple[str, ...]) -> dict[bool, list[tuple[str, dict[str, list[Format]]]]]:
    """The formats by their keywords, in lower case (True) and as they are, behind their gates."""
    tables: dict[bool, dict[str, dict[str, list[Format]]]] = {True: {}, False: {}}
    for form in load_formats(*names):
        for word in form.keywords:
            behind = tables[form.folded].setdefault(find_gate(word), {})
            behind.setdefault(word, []).append(form)
    return {folded: list(table.items()) for folded, table in tables.items()}


def find_gate(word: str) -> str:
    """A sign that a keyword has, so that one look for it saves those for all that have it."""
    if not word.isascii():
        return _HAN
    return next(gate for gate in _GATES if gate in word)


def select_formats(text: str, folded: str, names: tuple[str, ...]) -> list[Format]:
    """The formats of which a keyword is in the text; ``folded`` is it in lower case."""
    forms: list[Format] = []
    tables = _keywords(names)
    plain = text.isascii()
    for lower, view in ((True, folded), (False, text)):
        for gate, words in tables[lower]:
            if plain if gate == _HAN else gate not in view:
                continue
            for word in words:
                if word in view:
                    forms += words[word]
    return list(dict.fromkeys(forms)) if len(forms) > 1 else forms


def find_formats(
    text: str, folded: str, names: tuple[str, ...], bounds: Bounds, near: str = ""
) -> list[SecretSpan]:
    """Keys in the formats of these files, and the secret beside a key's id.

    Keywords are looked for in ``near``, where that is given, and in its lower case.
    """
    forms = select_formats(near or text, folded, names)
    return [span for form in forms for span in _find(text, form, bounds)]


def _find(text: str, form: Format, bounds: Bounds) -> Iterator[SecretSpan]:
    for match in compile_format(form).finditer(text):
        start, end = match.span(1 if match.lastindex else 0)
        if not form.pattern:  # the end of a sentence is no part of a key
            end = start + len(match[0].rstrip("./"))
        elif form.named and _OTHERS.search(match[0], 0, start - match.start()):
            continue
        if holds(form, text[start:end], bounds):
            yield SecretSpan(form.name, start, end)
            beside = _BESIDE.match(text, end) if form.name.endswith(_IDS) else None
            if beside and looks_random(beside[1], bounds):
                yield SecretSpan("key", *beside.span(1))


def holds(form: Format, value: str, bounds: Bounds) -> bool:
    """Whether what has the form of a secret is one."""
    name = form.name
    if name in _JUDGED:
        return _JUDGED[name](value, bounds)
    if not form.pattern:
        tail = value[max(len(w) for w in form.keywords if value.lower().startswith(w)) :]
        return not is_placeholder(tail) and not is_wordy(tail) and entropy(tail) >= form.entropy
    if form.named and is_wordy(value):
        return False
    # In the hundreds of letters of a private key any short word turns up by chance.
    return (name.endswith("private_key") or not is_placeholder(value)) and (
        entropy(value[:_MEASURED]) >= max(_LEAST, form.entropy - _SLACK)
    )


_GATES = (" -", "_", "-", ":", ".", "/", '"', "$", "")
_HAN = "\u4e00"  # the gate of keywords that are not in ASCII
KEYS = ("formats.tsv", "gitleaks.tsv")
SYNTAX = ("syntax.tsv",)
CODES = ("codes.tsv",)
_IDS = ("_id", "aws_access_token")  # formats of which another key is the secret part
_OTHERS = defer(
    r"commit|sha|md5|hash|digest|checksum|build|release|version|uuid|trace|request|order|(?<![a-z])id",
    re.I,
)
_MEASURED = 200  # characters whose variety is looked at
_LEAST = 2.5  # bits a character, in something that already has the form of a key
_SLACK = 0.7  # gitleaks measures whole files, where a false find costs more
_JUDGED: dict[str, Callable[[str, Bounds], bool]] = {
    "url_password": lambda value, _: (
        len(value) > 2 and value[0] not in "$<{[*%" and not is_placeholder(value)
    ),
    "password": lambda value, _: is_option_value(value),
    "command_password": lambda value, _: is_option_value(value),
    "option_password": lambda value, _: looks_like_password(value, quoted=True, digits=99),
    "code": lambda *_: True,
    "codes": lambda *_: True,
    "second_factor_key": lambda value, _: entropy(value) >= _LEAST,
    "bearer_token": looks_random,
    "token": looks_random,
    "key": looks_random,
    "signed_url": looks_random,
    "basic_auth": lambda value, _: is_basic_login(value),
    "model_key": lambda value, bounds: looks_random(value, bounds) and any(map(str.isdigit, value)),
}
