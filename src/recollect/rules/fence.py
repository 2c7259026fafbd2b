"""The fence around what memory puts into a prompt: data for the model, and known again when it
comes back.

The mark is defined here and nowhere else. Nothing inside a fence can close it: whatever looks like
the mark, in any case, spacing, width or alphabet of its letters, loses its angle bracket.
"""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime

from recollect.rules.gate_code import compiled

MARK = "recollect-memory"
_CLOSE = f"</{MARK}>"
_OPENING = rf"<{MARK} source=\"[^\"<>\n]*\"(?: at=\"[^\"<>\n]*\")?>\n?"
_CLOSING = rf"\n?</{MARK}>"
# Between its letters a mark in disguise may have a few characters nobody sees.
_GAP = r"[\W_]{0,4}"
_BRACKET = r"(?:[<〈‹⟨❮❬❰˂ᐸ⧼≺]|&lt;?|&#0*60;?|&#x0*3c;?|\\u003c|\\x3c|%3c)"
_BEGINNINGS = frozenset("<〈‹⟨❮❬❰˂ᐸ⧼≺&\\%")  # what a bracket begins with
_NAME = _GAP.join(("r", "[e3]", "c", "[o0]", "[l1i|]", "[l1i|]", "[e3]", "c", "t"))
_DISGUISED = rf"{_BRACKET}(?=[\W_]{{0,8}}{_NAME})"
_HARMLESS = "("
_NOT_A_NAME = r"[^\w.:/ -]"
# Letters of other alphabets that are drawn as those of the mark.
_LOOK_ALIKES = str.maketrans("гꮁеєεсσоοӏιіıτтᴛꞇ", "rreeeccoolllltttt")


class _Plain(dict[int, str]):
    """One plain character for each, so that what is found is found in the same place."""

    def __missing__(self, code: int) -> str:
        parts = unicodedata.normalize("NFKD", chr(code)).casefold()
        found = self[code] = parts[:1].translate(_LOOK_ALIKES) or chr(code)
        return found


_PLAIN = _Plain()


def fence(text: str, source: str, at: datetime | None = None) -> str:
    """``text`` between marks that say where it comes from, and when it was put there."""
    named = compiled(_NOT_A_NAME).sub("_", source)
    when = f' at="{at.astimezone(UTC).isoformat(timespec="seconds")}"' if at else ""
    return f'<{MARK} source="{named}"{when}>\n{neutral(text)}\n{_CLOSE}'


def neutral(text: str) -> str:
    """``text`` without anything that a person or a model could take for one of the marks."""
    if _BEGINNINGS.isdisjoint(map(_PLAIN.__getitem__, map(ord, set(text)))):
        return text
    plain = text.lower() if text.isascii() else text.translate(_PLAIN)
    kept, place = [], 0
    for mark in compiled(_DISGUISED).finditer(plain):
        kept += [text[place : mark.start()], _HARMLESS]
        place = mark.end()
    return "".join([*kept, text[place:]])


def strip_fenced(text: str) -> str:
    """``text`` without what stands between the marks.

    A fence that is never closed was cut off on its way and reaches to the end; the end of one
    whose beginning was cut off takes only itself away.
    """
    if MARK not in text:
        return text
    kept: list[str] = []
    place = 0
    while opening := compiled(_OPENING).search(text, place):
        kept.append(text[place : opening.start()])
        closing = compiled(_CLOSING).search(text, opening.end() - 1)
        if closing is None:
            place = len(text)
            break
        place = closing.end()
    kept.append(text[place:])
    return compiled(_CLOSING).sub("", "".join(kept))
