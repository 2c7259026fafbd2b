"""The part of a long text that a query is about: the window with most of the query's rare words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from mnemic.patterns import defer

_WORD = defer("[^\\W_\u3400-\u9fff]{3,}")
_HAN = defer("[\u3400-\u4dbf\u4e00-\u9fff]+")
_CHARS_A_TOKEN = 5  # of a script with letters; a Han character is a token
_READ = 20_000  # characters of a text
_STEMS = 32
_PLACES = 16  # of one stem in a text
_LATER = 24  # places after one that can fall into its window


def query_windows(query: str, texts: Sequence[str], tokens: int) -> list[str]:
    """Each text cut to about so many tokens, around the words of the query that few of the other
    texts have."""
    stems = _stems(query)
    lowered = [text[:_READ].lower() for text in texts]
    weights = {
        stem: math.log((len(texts) + 1) / (sum(stem in text for text in lowered) + 0.5))
        for stem in stems
    }
    return [
        _window(text, low, weights, size) if len(text) > (size := _size(text, tokens)) else text
        for text, low in zip(texts, lowered, strict=True)
    ]


def _size(text: str, tokens: int) -> int:
    sample = text[:200]
    han = sum(len(run) for run in _HAN.findall(sample))
    return tokens if 2 * han > len(sample) else _CHARS_A_TOKEN * tokens


def _stems(query: str) -> list[str]:
    """Words without their endings, and pairs of Chinese characters."""
    low = query[:_READ].lower()
    stems = [word[: max(4, len(word) - 2)] for word in _WORD.findall(low)]
    for run in _HAN.findall(low):
        stems += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
    return list(dict.fromkeys(stems))[:_STEMS]


def _window(text: str, low: str, weights: Mapping[str, float], size: int) -> str:
    places = sorted(place for stem in weights for place in _places(low, stem))
    best, start = 0.0, 0
    for n, (at, _) in enumerate(places):
        begin = max(0, at - size // 4)
        near = places[max(0, n - _PLACES) : n + _LATER]
        inside = {stem for place, stem in near if begin <= place < begin + size - len(stem)}
        total = sum(weights[stem] for stem in inside)
        if total > best:
            best, start = total, begin
    start = max(0, min(start, len(text) - size))
    if start:
        space = text.find(" ", start, start + _LATER)
        start = space + 1 if space >= 0 else start
    return text[start : start + size]


def _places(low: str, stem: str) -> list[tuple[int, str]]:
    places: list[tuple[int, str]] = []
    at = low.find(stem)
    while at >= 0 and len(places) < _PLACES:
        places.append((at, stem))
        at = low.find(stem, at + len(stem))
    return places
