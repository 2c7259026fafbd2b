"""Recorded text inside a line that means something: a name in the head of a bullet, an argument.

What is stored may hold any character, also in databases that were written before names were
checked. Whoever reads a prompt must be able to tell where a line begins, so every character that
some reader takes for a line break counts as one here.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from recollect.language.one_line import one_line

_LONGEST = 120  # characters of a name
_IN_NAMES = frozenset(" .-_:/@+#&'’·~=%*")
_KEPT = frozenset("LMN")  # letters, marks, numbers


def indented(text: str, by: str) -> str:
    """``text`` with every line but the first moved in, so that none of them begins a line."""
    lines = text.strip().splitlines()
    if len(lines) < 2:
        return lines[0] if lines else ""
    return f"\n{by}".join(lines)


@lru_cache(maxsize=1024)  # the same names come again with every prompt
def label(name: str) -> str:
    """``name`` as a word of a line: no brackets, commas or quotes that could end it."""
    plain = "".join(
        one if one in _IN_NAMES or unicodedata.category(one)[0] in _KEPT else "_"
        for one in one_line(name[: 4 * _LONGEST])
    ).replace(": ", "_ ")
    return plain if len(plain) <= _LONGEST else plain[: _LONGEST - 1] + "…"


def forget_labels() -> None:
    """Drop the names that were seen."""
    label.cache_clear()
