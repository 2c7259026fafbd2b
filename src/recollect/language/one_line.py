"""One line of visible characters: what a name may hold so that it cannot forge a line around it."""

from __future__ import annotations

import re

# Line and paragraph separators, and control characters of both blocks, NEL among them.
_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
# Characters without a width, and those that turn the direction of what follows. A joiner stays
# between letters of other scripts or emoji, where it belongs to the spelling.
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)


def one_line(text: str) -> str:
    """``text`` with a space for each run of line breaks or controls, without hidden characters."""
    if text.isprintable():
        return text
    return _HIDDEN.sub("", _BREAKS.sub(" ", text)).strip()
