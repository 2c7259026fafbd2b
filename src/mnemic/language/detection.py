"""Which language a text is mostly in, as far as its script tells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mnemic.patterns import defer
from mnemic.prompts import ENGLISH, Language

LanguageChoice = str  # a language, or "auto"

_HAN = defer("[\u3400-\u4dbf\u4e00-\u9fff]")
_WORD = defer(r"[A-Za-z]{2,}")
_LOOKED_AT = 20_000  # characters


def language_of_most(texts: Sequence[str], choice: LanguageChoice = "auto") -> Language:
    """The language that is wanted, else that of most texts, however long the others are."""
    chinese = sum(language_of([text]) == "zh" for text in texts)
    if choice != "auto" or 2 * chinese == len(texts):
        return language_of(texts, choice)
    return "zh" if 2 * chinese > len(texts) else ENGLISH


def language_of(texts: Iterable[str], choice: LanguageChoice = "auto") -> Language:
    """The language that is wanted, else the one with more to read: a Chinese character counts as
    much as half an English word.
    """
    if choice != "auto":
        return choice
    sample = "\n".join(texts)[:_LOOKED_AT]
    return "zh" if len(_HAN.findall(sample)) > 2 * len(_WORD.findall(sample)) else ENGLISH
