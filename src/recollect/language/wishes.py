"""Standing wishes: what a user orders for always, or prefers."""

from __future__ import annotations

import re

LONGEST = 600  # characters: a long text is about something else, whatever it says in passing
_WISH = re.compile(
    r"(?:^|[.!?,;:\n]\s*)(?:so |and |also |please |but )*"
    r"(?:always|never|from now on|(?:whenever|every time|each time) (?:i|we)|in (?:the )?future,)\b"
    r"|\bi(?:'d| would)?(?: \w+)? prefer\b|\bi(?:'d| would) rather\b|\bmy preference\b"
    r"|以后(?:都|请|要|别|不要|每次|一律)|今后|从现在(?:起|开始)|每次(?:都|请)|永远(?:不要|别|要)|一律|务必"
    r"|(?:不要|别)再|我(?:更|比较|还是|一向|最)?(?:喜欢|偏好|倾向|习惯)|我(?:宁愿|宁可)",
    re.I,
)


def is_standing_wish(text: str) -> bool:
    """Whether the user says how they want things to be done from now on."""
    return len(text) <= LONGEST and _WISH.search(text) is not None
