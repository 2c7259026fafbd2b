"""What goes into a context before it is fitted: cards, items, and the conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from recollect.language.tokens import TokenCounter
from recollect.prompts import Language
from recollect.settings.recall import SectionName
from recollect.types import Message, Omission, Trust, Turn


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of memory, with what is said beside it."""

    text: str
    id: str = ""
    at: datetime | None = None
    source: str = ""
    kind: str = ""
    trust: Trust = "external"
    score: float = 0.0


class Drawn(NamedTuple):
    """A turn as it stands in the text and among the messages, and what each costs there."""

    lines: str
    message: Message | None
    written: int
    spoken: int


DrawnKey = tuple[str, tuple[str, ...], Language, TokenCounter]


@dataclass(frozen=True, slots=True)
class ConversationPart:
    """The conversation: the latest turns whole, and a summary of what was before them.

    ``drawn`` keeps turns as they were written for an earlier message of the same conversation.
    """

    turns: tuple[Turn, ...] = ()
    summary: str = ""
    drawn: dict[DrawnKey, Drawn] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PromptParts:
    """Everything that is to be fitted. ``left`` was put aside before and is reported too.

    ``texts`` are parts that come as one text: cards, guide, rules, scratchpad, the host's own.
    ``data`` is what memory may have written of a part that people write as well; it is fenced.
    """

    texts: Mapping[SectionName, str] = field(default_factory=dict)
    core: tuple[Item, ...] = ()
    evidence: tuple[Item, ...] = ()
    talk: ConversationPart = field(default_factory=ConversationPart)
    left: tuple[Omission, ...] = ()
    data: Mapping[SectionName, str] = field(default_factory=dict)
