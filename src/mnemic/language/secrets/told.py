"""Secrets that show themselves: a value that no sentence holds, near a word for what it opens.

The value comes first, as its shape says most: digits, letters mixed with digits or signs, words in
quotation marks. Then its sentence is asked, before and behind it, for a cue: the name of a secret,
a lock, an account, or an act of opening. The plainer the shape, the nearer the cue has to be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from mnemic.language.secrets.data_files import pattern
from mnemic.language.secrets.prose import is_quoted_value
from mnemic.language.secrets.randomness import (
    is_expression,
    is_placeholder,
    is_wordy,
    looks_like_password,
    looks_strong,
)

Span = tuple[str, int, int]
# number: digits, or their names; odd: letters with digits or a sign, strong: in both cases, too, or
# signed: with both; short: digits with a letter; joined: what may also be a name or a word.
Shape = Literal["number", "year", "quoted", "odd", "strong", "signed", "short", "joined", ""]
_MIXED = ("odd", "strong", "signed")
_LONGEST = 40  # characters; a key that is longer has a format
_BEFORE, _CLOSE, _LINK, _AFTER, _AROUND = 80, 60, 24, 70, 120  # characters looked at for a cue


class _Place(NamedTuple):
    shape: Shape
    value: str
    before: str  # in its sentence
    after: str
    around: str
    again: bool  # after another value


def find_told(text: str) -> Iterator[Span]:
    """Values with a cue in their sentence, on either side."""
    at = taken = 0
    while match := pattern("candidate").search(text, at):
        form = match.lastgroup or ""
        start, at = match.start(form), match.end()
        value = match[form]
        if form == "odd":
            value = pattern("cut").sub("", value).rstrip(".,;:?*_)")
            value = value if any(map(str.isdigit, value)) else value.rstrip("!")
            at = start + max(1, len(value))
        if not (shape := _shape_of(value, form)):
            continue
        first = match.start() if shape == "quoted" else start
        place = _Place(
            shape,
            value,
            _read_before(text[max(0, first - _BEFORE) : first], alone=text[at : at + 1] in "\n"),
            _read_after(text[at : at + _AFTER]),
            text[max(0, first - _AROUND) : at + _AROUND],
            bool(taken) and "\n" not in text[taken:start],
        )
        more = taken and shape != "quoted" and pattern("more_values").fullmatch(text[taken:start])
        if kind := ("code" if more else _kind(place)):
            yield kind, start, start + len(value)
            taken = at


def _shape_of(value: str, form: str) -> Shape:
    """How little a value reads as prose or as a harmless kind; empty where it does."""
    if form == "quoted":
        return "quoted" if is_quoted_value(value) else ""
    if form == "number":
        return "year" if pattern("year").match(value) else "number"
    if pattern("short").match(value):
        return "short" if pattern("keyed").match(value) else "joined"
    if len(value) > _LONGEST or not pattern("odd").match(value) or pattern("harmless").match(value):
        return ""
    if not looks_like_password(value, quoted=True, digits=99):
        return "number" if pattern("grouped").match(value) and not is_placeholder(value) else ""
    lower = value.islower() and is_expression(value)
    if lower or pattern("named").match(value):
        return "joined" if not lower or pattern("joined_words").match(value) else ""
    cased = value not in (value.lower(), value.upper())
    if any(map(str.isdigit, value)) and pattern("symbol").search(value.strip("!?@#*+")):
        named = pattern("numbered").match(value) or not pattern("signed").search(value)
        return "strong" if named else "signed"
    return "strong" if cased and looks_strong(value) and not is_wordy(value) else "odd"


def _read_before(text: str, *, alone: bool) -> str:
    """The sentence before a value; and the one before that, where it only says "it's"."""
    parts = pattern("breaks").split(text)
    last = parts.pop()
    if parts and pattern("only_points").fullmatch(last):
        last = f"{parts.pop()} {':' if alone else ''} {last}"
    return last


def _read_after(text: str) -> str:
    """The rest of the sentence, and the next where it says "that's"."""
    parts = pattern("breaks").split(text, 2)
    if len(parts) > 1 and (not parts[0] or pattern("points_back").match(parts[1])):
        return f"{parts[0]}, {parts[1]}"
    return parts[0]


def _kind(place: _Place) -> str:
    """What a value is by the cues around it; empty where nothing says that it is one."""
    for match in reversed([*pattern("secret_word").finditer(place.before)]):
        if _names(match, place) and _reaches(match, place):
            return "password" if match.lastgroup == "password" else "code"
    kind = "code" if place.shape in ("number", "year") else "password"
    account = "account_before" if place.shape in (*_MIXED, "joined") else "account_slash"
    if pattern(account).search(place.before[-_CLOSE:]):
        return kind
    if pattern("off").search(place.before):
        return ""
    back = pattern("named_after").match(place.after)
    return kind if (back and _names(back, place)) or _opens(place) else ""


def _opens(place: _Place) -> bool:
    """Whether a value stands where it opens something, be the secret named or not."""
    if place.shape in ("strong", "signed"):
        return place.shape == "signed" or pattern("access").search(place.around) is not None
    dated = place.shape == "year" and not place.before.endswith("with ")
    if dated or place.shape in ("quoted", "joined") or not pattern("free").match(place.after):
        return False
    if place.shape != "short" and pattern("opens_after").match(place.after):
        return True
    close = place.before[-_LINK:]
    if pattern("entered").search(close) is None:
        return pattern("locked").search(close) is not None and not place.value.isalnum()
    odd = place.shape == "odd"
    after = place.after if odd else pattern("next_part").split(place.after)[0]
    return pattern("access" if odd else "locks").search(f"{place.before} . {after}") is not None


def _names(match: re.Match[str], place: _Place) -> bool:
    """Whether a word that may name a secret does: "code" alone is also one of errors and prices."""
    group = (match.lastgroup or "").removeprefix("han_")
    if place.shape == "quoted" or group == "password":
        return group == "password"
    if group in ("network", "near"):
        return place.shape in _MIXED or (group == "near" and place.shape in ("short", "joined"))
    if group == "keyed":
        return pattern("grouped").match(place.value) is not None
    if group != "code" or pattern("not_code").search(match.string, 0, match.end()):
        return group == "pin"
    return not match[0].isascii() or pattern("opens").search(place.around) is not None


def _reaches(match: re.Match[str], place: _Place) -> bool:
    """Whether what stands between a cue and a value leaves them together."""
    between = place.before[match.end() :]
    if pattern("near").fullmatch(between):
        return True
    if place.shape in ("joined", "short", "year") or match.lastgroup == "near":
        return False
    if pattern("off").search(between):
        return False
    alone = place.shape in _MIXED and not place.again
    return alone or pattern("told").search(between) is not None
