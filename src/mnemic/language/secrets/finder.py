"""Secrets in a text: passwords, keys and tokens, found by their format, by the syntax around them
or by the words before them.

Every turn that is recorded comes by here, so a text without secrets must cost next to nothing:
about 10 µs for 200 characters. The detect-secrets library is written for files that are scanned
once: the same texts took it 0.5 to 4 ms, it knows no Chinese phrases and no Chinese clouds, and
with its default plugins it took most of the harmless twins in our tests for secrets. The tests
compare what its format plugins find with what is found here.
"""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any

from mnemic.language.secrets.broken_keys import broken_end
from mnemic.language.secrets.cookies import COOKIE_HINTS, session_cookies
from mnemic.language.secrets.cues import find_cued
from mnemic.language.secrets.data_files import pattern
from mnemic.language.secrets.formats import (
    CODES,
    KEYS,
    SYNTAX,
    Format,
    compile_format,
    find_formats,
    find_gate,
    holds,
    key_starts,
)
from mnemic.language.secrets.numbers import named_numbers, personal_numbers
from mnemic.language.secrets.pieces import LONG_TEXT, SecretSpan, find_in_pieces
from mnemic.language.secrets.randomness import MARK, Bounds
from mnemic.language.secrets.seed_phrases import HINTS as SEED_HINTS
from mnemic.language.secrets.seed_phrases import is_bare_list, seed_phrases
from mnemic.patterns import defer

_SHAPES = bytes(
    ord(" ") if code == ord(" ") else ord("x") if ord("!") <= code <= ord("~") else 0
    for code in range(256)
)
_SINGLES = b" x x x x "  # the middle of a run of six single characters


def shape_of(text: str) -> bytes:
    """An ASCII text with an x for each character from ! to ~."""
    return text.encode("ascii").translate(_SHAPES)


_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufe00-\ufe0f\ufeff"
)
_DISGUISED = defer(f"[{_INVISIBLE}０-９Ａ-Ｚａ-ｚ]")
_HIDDEN = defer(f"[{_INVISIBLE}]+")
_WIDE = {
    code: code - 0xFEE0
    for code in (
        *range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B),
        *map(ord, "－＿．＋／＝＠＃＄％＆＊"),
    )
}  # fmt: skip
# A run of six single characters has these in its middle.
_APART = defer(" [!-~] [!-~] [!-~] [!-~] ")
_HYPHENED = defer("-[!-~]-[!-~]-[!-~]-[!-~]-")
_RUNS = defer(r"(?<![!-~])[!-~](?:(?: [!-~](?![!-~])){5,}+|(?:-[!-~](?![^-\s]|-(?:\s|$))){5,}+)")

Mapping = Callable[[int, int], tuple[int, int]]


def undisguised(text: str) -> tuple[str, Mapping] | None:
    """The text without its disguise, and where a part of it stands in the text."""
    plain = text.isascii()
    wide = not plain and _DISGUISED.search(text) is not None
    apart = _SINGLES in shape_of(text) if plain else _APART.search(text) is not None
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


Span = tuple[str, int, int]
BEARER = "bearer"
SPELLED_HINTS = (" pin", " code")  # what digits in words may follow
_SPELLED = defer(r"[ :](?:(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)[ -]){2}")


USUAL = Bounds()
# All but a few forms need a long run without spaces, which few sentences have.
LONG = 20
_LONG_RUN = defer(rf"[!-~]{{{LONG}}}")
_LONG_RUNS = defer(rf"[!-~]{{{LONG},}}+")
_NEAR = 64  # characters before a key in which its vendor may be named
SIGNS = '-:="_@\\'  # one of them is in every short literal but "bearer", and in all other syntax
_MIXED = defer("[A-Za-z][0-9]")  # what a broken key has, and few sentences
_MOST_BROKEN = 100  # places in one text: each is looked at closely
_PASSES = 4
_DISCORD = defer(r"\.[\w-]{6}\.[\w-]{27,40}+", re.A)
_DISCORD_USER = defer(r"[MNO][A-Za-z0-9]{22,27}$")


def find_secrets(text: str, bounds: Bounds = USUAL) -> tuple[SecretSpan, ...]:
    """Every secret in a text, in order and without overlaps."""
    if len(text) > LONG_TEXT:
        spans = list(find_in_pieces(text, partial(_spans_in, bounds=bounds)))
    else:
        spans = _spans_in(text, bounds)
    return tuple(_joined(spans)) if spans else ()


def _spans_in(text: str, bounds: Bounds) -> list[SecretSpan]:
    spans = _spans_as_written(text, bounds)
    for key in bounds.known:
        if key in text:
            spans += [SecretSpan("key", *one.span()) for one in re.finditer(re.escape(key), text)]
    if (view := undisguised(text)) is not None:
        plain, place = view
        for span in _spans_as_written(plain, bounds):
            spans.append(SecretSpan(span.name, *place(span.start, span.end)))
    return spans


def _spans_as_written(text: str, bounds: Bounds) -> list[SecretSpan]:
    spans: list[SecretSpan] = []
    folded = text.lower()
    syntax = _has_any(SIGNS, text)
    if _has_long_run(text):
        places = (match.span() for match in _LONG_RUNS.finditer(text))
        # The long runs, each with what stands before it.
        near = "\n".join(text[max(0, start - _NEAR) : end] for start, end in places)
        spans = [*find_formats(text, near.lower(), KEYS, bounds, near), *_discord(text)]
    if syntax or BEARER in folded:
        spans += find_formats(text, folded, SYNTAX, bounds)
    digits = _has_any("0123456789", text)
    if cued := find_cued(text, folded, bounds, digits=digits):
        spans += [SecretSpan(*span) for span in cued]
    if _has_any(SEED_HINTS, folded) or is_bare_list(text):
        spans += [SecretSpan(*span) for span in seed_phrases(text)]
    if syntax and _has_any(COOKIE_HINTS, folded):
        spans += [SecretSpan(*span) for span in session_cookies(text)]
    if digits or (_has_any(SPELLED_HINTS, folded) and _SPELLED.search(folded)):
        spans += find_formats(text, folded, CODES, bounds)
    if digits:
        if (kinds := bounds.personal_numbers) and pattern("numbers_digits").search(text):
            numbers = (*personal_numbers(text, kinds), *named_numbers(text, kinds))
            spans += [SecretSpan(*span) for span in numbers]
        if _may_be_broken(text):
            spans += _broken(text, bounds)
    return spans


