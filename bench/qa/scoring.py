"""Scores that need no model: the F1 of LoCoMo, and the order of events of BEAM."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import sqrt

import Stemmer

_stem = Stemmer.Stemmer("porter").stemWord
_ARTICLES = re.compile(r"\b(a|an|the|and)\b")
_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]|[\u3000-\u303f\uff00-\uffef]")
_HAN = re.compile(r"([\u3400-\u9fff])")
_PARTS = re.compile(r"[,，、]")


def f1(reply: str, answer: str) -> float:
    """The harmonic mean of the shares of words in common; a Chinese character is a word."""
    given, right = _words(reply), _words(answer)
    common = sum((Counter(given) & Counter(right)).values())
    if not common:
        return 0.0
    precision, recall = common / len(given), common / len(right)
    return 2 * precision * recall / (precision + recall)


def f1_of_parts(reply: str, answer: str) -> float:
    """For every part of the answer the best part of the reply; parts stand between commas."""
    given, right = _PARTS.split(reply), _PARTS.split(answer)
    return sum(max(f1(one, part) for one in given) for part in right) / len(right)


def _words(text: str) -> list[str]:
    plain = _PUNCTUATION.sub("", text.replace(",", "").lower())
    return [_stem(word) for word in _HAN.sub(r" \1 ", _ARTICLES.sub(" ", plain)).split()]


def order_score(right: Sequence[str], given: Sequence[str]) -> float:
    """Kendall's tau b of two orders, from 0 to 1; what only one of them has comes last in the
    other.
    """
    union = list(dict.fromkeys([*right, *given]))
    first, second = _ranks(right, union), _ranks(given, union)
    if first == second:
        return 1.0
    concordance = ties_first = ties_second = 0
    pairs = list(combinations(range(len(union)), 2))
    for i, j in pairs:
        one, other = _sign(first[i] - first[j]), _sign(second[i] - second[j])
        concordance += one * other
        ties_first += one == 0
        ties_second += other == 0
    spread = sqrt((len(pairs) - ties_first) * (len(pairs) - ties_second))
    return (concordance / spread + 1) / 2 if spread else 0.0


def _ranks(order: Sequence[str], union: Sequence[str]) -> list[int]:
    places = {name: place for place, name in enumerate(order)}
    return [places.get(name, len(union)) for name in union]


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)
