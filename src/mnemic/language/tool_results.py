"""Large tool results in few characters: how they begin and end, what went wrong, what is in them.

By rule and always the same, before any model sees them. No visible character is cut in two.
"""

from __future__ import annotations

import json
from typing import Any

from mnemic.language.truncation import cut, cut_front
from mnemic.language.word_file import WordFile
from mnemic.patterns import defer

_FILE = WordFile("mnemic.language", "tool_results.toml")
pattern, words = _FILE.pattern, _FILE.words

_LARGEST_JSON = 2_000_000  # characters; more is read as text
_SEARCHED = 50_000  # characters in which paths are looked for
_SEEN = 4  # times the limit, so that blanks do not leave too little at the ends
_GAP = " … "
_PER_WORD = 3
_BEFORE, _AFTER = 60, 300  # characters of a line on each side of such a word
_SPACE = defer(r"\s+")


def tool_summary(text: str, limit: int) -> str:
    """At most ``limit`` characters of a tool's result; a short one stays as it is."""
    if len(text) <= limit:
        return text
    shape = _of_json(text, limit)
    return _of_lines(text, limit) if shape is None else shape


def error_line(text: str) -> str:
    """The line that says what went wrong: the last of a traceback, else the first that names it."""
    lines = _error_lines(text)
    if not lines:
        return next(filter(None, map(_flat, text.splitlines())), "")
    return lines[-1] if "Traceback (most recent call last)" in text else lines[0]


# --- structured results ---------------------------------------------------------------------------


def _of_json(text: str, limit: int) -> str | None:
    """The keys, counts and telling values of a JSON result; None for anything else."""
    start = text[:100].lstrip()[:1]
    if start not in ("{", "[") or len(text) > _LARGEST_JSON:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        return cut(_brief(value, limit), limit)
    if not isinstance(value, dict):
        return None
    keys = sorted(value, key=lambda key: str(key).lower() not in words("telling_keys"))
    return _pack([f"{_flat(str(key))}: {_brief(value[key], limit // 3)}" for key in keys], limit)


def _pack(fields: list[str], limit: int) -> str:
    """As many parts as fit, and how many did not."""
    fitting: list[str] = []
    for number, field in enumerate(fields):
        remaining = len(fields) - number - 1
        rest = f", +{remaining} keys" if remaining else ""
        used = len(", ".join([*fitting, field])) + 2 + len(rest)
        if used > limit:
            hidden = f"+{remaining + 1} keys"
            return cut("{" + ", ".join([*(fitting or [field]), hidden]) + "}", limit)
        fitting.append(field)
    return "{" + ", ".join(fitting) + "}"


def _brief(value: Any, limit: int) -> str:
    """A value in a few characters: what is nested by its keys and counts."""
    if isinstance(value, dict):
        return cut("{" + ", ".join(_flat(str(key)) for key in value) + "}", limit)
    if isinstance(value, list):
        if not value:
            return "[]"
        return cut(f"[{len(value)} × {_brief(value[0], max(8, limit // 2))}]", limit)
    if isinstance(value, str):
        return cut(f'"{_flat(value)}"', limit)
    return cut(json.dumps(value), limit)


# --- plain results --------------------------------------------------------------------------------


def _of_lines(text: str, limit: int) -> str:
    """Head, errors, places, tail, and how much there was."""
    size = f"[{len(text):,} characters, {text.strip().count(chr(10)) + 1:,} lines]"
    room = limit - len(size) - 1 if 5 * len(size) <= limit else limit
    begins = _flat(cut(text, _SEEN * limit).removesuffix("…"))
    ends = _flat(cut_front(text, _SEEN * limit).removeprefix("…"))
    lines = [
        line
        for line in _error_lines(text)
        if not begins.startswith(line) and not ends.endswith(line)
    ]
    errors = cut(" | ".join(dict.fromkeys(lines[:2] + lines[-1:])), 2 * room // 5)
    paths = cut(", ".join(_paths(text, errors)), room // 6) if room != limit else ""
    middle = _GAP.join(filter(None, (errors, paths)))
    rest = max(0, room - len(middle) - len(_GAP) * (1 + bool(middle)))
    head = cut(begins, rest - rest // 2).removesuffix("…").rstrip()
    tail = cut_front(ends, rest // 2).removeprefix("…").lstrip()
    parts = _GAP.join(filter(None, (head, middle, tail)))
    return cut(f"{parts} {size}" if room != limit else parts, limit)


def _error_lines(text: str) -> list[str]:
    """The first and the last lines that speak of failure, in order.

    Looked for by plain search, which takes a hundredth of the time of a pattern.
    """
    lower = text.lower()
    if len(lower) != len(text):
        lower = text
    places: set[int] = set()
    for word in words("failing"):
        place = lower.find(word)
        for _ in range(_PER_WORD):
            places.update(() if place < 0 else (place,))
            place = lower.find(word, place + 1) if place >= 0 else -1
        last = lower.rfind(word)
        places.update(() if last < 0 else (last,))
    lines: dict[int, str] = {}
    for place in sorted(places):
        start, line = _line_at(text, place)
        if start not in lines and pattern("errors").search(line):
            lines[start] = line
    return list(dict.fromkeys(lines.values()))


def _line_at(text: str, place: int) -> tuple[int, str]:
    """Where the line around a place begins, and the line; of a very long one, what is near."""
    start, end = text.rfind("\n", 0, place) + 1, text.find("\n", place)
    before = cut_front(text[max(start, place - 2 * _BEFORE) : place], _BEFORE)
    after = text[place : min(end if end >= 0 else len(text), place + 2 * _AFTER)]
    return start, _flat(before + cut(after, _AFTER))


def _paths(text: str, excluded: str) -> list[str]:
    paths: dict[str, None] = {}
    for match in pattern("paths").finditer(text[:_SEARCHED]):
        if match.group() not in excluded:
            paths[match.group()] = None
        if len(paths) == 3:
            break
    return list(paths)


def _flat(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
