"""Questions that want one exact answer: a date, a count, a file, the latest or the first of a kind.

Such a question is better asked of the ledger than of a search by meaning. What stands in quotation
marks is a name and asks for nothing.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from mnemic.patterns import defer

ExactKind = Literal["when", "count", "file", "latest", "earliest"]

LONGEST = 400  # nobody asks one exact question in more characters

_QUOTED = defer(r"《[^》]*》|「[^」]*」|“[^”]*”|\"[^\"]*\"|‘[^’]*’|`[^`]*`|(?<!\w)'[^']*'(?!\w)")
_SPACES = defer(r"\s+")
_EDGES = " ,，。.?？!！、;；:：-—~…"
_LETTERS = defer(r"[a-z']+|[^\W\da-z_]|\d+", re.I)


@dataclass(frozen=True, slots=True)
class ExactQuestion:
    """What is asked for, and the words that say of what."""

    kind: ExactKind
    topic: str


@cache
def _data() -> tuple[dict[str, re.Pattern[str]], dict[str, frozenset[str]]]:
    """The patterns and the lists of words of exact_words.toml."""
    file = resources.files("mnemic.language").joinpath("exact_words.toml")
    tree = tomllib.loads(file.read_text(encoding="utf-8"))
    patterns = {name: "|".join(listed) for name, listed in tree["patterns"].items()}
    for part, pattern in reversed(tree["parts"].items()):  # a part may name those before it
        patterns = {n: text.replace(f"{{{part}}}", pattern) for n, text in patterns.items()}
    compiled = {name: defer(text, re.I | re.A) for name, text in patterns.items()}
    return compiled, {name: frozenset(text.split()) for name, text in tree["words"].items()}


def _pattern(name: str) -> re.Pattern[str]:
    return _data()[0][name]


def exact_question(query: str) -> ExactQuestion | None:
    """The exact question a query asks, if it asks one and says of what."""
    if len(query) > LONGEST:
        return None
    text = _SPACES.sub(" ", query).strip()
    masked = _QUOTED.sub(lambda match: "\x00" * len(match.group()), text)
    kind = _kind(masked)
    topic = _topic(text, masked) if kind else ""
    return ExactQuestion(kind, topic) if kind and topic else None


def asks(text: str) -> bool:
    """Whether a text is a question, by its words or its mark."""
    return _pattern("QUESTION").search(text) is not None


def asks_for_all(query: str, times: Sequence[str]) -> bool:
    """Whether a query that names times asks for whatever happened then."""
    if len(query) > LONGEST:
        return False
    for text in times:
        query = query.replace(text, " ")
    return _data()[1]["OF_WHATEVER"].issuperset(word.lower() for word in _LETTERS.findall(query))


def _kind(text: str) -> ExactKind | None:
    """The first that fits; "when was the last time" wants the latest, whose date answers it."""

    def says(name: str) -> bool:
        return _pattern(name).search(text) is not None

    asks = says("QUESTION") or _pattern("BARE_ORDER").match(text) is not None
    if asks and says("LAST_TIME"):
        return "latest"
    if asks and says("FIRST_TIME"):
        return "earliest"
    if says("COUNT"):
        return "count"
    if says("WHEN"):
        return "when"
    if says("FILE"):
        return "file"
    if asks and says("LATEST"):
        return "latest"
    return "earliest" if asks and says("EARLIEST") else None


def _topic(text: str, masked: str) -> str:
    """The text without the words that ask."""
    parts, place = [], 0
    for match in _pattern("ASKING").finditer(masked):
        parts.append(text[place : match.start()])
        place = match.end()
    topic = _SPACES.sub(" ", " ".join([*parts, text[place:]])).strip(_EDGES)
    for _ in range(3):  # a frame inside a frame: "so, do you remember"
        topic = _pattern("FRAME").sub("", topic).strip(_EDGES)
        topic = _pattern("TAIL").sub("", topic).strip(_EDGES)
    topic_words = {word.lower() for word in _LETTERS.findall(topic)}
    return topic if topic_words - _data()[1]["EMPTY"] else ""
