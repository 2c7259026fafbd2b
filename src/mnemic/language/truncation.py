"""Shortening a text to a number of tokens without breaking what must stay whole.

A character as people see it (a letter with its accents, a family emoji, a flag) is never split,
and a block of code is there as a whole or not at all.
"""

from __future__ import annotations

import re
from unicodedata import category, combining

from mnemic.language.tokens import TokenCounter

ELLIPSIS = "…"
_FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)$", re.MULTILINE)
# Good places to stop, from best to worst; the place is after the match.
_STOPS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n|[。！？!?；]|[.;](?=\s)"),
    re.compile(r"[，、,：:\s]"),
)
_STOP_WITHIN = 0.6  # A stop further back than this would throw too much away.
_ZWJ = "\u200d"


def cut_to_tokens(text: str, limit: int, count: TokenCounter) -> str:
    """The beginning of ``text`` in at most ``limit`` tokens, with an ellipsis where it was cut.

    Empty when not even one whole piece fits.
    """
    if count(text) <= limit:
        return text
    low, high = 0, len(text)
    while low < high:  # The longest beginning that fits.
        middle = (low + high + 1) // 2
        if count(text[:middle] + ELLIPSIS) <= limit:
            low = middle
        else:
            high = middle - 1
    end = low
    while end:
        end = _good_stop(text, outside_code(text, whole_character(text, end)))
        shorter = text[:end].rstrip()
        if not shorter:
            return ""
        # A host's tokenizer need not find a shorter text cheaper.
        if count(shorter + ELLIPSIS) <= limit:
            return shorter + ELLIPSIS
        end -= 1
    return ""


def cut(text: str, limit: int) -> str:
    """At most ``limit`` characters, with an ellipsis where some were left out."""
    if len(text) <= limit:
        return text
    return f"{text[: whole_character(text, limit - 1)].rstrip()}{ELLIPSIS}" if limit > 0 else ""


def cut_front(text: str, limit: int) -> str:
    """The end of a text, the ellipsis before it."""
    if len(text) <= limit:
        return text
    start = len(text) - limit + 1
    while whole_character(text, start) < start < len(text):
        start += 1
    return f"{ELLIPSIS}{text[start:].lstrip()}" if limit > 0 else ""


def two_ends(text: str, head: int, tail: int | None = None) -> list[str]:
    """A text or, of one longer than both together, its beginning and its end: any text is read in
    a bounded time. The end is as long as the beginning unless given.
    """
    end = head if tail is None else tail
    return [text] if len(text) <= head + end else [text[:head], text[-end:]]


def whole_character(text: str, place: int) -> int:
    """The last place at or before ``place`` that does not split a character as people see it."""
    while 0 < place < len(text) and _is_joined(text, place):
        place -= 1
    return place


def outside_code(text: str, place: int) -> int:
    """``place``, or the start of the block of code it stands in."""
    opened: tuple[int, str] | None = None
    for fence in _FENCE.finditer(text):
        mark = fence["mark"]
        if opened is None:
            if fence.start() >= place:
                break
            opened = (fence.start(), mark)
        elif mark.startswith(opened[1]) and not fence["info"].strip():
            if fence.end() > place:
                break
            opened = None
    return place if opened is None else opened[0]


def _good_stop(text: str, end: int) -> int:
    """A place a little before ``end`` where a paragraph, sentence or word ends; else ``end``."""
    if end >= len(text):
        return end
    start = int(end * _STOP_WITHIN)
    for stop in _STOPS:
        ends = [match.end() for match in stop.finditer(text, start, end)]
        if ends:
            return whole_character(text, outside_code(text, ends[-1]))
    return end


def _is_joined(text: str, place: int) -> bool:
    """Whether the characters before and after ``place`` are one to the eye."""
    before, after = text[place - 1], text[place]
    if before.isascii() and after.isascii():
        return before == "\r" and after == "\n"
    if _ZWJ in (before, after) or combining(after) or category(after)[0] == "M":
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return True  # A skin colour, or a letter of a regional flag.
    if _regional(after) and _regional(before):
        start = place
        while start and _regional(text[start - 1]):
            start -= 1
        return (place - start) % 2 == 1
    return _hangul_joined(before, after)


def _regional(letter: str) -> bool:
    return "\U0001f1e6" <= letter <= "\U0001f1ff"


def _hangul_joined(before: str, after: str) -> bool:
    """Korean written in single letters: what belongs to one syllable."""
    vowel_or_tail = "\u1160" <= after <= "\u11ff"
    return vowel_or_tail and ("\u1100" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3")
