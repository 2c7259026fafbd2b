"""Whether a page shows what is really printed."""

from __future__ import annotations

import re

# What differs from run to run, by how it looks; on a page "…" stands for the rest of something,
# and in a line of its own for the lines that follow.
_LOOSE = re.compile(
    r"(?P<id>\b[0-9a-f]{8}-[0-9a-f…-]+|(?<=-)[0-9a-f]{12}\b)"
    r"|(?P<day>\b\d{4}-\d\d(?:-\d\d)?\b)"
    r"|(?P<clock>\b\d\d:\d\d\b)"
    r"|(?P<rate>\b[\d,.]+(?= m?s\b|/s\b))"
    r"|(?P<score>\b[01]\.\d{2,3}\b)"
    r"|(?P<rest>…)"
)
_PATTERNS = {
    "id": r"[0-9a-f-]+",
    "day": r"\d{4}-\d\d(?:-\d\d)?",
    "clock": r"\d\d:\d\d",
    "rate": r"[\d,.]+",
    "score": r"[01]\.\d{2,3}",
    "rest": r".*",
}


def differs(shown: str, printed: str) -> str:
    """The first line of a page that was not printed like this; "" for none."""
    expected = [line.rstrip() for line in shown.strip().splitlines()]
    actual = [line.rstrip() for line in printed.strip().splitlines()]
    for number, line in enumerate(expected):
        if line == "…":
            return ""
        if number >= len(actual) or not re.fullmatch(_pattern(line), actual[number]):
            really = actual[number] if number < len(actual) else "nothing"
            return f"the page shows {line!r}, and printed is {really!r}"
    return "" if len(actual) == len(expected) else f"printed is also {actual[len(expected)]!r}"


def _pattern(line: str) -> str:
    parts, at = [], 0
    for loose in _LOOSE.finditer(line):
        parts += [re.escape(line[at : loose.start()]), _PATTERNS[str(loose.lastgroup)]]
        at = loose.end()
    return "".join([*parts, re.escape(line[at:])])
