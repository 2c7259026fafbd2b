"""Secrets that only the words or the syntax around them give away, family by family.

Each family has hints: a text without any of them is not looked at closer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from recollect.language.secrets.codes import HINTS as CODE_HINTS
from recollect.language.secrets.codes import NUMBER_WORD_HINTS, codes_in_number_words, spoken_codes
from recollect.language.secrets.commands import COOKIE_HINTS, secrets_in_syntax, session_cookies
from recollect.language.secrets.commands import HINTS as SYNTAX_HINTS
from recollect.language.secrets.numbers import DIGITS, passport_numbers, personal_numbers
from recollect.language.secrets.randomness import Bounds
from recollect.language.secrets.seed_phrases import HINTS as SEED_HINTS
from recollect.language.secrets.seed_phrases import is_bare_list, seed_phrases
from recollect.language.secrets.spoken_chinese import HINTS as CHINESE_HINTS
from recollect.language.secrets.spoken_chinese import spoken_in_chinese
from recollect.language.secrets.spoken_english import (
    ANSWER_HINTS,
    security_answers,
    spoken_passwords,
)
from recollect.language.secrets.spoken_english import HINTS as PASSWORD_HINTS

Span = tuple[str, int, int]
_Find = Callable[[str], Iterator[Span]]
# What is asked of every text, in lower case.
_BY_WORD: tuple[tuple[str, _Find], ...] = (
    *((hint, spoken_passwords) for hint in PASSWORD_HINTS),
    *((hint, security_answers) for hint in ANSWER_HINTS),
    *((hint, seed_phrases) for hint in SEED_HINTS),
    *((hint, codes_in_number_words) for hint in NUMBER_WORD_HINTS),
)
# What is asked only of texts with signs that syntax is made of.
_BY_SYNTAX: tuple[tuple[str, _Find], ...] = (
    *((hint, secrets_in_syntax) for hint in SYNTAX_HINTS),
    *((hint, session_cookies) for hint in COOKIE_HINTS),
)
# In lower case: what any text, one with signs, and one with digits is asked for.
WORD_HINTS = (*PASSWORD_HINTS, *ANSWER_HINTS, *SEED_HINTS)
SIGN_HINTS = tuple(dict.fromkeys(hint for hint, _ in _BY_SYNTAX))
DIGIT_HINTS = CODE_HINTS


def secrets_in_words(text: str, folded: str, syntax: bool) -> list[Span]:
    """The name, start and end of secrets that words or syntax around them give away.

    ``folded`` is the text in lower case; ``syntax`` tells whether it has any of the signs.
    """
    spans: list[Span] = []
    done: _Find | None = None
    for hint, find in _BY_WORD:
        if hint in folded and find is not done:
            spans += find(text)
            done = find
    if syntax:
        for hint, find in _BY_SYNTAX:
            if hint in folded and find is not done:
                spans += find(text)
                done = find
    if is_bare_list(text):
        spans += seed_phrases(text)
    if not text.isascii():
        for hint in CHINESE_HINTS:
            if hint in text:
                spans += spoken_in_chinese(text)
                spans += seed_phrases(text)
                break
    return spans


def secrets_in_digits(text: str, folded: str, bounds: Bounds) -> list[Span]:
    """Codes and personal numbers in a text that has digits."""
    spans: list[Span] = []
    for hint in CODE_HINTS:
        if hint in folded:
            spans += spoken_codes(text)
            if not text.isascii():
                spans += spoken_in_chinese(text)
            break
    if bounds.personal_numbers:
        if DIGITS.search(text):
            spans += personal_numbers(text, bounds.personal_numbers)
        if "passport" in bounds.personal_numbers:
            spans += passport_numbers(text)
    return spans
