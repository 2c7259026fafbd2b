"""A message in stretches of about a sentence, each of one voice, and what their places tell.

A trained reader judges whose words a stretch is. Training and the engine cut messages here, so that
they cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from mnemic.patterns import defer

Stretch = tuple[int, int]
# How likely each stretch of a message is somebody else's text; nothing where nobody can tell.
VoiceJudge = Callable[[str], Sequence[tuple[Stretch, float]]]
_CUT = defer(
    r"(?<=[。！？!?…])(?![。！？!?…\"'”」』）)])|(?<=[.;；])(?=\s)|(?<=[:：])(?=\s|[^\x00-\x7f])|\n"
    r"|(?<=——)|(?<=\s[-–—])(?=\s)"
)
_BULLET = defer(r"(?:[-*•·+]\s+|\d{1,2}[.)、）]\s*|[（(]\d{1,2}[)）]|[一二三四五六七八九十]+[、.])")
_ASKS, _COLONS, _QUOTES = ("?", "？"), (":", "："), frozenset('“”"「」')
_LONGEST = 240
_MANY, _FAR = 12, 8


def stretches(text: str) -> list[Stretch]:
    """Where the stretches lie, without white space around them."""
    places: list[Stretch] = []
    cuts = [0, *(cut.end() for cut in _CUT.finditer(text)), len(text)]
    for begin, until in pairwise(cuts):
        stretch = text[begin:until]
        start, end = until - len(stretch.lstrip()), begin + len(stretch.rstrip())
        if any(map(str.isalnum, stretch)):
            places.append((start, end))
        elif places and start < end:
            places[-1] = (places[-1][0], end)
    return places


def layout(text: str, places: Sequence[Stretch]) -> list[list[float]]:
    """What the place and the form of each stretch tell, in any language."""
    texts = [text[start:end] for start, end in places]
    gaps = ["", *(text[a[1] : b[0]] for a, b in pairwise(places)), ""]
    last = len(places) - 1
    rows: list[list[float]] = []
    for n, (stretch, before, after) in enumerate(zip(texts, gaps, gaps[1:], strict=False)):
        previous = texts[n - 1] if n else ""
        row = [
            n == 0,
            n == last,
            last == 0,
            min(n, _FAR) / _FAR,
            min(last - n, _FAR) / _FAR,
            min(len(places), _MANY) / _MANY,
            "\n" in before,
            before.count("\n") > 1,
            "\n" in after,
            after.count("\n") > 1,
            previous.endswith(_COLONS),
            previous.endswith(_ASKS),
            stretch.endswith(_COLONS),
            stretch.endswith(_ASKS),
            _BULLET.match(stretch) is not None,
            stretch[:1].islower(),
            min(len(stretch), _LONGEST) / _LONGEST,
            "\n" in text,
            not _QUOTES.isdisjoint(stretch),
            stretch[-1:].isalnum(),
        ]
        rows.append([float(value) for value in row])
    return rows
