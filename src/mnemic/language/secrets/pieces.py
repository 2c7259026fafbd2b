"""Long texts are looked through piece by piece, and equal pieces once.

So a text takes time by what is new in it: a million characters of one repeated phrase, each a
reason to look closer, take no longer than some thousands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

LONG_TEXT = 10_000
_STEP = 8_192
_BEFORE, _AFTER = 256, 2_048  # what is seen of the neighbours of a piece
_LONGEST = 65_536  # what is seen where a secret goes on after that
_CUT = 128  # a line that was cut may be no part of what it would belong to
_HEAD, _NEAR = 24, 512
_REMEMBERED = 16


class SecretSpan(NamedTuple):
    """A secret: the name of its format, and where it stands in the text."""

    name: str
    start: int
    end: int


def find_in_pieces(text: str, find: Callable[[str], Iterable[SecretSpan]]) -> Iterator[SecretSpan]:
    """What ``find`` finds in the text, if it looks no further around than a piece reaches."""
    look = _remembering(find)
    covered = 0  # a secret longer than a piece hides those within it
    for start, end in _cuts(text):
        if end <= covered:
            continue
        first, last = max(0, start - _BEFORE), min(len(text), end + _AFTER)
        spans = look(text[first:last])
        reaching = (at < end - first and until >= last - first - _CUT for _, at, until in spans)
        if last < len(text) and any(reaching):
            spans = look(text[first : first + _LONGEST])
        for name, at, until in spans:
            place = SecretSpan(name, at + first, until + first)
            if start <= place.start < end and place.end > covered:
                covered = max(covered, place.end if place.end > end else 0)
                yield place


def _remembering(find: Callable[[str], Iterable[SecretSpan]]) -> Callable[[str], list[SecretSpan]]:
    seen: dict[str, list[SecretSpan]] = {}

    def look(text: str) -> list[SecretSpan]:
        if text in seen:
            return seen[text]
        spans = list(find(text))
        if len(seen) < _REMEMBERED:
            seen[text] = spans
        return spans

    return look


def _cuts(text: str) -> Iterator[tuple[int, int]]:
    """Pieces that start alike where the text repeats itself, and so are equal."""
    start = 0
    while start < len(text):
        end = start + _STEP
        again = text.find(text[start : start + _HEAD], end, end + _NEAR)
        end = again if again >= 0 else end
        yield start, min(end, len(text))
        start = end
