"""Expressions that would take for ever on some clause, found before one does.

Python cannot stop a match, so a pattern that tries every way to split a text must not be let in.
The probes are the pattern's own examples, each piece of them repeated, with an end that cannot
match. A probe grows by a quarter at a time, so that one that doubles with each letter is found
within a second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from time import thread_time

from recollect.errors import ConfigError
from recollect.language.extract.entries import Entry
from recollect.language.extract.examples import examples_of
from recollect.language.extract.sentences import LONGEST_SENTENCE

LIMIT = 0.05  # seconds on one clause; the slowest of the package takes a fifth of it
_GROWTH = 1.25
_NO_MATCH = "\0"


def check_speed(entry: Entry) -> None:
    """Refuse a pattern that is slow on a text made out of its examples."""
    for example in examples_of(entry):
        for head, piece, tail in _pieces(example.message):
            seconds, length = slowest(entry.matcher, head, piece, tail)
            if seconds > LIMIT:
                raise ConfigError(
                    f"{entry.vocabulary.file}: {entry} takes {seconds:.2f} s on {length} characters"
                    f" that repeat {piece!r}",
                    remedy="Bound its repeats ({0,4} for *), and let no repeat hold another",
                )


def slowest(pattern: re.Pattern[str], head: str, piece: str, tail: str) -> tuple[float, int]:
    """The time of the longest probe that was tried, and its length."""
    length, seconds = 16.0, 0.0
    while length <= LONGEST_SENTENCE and seconds <= LIMIT:
        text = head + piece * int(length / len(piece)) + tail + _NO_MATCH
        begun = thread_time()
        pattern.fullmatch(text)
        seconds = thread_time() - begun
        length *= _GROWTH
    return seconds, int(length / _GROWTH)


def _pieces(text: str) -> Iterator[tuple[str, str, str]]:
    """Every letter, every two letters and every word of a text, with what stands around it."""
    seen = set()
    for size in (1, 2):
        for start in range(len(text) - size + 1):
            piece = text[start : start + size]
            if piece not in seen:
                seen.add(piece)
                yield text[:start], piece, text[start + size :]
    for word in re.finditer(r"\w+\s", text):
        yield text[: word.start()], word.group(), text[word.end() :]