def _has_any(parts: Sequence[str], text: str) -> bool:
    for part in parts:  # noqa: SIM110 - a generator would cost more than all of it
        if part in text:
            return True
    return False


def _has_long_run(text: str) -> bool:
    """As ``_LONG_RUN.search``, but from space to space: most of a sentence is not looked at."""
    if text.isascii():
        return b"x" * LONG in shape_of(text)
    place, last = 0, len(text) - LONG
    while place <= last:
        space = text.rfind(" ", place, place + LONG)
        if space < 0:
            return _LONG_RUN.search(text, place) is not None
        place = space + 1
    return False


def redact(text: str, bounds: Bounds = USUAL) -> str:
    """The text with a mark such as ``[secret:github_token]`` in the place of each secret."""
    # Once more after a find: what stands around a mark may now read as a name and its value, and
    # a text that was read back and recorded again has to stay the same.
    for _ in range(_PASSES):
        secrets = find_secrets(text, bounds)
        if not secrets:
            break
        text = _marked(text, secrets)
    return text


def _marked(text: str, secrets: tuple[SecretSpan, ...]) -> str:
    parts, place = [], 0
    for secret in secrets:
        parts += [text[place : secret.start], f"{MARK}{secret.name}]"]
        place = secret.end
    return "".join([*parts, text[place:]])


def redact_json(value: Any, bounds: Bounds = USUAL, name: str = "") -> Any:
    """JSON with its texts redacted; the name of a field tells what a value of it is."""
    if isinstance(value, str):
        return _redact_named(name, value, bounds)
    if isinstance(value, list):
        return [redact_json(item, bounds, name) for item in value]
    if isinstance(value, dict):
        # {"name": "API_KEY", "value": …} is a field written in another way.
        field = value.get("name", value.get("key"))
        names: dict[str, str] = {"value": field} if isinstance(field, str) else {}
        clean: dict[str, Any] = {}
        for key, item in value.items():
            safe_key = redact(key, bounds)
            while safe_key in clean:  # two keys that were secrets of one kind
                safe_key += "'"
            clean[safe_key] = redact_json(item, bounds, names.get(key) or key)
        return clean
    if isinstance(value, int) and not isinstance(value, bool) and name:
        text = _redact_named(name, str(value), bounds)
        return text if text.startswith(MARK) else value
    return value


def _redact_named(name: str, value: str, bounds: Bounds) -> str:
    if name:
        label = f"{name}: "
        secrets = find_secrets(label + value, bounds)
        if secrets and secrets[0].start == len(label):
            return redact(label + value, bounds)[len(label) :]
    return redact(value, bounds)


@cache
def broken_starts() -> dict[str, list[str]]:
    """Starts of keys by a sign that they have."""
    by_gate: dict[str, list[str]] = {}
    for start in dict.fromkeys(start for start, _ in key_starts()):
        by_gate.setdefault(find_gate(start), []).append(start)
    return by_gate


def _may_be_broken(text: str) -> bool:
    """Whether the start of a key is in the text, be the rest of it on the next line."""
    if not _MIXED.search(text):
        return False
    for gate, starts in broken_starts().items():  # noqa: SIM110 - as above
        if gate in text and _has_any(starts, text):
            return True
    return False


def _broken(text: str, bounds: Bounds) -> Iterator[SecretSpan]:
    """Keys that were broken over lines, or written in groups of characters."""
    tries = _MOST_BROKEN
    for start, form in key_starts():
        at = text.find(start)
        while at >= 0 and tries:
            tries -= 1
            end = 0
            if at == 0 or not (text[at - 1].isascii() and text[at - 1].isalnum()):
                end = broken_end(text, at, partial(_is_key, form, bounds))
            if end:
                yield SecretSpan(form.name, at, end)
            at = text.find(start, max(end, at + 1))


def _is_key(form: Format, bounds: Bounds, key: str) -> bool:
    return compile_format(form).fullmatch(key) is not None and holds(form, key, bounds)


def _discord(text: str) -> Iterator[SecretSpan]:
    """A bot's token starts with the number of its user, in base 64."""
    for match in _DISCORD.finditer(text):
        user = _DISCORD_USER.search(text[max(0, match.start() - 28) : match.start()])
        if user and _is_number(user.group()):
            yield SecretSpan("discord_token", match.start() - len(user.group()), match.end())


def _is_number(part: str) -> bool:
    try:
        return base64.b64decode(part + "=" * (-len(part) % 4)).isdigit()
    except binascii.Error:
        return False


def _joined(spans: list[SecretSpan]) -> Iterator[SecretSpan]:
    """In order; spans that overlap become one, so that no end of a secret is left over."""
    spans.sort(key=lambda span: (span.start, -span.end, span.name == "vendor_token"))
    current = spans[0]
    for span in spans[1:]:
        if span.start >= current.end:
            yield current
            current = span
        elif span.end > current.end:
            current = SecretSpan(current.name, current.start, span.end)
    yield current
