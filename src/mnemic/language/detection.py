"""Which language a text is mostly in, as far as its script tells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from mnemic.patterns import defer
from mnemic.prompts import ENGLISH, Language

LanguageChoice = str  # a language, or "auto"

_HAN = defer("[\u3400-\u4dbf\u4e00-\u9fff]")
_WORD = defer(r"[A-Za-z]{2,}")
# What an English sentence is held together by, and a Chinese one that names English things is not.
_GRAMMAR = defer(
    r"\b(?:the|an?|is|are|was|to|of|in|on|at|for|and|but|with|from|into|my|your|we|you|it|this|that"
    r"|not|do|does|did|can|will|please|what|which|how|why|when|where|who)\b",
    re.IGNORECASE,
)
_LOOKED_AT = 20_000  # characters


def language_of_most(texts: Sequence[str], choice: LanguageChoice = "auto") -> Language:
    """The language that is wanted, else that of most texts, however long the others are."""
    chinese = sum(language_of([text]) == "zh" for text in texts)
    if choice != "auto" or 2 * chinese == len(texts):
        return language_of(texts, choice)
    return "zh" if 2 * chinese > len(texts) else ENGLISH


def language_of(texts: Iterable[str], choice: LanguageChoice = "auto") -> Language:
    """The language that is wanted, else the one with more to read: a Chinese character counts as
    much as half an English word, or as much as one where the words are only names and terms.
    """
    if choice != "auto":
        return choice
    sample = "\n".join(texts)[:_LOOKED_AT]
    words = len(_WORD.findall(sample))
    weight = 2 if _GRAMMAR.search(sample) else 1
    return "zh" if len(_HAN.findall(sample)) > weight * words else ENGLISH
