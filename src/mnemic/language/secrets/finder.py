"""Secrets in a text: passwords, keys and tokens, found by their format, by the syntax around them
or by the words before them.

Every turn that is recorded comes by here, so a text without secrets must cost next to nothing:
about 10 µs for 200 characters; detect-secrets, which is written for files, took 0.5 to 4 ms.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any

from mnemic.language.secrets.broken_keys import broken_end
from mnemic.language.secrets.cookies import COOKIE_HINTS, session_cookies
from mnemic.language.secrets.cues import CUES, find_cued
from mnemic.language.secrets.data_files import load_words, pattern
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
    select_formats,
)
from mnemic.language.secrets.numbers import find_named, find_personal
from mnemic.language.secrets.pieces import LONG_TEXT, SecretSpan, find_in_pieces
from mnemic.language.secrets.randomness import MARK, USUAL, Bounds
from mnemic.language.secrets.seed_phrases import find_phrases, may_hold_phrase
from mnemic.language.secrets.told import find_told
from mnemic.patterns import defer

_SHAPES = bytes(
    ord(" ") if code == ord(" ") else ord("x") if ord("!") <= code <= ord("~") else 0
    for code in range(256)
)
_SINGLES = b" x x x x "  # the middle of a run of six single characters


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
_HYPHENED = defer("-[!-~]-[!-~]-[!-~]-[!-~]-")
_RUNS = defer(r"(?<![!-~])[!-~](?:(?: [!-~](?![!-~])){5,}+|(?:-[!-~](?![^-\s]|-(?:\s|$))){5,}+)")

Mapping = Callable[[int, int], tuple[int, int]]


def _shape_of(text: str) -> bytes:
    """A text with an x for each character from ! to ~."""
    return text.encode("utf-8", "replace").translate(_SHAPES)


def _undisguise(text: str, shape: bytes) -> tuple[str, Mapping] | None:
    """The text without its disguise, and where a part of it stands in the text."""
    wide = not text.isascii() and _DISGUISED.search(text) is not None
    hyphened = "-" in text and _HYPHENED.search(text) is not None
    if not wide and not hyphened and _SINGLES not in shape:
        return None
    view = text
    gaps: list[tuple[int, int]] = []
    if wide:
        gaps = [match.span() for match in _HIDDEN.finditer(text)]
        view = _HIDDEN.sub("", text).translate(_WIDE)
    inner = _join_singles(view)
    if inner is None:
        return view, _mapping(gaps)
    view, inner_gaps = inner
    outer, closer = _mapping(gaps), _mapping(inner_gaps)
    return view, lambda start, end: outer(*closer(start, end))


def _join_singles(text: str) -> tuple[str, list[tuple[int, int]]] | None:
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

    def to_text(start: int, end: int) -> tuple[int, int]:
        return start + cut[bisect_right(starts, start)], end + cut[bisect_right(starts, end - 1)]

    return to_text


Span = tuple[str, int, int]
BEARER = "bearer"
QUOTES = '"“「'
CHOSEN = ("pass", "pw", "word", "密", "口令", "暗")  # what a value in quotation marks is called
SPELLED_HINTS = ("pin", "code")  # what digits in words may follow
# All but a few forms need a long run without spaces, which few sentences have.
LONG = 20
_LONG_SHAPE = b"x" * LONG
_LONG_RUNS = defer(rf"[!-~]{{{LONG},}}+")
_NEAR = 64  # characters before a key in which its vendor may be named
SIGNS = '-:="_@\\'  # one of them is in every short literal but "bearer", and in all other syntax
_MIXED = defer("[0-9](?<=[A-Za-z][0-9])")  # what a broken key has, and few sentences
_MOST_BROKEN = 100  # places in one text: each is looked at closely
_PASSES = 4


def find_secrets(text: str, bounds: Bounds = USUAL) -> tuple[SecretSpan, ...]:
    """Every secret in a text, in order and without overlaps."""
    if len(text) > LONG_TEXT:
        spans = list(find_in_pieces(text, partial(_spans_in, bounds=bounds)))
    else:
        spans = _spans_in(text, bounds)
    return tuple(_merge(spans)) if spans else ()


def _spans_in(text: str, bounds: Bounds) -> list[SecretSpan]:
    shape = _shape_of(text)
    spans = _spans_as_written(text, shape, bounds)
    for key in bounds.known:
        if key in text:
            matches = re.finditer(re.escape(key), text)
            spans += [SecretSpan("key", *match.span()) for match in matches]
    if (view := _undisguise(text, shape)) is not None:
        plain, place = view
        for name, start, end in _spans_as_written(plain, _shape_of(plain), bounds):
            spans.append(SecretSpan(name, *place(start, end)))
    return spans


def _spans_as_written(text: str, shape: bytes, bounds: Bounds) -> list[SecretSpan]:
    spans: list[SecretSpan] = []
    folded = text.lower()
    syntax = _has_any(SIGNS, text)
    if _LONG_SHAPE in shape:
        places = (match.span() for match in _LONG_RUNS.finditer(text))
        # The long runs, each with what stands before it.
        near = "\n".join(text[max(0, start - _NEAR) : end] for start, end in places)
        spans = find_formats(text, near.lower(), KEYS, bounds, near)
    if syntax or BEARER in folded:
        spans += find_formats(text, folded, SYNTAX, bounds)
    finds: list[Iterable[Span]] = []
    if cues := select_formats(text, folded, CUES):
        finds.append(find_cued(text, cues, bounds))
    digits = _has_any("0123456789", text) and pattern("shaped").search(text) is not None
    if (digits or _may_be_shaped(text, folded)) and (
        _has_any(_hints(text.isascii()), folded) or pattern("signed").search(text)
    ):
        finds += [find_told(text), find_formats(text, folded, CODES, bounds)]
    if may_hold_phrase(text, folded):
        finds.append(find_phrases(text))
    if syntax and _has_any(COOKIE_HINTS, folded):
        finds.append(session_cookies(text))
    if digits and (kinds := bounds.personal_numbers) and pattern("numbers_digits").search(text):
        finds += [find_personal(text, kinds), find_named(text, kinds)]
    if digits and _may_be_broken(text):
        finds.append(_broken(text, bounds))
    return spans + [SecretSpan(*span) for find in finds for span in find]


def _may_be_shaped(text: str, folded: str) -> bool:
    """Whether something without digits may be a value by its shape, for a first, quick look."""
    if _has_any(QUOTES, text) and _has_any(CHOSEN, folded):
        return True
    return _has_any(SPELLED_HINTS, folded) and pattern("spelled").search(text) is not None


@cache
def _hints(plain: bool) -> tuple[str, ...]:
    words = load_words("hints") | (frozenset() if plain else load_words("han hints"))
    return tuple(word.replace("_", " ") for word in words)


def _has_any(words: Sequence[str], text: str) -> bool:
    for word in words:  # noqa: SIM110 - a generator would cost more than all of it
        if word in text:
            return True
    return False


def redact(text: str, bounds: Bounds = USUAL) -> str:
    """The text with a mark such as ``[secret:github_token]`` in the place of each secret."""
    # Once more after a find: what stands around a mark may now read as a name and its value, and
    # a text that was read back and recorded again has to stay the same.
    for _ in range(_PASSES):
        secrets = find_secrets(text, bounds)
        if not secrets:
            break
        text = _mark(text, secrets)
    return text


def _mark(text: str, secrets: tuple[SecretSpan, ...]) -> str:
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


def _merge(spans: list[SecretSpan]) -> Iterator[SecretSpan]:
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
