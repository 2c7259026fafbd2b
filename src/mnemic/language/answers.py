"""What a person answers to "is this right?": yes, no or later, in both languages."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from typing import Literal

from mnemic.late import data_of

Answer = Literal["confirm", "ignore", "snooze"]
_MEANINGS: dict[str, Answer] = {"confirm": "confirm", "ignore": "ignore", "snooze": "snooze"}
_SPOKEN = re.compile(r"[\w👍👎✅❌]")


def read_confirmation(message: str) -> Answer | None:
    """None for a message that asks back, says anything else as well, or means two things."""
    text = _plain(message).strip()
    if text.endswith("?"):
        return None
    pattern, meanings = _phrases()
    head, _, rest = text.partition(",")
    if rest.strip() and meanings.get(head.strip(), "") == "ignore":
        return "ignore"  # a correction: what is right instead is said after it
    if _SPOKEN.search(pattern.sub(" ", text)):
        return None
    meant = {meanings[phrase] for phrase in pattern.findall(text)} - {None}
    return meant.pop() if len(meant) == 1 else None


def squeeze(text: str) -> str:
    """Letters and digits alone, to look for a statement whatever a host did to its spelling."""
    return "".join(filter(str.isalnum, _plain(text)))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


@cache
def _phrases() -> tuple[re.Pattern[str], dict[str, Answer | None]]:
    """All phrases, the longest first, and what each means; None for filler."""
    listed = tomllib.loads(data_of("mnemic.language").joinpath("answers.toml").read_text("utf-8"))
    meanings = {
        phrase: _MEANINGS.get(meaning) for meaning, phrases in listed.items() for phrase in phrases
    }
    longest_first = sorted(meanings, key=len, reverse=True)
    # Words of Latin letters end at their ends; Chinese has no space between words.
    spelled = (
        rf"(?<![a-z0-9]){re.escape(phrase)}(?![a-z0-9])" if phrase.isascii() else re.escape(phrase)
        for phrase in longest_first
    )
    return re.compile("|".join(spelled)), meanings
