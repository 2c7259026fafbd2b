"""Similarity of two statements in different words."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping

from mnemic.patterns import defer
from mnemic.rules.slots import fold

# A sign inside a word or a number ("3.12", "c++", "don't") is a part of it.
# Every sign is of one set, which is found at once; then whether it stands where it is no part.
_PUNCTUATION = defer(
    r"[，。！？；：、…“”‘’「」『』（）()\[\]\".,!?;:'](?:(?<![.,!?;:'])|(?=\s|$)|(?<=\s'))"
)
_FIGURES = defer(r"\d+(?:[.:/-]\d+)*")
# A letter by itself; "I" and "a" before a word are English.
_LETTER = defer(
    r"(?<![A-Za-z0-9'’.])(?:[B-HJ-Z]|A(?! ?[a-z])|[b-z](?=[\s，。,.]*$)"
    r"|[A-Za-z](?=\s?[\u4e00-\u9fff])"
    r"|(?<=[\u4e00-\u9fff])[A-Za-z]|(?<=[\u4e00-\u9fff] )[A-Za-z])(?![A-Za-z0-9'’])"
)
_NAME = defer(r"(?<=[a-z,\u4e00-\u9fff] )[A-Z][A-Za-z]+|(?<=[\u4e00-\u9fff])[A-Za-z]{2,}")
_NEGATIONS = defer(
    r"\b(?:no|not|never|none|neither|nor|without|cannot|stop|stopped|avoid|avoids)\b|n['’]t\b"
    r"|[不没未别勿非无莫]|禁止|停止|避免",
    re.IGNORECASE,
)

# Too common to tell anything else, these tell people apart.
_HE = defer(r"\b(?:he|him|his)\b|他", re.IGNORECASE)
_SHE = defer(r"\b(?:she|hers?)\b|她", re.IGNORECASE)


def plain_words(text: str) -> str:
    """A text without case, width, punctuation and spaces at its edges or in a row."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_PUNCTUATION.sub(" ", folded).split())


def as_written(text: str) -> str:
    """A text without what two writers of it may differ in: case, width, spaces, the final mark."""
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return folded.rstrip(".。!！ ")


def wording_of(text: str) -> int:
    """The hash by which a text is found again, however it was written; a signed 64-bit number."""
    digest = hashlib.blake2b(as_written(text).encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "big", signed=True)


def overlap(left: Mapping[str, float], right: Mapping[str, float]) -> float:
    """Shared words as a share of all words, by their weights, of which a word has one."""
    shared = sum(map(left.__getitem__, left.keys() & right.keys()))
    total = sum(left.values()) + sum(right.values()) - shared
    return shared / total if total else 0.0


def apart(left: Mapping[str, float], right: Mapping[str, float], least: float) -> int:
    """How many words of at least that weight only one of them has."""
    both = {**left, **right}
    return sum(both[word] >= least for word in left.keys() ^ right.keys())


def may_agree(left: str, right: str) -> bool:
    """False when figures, a name, a negation or other people set two like texts apart."""
    signs = (_figures, _letters, _is_negated, _people)
    return all(sign(left) == sign(right) for sign in signs) and not _other_names(left, right)


def new_figures(text: str, *others: str) -> frozenset[str]:
    """The figures of a text that none of the others has."""
    return _figures(text).difference(*map(_figures, others))


def same_value(left: str, right: str) -> bool:
    """Two values that differ only in spelling; an empty one is like no other."""
    return bool(left) and fold(left) == fold(right)


def one_value(left: str, right: str) -> bool:
    """Two values that may be the same: an empty one may be any."""
    return not left or not right or same_value(left, right)


def values_touch(left: str, right: str) -> bool:
    """Values of which one refines the other: they share a word, or one holds the other."""
    first, second = fold(left), fold(right)
    if not first or not second:
        return False
    return first in second or second in first or not set(first.split()).isdisjoint(second.split())


def _figures(text: str) -> frozenset[str]:
    return frozenset(_FIGURES.findall(unicodedata.normalize("NFKC", text)))


def _letters(text: str) -> frozenset[str]:
    """Letters that stand alone as names do: room B, 方案 A, type-c."""
    folded = unicodedata.normalize("NFKC", text)
    return frozenset(letter.upper() for letter in _LETTER.findall(folded))


def _other_names(left: str, right: str) -> bool:
    """Whether each names something that the other does not."""
    first, second = (frozenset(_NAME.findall(text)) for text in (left, right))
    mine, theirs = first - second, second - first
    in_left, in_right = (plain_words(text).split() for text in (left, right))
    missed = any(name.lower() not in in_right for name in mine)
    return missed and any(name.lower() not in in_left for name in theirs)


def _people(text: str) -> tuple[bool, bool]:
    return _HE.search(text) is not None, _SHE.search(text) is not None


def _is_negated(text: str) -> bool:
    return _NEGATIONS.search(text) is not None
