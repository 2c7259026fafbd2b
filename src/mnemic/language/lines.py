"""Recorded text inside a line that means something: a name in the head of a bullet, an argument.

What is stored may hold any character, also in databases that were written before names were
checked. Whoever reads a prompt must be able to tell where a line begins, so every character that
some reader takes for a line break counts as one here.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Line and paragraph separators, and control characters of both blocks, NEL among them.
_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
# Characters without a width, and those that turn the direction of what follows. A joiner stays
# between letters of other scripts or emoji, where it belongs to the spelling.
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
_LONGEST = 120  # characters of a name
_IN_NAMES = frozenset(" .-_:/@+#&'’·~=%*")
_KEPT = frozenset("LMN")  # letters, marks, numbers


def one_line(text: str) -> str:
    """``text`` with a space for each run of line breaks or controls, without hidden characters."""
    if text.isprintable():
        return text
    return _HIDDEN.sub("", _BREAKS.sub(" ", text)).strip()


def indent(text: str, by: str) -> str:
    """``text`` with every line but the first moved in, so that none of them begins a line."""
    lines = text.strip().splitlines()
    if len(lines) < 2:
        return lines[0] if lines else ""
    return f"\n{by}".join(lines)


@lru_cache(maxsize=1024)  # the same names come again with every prompt
def label(name: str) -> str:
    """``name`` as a word of a line: no brackets, commas or quotes that could end it."""
    plain = "".join(
        mark if mark in _IN_NAMES or unicodedata.category(mark)[0] in _KEPT else "_"
        for mark in one_line(name[: 4 * _LONGEST])
    ).replace(": ", "_ ")
    return plain if len(plain) <= _LONGEST else plain[: _LONGEST - 1] + "…"


def forget_labels() -> None:
    """Drop the names that were seen."""
    label.cache_clear()
