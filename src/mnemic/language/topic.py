"""Topic of a message, by its content words, and the overlap of two topics."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import pairwise

from mnemic.language.gate import phrases
from mnemic.language.gate import words as gate_words
from mnemic.language.word_file import WordFile
from mnemic.patterns import defer

words = WordFile("mnemic.language", "topic.toml").words

_WORD = defer(r"[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+(?:[-_./+#][^\W_\u3040-\u9fff]+)*")
_DENSE = defer(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+")
_ENDING = defer(r"(?<=\w{3})(?:'s|ing|ed|es|s)$")
_LONGEST = 4_000


@cache
def _stems() -> frozenset[str]:
    """Small words and what one tells an agent to do, in their plain form."""
    empty = words("empty") | gate_words("orders_en")
    return frozenset(_ENDING.sub("", word) for word in empty) | empty


@cache
def _orders() -> re.Pattern[str]:
    return re.compile("|".join(order for order in phrases("orders") if len(order) > 1))


def telling_words(text: str) -> frozenset[str]:
    """Words in a plain form; of Chinese, pairs of characters between the small ones."""
    folded = unicodedata.normalize("NFKC", text[:_LONGEST]).casefold().replace("’", "'")
    telling = {_ENDING.sub("", word) for word in set(_WORD.findall(folded)) - words("empty")}
    telling = {word for word in telling if len(word) > 1 and word not in _stems()}
    for run in _DENSE.findall(_orders().sub(" ", folded)):
        spaced = "".join(" " if character in words("function") else character for character in run)
        for stretch in spaced.split():
            telling.update(a + b for a, b in pairwise(stretch))
    return frozenset(telling)


def overlap(a: frozenset[str], b: frozenset[str]) -> float:
    """The share of the smaller set that both have."""
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0
