"""Questions that want one exact answer: a date, a count, a file, the latest or the first of a kind.

Such a question is better asked of the ledger than of a search by meaning. What stands in quotation
marks is a name and asks for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from mnemic.language.word_file import WordFile
from mnemic.late import dataclass
from mnemic.patterns import defer

_FILE = WordFile("mnemic.language", "exact_words.toml")
pattern, words = _FILE.pattern, _FILE.words

ExactKind = Literal["when", "count", "file", "latest", "earliest"]

LONGEST = 400  # nobody asks one exact question in more characters

_QUOTED = defer(r"《[^》]*》|「[^」]*」|“[^”]*”|\"[^\"]*\"|‘[^’]*’|`[^`]*`|(?<!\w)'[^']*'(?!\w)")
_MAYBE_COUNT = defer("how |number|几|多少", re.I)  # without one of them nothing is counted
_EDGES = " ,，。.?？!！、;；:：-—~…"
_LETTERS = defer(r"[a-z']+|[^\W\da-z_]|\d+", re.I)


@dataclass(frozen=True, slots=True)
class ExactQuestion:
    """What is asked for, and the words that say of what."""

    kind: ExactKind
    topic: str


def exact_question(query: str) -> ExactQuestion | None:
    """The exact question a query asks, if it asks one and says of what."""
    if len(query) > LONGEST:
        return None
    text = " ".join(query.split())
    masked = _QUOTED.sub(lambda match: "\x00" * len(match.group()), text)
    kind = _kind(masked)
    topic = _topic(text, masked) if kind else ""
    return ExactQuestion(kind, topic) if kind and topic else None


def asks(text: str) -> bool:
    """Whether a text is a question, by its words or its mark."""
    return pattern("question").search(text) is not None


def asks_for_all(query: str, times: Sequence[str]) -> bool:
    """Whether a query that names times asks for whatever happened then."""
    if len(query) > LONGEST:
        return False
    for text in times:
        query = query.replace(text, " ")
    return words("of_whatever").issuperset(word.lower() for word in _LETTERS.findall(query))


def _kind(text: str) -> ExactKind | None:
    """The first that fits; "when was the last time" wants the latest, whose date answers it."""

    def says(name: str) -> bool:
        return pattern(name).search(text) is not None

    asks = says("question") or pattern("bare_order").match(text) is not None
    if asks and says("last_time"):
        return "latest"
    if asks and says("first_time"):
        return "earliest"
    if _MAYBE_COUNT.search(text) and says("count"):
        return "count"
    if says("when"):
        return "when"
    if says("file"):
        return "file"
    if asks and says("latest"):
        return "latest"
    return "earliest" if asks and says("earliest") else None


def _topic(text: str, masked: str) -> str:
    """The text without the words that ask."""
    parts, place = [], 0
    for match in pattern("asking").finditer(masked):
        parts.append(text[place : match.start()])
        place = match.end()
    topic = " ".join(" ".join([*parts, text[place:]]).split()).strip(_EDGES)
    for _ in range(3):  # a frame inside a frame: "so, do you remember"
        topic = pattern("frame").sub("", topic).strip(_EDGES)
        topic = pattern("tail").sub("", topic).strip(_EDGES)
    topic_words = {word.lower() for word in _LETTERS.findall(topic)}
    return topic if topic_words - words("empty") else ""
