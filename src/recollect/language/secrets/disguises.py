"""Texts as they would be without a disguise: no invisible characters, no full-width letters, and no
spaces or hyphens between single characters. What is found in such a view is found in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

from recollect.language.secrets.shape import has_single_characters

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufe00-\ufe0f\ufeff"
)
_DISGUISED = re.compile(f"[{_INVISIBLE}０-９Ａ-Ｚａ-ｚ]")
_HIDDEN = re.compile(f"[{_INVISIBLE}]+")
_WIDE = {
    code: code - 0xFEE0
    for code in (
        *range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B),
        *map(ord, "－＿．＋／＝＠＃＄％＆＊"),
    )
}  # fmt: skip
# A run of six single characters has these in its middle.
_APART = re.compile(" [!-~] [!-~] [!-~] [!-~] ")
_HYPHENED = re.compile("-[!-~]-[!-~]-[!-~]-[!-~]-")
_RUNS = re.compile(
    r"(?<![!-~])[!-~](?:(?: [!-~](?![!-~])){5,}+|(?:-[!-~](?![^-\s]|-(?:\s|$))){5,}+)"
)

Mapping = Callable[[int, int], tuple[int, int]]


def undisguised(text: str) -> tuple[str, Mapping] | None:
    """The text without its disguise, and where a part of it stands in the text."""
    plain = text.isascii()
    wide = not plain and _DISGUISED.search(text) is not None
    apart = has_single_characters(text) if plain else _APART.search(text) is not None
    if not wide and not apart and not ("-" in text and _HYPHENED.search(text) is not None):
        return None
    view = text
    gaps: list[tuple[int, int]] = []
    if wide:
        gaps = [match.span() for match in _HIDDEN.finditer(text)]
        view = _HIDDEN.sub("", text).translate(_WIDE)
    inner = _gathered(view)
    if inner is None:
        return view, _mapping(gaps)
    view, inner_gaps = inner
    outer, closer = _mapping(gaps), _mapping(inner_gaps)
    return view, lambda start, end: outer(*closer(start, end))


def _gathered(text: str) -> tuple[str, list[tuple[int, int]]] | None:
    """The text with single characters put together again, and what was taken out."""
    gaps = [
        (at, at + 1)
        for match in _RUNS.finditer(text)
        for at in range(match.start() + 1, match.end(), 2)
    ]
    if not gaps:
        return None
    parts, place = [], 0
    for start, end in gaps:
        parts.append(text[place:start])
        place = end
    return "".join([*parts, text[place:]]), gaps


def _mapping(gaps: list[tuple[int, int]]) -> Mapping:
    """From places in a text with gaps cut out to places in the whole text."""
    starts, cut, total = [], [0], 0
    for start, end in gaps:
        starts.append(start - total)  # where the gap would stand in the view
        total += end - start
        cut.append(total)

    def whole(start: int, end: int) -> tuple[int, int]:
        return start + cut[bisect_right(starts, start)], end - 1 + cut[
            bisect_right(starts, end - 1)
        ] + 1

    return whole
