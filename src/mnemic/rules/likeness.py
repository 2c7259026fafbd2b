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


def overlap(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Shared words as a share of all words, by their weights, of which a word has one."""
    shared = sum(map(one.__getitem__, one.keys() & other.keys()))
    total = sum(one.values()) + sum(other.values()) - shared
    return shared / total if total else 0.0


def apart(one: Mapping[str, float], other: Mapping[str, float], least: float) -> int:
    """How many words of at least that weight only one of them has."""
    both = {**one, **other}
    return sum(both[word] >= least for word in one.keys() ^ other.keys())


def may_agree(one: str, other: str) -> bool:
    """False when figures, a name, a negation or other people set two like texts apart."""
    return (
        _figures(one) == _figures(other)
        and _letters(one) == _letters(other)
        and not _other_names(one, other)
        and _negated(one) == _negated(other)
        and _people(one) == _people(other)
    )


def new_figures(text: str, *others: str) -> frozenset[str]:
    """The figures of a text that none of the others has."""
    return _figures(text).difference(*map(_figures, others))


def same_value(one: str, other: str) -> bool:
    """Two values that differ only in spelling; an empty one is like no other."""
    return bool(one) and fold(one) == fold(other)


def one_value(one: str, other: str) -> bool:
    """Two values that may be the same: an empty one may be any."""
    return not one or not other or same_value(one, other)


def values_touch(one: str, other: str) -> bool:
    """Values of which one refines the other: they share a word, or one holds the other."""
    first, second = fold(one), fold(other)
    if not first or not second:
        return False
    return first in second or second in first or not set(first.split()).isdisjoint(second.split())


def _figures(text: str) -> frozenset[str]:
    return frozenset(_FIGURES.findall(unicodedata.normalize("NFKC", text)))


def _letters(text: str) -> frozenset[str]:
    """Letters that stand alone as names do: room B, 方案 A, type-c."""
    folded = unicodedata.normalize("NFKC", text)
    return frozenset(letter.upper() for letter in _LETTER.findall(folded))


def _other_names(one: str, other: str) -> bool:
    """Whether each names something that the other does not."""
    first, second = (frozenset(_NAME.findall(text)) for text in (one, other))
    mine, theirs = first - second, second - first
    words = [frozenset(plain_words(text).split()) for text in (one, other)]
    return any(name.lower() not in words[1] for name in mine) and any(
        name.lower() not in words[0] for name in theirs
    )


def _people(text: str) -> tuple[bool, bool]:
    return _HE.search(text) is not None, _SHE.search(text) is not None


def _negated(text: str) -> bool:
    return _NEGATIONS.search(text) is not None
