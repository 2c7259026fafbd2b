"""Terms that tell a time or a number: what a text needs to answer "when" or "how many"."""

from __future__ import annotations

from functools import cache

from mnemic.index.segment import index_text
from mnemic.index.words import words_of
from mnemic.rules.bm25 import TermSet, term_set


def _terms(words: list[str]) -> list[str]:
    """The index terms of words; of a Chinese word only the whole, not its characters."""
    return [index_text(word).split()[-1] for word in words]


@cache
def times() -> TermSet:
    """Terms that tell a time."""
    return term_set([*_terms(words_of("times")), *map(str, range(1950, 2061))])


@cache
def numbers() -> TermSet:
    """Terms that tell a number."""
    return term_set([*_terms(words_of("numbers")), *map(str, range(1000))])
