"""Whether a message asks for something to be remembered: a quick look at every message."""

from __future__ import annotations

import re

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


def asks_to_remember(message: str) -> bool:
    """High recall: what is found here is only read sooner."""
    text = message[:_LOOKED_AT].lower()
    for hint in _HINTS:  # nearly every message has none, and a generator would double the cost
        if hint in text:
            return _ASKS.search(text) is not None and _QUESTION.search(text) is None
    return False
