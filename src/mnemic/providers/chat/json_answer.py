"""The JSON object in the answer of a model.

Prose and code fences around it are left out, and its punctuation is mended. Its words are not: an
object is taken as the model meant it or not at all, and the half of one is none. Of an answer that
was broken off, ``values_in`` has the parts that are whole.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from mnemic.providers import extras
from mnemic.providers.chat.base import Object, WrongShape
from mnemic.providers.wire import EXTRA
from mnemic.types import Json

_LONGEST = 4_000_000  # characters; a model's answer has some ten thousand
_LONGEST_MENDED = 20_000  # mending takes far longer than reading,
_MOST_ESCAPED = 200  # and longer by the square with each escaped quote
_LONGEST_BROKEN = 200_000  # of a broken answer each opening bracket is tried,
_MOST_FAILURES = 200  # which may take the rest of it each time
_THOUGHT = "<think>"
_PAIR = re.compile(r'"\s*:')
_OPENING = re.compile(r"[{\[]")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|["{}\[\]]', re.DOTALL)
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\[nrtbf]")
_FRACTION = re.compile(r"\d{1,15}\.\d{1,15}")


def object_in(text: str) -> Object:
    """The object, or WrongShape with the reason why there is none."""
    bare = _without_thoughts(text).strip()
    if len(bare) > _LONGEST:
        raise WrongShape(f"it has {len(bare):,} characters")
    if not bare:
        raise WrongShape("it is empty")
    spans = list(_spans(bare))
    if len([span for span in spans if _PAIR.search(span)]) > 1:
        raise WrongShape("there is more than one JSON object in it")
    span = max(spans, key=len, default=None)  # prose has words in brackets, too
    if span is None:
        raise WrongShape("there is no JSON object in it")
    try:
        return _an_object(_strictly(span))
    except json.JSONDecodeError as error:
        return _mend(span, why=str(error))


def values_in(text: str) -> tuple[list[Json], bool]:
    """Every whole JSON value of an answer that is no object, and whether it was broken off: a list,
    several objects, or those inside of one without an end. Never part of a value.
    """
    bare = _without_thoughts(text)[:_LONGEST_BROKEN]
    values: list[Json] = []
    opening, failures, broken = _OPENING.search(bare), 0, False
    while opening is not None and failures < _MOST_FAILURES:
        start = opening.start()
        try:
            value, end = _LENIENT.raw_decode(bare, start)
            value = _whole_characters(value, bare[start:end])
        except (ValueError, RecursionError):
            broken = broken or _closing(bare, start) is None
            failures, end = failures + 1, start + 1
        else:
            values.append(value)
        opening = _OPENING.search(bare, end)
    return values, broken


def _without_thoughts(text: str) -> str:
    """Some models think aloud before they answer."""
    return text.rpartition("</think>")[2] if text.lstrip().startswith(_THOUGHT) else text


def _an_object(value: Any) -> Object:
    if not isinstance(value, dict):
        raise WrongShape("it is not a JSON object")
    return value


def _strictly(text: str) -> Any:
    """JSON with finite numbers and whole characters."""
    try:
        value = json.loads(text, parse_constant=_not_finite, parse_float=_finite)
        return _whole_characters(value, text)
    except json.JSONDecodeError:
        raise
    except ValueError as error:  # numbers too long to be read, and those of _finite
        raise WrongShape(f"it holds a number that cannot be used: {error}") from None
    except RecursionError:
        raise WrongShape("it is nested too deep") from None


def _whole_characters(value: Any, text: str) -> Any:
    """The value without half characters, which no database takes."""
    if "\\ud" not in text.lower():
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _not_finite(word: str) -> float:
    raise ValueError(f"{word} is not a number")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _not_finite(digits)


_LENIENT = json.JSONDecoder(strict=False, parse_constant=lambda _: None, parse_float=_finite)


def _spans(text: str) -> Iterator[str]:
    """From each outermost bracket to the one that closes it, or to the end of the text."""
    opening = _OPENING.search(text)
    while opening is not None:
        start = opening.start()
        end = _closing(text, start)
        yield text[start:end]
        opening = _OPENING.search(text, end) if end is not None else None


def _closing(text: str, start: int) -> int | None:
    """Where the bracket at ``start`` is closed; quotes count only inside of it."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        match token[0]:
            case "{" | "[":
                depth += 1
            case "}" | "]":
                depth -= 1
            case '"':  # opened and never closed
                return None
        if depth == 0:
            return token.end()
    return None


def _mend(span: str, why: str) -> Object:
    """The object with its punctuation repaired.

    Closing brackets at the very end may be missing. If anything else is, or if mending would change
    a word or leave one out, the answer is not taken.
    """
    text = span.rstrip().removesuffix("```").rstrip()
    wrong = WrongShape(f"it is not JSON: {why}")
    endless = len(text) > _LONGEST_MENDED or text.count('\\"') > _MOST_ESCAPED
    if endless or not text.endswith(("}", "]")):
        raise wrong
    try:
        value = _an_object(extras.load(EXTRA, "json_repair").loads(text, skip_json_loads=True))
        mended = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if not value or _words(mended) != _words(text):
            raise wrong
        return _an_object(_strictly(mended))
    except (ValueError, RecursionError):
        raise wrong from None


def _words(text: str) -> str:
    """Letters and digits alone, the same however they are escaped."""
    plain = _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else " ", text)
    plain = _FRACTION.sub(lambda match: repr(float(match[0])), plain)
    plain = plain.replace("None", "null").lower()
    return "".join(filter(str.isalnum, plain))
