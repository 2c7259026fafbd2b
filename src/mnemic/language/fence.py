"""The fence around what memory puts into a prompt: data for the model, and known again when it
comes back.

The mark is defined here and nowhere else. Nothing inside a fence can close it. Both marks carry a
nonce: a keyed hash of what is inside, under a key that this process drew and shows to nobody. Who
writes a text cannot know the nonce it will get, and the same text always gets the same one, so that
the stable part of a prompt stays byte for byte what a provider has cached. Beside that, whatever
looks like the mark, in any case, spacing, width or alphabet of its letters, loses its angle
bracket: a model does not compare nonces as carefully as a program does.
"""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
from datetime import UTC, datetime

from mnemic.patterns import defer

MARK = "mnemic-memory"
_KEY = secrets.token_bytes(32)
_NONCE_BYTES = 6
_NONCE = rf"[0-9a-f]{{{2 * _NONCE_BYTES}}}"
# Databases and conversations of earlier versions hold marks without a nonce.
_OPENING = defer(rf"<{MARK}(?P<nonce>-{_NONCE})? source=\"[^\"<>\n]*\"(?: at=\"[^\"<>\n]*\")?>\n?")
_CLOSING = defer(rf"\n?</{MARK}(?:-{_NONCE})?>")
# Between its letters a mark in disguise may have a few characters nobody sees.
_GAP = r"[\W_]{0,4}"
_BRACKET = r"(?:[<〈‹⟨❮❬❰˂ᐸ⧼≺]|&lt;?|&#0*60;?|&#x0*3c;?|\\u003c|\\x3c|%3c)"
_BEGINNINGS = frozenset("<〈‹⟨❮❬❰˂ᐸ⧼≺&\\%")  # what a bracket begins with
_NAME = _GAP.join(("(?:m|rn)", "n", "[e3]", "(?:m|rn)", "[i1l|!]", "c"))
_DISGUISED = defer(rf"{_BRACKET}(?=[\W_]{{0,8}}{_NAME})")
_HARMLESS = "("
_NOT_A_NAME = defer(r"[^\w.:/ -]")
# Letters of other alphabets that are drawn as those of the mark.
_LOOK_ALIKES = str.maketrans("мᴍϻпոռηɴеєεҽӏιіıɪꙇсσϲᴄ", "mmmnnnnneeeeiiiiiicccc")


class _Plain(dict[int, str]):
    """One plain character for each, so that what is found is found in the same place."""

    def __missing__(self, code: int) -> str:
        parts = unicodedata.normalize("NFKD", chr(code)).casefold()
        character = self[code] = parts[:1].translate(_LOOK_ALIKES) or chr(code)
        return character


_PLAIN = _Plain()


def fence(text: str, source: str, at: datetime | None = None, *, seed: str = "") -> str:
    """``text`` between marks that say where it comes from, and when it was put there.

    ``seed`` stands for the text in the nonce where the text grows at its end, as a conversation
    does: its beginning stays the same with the nonce.
    """
    named = _NOT_A_NAME.sub("_", source)
    when = f' at="{at.astimezone(UTC).isoformat(timespec="seconds")}"' if at else ""
    inside = neutral(text)
    mark = f"{MARK}-{_nonce((named, when, seed or inside), inside)}"
    return f'<{mark} source="{named}"{when}>\n{inside}\n</{mark}>'


def _nonce(parts: tuple[str, ...], inside: str) -> str:
    """The same for the same parts, not to be known without the key, and not found ``inside``."""
    written = "\0".join(parts).encode("utf-8", "surrogatepass")
    while True:
        nonce = hashlib.blake2b(written, digest_size=_NONCE_BYTES, key=_KEY).hexdigest()
        if nonce not in inside:
            return nonce
        written += b"\0"


def neutral(text: str) -> str:
    """``text`` without anything that a person or a model could take for one of the marks."""
    if _BEGINNINGS.isdisjoint(map(_PLAIN.__getitem__, map(ord, set(text)))):
        return text
    plain = text.lower() if text.isascii() else text.translate(_PLAIN)
    parts, place = [], 0
    for mark in _DISGUISED.finditer(plain):
        parts += [text[place : mark.start()], _HARMLESS]
        place = mark.end()
    return "".join([*parts, text[place:]])


def strip_fenced(text: str) -> str:
    """``text`` without what stands between the marks, whatever their nonce.

    A fence ends at the closing mark with its own nonce, or, where a model did not copy that, at
    the next closing mark. One that is never closed was cut off on its way and reaches to the end;
    the end of one whose beginning was cut off takes only itself away.
    """
    if MARK not in text:
        return text
    parts: list[str] = []
    place = 0
    while opening := _OPENING.search(text, place):
        parts.append(text[place : opening.start()])
        end = _end(text, opening.end() - 1, opening["nonce"] or "")
        if end is None:
            place = len(text)
            break
        place = end
    parts.append(text[place:])
    return _CLOSING.sub("", "".join(parts))


def _end(text: str, start: int, nonce: str) -> int | None:
    """Where the fence that was opened with this nonce ends."""
    ending = f"</{MARK}{nonce}>"
    place = text.find(ending, start)
    if place >= 0:
        return place + len(ending)
    closing = _CLOSING.search(text, start)
    return closing.end() if closing else None
