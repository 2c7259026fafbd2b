"""Extraction without a model: what a person says of himself, by patterns, in Chinese and English.

High precision first. A message is read sentence by sentence. Questions, quotes, code, hypotheses,
jokes, other people's words and given texts are left alone (``sentences``, ``traps``); what is left
has to match a pattern of ``patterns/*.toml`` (``entries`` says how one is written, ``statements``
what becomes of a match). Pure, and linear in the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, cast

from mnemic.late import dataclass
from mnemic.rules.importance import ASKED_CONFIDENCE, KIND_IMPORTANCE, RULES_CONFIDENCE
from mnemic.types import Candidate, Kind, Role, Trust

if TYPE_CHECKING:
    from mnemic.language.extract.languages import Patterns
    from mnemic.language.extract.message import MessageReader
    from mnemic.language.extract.people import KnownPeople

__all__ = ["EarlierMessage", "Worth", "extract"]


class Worth(Protocol):
    """Judges what a message says."""

    def __call__(self, stretch: str, share: float = 1) -> bool:
        """Whether a stretch of the message is as likely worth keeping as asked for, or at least a
        ``share`` of that likely; of one that was not read, any share is.
        """


@dataclass(frozen=True, slots=True)
class EarlierMessage:
    """An earlier message of the conversation."""

    role: Role
    text: str


def extract(
    text: str,
    *,
    said_at: datetime,
    role: Role = "user",
    trust: Trust = "owner",
    earlier: Sequence[EarlierMessage] = (),
    people: KnownPeople | None = None,
    source: str = "",
    patterns: Patterns | None = None,
    worth: Worth | None = None,
) -> tuple[Candidate, ...]:
    """The statements of one message; what is not said by the user holds none.

    ``earlier`` are the messages before this one, oldest first: a correction or a bare "upgraded to
    3.12" is resolved against them, and dropped where it cannot be. ``people`` are those spoken of
    before, to whom those of this message are added. ``patterns`` are those of the package unless
    others are given. ``worth`` judges sentences that no pattern reads, which are kept as statements
    without a slot, and doubts the rules that the patterns of the package find.
    """
    if role != "user":
        return ()
    from mnemic.language.extract.dates import add_dates

    before = [message.text for message in earlier if message.role == "user"]
    return tuple(
        replace(
            add_dates(candidate, said_at, text),
            importance=KIND_IMPORTANCE[cast("Kind", candidate.kind)],
            confidence=ASKED_CONFIDENCE
            if candidate.asked
            else candidate.confidence or RULES_CONFIDENCE,
            trust=trust,
            sources=(source,) if source else (),
        )
        for candidate in _reader(patterns).read(text, before, people, worth)
    )


@lru_cache(maxsize=8)
def _reader(patterns: Patterns | None) -> MessageReader:
    """Made at first use: reading the files and compiling takes longer than an import should."""
    from mnemic.language.extract.languages import load_patterns
    from mnemic.language.extract.message import MessageReader

    return MessageReader(patterns or load_patterns())
