"""Requests to remember something, and standing wishes: orders for always, and preferences."""

from __future__ import annotations

from functools import lru_cache

from mnemic.language.word_file import WordFile

pattern = WordFile("mnemic.language", "requests.toml").pattern

_LOOKED_AT = 4_000  # characters
_HINTS = ("remember", "memori", "mind", "forget", "note", "记", "忘")
LONGEST_WISH = 600  # characters: a long text is about something else, whatever it says in passing


def asks_to_remember(message: str) -> bool:
    """Whether a message asks for something to be remembered. High recall: a hit is only extracted
    sooner.
    """
    text = message[:_LOOKED_AT].lower()
    for hint in _HINTS:  # nearly every message has none, and a generator would double the cost
        if hint in text:
            return (
                pattern("asks").search(text) is not None
                and pattern("question").search(text) is None
            )
    return False


def is_standing_wish(text: str) -> bool:
    """Whether the user says how they want things to be done from now on."""
    return len(text) <= LONGEST_WISH and _wishes(text)


@lru_cache(4_096)  # the same turns are candidates again and again
def _wishes(text: str) -> bool:
    return pattern("wish").search(text) is not None
