"""The shape of a plain text, in which runs of characters are found by one look in C.

Every recorded turn is looked at for secrets, and a pattern would take several times as long.
"""

from __future__ import annotations

_SHAPES = bytes(
    ord(" ") if code == ord(" ") else ord("x") if ord("!") <= code <= ord("~") else 0
    for code in range(256)
)
_APART = b" x x x x "  # the middle of a run of six single characters


def has_run(text: str, length: int) -> bool:
    """Whether an ASCII text has so many characters from ! to ~ in a row."""
    return b"x" * length in text.encode("ascii").translate(_SHAPES)


def has_single_characters(text: str) -> bool:
    """Whether four characters of an ASCII text stand apart, each between two spaces."""
    return _APART in text.encode("ascii").translate(_SHAPES)
