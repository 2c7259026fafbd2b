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
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any

from recollect.language.secrets.broken_keys import broken_end
from recollect.language.secrets.commands import is_basic_login
from recollect.language.secrets.disguises import undisguised
from recollect.language.secrets.families import secrets_in_digits, secrets_in_words
from recollect.language.secrets.formats import FORMATS, Format
from recollect.language.secrets.names import may_name, named_secrets
from recollect.language.secrets.pieces import LONG_TEXT, SecretSpan, find_in_pieces
from recollect.language.secrets.randomness import (
    MARK,
    Bounds,
    entropy,
    is_placeholder,
    looks_like_password,
    looks_random,
)
from recollect.language.secrets.shape import has_run

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
