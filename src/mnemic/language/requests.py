"""Requests to remember something, and standing wishes: orders for always, and preferences."""

from __future__ import annotations

import re
from functools import lru_cache

_LOOKED_AT = 4_000  # characters
_HINTS = ("remember", "memori", "mind", "forget", "note", "记", "忘")
_ASKS = re.compile(
    r"记住|记下|记一下|记好|记着|别忘|不要忘|写进记忆|存进记忆|加到记忆"
    r"|\b(?:remember|memori[sz]e|keep in mind|don'?t forget|do not forget|make a note|note that"
    r"|take note)\b"
)
_QUESTION = re.compile(
    r"(?:还|你|是否)记(?:住|得|着)?.{0,40}[吗么？?]"
    r"|\b(?:do|did|can|could|would)\s+(?:you|u)\s+(?:still\s+)?remember\b"
)
LONGEST_WISH = 600  # characters: a long text is about something else, whatever it says in passing
_WISH = re.compile(
    r"(?:^|[.!?,;:\n]\s*)(?:so |and |also |please |but )*"
    r"(?:always|never|from now on|(?:whenever|every time|each time) (?:i|we)|in (?:the )?future,)\b"
    r"|\bi(?:'d| would)?(?: \w+)? prefer\b|\bi(?:'d| would) rather\b|\bmy preference\b"
    r"|以后(?:都|请|要|别|不要|每次|一律)|今后|从现在(?:起|开始)|每次(?:都|请)|永远(?:不要|别|要)|一律|务必"
    r"|(?:不要|别)再|我(?:更|比较|还是|一向|最)?(?:喜欢|偏好|倾向|习惯)|我(?:宁愿|宁可)",
    re.I,
)


def asks_to_remember(message: str) -> bool:
    """Whether a message asks for something to be remembered. High recall: a hit is only extracted
    sooner.
    """
    text = message[:_LOOKED_AT].lower()
    for hint in _HINTS:  # nearly every message has none, and a generator would double the cost
        if hint in text:
            return _ASKS.search(text) is not None and _QUESTION.search(text) is None
    return False


def is_standing_wish(text: str) -> bool:
    """Whether the user says how they want things to be done from now on."""
    return len(text) <= LONGEST_WISH and _wishes(text)


@lru_cache(4_096)  # the same turns are candidates again and again
def _wishes(text: str) -> bool:
    return _WISH.search(text) is not None
