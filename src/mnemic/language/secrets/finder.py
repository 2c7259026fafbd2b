"""Secrets in a text: passwords, keys and tokens, found by their format, by their name, or by the
words and the syntax around them.

Every turn that is recorded comes by here, so a text without secrets must cost next to nothing:
about 9 µs for 100 characters. The detect-secrets library is written for files that are scanned
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
from mnemic.language.secrets.codes import HINTS as CODE_HINTS
from mnemic.language.secrets.codes import NUMBER_WORD_HINTS, codes_in_number_words, spoken_codes
from mnemic.language.secrets.commands import (
    COOKIE_HINTS,
    is_basic_login,
    secrets_in_syntax,
    session_cookies,
)
from mnemic.language.secrets.commands import HINTS as SYNTAX_HINTS
from mnemic.language.secrets.formats import FORMATS, Format
from mnemic.language.secrets.names import may_name, named_secrets
from mnemic.language.secrets.numbers import DIGITS, passport_numbers, personal_numbers
from mnemic.language.secrets.pieces import LONG_TEXT, SecretSpan, find_in_pieces
from mnemic.language.secrets.randomness import (
    MARK,
    Bounds,
    entropy,
    is_placeholder,
    looks_like_password,
    looks_random,
)
from mnemic.language.secrets.seed_phrases import HINTS as SEED_HINTS
from mnemic.language.secrets.seed_phrases import is_bare_list, seed_phrases
from mnemic.language.secrets.spoken_chinese import HINTS as CHINESE_HINTS
from mnemic.language.secrets.spoken_chinese import spoken_in_chinese
from mnemic.language.secrets.spoken_english import (
    ANSWER_HINTS,
    security_answers,
    spoken_passwords,
)
from mnemic.language.secrets.spoken_english import HINTS as PASSWORD_HINTS

_SHAPES = bytes(
    ord(" ") if code == ord(" ") else ord("x") if ord("!") <= code <= ord("~") else 0
    for code in range(256)
)
_SINGLES = b" x x x x "  # the middle of a run of six single characters


def has_run(text: str, length: int) -> bool:
    """Whether an ASCII text has so many characters from ! to ~ in a row."""
    return b"x" * length in text.encode("ascii").translate(_SHAPES)


def has_single_characters(text: str) -> bool:
    """Whether four characters of an ASCII text stand apart, each between two spaces."""
    return _SINGLES in text.encode("ascii").translate(_SHAPES)


_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufe00-\ufe0f\ufeff"
)
_DISGUISED = re.compile(f"[{_INVISIBLE}０-９Ａ-Ｚａ-ｚ]")
_HIDDEN = re.compile(f"[{_INVISIBLE}]+")
_WIDE = {
    code: code - 0xFEE0
    for code in (
        *range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B),
        *map(ord, "－＿．＋／＝＠＃＄％＆＊"),
    )
}  # fmt: skip
# A run of six single characters has these in its middle.
_APART = re.compile(" [!-~] [!-~] [!-~] [!-~] ")
_HYPHENED = re.compile("-[!-~]-[!-~]-[!-~]-[!-~]-")
_RUNS = re.compile(
    r"(?<![!-~])[!-~](?:(?: [!-~](?![!-~])){5,}+|(?:-[!-~](?![^-\s]|-(?:\s|$))){5,}+)"
)

Mapping = Callable[[int, int], tuple[int, int]]


def undisguised(text: str) -> tuple[str, Mapping] | None:
    """The text without its disguise, and where a part of it stands in the text."""
    plain = text.isascii()
    wide = not plain and _DISGUISED.search(text) is not None
    apart = has_single_characters(text) if plain else _APART.search(text) is not None
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
_Find = Callable[[str], Iterator[Span]]
# What is asked of every text, in lower case.
_BY_WORD: tuple[tuple[str, _Find], ...] = (
    *((hint, spoken_passwords) for hint in PASSWORD_HINTS),
    *((hint, security_answers) for hint in ANSWER_HINTS),
    *((hint, seed_phrases) for hint in SEED_HINTS),
    *((hint, codes_in_number_words) for hint in NUMBER_WORD_HINTS),
)
# What is asked only of texts with signs that syntax is made of.
_BY_SYNTAX: tuple[tuple[str, _Find], ...] = (
    *((hint, secrets_in_syntax) for hint in SYNTAX_HINTS),
    *((hint, session_cookies) for hint in COOKIE_HINTS),
)
# In lower case: what any text, one with signs, and one with digits is asked for.
WORD_HINTS = (*PASSWORD_HINTS, *ANSWER_HINTS, *SEED_HINTS)
SIGN_HINTS = tuple(dict.fromkeys(hint for hint, _ in _BY_SYNTAX))
DIGIT_HINTS = CODE_HINTS


def secrets_in_words(text: str, folded: str, syntax: bool) -> list[Span]:
    """The name, start and end of secrets that words or syntax around them give away.

    ``folded`` is the text in lower case; ``syntax`` tells whether it has any of the signs.
    """
    spans: list[Span] = []
    done: _Find | None = None
    for hint, find in _BY_WORD:
        if hint in folded and find is not done:
            spans += find(text)
            done = find
    if syntax:
        for hint, find in _BY_SYNTAX:
            if hint in folded and find is not done:
                spans += find(text)
                done = find
    if is_bare_list(text):
        spans += seed_phrases(text)
    if not text.isascii():
        for hint in CHINESE_HINTS:
            if hint in text:
                spans += spoken_in_chinese(text)
                spans += seed_phrases(text)
                break
    return spans


def secrets_in_digits(text: str, folded: str, bounds: Bounds) -> list[Span]:
    """Codes and personal numbers in a text that has digits."""
    spans: list[Span] = []
    for hint in CODE_HINTS:
        if hint in folded:
            spans += spoken_codes(text)
            if not text.isascii():
                spans += spoken_in_chinese(text)
            break
    if bounds.personal_numbers:
        if DIGITS.search(text):
            spans += personal_numbers(text, bounds.personal_numbers)
        if "passport" in bounds.personal_numbers:
            spans += passport_numbers(text)
    return spans


USUAL = Bounds()
# All but a few forms need a long run without spaces, which few sentences have.
LONG = 20
_LONG_RUN = re.compile(rf"[!-~]{{{LONG}}}")
_SHORT = ("url_password", "command_password", "basic_auth")
_SHORT_FORMS = tuple((form.literal, form) for form in FORMATS if form.name in _SHORT)
SHORT_LITERALS = tuple(literal for literal, _ in _SHORT_FORMS)
_LITERALS = tuple((form.literal, form) for form in FORMATS)
SIGNS = '-:="_@\\'  # one of them is in every short literal but "bearer", and in all other syntax
# Keys that start with their literal part, which is long enough not to turn up by chance.
_WHOLE_FORMS = tuple(
    form for form in FORMATS if not form.inner and not form.before and len(form.literal) > 2
)
_SIGNS = ("_", "-", "A", ".", "")  # one character that many of the literal parts have
BROKEN_LITERALS = tuple(dict.fromkeys(form.literal for form in _WHOLE_FORMS))
_BY_SIGN = tuple(
    (sign, tuple(part for part in BROKEN_LITERALS if sign == next(s for s in _SIGNS if s in part)))
    for sign in _SIGNS
)
_MOST_BROKEN = 100  # places in one text: each is looked at closely
_LOOK_BACK = 40
_PASSES = 4
_MEASURED = 200  # characters whose variety is looked at
_LEAST = 2.5  # bits a character, in something that already has the form of a key
_DISCORD = re.compile(r"\.[\w-]{6}\.[\w-]{27,40}+", re.A)
_DISCORD_USER = re.compile(r"[MNO][A-Za-z0-9]{22,27}$")


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
        spans = [*_formatted(text, _LITERALS, bounds), *_discord(text)]
    elif (syntax or "bearer " in folded) and _has_any(SHORT_LITERALS, text):
        spans = [*_formatted(text, _SHORT_FORMS, bounds)]
    if may_name(text, folded, syntax):
        spans += [SecretSpan(*span) for span in named_secrets(text, bounds)]
    if in_words := secrets_in_words(text, folded, syntax):
        spans += [SecretSpan(*span) for span in in_words]
    if _has_any("0123456789", text):
        spans += [SecretSpan(*span) for span in secrets_in_digits(text, folded, bounds)]
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
        return has_run(text, LONG)
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


def _formatted(
    text: str, literals: tuple[tuple[str, Format], ...], bounds: Bounds
) -> Iterator[SecretSpan]:
    for form in [form for literal, form in literals if literal in text]:
        for match in _pattern(form).finditer(text):
            start, end = match.span(1 if form.inner else 0)
            if form.before:
                reach = _before(form, text, start)
                if not reach:
                    continue
                start -= reach
            if _holds(form.name, text[start:end], bounds):
                yield SecretSpan(form.name, start, end)


@cache
def _pattern(form: Format) -> re.Pattern[str]:
    end = "" if form.inner else "(?![A-Za-z0-9])"
    # What starts inside a word is no key; asked here, a run of letters is looked at only once.
    edge = "" if form.inner or form.before else f"(?<![A-Za-z0-9_-]{re.escape(form.literal)})"
    return re.compile(f"{re.escape(form.literal)}{edge}{form.after}{end}", re.A)


def _before(form: Format, text: str, place: int) -> int:
    """How far a key reaches back from its literal part; 0 when what has to be there is not."""
    behind = text[max(0, place - _LOOK_BACK) : place]
    match = _behind(form.before).search(behind)
    return len(match.group()) if match else 0


@cache
def _behind(pattern: str) -> re.Pattern[str]:
    return re.compile(f"(?<![A-Za-z0-9]){pattern}$", re.A)


def _may_be_broken(text: str) -> bool:
    """Whether the start of a key is in the text, be the rest of it on the next line."""
    return any(sign in text and _has_any(literals, text) for sign, literals in _BY_SIGN)


def _broken(text: str, bounds: Bounds) -> Iterator[SecretSpan]:
    """Keys that were broken over lines, or written in groups of characters."""
    tries = _MOST_BROKEN
    for form in _WHOLE_FORMS:
        at = text.find(form.literal)
        while at >= 0 and tries:
            tries -= 1
            end = 0
            if at == 0 or not (text[at - 1].isascii() and text[at - 1].isalnum()):
                end = broken_end(text, at, partial(_is_key, form, bounds))
            if end:
                yield SecretSpan(form.name, at, end)
            at = text.find(form.literal, max(end, at + 1))


def _is_key(form: Format, bounds: Bounds, key: str) -> bool:
    return _pattern(form).fullmatch(key) is not None and _holds(form.name, key, bounds)


def _holds(name: str, value: str, bounds: Bounds) -> bool:
    """Whether what has the form of a secret is one."""
    if name == "url_password":
        return len(value) > 2 and value[0] not in "$<{[*%" and not is_placeholder(value)
    if name == "command_password":
        return looks_like_password(value, quoted=True, digits=99)
    if name == "bearer_token":
        return looks_random(value, bounds)
    if name == "basic_auth":
        return is_basic_login(value)
    if name == "model_key":
        return looks_random(value, bounds) and any(map(str.isdigit, value))
    # In the hundreds of letters of a private key any short word turns up by chance.
    return (name.endswith("private_key") or not is_placeholder(value)) and (
        entropy(value[:_MEASURED]) >= _LEAST
    )


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
    spans.sort(key=lambda span: (span.start, -span.end))
    current = spans[0]
    for span in spans[1:]:
        if span.start >= current.end:
            yield current
            current = span
        elif span.end > current.end:
            current = SecretSpan(current.name, current.start, span.end)
    yield current
