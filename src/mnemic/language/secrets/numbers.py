"""Numbers that belong to a person: bank cards, identity cards, IBANs, passports.

They are private rather than secret: people ask for them later, and a checksum alone takes one order
number in ten. So each kind can be switched on by itself (``secrets.personal_numbers``), the form of
its issuer is asked for beside the checksum, and what is called an order or an id is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mnemic.language.secrets.data_files import load_words, pattern

Span = tuple[str, int, int]
KINDS = ("card", "identity_card", "iban", "passport")
_NAMED = {"card": "card_number", "identity_card": "identity_card", "passport": "passport_number"}

_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_LOOK_BACK = 40


def find_personal(text: str, kinds: tuple[str, ...]) -> Iterator[Span]:
    """Numbers of these kinds, by their form and their checksum."""
    if "card" in kinds:
        for match in pattern("card").finditer(text):
            digits = match.group().replace(" ", "").replace("-", "")
            issued = pattern("issuers").match(digits) and is_luhn(digits)
            if issued and not _is_other(text, match.start()):
                yield "card_number", *match.span()
    if "identity_card" in kinds:
        for match in pattern("identity").finditer(text):
            if is_identity_card(match.group()) and not _is_other(text, match.start()):
                yield "identity_card", *match.span()
    if "iban" in kinds:
        for match in pattern("iban").finditer(text):
            if end := _iban_end(match):
                yield "iban", match.start(), end


def find_named(text: str, kinds: tuple[str, ...]) -> Iterator[Span]:
    """Numbers that are called the number of a document; they have no checksum."""
    for kind, name in _NAMED.items():
        if kind in kinds:
            for match in pattern(f"named_{kind}").finditer(text):
                yield name, *match.span("value")


def _is_other(text: str, start: int) -> bool:
    return pattern("other").search(text, max(0, start - _LOOK_BACK), start) is not None


def is_luhn(digits: str) -> bool:
    """The checksum of bank cards; a number of one digit repeated is no card."""
    total = sum(
        value if place % 2 == 0 else (value * 2 - 9 if value > 4 else value * 2)
        for place, value in enumerate(map(int, reversed(digits)))
    )
    return total % 10 == 0 and len(set(digits)) > 1


def is_identity_card(number: str) -> bool:
    """The province and the check digit of a Chinese identity card."""
    check = sum(int(d) * w for d, w in zip(number[:17], _WEIGHTS, strict=True)) % 11
    return number[:2] in load_words("provinces") and "10X98765432"[check] == number[17].upper()


def _iban_end(match: re.Match[str]) -> int:
    """Where a number that is right mod 97 ends; a word after it may have been read with it."""
    text = match.group()
    while text:
        number = text.replace(" ", "")
        figures = "".join(str(int(character, 36)) for character in number[4:] + number[:4])
        if 15 <= len(number) <= 34 and int(figures) % 97 == 1:
            return match.start() + len(text)
        text = text.rpartition(" ")[0]
    return 0
